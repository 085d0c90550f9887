------------------------------ MODULE CudaProgress -------------------------------
(******************************************************************************)
(* The laws of forward progress, with the sentences that they encode.         *)
(*                                                                            *)
(* The module of a program extends this one.  It makes an instance of each    *)
(* module in here whose laws it is under; the parameters of that one are      *)
(* tables that it defines, or variables that it declares.  Fairness itself is *)
(* there: TLC reads no temporal formula that has a step for an argument.      *)
(******************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

VARIABLE pc \* label of each thread

\* ---- a thread has a label: idle before it starts, done once it has ended -------
Done(t)    == pc[t] = "done"
Started(t) == pc[t] # "idle"
Running(t) == Started(t) /\ ~Done(t)

\* ---- the state of a cuda::barrier ([thread.barrier.class]/1) -------------------
\* a barrier whose phases expect n arrivals
Barrier(n) == [phase |-> 0, expected |-> n, pending |-> n]
\* the last arrivals that are pending end the phase: the next one starts
Arrive(b, n) == IF b.pending = n
                THEN [b EXCEPT !.phase = b.phase + 1, !.pending = b.expected]
                ELSE [b EXCEPT !.pending = b.pending - n]
\* an arrival after which each phase expects one less
Drop(b, n) == Arrive([b EXCEPT !.expected = b.expected - 1], n)

\* ---- steps, and values as C++ has them --------------------------------------------
Goto(t, l) == pc' = [pc EXCEPT ![t] = l]
\* one of some threads, or none if there are none
OneOf(who) == IF who = {} THEN {{}} ELSE {{u} : u \in who}
Minus(a, b) == IF a >= b THEN a - b ELSE Assert(FALSE, "unsigned subtraction wraps")
Unsigned(a) == IF a >= 0 THEN a ELSE Assert(FALSE, "a negative value becomes unsigned")
Abs(a) == IF a >= 0 THEN a ELSE -a
Quotient(a, b) == IF (a >= 0) = (b > 0) THEN Abs(a) \div Abs(b) ELSE -(Abs(a) \div Abs(b))
Remainder(a, b) == a - Quotient(a, b) * b
RECURSIVE BitAnd(_, _)
BitAnd(a, b) == IF a < 0 \/ b < 0 THEN Assert(FALSE, "bitwise operation on a negative value")
                ELSE IF a = 0 \/ b = 0 THEN 0 ELSE 2 * BitAnd(a \div 2, b \div 2) + (a % 2) * (b % 2)

---------------------------------- MODULE Grids ----------------------------------
\* what a grid has done, its threads have
CONSTANT GridOf

GridDone(g) == \A t \in DOMAIN GridOf : GridOf[t] = g => Done(t)
===============================================================================

-------------------------------- MODULE Launches ---------------------------------
\* grids that the host issues, one after another
EXTENDS Grids
VARIABLE issued

Issued == {issued[i] : i \in DOMAIN issued}
AllDoneOf(grids) == \A g \in grids : GridDone(g)
AllIssuedDone == AllDoneOf(Issued)
===============================================================================

--------------------------------- MODULE Streams ---------------------------------
\* grids that are Ordered start in the order of issue
EXTENDS Launches
CONSTANTS Ordered(_, _)

\* "A device thread shall not start until all its dependencies have completed."
CanStart(t) == \E i \in DOMAIN issued :
                 /\ issued[i] = GridOf[t]
                 /\ \A j \in 1..(i - 1) : Ordered(issued[j], issued[i]) => GridDone(issued[j])
===============================================================================

--------------------------------- MODULE Events ----------------------------------
\* the same where events order streams: what a grid comes after is noted when it is issued
EXTENDS Launches
CONSTANTS StreamOf, Waits
VARIABLES after, fence

\* "A device thread shall not start until all its dependencies have completed."
\* "Dependencies [...] may include dependencies on the completion of, among others, CUDA Events and CUDA
\*   Kernels."
CanStart(t) == GridOf[t] \in Issued /\ AllDoneOf(after[GridOf[t]])
\* what an operation that is issued to a stream now comes after
Before(s) == {g \in Issued : StreamOf[g] \in Waits[s] /\ ~GridDone(g)}
             \cup {g \in UNION {fence[r] : r \in Waits[s]} : ~GridDone(g)}
===============================================================================

------------------------------ MODULE Dependencies -------------------------------
\* grids that no host issues
EXTENDS Grids
CONSTANT Before

\* "A device thread shall not start until all its dependencies have completed."
CanStart(t) == \A g \in Before[GridOf[t]] : GridDone(g)
===============================================================================

-------------------------------- MODULE Triggers ---------------------------------
\* grids that may start before the one that they depend on is complete
CONSTANTS BlockOf, GridOf, Prerequisite
VARIABLE triggered

\* "dependents [...] can be scheduled as soon as all other CTAs in the grid issue the same instruction or have
\*   completed" (PTX ISA, "griddepcontrol")
Triggered(t) == \A u \in DOMAIN BlockOf : GridOf[u] \in Prerequisite[GridOf[t]] /\
  ~Done(u) => BlockOf[u] \in triggered
===============================================================================

------------------------------- MODULE Beginnings --------------------------------
\* grids that may start when each block of another one has begun
CONSTANTS BlockOf, GridOf, Beginning

\* "Event recorded through this launch attribute is guaranteed to only trigger after all block in the
\*   associated kernel trigger the event. [...] A trigger can also be inserted at the beginning of each
\*   block's execution if triggerAtBlockStart is set to non-0." (CUDA runtime API,
\*   cudaLaunchAttributeProgrammaticEvent)
Begun(t) == \A u \in DOMAIN BlockOf :
  GridOf[u] \in Beginning[GridOf[t]] => (\E v \in DOMAIN BlockOf : BlockOf[v] = BlockOf[u] /\ Started(v))
