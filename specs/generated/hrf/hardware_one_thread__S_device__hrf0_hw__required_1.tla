----------- MODULE hardware_one_thread__S_device__hrf0_hw__required_1 ------------
(******************************************************************************)
(* hardware_one_thread__S_device__hrf0_hw: the hardware question, generated   *)
(*   by scopec 0.1.0                                                          *)
(* from hardware-one-thread.cu, SHA-256 e27f2266c5a9cf23ba176760ab780764      *)
(* variant S = device                                                         *)
(* the example hardware of HRF0                                               *)
(* safety only: which final states can be reached                             *)
(******************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANT NoValue      \* of a local variable that has none yet

\* ---- threads and where they run -----------------------------------------------
HostThreads   == {"main"}
DeviceThreads == {"own_b0_t0"}
Threads       == HostThreads \cup DeviceThreads
Entry     == "own_b0_t0" :> "own_L11"
GridOf    == "own_b0_t0" :> "own"
BlockOf   == "own_b0_t0" :> "own_b0"
UnitOf    == BlockOf      \* neither clusters nor cooperative: each block is a unit
GroupOf   == "main" :> "main" @@ "own_b0_t0" :> "own_b0"
Locations == {<<"x", 0>>}
Reads     == "main" :> <<>> @@ "own_b0_t0" :> ([l \in {"own_L11", "own_L12", "own_L13", "own_L14",
    "own_L15"} |-> {<<"x", 0>>}])
Writes    == "main" :> <<>> @@ "own_b0_t0" :> ([l \in {"own_L11", "own_L12", "own_L13", "own_L14", "own_L15",
    "own_L16", "own_L17", "own_L18", "idle"} |-> {<<"x", 0>>}])
Labels    == {"idle", "done", "main_L21", "main_L21_return", "main_L21_2", "own_L11", "own_L12", "own_L13",
    "own_L14", "own_L15", "own_L16", "own_L17", "own_L18"}

VARIABLES
  pc,     \* label of each thread
  mem,    \* write buffers, the caches of groups, global memory
  reg,    \* registers and automatic objects of each thread
  issued  \* grids in the order in which the host launched them

vars == <<pc, mem, reg, issued>>

\* ---- memory: the example hardware of HRF0, section 4 ------------------------------
\* Figure 6: a write buffer for each thread, an incoherent cache for each group, a global memory.  A line of a buffer or a
\* cache is empty, clean or dirty; with the third optimisation `by` are the threads that read or wrote it since it was empty,
\* and a thread finds a clean line only if it is one of them: a line that others fetched long ago outlasts its acquires.
EarlyAcquire == FALSE   \* 4.3: "the system does not have to wait for group memory to flush/invalidate"
WriteThrough == FALSE   \* 4.3: "if local memories are managed as write-through caches"
Selective    == FALSE   \* 4.3: "affect only the locations touched by the synchronizing thread"

Groups == {GroupOf[t] : t \in Threads}
Empty == [is |-> "empty", value |-> 0, by |-> {}]
Line(is, v, ts) == [is |-> is, value |-> v, by |-> IF Selective THEN ts ELSE {}]
Written(line, v, t) == Line(IF WriteThrough THEN "clean" ELSE "dirty", v, line.by \cup {t})
Holds(line) == line.is # "empty"
Touched(line, t) == ~Selective \/ t \in line.by
Hits(line, t) == Holds(line) /\ (line.is = "dirty" \/ Touched(line, t))

\* lines of t's write buffer go to its group's cache
Drain(m, t, ls) ==
  [m EXCEPT !.buffer[t] = [l \in Locations |-> IF l \in ls THEN Empty ELSE @[l]],
            !.cache[GroupOf[t]] = [l \in Locations |-> IF l \in ls THEN Written(@[l], m.buffer[t][l].value, t) ELSE @[l]],
            !.global = [l \in Locations |-> IF WriteThrough /\ l \in ls THEN m.buffer[t][l].value ELSE @[l]]]
Buffered(m, t) == {l \in Locations : Holds(m.buffer[t][l])}
\* dirty lines of a group's cache go to global memory, and stay
WriteBack(m, g, ls) ==
  [m EXCEPT !.global = [l \in Locations |-> IF l \in ls THEN m.cache[g][l].value ELSE @[l]],
            !.cache[g] = [l \in Locations |-> IF l \in ls THEN [@[l] EXCEPT !.is = "clean"] ELSE @[l]]]
\* a group's cache gets a line from global memory
Fill(m, t, l) ==
  [m EXCEPT !.cache[GroupOf[t]][l] = IF Hits(@, t) THEN Line(@.is, @.value, @.by \cup {t})
                                     ELSE Line("clean", m.global[l], @.by \cup {t})]

\* "Group Release: Empty the local write buffer."  "Global Release: Flush all dirty data in both the local write buffer and
\* group memory to global memory."
Flush(m, t, level) ==
  CASE level = "thread" -> m
    [] level = "group"  -> Drain(m, t, Buffered(m, t))
    [] level = "global" -> LET d == Drain(m, t, Buffered(m, t))
                               g == GroupOf[t]
                           IN WriteBack(d, g, {l \in Locations : d.cache[g][l].is = "dirty" /\ Touched(d.cache[g][l], t)})
\* "Group Acquire: [...] empty the local write buffer before the next load or store performs."  "Global Acquire: Flush all
\* dirty data and invalidate all valid data in both the thread's write buffer and the group memory."  The first leaves open
\* when, invariant 2 does not: at once, but with the first optimisation.
Invalidate(m, t, level) ==
  LET f == Flush(m, t, level) IN
  IF level # "global" THEN f
  ELSE [f EXCEPT !.cache[GroupOf[t]] = [l \in Locations |-> IF Touched(@[l], t) THEN Empty ELSE @[l]]]

Releases(order) == order \in {"release", "acq_rel"}
Acquires(order) == order \in {"acquire", "acq_rel"}
AfterRelease(m, t, level, order) == IF Releases(order) THEN Flush(m, t, level) ELSE m
AfterAcquire(m, t, level, order) ==
  IF ~Acquires(order) THEN m
  ELSE IF EarlyAcquire THEN [m EXCEPT !.late[t] = level]
  ELSE Invalidate(m, t, level)
\* 4.3: "any subsequent load or store in program order will not perform ahead of any flush/invalidate"
Late(m, t) == m.late[t] # "thread"
Ready(t) == ~Late(mem, t)

\* t's own write of a location, where it has not reached the memory of a level yet, does
Settle(m, t, l, level) ==
  LET d == IF level # "thread" /\ Holds(m.buffer[t][l]) THEN Drain(m, t, {l}) ELSE m
      g == GroupOf[t]
  IN IF level = "global" /\ d.cache[g][l].is = "dirty" THEN WriteBack(d, g, {l}) ELSE d
\* "Load: Read directly from group memory unless the address is present in the local write buffer [...].  If the location is
\* not present in group memory, fetch it from global memory."  An acquire or an atomic load reads the memory of its scope.
At(m, t, l, level) ==
  LET line == m.cache[GroupOf[t]][l] IN
  IF level = "thread" /\ Holds(m.buffer[t][l]) THEN m.buffer[t][l].value
  ELSE IF level # "global" /\ Hits(line, t) THEN line.value
  ELSE m.global[l]
Value(t, l, level) == At(Settle(mem, t, l, level), t, l, level)
\* A compare-exchange is acquire and release before it is known to fail, and a load then.
Load(t, l, level, order) ==
  LET s == Settle(AfterRelease(mem, t, level, order), t, l, level)
      f == IF level = "global" \/ (level = "thread" /\ Holds(s.buffer[t][l])) THEN s ELSE Fill(s, t, l)
  IN AfterAcquire(f, t, level, order)
\* "Store: Insert the write into the local write buffer."  A release or an atomic store writes to the memory of its scope.
Put(m, t, l, v, level) ==
  CASE level = "thread" -> [m EXCEPT !.buffer[t][l] = Line("dirty", v, {t})]
    [] level = "group"  -> [m EXCEPT !.buffer[t][l] = Empty, !.cache[GroupOf[t]][l] = Written(@, v, t),
                                     !.global[l] = IF WriteThrough THEN v ELSE @]
    [] level = "global" -> [m EXCEPT !.buffer[t][l] = Empty, !.cache[GroupOf[t]][l] = Empty, !.global[l] = v]
Store(t, l, v, level, order) == Put(AfterRelease(mem, t, level, order), t, l, v, level)
Update(t, l, v, level, order) ==
  AfterAcquire(Put(Settle(AfterRelease(mem, t, level, order), t, l, level), t, l, v, level), t, level, order)
Synchronize(m, t, level, order) == AfterAcquire(AfterRelease(m, t, level, order), t, level, order)

\* everything that was written has reached global memory
Quiet == \A t \in Threads : Buffered(mem, t) = {} /\ \A g \in Groups, l \in Locations : mem.cache[g][l].is # "dirty"

\* ---- section 4.1, "Invariants" ------------------------------------------------------
\* "1. Before a release completes, all prior writes have been written into a memory belonging to the scope of the release."
WrittenTo(m, t, level) ==
  /\ level # "thread" => Buffered(m, t) = {}
  /\ level = "global" => \A l \in Locations : LET line == m.cache[GroupOf[t]][l] IN ~(line.is = "dirty" /\ Touched(line, t))
\* "2. Before an acquire completes, any memory that both belongs to a scope containing the thread and is part of a scope
\* smaller than the scope of the acquire has been invalidated."
Invalidated(m, t, level) ==
  /\ level # "thread" => Buffered(m, t) = {}
  /\ level = "global" => \A l \in Locations : ~Hits(m.cache[GroupOf[t]][l], t) \/ ~Touched(m.cache[GroupOf[t]][l], t)
\* "3. An acquire or release completes when it reads or writes to a memory belonging to the target scope."
Completed(m, t, l, level) == At(m, t, l, "thread") = At(m, t, l, level)
TypeOK ==
  /\ pc \in [Threads -> Labels]
  /\ \A i \in DOMAIN issued : issued[i] \in {"own"}

Init ==
  /\ pc = "main" :> "main_L21" @@ [t \in Threads |-> "idle"]
  /\ mem = [global |-> <<"x", 0>> :> 0, cache |-> [g \in Groups |-> [l \in Locations |-> Empty]],
    buffer |-> [t \in Threads |-> [l \in Locations |-> Empty]], late |-> [t \in Threads |-> "thread"]]
  /\ reg = "main" :> <<>> @@ "own_b0_t0" :> [first |-> NoValue, last |-> NoValue, plain |-> NoValue,
    then |-> NoValue]
  /\ issued = <<>>

\* ---- starting and ending --------------------------------------------------------
Done(t)    == pc[t] = "done"
Started(t) == pc[t] # "idle"
Running(t) == Started(t) /\ ~Done(t)
GridDone(g) == \A t \in DOMAIN GridOf : GridOf[t] = g => Done(t) /\ WrittenTo(mem, t, "global")
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
\* a device thread starts
Begin(t) ==
  /\ pc[t] = "idle"
  /\ CanStart(t)
  /\ Goto(t, Entry[t])
  /\ mem' = Synchronize(mem, t, "global", "acquire")
  /\ UNCHANGED <<reg, issued>>

\* ---- host main -----------------------------------------------------------------
\* hardware-one-thread.cu:21: //@ launch own<<<1, 1>>>();
main_L21(t) ==
  /\ pc[t] = "main_L21"
  /\ issued' = Append(issued, "own")
  /\ mem' = Synchronize(mem, t, "global", "release")
  /\ Goto(t, "main_L21_return")
  /\ UNCHANGED reg

\* hardware-one-thread.cu:21: //@ launch own<<<1, 1>>>();
main_L21_return(t) ==
  /\ pc[t] = "main_L21_return"
  /\ Goto(t, "main_L21_2")
  /\ UNCHANGED <<mem, reg, issued>>

\* hardware-one-thread.cu:21: //@ launch own<<<1, 1>>>();
main_L21_2(t) ==
  /\ pc[t] = "main_L21_2"
  /\ AllIssuedDone
  /\ mem' = Synchronize(mem, t, "global", "acquire")
  /\ Goto(t, "done")
  /\ UNCHANGED <<reg, issued>>

main_step(t) ==
  \/ main_L21(t)
  \/ main_L21_return(t)
  \/ main_L21_2(t)

\* ---- kernel own ----------------------------------------------------------------
\* hardware-one-thread.cu:11: x = 1;
own_L11(t) ==
  /\ pc[t] = "own_L11"
  /\ mem' = Store(t, <<"x", 0>>, 1, "thread", "data")
  /\ Goto(t, "own_L12")
  /\ UNCHANGED <<reg, issued>>

\* hardware-one-thread.cu:12: int plain = x;
own_L12(t) ==
  /\ pc[t] = "own_L12"
  /\ mem' = Load(t, <<"x", 0>>, "thread", "data")
  /\ reg' = [reg EXCEPT ![t].plain = Value(t, <<"x", 0>>, "thread")]
  /\ Goto(t, "own_L13")
  /\ UNCHANGED issued

\* hardware-one-thread.cu:13: int first = atomic.load(cuda::memory_order_relaxed);
own_L13(t) ==
  /\ pc[t] = "own_L13"
  /\ mem' = Load(t, <<"x", 0>>, "global", "relaxed")
  /\ reg' = [reg EXCEPT ![t].first = Value(t, <<"x", 0>>, "global")]
  /\ Goto(t, "own_L14")
  /\ UNCHANGED issued

\* hardware-one-thread.cu:14: atomic.store(2, cuda::memory_order_relaxed);
own_L14(t) ==
  /\ pc[t] = "own_L14"
  /\ mem' = Store(t, <<"x", 0>>, 2, "global", "relaxed")
  /\ Goto(t, "own_L15")
  /\ UNCHANGED <<reg, issued>>

\* hardware-one-thread.cu:15: int then = x;
own_L15(t) ==
  /\ pc[t] = "own_L15"
  /\ mem' = Load(t, <<"x", 0>>, "thread", "data")
  /\ reg' = [reg EXCEPT ![t].then = Value(t, <<"x", 0>>, "thread")]
  /\ Goto(t, "own_L16")
  /\ UNCHANGED issued

\* hardware-one-thread.cu:16: x = 3;
own_L16(t) ==
  /\ pc[t] = "own_L16"
  /\ mem' = Store(t, <<"x", 0>>, 3, "thread", "data")
  /\ Goto(t, "own_L17")
  /\ UNCHANGED <<reg, issued>>

\* hardware-one-thread.cu:17: atomic.store(4, cuda::memory_order_relaxed);
own_L17(t) ==
  /\ pc[t] = "own_L17"
  /\ mem' = Store(t, <<"x", 0>>, 4, "global", "relaxed")
  /\ Goto(t, "own_L18")
  /\ UNCHANGED <<reg, issued>>

\* hardware-one-thread.cu:18: int last = atomic.fetch_add(1, cuda::memory_order_relaxed);
own_L18(t) ==
  /\ pc[t] = "own_L18"
  /\ mem' = Update(t, <<"x", 0>>, Value(t, <<"x", 0>>, "global") + 1, "global", "acq_rel")
  /\ reg' = [reg EXCEPT ![t].last = Value(t, <<"x", 0>>, "global")]
  /\ Goto(t, "done")
  /\ UNCHANGED issued

own_step(t) ==
  \/ own_L11(t)
  \/ own_L12(t)
  \/ own_L13(t)
  \/ own_L14(t)
  \/ own_L15(t)
  \/ own_L16(t)
  \/ own_L17(t)
  \/ own_L18(t)

\* ---- the whole system -------------------------------------------------------------
Host(t)    == main_step(t)
DevStep(t) == own_step(t) \/ Begin(t)
Start(t)   == pc[t] = "idle" /\ DevStep(t)
Step(t)    == IF t \in HostThreads THEN Host(t) ELSE DevStep(t)
\* what the memory does by itself
Drains ==
  /\ \E t \in Threads : \E l \in Buffered(mem, t) : mem' = Drain(mem, t, {l})
  /\ UNCHANGED <<pc, reg, issued>>
WritesBack ==
  /\ \E g \in Groups : \E l \in Locations : mem.cache[g][l].is = "dirty" /\ mem' = WriteBack(mem, g, {l})
  /\ UNCHANGED <<pc, reg, issued>>
\* A line that no thread of the group reads from here on is as good as none.  A clean line that holds what global memory holds
\* need not go: it can go later, once it differs, and until then who reads it finds what a new one would hold.  Nor need a line
\* come that nothing can make old.  With the third optimisation it also matters which threads a line knows.
From(t, accesses) == IF pc[t] \in DOMAIN accesses THEN accesses[pc[t]] ELSE {}
MayRead(g) == UNION {From(t, Reads[t]) : t \in {u \in Threads : GroupOf[u] = g}}
Dirty(l) == \E t \in Threads : Holds(mem.buffer[t][l]) \/ mem.cache[GroupOf[t]][l].is = "dirty"
MayChange(l) == Dirty(l) \/ \E t \in Threads : l \in From(t, Writes[t])
Evicts ==
  /\ \E g \in Groups : \E l \in IF Selective THEN Locations ELSE MayRead(g) :
       /\ mem.cache[g][l].is = "clean" /\ (Selective \/ mem.cache[g][l].value # mem.global[l])
       /\ mem' = [mem EXCEPT !.cache[g][l] = Empty]
  /\ UNCHANGED <<pc, reg, issued>>
Prefetches ==
  /\ \E t \in Threads : \E l \in From(t, Reads[t]) :
       ~Hits(mem.cache[GroupOf[t]][l], t) /\ MayChange(l) /\ mem' = Fill(mem, t, l)
  /\ UNCHANGED <<pc, reg, issued>>
Invalidates ==
  /\ \E t \in Threads : Late(mem, t) /\ mem' = [Invalidate(mem, t, mem.late[t]) EXCEPT !.late[t] = "thread"]
  /\ UNCHANGED <<pc, reg, issued>>

\* nothing is owed to anyone here: it may stop at any time
Next == (\E t \in Threads : Step(t)) \/ Drains \/ WritesBack \/ Evicts \/ Prefetches \/ Invalidates \/ UNCHANGED vars
Spec == Init /\ [][Next]_vars

\* ---- what is looked for -----------------------------------------------------------
\* every thread has ended, and everything that they wrote has reached global memory
Final == AllDone /\ Quiet
NotFound == ~(Final /\ ~((reg["own_b0_t0"].plain # NoValue /\ reg["own_b0_t0"].plain = 1) /\ (reg["own_b0_t0"].first # NoValue /\ reg["own_b0_t0"].first = 1)))

\* ---- the three invariants, for every acquire and release of the program -----------
Takes(t, label) == pc[t] = label /\ pc'[t] # label
Invariants == [][
  /\ \A t \in Threads : Takes(t, "main_L21") => WrittenTo(mem', t, "global")
  /\ \A t \in Threads : Takes(t, "main_L21_2") /\ ~Late(mem', t) => Invalidated(mem', t, "global")
  /\ \A t \in Threads : Takes(t, "own_L18") => WrittenTo(mem', t, "global")
  /\ \A t \in Threads : Takes(t, "own_L18") /\ ~Late(mem', t) => Invalidated(mem', t, "global")
  /\ \A t \in Threads : Takes(t, "own_L18") /\ ~Late(mem', t) => Completed(mem', t, <<"x", 0>>, "global")
  /\ \A t \in Threads : Late(mem, t) /\ ~Late(mem', t) => Invalidated(mem', t, mem.late[t])]_vars
===============================================================================
