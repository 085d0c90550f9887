----------------- MODULE persistent_kernel__WAITS_FOR_ITEM_false -----------------
(******************************************************************************)
(* persistent_kernel__WAITS_FOR_ITEM_false: the progress question, generated  *)
(*   by scopec 0.1.0                                                          *)
(* from persistent-kernel.cu, SHA-256 b7cb638d0562ae001322436b6a36dad3        *)
(* variant WAITS_FOR_ITEM = false                                             *)
(* progress model cuda, options api = returns                                 *)
(* memory is sequentially consistent here; races are the memory question's    *)
(******************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

\* ---- threads and where they run -----------------------------------------------
HostThreads   == {"main"}
DeviceThreads == {"persistent_b0_t0"}
Threads       == HostThreads \cup DeviceThreads
Entry   == "persistent_b0_t0" :> "persistent_L13"
GridOf  == "persistent_b0_t0" :> "persistent"
BlockOf == "persistent_b0_t0" :> "persistent_b0"
UnitOf  == BlockOf      \* neither clusters nor cooperative: each block is a unit
Labels  == {"idle", "done", "main_L23", "main_L23_return", "main_L24", "main_L26", "main_L27",
    "persistent_L13", "persistent_L16"}

VARIABLES
  pc,     \* label of each thread
  mem,    \* objects in memory, sequentially consistent
  reg,    \* registers and automatic objects of each thread
  issued  \* grids in the order in which the host launched them

vars == <<pc, mem, reg, issued>>

TypeOK ==
  /\ pc \in [Threads -> Labels]
  /\ \A o \in {"tail", "stop"} : mem[o] \in Int
  /\ \A i \in DOMAIN issued : issued[i] \in {"persistent"}

Init ==
  /\ pc = "main" :> "main_L23" @@ [t \in Threads |-> "idle"]
  /\ mem = [tail |-> 0, stop |-> 0]
  /\ reg = "main" :> <<>> @@ "persistent_b0_t0" :> [tmp1 |-> 0, head |-> 0]
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
\* persistent-kernel.cu:23: persistent<<<1, 1>>>();
main_L23(t) ==
  /\ pc[t] = "main_L23"
  /\ issued' = Append(issued, "persistent")
  /\ Goto(t, "main_L23_return")
  /\ UNCHANGED <<mem, reg>>

\* persistent-kernel.cu:23: persistent<<<1, 1>>>();
main_L23_return(t) ==
  /\ pc[t] = "main_L23_return"
  /\ Goto(t, "main_L24")
  /\ UNCHANGED <<mem, reg, issued>>

\* persistent-kernel.cu:24: tail.store(1, cuda::memory_order_release);
main_L24(t) ==
  /\ pc[t] = "main_L24"
  /\ mem' = [mem EXCEPT !.tail = 1]
  /\ Goto(t, "main_L26")
  /\ UNCHANGED <<reg, issued>>

\* persistent-kernel.cu:26: stop.store(1, cuda::memory_order_release);
main_L26(t) ==
  /\ pc[t] = "main_L26"
  /\ mem' = [mem EXCEPT !.stop = 1]
  /\ Goto(t, "main_L27")
  /\ UNCHANGED <<reg, issued>>

\* persistent-kernel.cu:27: return cudaDeviceSynchronize();
main_L27(t) ==
  /\ pc[t] = "main_L27"
  /\ AllIssuedDone
  /\ Goto(t, "done")
  /\ UNCHANGED <<mem, reg, issued>>

main_step(t) ==
  \/ main_L23(t)
  \/ main_L23_return(t)
  \/ main_L24(t)
  \/ main_L26(t)
  \/ main_L27(t)

\* ---- kernel persistent ---------------------------------------------------------
\* persistent-kernel.cu:13: if (head < tail.load(cuda::memory_order_acquire)) {
persistent_L13(t) ==
  /\ At(t, "persistent_L13")
  /\ reg' = [reg EXCEPT ![t].tmp1 = IF reg[t].tmp1 < mem.tail THEN reg[t].head + 1 ELSE 0, ![t].head = IF reg[t].tmp1 < mem.tail THEN reg[t].head + 1 ELSE reg[t].head]
  /\ Goto(t, IF reg[t].tmp1 < mem.tail THEN "persistent_L13" ELSE "persistent_L16")
  /\ UNCHANGED <<mem, issued>>

\* persistent-kernel.cu:16: } else if (stop.load(cuda::memory_order_acquire) == 1) {
persistent_L16(t) ==
  /\ pc[t] = "persistent_L16"
  /\ reg' = [reg EXCEPT ![t].tmp1 = IF mem.stop = 1 THEN reg[t].tmp1 ELSE reg[t].head, ![t].head = IF mem.stop = 1 THEN 0 ELSE reg[t].head]
  /\ Goto(t, IF mem.stop = 1 THEN "done" ELSE "persistent_L13")
  /\ UNCHANGED <<mem, issued>>

persistent_step(t) ==
  \/ persistent_L13(t)
  \/ persistent_L16(t)

\* ---- the whole system -------------------------------------------------------------
Host(t)    == main_step(t)
DevStep(t) == persistent_step(t)
Start(t)   == pc[t] = "idle" /\ DevStep(t)
Step(t)    == IF t \in HostThreads THEN Host(t) ELSE DevStep(t)
Terminating == AllDone /\ UNCHANGED vars
Next == (\E t \in Threads : Step(t)) \/ Terminating

\* ---- forward progress: cuda -----------------------------------------------------------
\* labels at which a CUDA API call is pending; launches, queries and other calls return
ApiLabels == {"main_L27"}
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
