----------------- MODULE grid_barrier__BLOCKS_1__ARRIVE_relaxed ------------------
(******************************************************************************)
(* grid_barrier__BLOCKS_1__ARRIVE_relaxed: the progress question, generated   *)
(*   by scopec 0.1.0                                                          *)
(* from grid-barrier.cu, SHA-256 32fac4cdc9e899f1ac21505fb0514720             *)
(* variant BLOCKS = 1, ARRIVE = relaxed                                       *)
(* progress model cuda                                                        *)
(* memory is sequentially consistent here; races are the memory question's    *)
(******************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

\* ---- threads and where they run -----------------------------------------------
HostThreads   == {"main"}
DeviceThreads == {"both_sides_b0_t0"}
Threads       == HostThreads \cup DeviceThreads
Entry   == "both_sides_b0_t0" :> "both_sides_L14"
GridOf  == "both_sides_b0_t0" :> "both_sides"
BlockOf == "both_sides_b0_t0" :> "both_sides_b0"
UnitOf  == BlockOf      \* neither clusters nor cooperative: each block is a unit
Labels  == {"idle", "done", "main_L19", "main_L19_return", "main_L19_2", "both_sides_L14", "both_sides_L15"}

VARIABLES
  pc,     \* label of each thread
  mem,    \* objects in memory, sequentially consistent
  issued  \* grids in the order in which the host launched them

vars == <<pc, mem, issued>>

TypeOK ==
  /\ pc \in [Threads -> Labels]
  /\ \A o \in {"arrived"} : mem[o] \in Int
  /\ \A i \in DOMAIN issued : issued[i] \in {"both_sides"}

Init ==
  /\ pc = "main" :> "main_L19" @@ [t \in Threads |-> "idle"]
  /\ mem = [arrived |-> 0]
  /\ issued = <<>>

\* ---- starting and ending --------------------------------------------------------
Done(t)    == pc[t] = "done"
Started(t) == pc[t] # "idle"
Running(t) == Started(t) /\ ~Done(t)
GridDone(g) == \A t \in DOMAIN GridOf : GridOf[t] = g => Done(t)
Issued == {issued[i] : i \in DOMAIN issued}
AllDoneOf(grids) == \A g \in grids : GridDone(g)
AllIssuedDone == AllDoneOf(Issued)
AllDone    == (\A h \in HostThreads : Done(h)) /\ AllIssuedDone
\* f and g are issued in an order that streams keep
Ordered(f, g) == FALSE
\* "A device thread shall not start until all its dependencies have completed."
CanStart(t) == \E i \in DOMAIN issued :
                 /\ issued[i] = GridOf[t]
                 /\ \A j \in 1..(i - 1) : Ordered(issued[j], issued[i]) => GridDone(issued[j])

Goto(t, l) == pc' = [pc EXCEPT ![t] = l]
\* a device thread starts with its first step
At(t, l)   == pc[t] = l \/ (pc[t] = "idle" /\ Entry[t] = l /\ CanStart(t))

\* ---- host main -----------------------------------------------------------------
\* grid-barrier.cu:19: //@ launch both_sides<<<BLOCKS, 1>>>();
main_L19(t) ==
  /\ pc[t] = "main_L19"
  /\ issued' = Append(issued, "both_sides")
  /\ Goto(t, "main_L19_return")
  /\ UNCHANGED mem

\* grid-barrier.cu:19: //@ launch both_sides<<<BLOCKS, 1>>>();
main_L19_return(t) ==
  /\ pc[t] = "main_L19_return"
  /\ Goto(t, "main_L19_2")
  /\ UNCHANGED <<mem, issued>>

\* grid-barrier.cu:19: //@ launch both_sides<<<BLOCKS, 1>>>();
main_L19_2(t) ==
  /\ pc[t] = "main_L19_2"
  /\ AllIssuedDone
  /\ Goto(t, "done")
  /\ UNCHANGED <<mem, issued>>

main_step(t) ==
  \/ main_L19(t)
  \/ main_L19_return(t)
  \/ main_L19_2(t)

\* ---- kernel both_sides ---------------------------------------------------------
\* grid-barrier.cu:14: arrived.fetch_add(1, ARRIVE);
both_sides_L14(t) ==
  /\ At(t, "both_sides_L14")
  /\ mem' = [mem EXCEPT !.arrived = mem.arrived + 1]
  /\ Goto(t, "both_sides_L15")
  /\ UNCHANGED issued

\* grid-barrier.cu:15: while (arrived.load(cuda::memory_order_acquire) != BLOCKS);
both_sides_L15(t) ==
  /\ pc[t] = "both_sides_L15"
  /\ Goto(t, IF mem.arrived # 1 THEN "both_sides_L15" ELSE "done")
  /\ UNCHANGED <<mem, issued>>

both_sides_step(t) ==
  \/ both_sides_L14(t)
  \/ both_sides_L15(t)

\* ---- the whole system -------------------------------------------------------------
Host(t)    == main_step(t)
DevStep(t) == both_sides_step(t)
Start(t)   == pc[t] = "idle" /\ DevStep(t)
Step(t)    == IF t \in HostThreads THEN Host(t) ELSE DevStep(t)
Terminating == AllDone /\ UNCHANGED vars
Next == (\E t \in Threads : Step(t)) \/ Terminating

\* ---- forward progress: cuda -----------------------------------------------------------
\* labels at which a CUDA API call is pending
ApiLabels == {"main_L19_return", "main_L19_2"}
InApi(h)  == pc[h] \in ApiLabels
\* "General-purpose host implementations should provide concurrent forward progress."
HostProgress(h) == WF_vars(~InApi(h) /\ Host(h))
UnitStarted(u) == \E t \in DeviceThreads : UnitOf[t] = u /\ Started(t)
DeviceQuiet    == \A t \in DeviceThreads : ~Running(t)
\* "Once a device thread makes progress: If it is part of a Cooperative Grid, all device threads in its grid shall
\* eventually make progress.  Otherwise, all device threads in its thread-block cluster shall eventually make progress."
DeviceProgress(t) == WF_vars(UnitStarted(UnitOf[t]) /\ DevStep(t))
\* a device thread starts, or a stream gets on with work that has no device thread
Serve ==
  \/ \E t \in DeviceThreads : Start(t)
\* "A CUDA API call shall eventually either return or ensure at least one device thread makes progress."
ApiStep(h)     == InApi(h) /\ DeviceQuiet /\ (Host(h) \/ Serve)
ApiProgress(h) == WF_vars(ApiStep(h))

Promises ==
  /\ \A h \in HostThreads : HostProgress(h) /\ ApiProgress(h)
  /\ \A t \in DeviceThreads : DeviceProgress(t)
Guaranteed ==
  \/ \E h \in HostThreads : ~InApi(h) /\ Host(h)
  \/ \E h \in HostThreads : ApiStep(h)
  \/ \E t \in DeviceThreads : UnitStarted(UnitOf[t]) /\ DevStep(t)
Fairness == Promises
Spec == Init /\ [][Next]_vars /\ Fairness

\* ---- properties -----------------------------------------------------------------------
Termination == <>AllDone
\* A state from which nobody is owed a step that changes anything is a hang, with a shortest schedule to it.  The
\* states without any step are left to TLC's deadlock check.
NotStuck == AllDone \/ ENABLED <<Guaranteed>>_vars \/ ~ENABLED Next
===============================================================================
