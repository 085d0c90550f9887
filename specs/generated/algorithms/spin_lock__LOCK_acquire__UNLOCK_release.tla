----------------- MODULE spin_lock__LOCK_acquire__UNLOCK_release -----------------
(******************************************************************************)
(* spin_lock__LOCK_acquire__UNLOCK_release: the progress question, generated  *)
(*   by scopec 0.1.0                                                          *)
(* from spin-lock.cu, SHA-256 f2d0901e1ad081fda592825182996e5a                *)
(* variant LOCK = acquire, UNLOCK = release                                   *)
(* progress model cuda                                                        *)
(* memory is sequentially consistent here; races are the memory question's    *)
(******************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

\* ---- threads and where they run -----------------------------------------------
HostThreads   == {"main"}
DeviceThreads == {"increment_b0_t0", "increment_b1_t0"}
Threads       == HostThreads \cup DeviceThreads
Entry   == "increment_b0_t0" :> "increment_L12" @@ "increment_b1_t0" :> "increment_L12"
GridOf  == "increment_b0_t0" :> "increment" @@ "increment_b1_t0" :> "increment"
BlockOf == "increment_b0_t0" :> "increment_b0" @@ "increment_b1_t0" :> "increment_b1"
UnitOf  == BlockOf      \* neither clusters nor cooperative: each block is a unit
Labels  == {"idle", "done", "main_L17", "main_L17_return", "main_L17_2", "increment_L12", "increment_L14"}

VARIABLES
  pc,     \* label of each thread
  mem,    \* objects in memory, sequentially consistent
  issued  \* grids in the order in which the host launched them

vars == <<pc, mem, issued>>

TypeOK ==
  /\ pc \in [Threads -> Labels]
  /\ \A o \in {"lock"} : mem[o] \in Int
  /\ \A i \in DOMAIN issued : issued[i] \in {"increment"}

Init ==
  /\ pc = "main" :> "main_L17" @@ [t \in Threads |-> "idle"]
  /\ mem = [lock |-> 0]
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
\* spin-lock.cu:17: //@ launch increment<<<2, 1>>>();
main_L17(t) ==
  /\ pc[t] = "main_L17"
  /\ issued' = Append(issued, "increment")
  /\ Goto(t, "main_L17_return")
  /\ UNCHANGED mem

\* spin-lock.cu:17: //@ launch increment<<<2, 1>>>();
main_L17_return(t) ==
  /\ pc[t] = "main_L17_return"
  /\ Goto(t, "main_L17_2")
  /\ UNCHANGED <<mem, issued>>

\* spin-lock.cu:17: //@ launch increment<<<2, 1>>>();
main_L17_2(t) ==
  /\ pc[t] = "main_L17_2"
  /\ AllIssuedDone
  /\ Goto(t, "done")
  /\ UNCHANGED <<mem, issued>>

main_step(t) ==
  \/ main_L17(t)
  \/ main_L17_return(t)
  \/ main_L17_2(t)

\* ---- kernel increment ----------------------------------------------------------
\* spin-lock.cu:12: while (lock.exchange(1, LOCK) == 1);
increment_L12(t) ==
  /\ At(t, "increment_L12")
  /\ mem' = [mem EXCEPT !.lock = 1]
  /\ Goto(t, IF mem.lock = 1 THEN "increment_L12" ELSE "increment_L14")
  /\ UNCHANGED issued

\* spin-lock.cu:14: lock.store(0, UNLOCK);
increment_L14(t) ==
  /\ pc[t] = "increment_L14"
  /\ mem' = [mem EXCEPT !.lock = 0]
  /\ Goto(t, "done")
  /\ UNCHANGED issued

increment_step(t) ==
  \/ increment_L12(t)
  \/ increment_L14(t)

\* ---- the whole system -------------------------------------------------------------
Host(t)    == main_step(t)
DevStep(t) == increment_step(t)
Start(t)   == pc[t] = "idle" /\ DevStep(t)
Step(t)    == IF t \in HostThreads THEN Host(t) ELSE DevStep(t)
Terminating == AllDone /\ UNCHANGED vars
Next == (\E t \in Threads : Step(t)) \/ Terminating

\* ---- forward progress: cuda -----------------------------------------------------------
\* labels at which a CUDA API call is pending
ApiLabels == {"main_L17_return", "main_L17_2"}
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