===============================================================================

-------------------------------- MODULE Barriers ---------------------------------
\* barriers of blocks, clusters, grids, warps and tiles: when a thread may leave
CONSTANT Joins
VARIABLE arrived

\* every thread of the barrier that has not exited has arrived, or the phase is over already
Released(t, b) == \/ t \notin arrived[b]
                  \/ \A u \in Joins[b] : u \in arrived[b] \/ Done(u)
\* every thread of the barrier has arrived, or the phase is over already
Complete(t, b) == \/ t \notin arrived[b]
                  \/ \A u \in Joins[b] : u \in arrived[b]
===============================================================================

-------------------------------- MODULE Exchanges --------------------------------
\* exchanges between the lanes of a warp: what each has brought
CONSTANT LaneOf
VARIABLES arrived, brought, met

Meeting(t, b) == IF t \in arrived[b] THEN {<<LaneOf[u], brought[u]>> : u \in arrived[b]} ELSE met[t]
Came(t, b, n) == \E m \in Meeting(t, b) : m[1] = n
Brought(t, b, n) == (CHOOSE one \in {m[2] : m \in {x \in Meeting(t, b) : x[1] = n}} : TRUE)
===============================================================================

------------------------------ MODULE NamedBarriers ------------------------------
\* PTX's barriers with names: an arrival is a token until its phase is over
CONSTANTS DeviceThreads, BlockOf, Takes(_, _)
VARIABLE tokens

Partners(b) == {u \in DeviceThreads : BlockOf[u] = b[1] /\ Takes(u, b)}
Tokens(t, b) == {x \in tokens : x[1] = t /\ x[2] = b}
Phase(t, b) == Cardinality(Tokens(t, b))
Arrived(t, b) == tokens \cup {<<t, b, Phase(t, b) + 1>>}
\* phases up to the k-th are over, and the next is the first
Passed(all, b, k) == {x \in all : x[2] # b}
                     \cup {<<x[1], b, x[3] - k>> : x \in {y \in all : y[2] = b /\ y[3] > k}}
\* every thread that may arrive has arrived or exited
Joined(b, k) == \A u \in Partners(b) : <<u, b, k>> \in tokens \/ Done(u)
\* so many arrivals are a phase
Counted(all, b, n) == IF Cardinality({x \in all : x[2] = b /\ x[3] = 1}) >= n THEN Passed(all, b, 1) ELSE all
\* so many arrivals of warps are a phase, whoever's they are
Filled(all, b, n) == IF Cardinality({x \in all : x[2] = b}) >= n THEN {x \in all : x[2] # b} ELSE all
===============================================================================

----------------------------- MODULE ExecutionModel ------------------------------
\* what the CUDA C++ execution model promises: fairness of each of these, given steps of a thread
CONSTANTS ApiLabels, NotReadyLabels, DeviceThreads, UnitOf

InApi(h) == pc[h] \in ApiLabels
NotReadyQuery(h) == pc[h] \in NotReadyLabels
UnitStarted(u) == \E t \in DeviceThreads : UnitOf[t] = u /\ Started(t)
DeviceQuiet == \A t \in DeviceThreads : ~Running(t)
\* weak fairness: "General-purpose host implementations should provide concurrent forward progress."
HostProgress(h, own) == ~InApi(h) /\ own
\* weak fairness: "A CUDA API call shall eventually either return or ensure at least one device thread makes
\*   progress."
ApiProgress(h, own, serve) == InApi(h) /\ DeviceQuiet /\ (own \/ serve)
\* weak fairness: the same of a launch that the host waits for, where no thread stands for the host
LaunchProgress(serve) == DeviceQuiet /\ serve
\* strong fairness: "CUDA query functions [...] shall not consistently return cudaErrorNotReady without a
\*   device thread making progress."
QueryProgress(h, serve) == NotReadyQuery(h) /\ DeviceQuiet /\ serve
\* weak fairness: "Once a device thread makes progress: If it is part of a Cooperative Grid, all device
\*   threads in its grid shall eventually make progress.  Otherwise, all device threads in its thread-block
\*   cluster shall eventually make progress."
DeviceProgress(t, own) == UnitStarted(UnitOf[t]) /\ own
\* weak fairness: a function that a stream runs on the host is run by a thread of the host's implementation
FunctionProgress(t, own) == Started(t) /\ own
===============================================================================

---------------------------------- MODULE Fair -----------------------------------
\* the progress model fair: every thread is owed progress

Owed(t) == TRUE
===============================================================================

----------------------------------- MODULE Obe -----------------------------------
\* the progress model obe: occupancy bound: every block that has taken a step
CONSTANTS Threads, Number

Owed(t) == \E u \in Threads : Started(u) /\ Number[t] = Number[u]
===============================================================================

----------------------------------- MODULE Hsa -----------------------------------
\* the progress model hsa: the unfinished block with the lowest number
CONSTANTS Threads, Number

Owed(t) == \A u \in Threads : Number[u] < Number[t] => Done(u)
===============================================================================

--------------------------------- MODULE HsaObe ----------------------------------
\* the progress model hsa-obe: the blocks of hsa and those of obe
CONSTANTS Threads, Number

Owed(t) == \/ \E u \in Threads : Started(u) /\ Number[t] = Number[u]
           \/ \A u \in Threads : Number[u] < Number[t] => Done(u)
===============================================================================

---------------------------------- MODULE Lobe -----------------------------------
\* the progress model lobe: linear occupancy bound: every block that has taken a step, and those before it
CONSTANTS Threads, Number

Owed(t) == \E u \in Threads : Started(u) /\ Number[t] <= Number[u]
===============================================================================

---------------------------------- MODULE None -----------------------------------
\* the progress model none: no thread is owed progress

Owed(t) == FALSE
===============================================================================
===============================================================================
