---------------- MODULE vector_add__ARRIVED_false__ORDERED_false -----------------
(******************************************************************************)
(* vector_add__ARRIVED_false__ORDERED_false: the progress question, generated *)
(*   by scopec 0.1.0                                                          *)
(* from vector-add.cu, SHA-256 f22c00c667618254be175f48c216c631               *)
(* variant ARRIVED = false, ORDERED = false                                   *)
(* progress model cuda                                                        *)
(* memory is sequentially consistent here; races are the memory question's    *)
(******************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

\* ---- threads and where they run -----------------------------------------------
HostThreads   == {"main"}
DeviceThreads == {"add_b0_t0", "add_b0_t1", "add_b1_t0"}
Tasks         == {"cudaMemcpy_b0_t0", "cudaMemcpy2_b0_t0", "cudaMemcpy3_b0_t0"}      \* what streams execute without device threads
Threads       == HostThreads \cup DeviceThreads \cup Tasks
Entry   == "add_b0_t0" :> "done" @@ "add_b0_t1" :> "done" @@ "add_b1_t0" :> "done" @@
    "cudaMemcpy_b0_t0" :> "done" @@ "cudaMemcpy2_b0_t0" :> "done" @@ "cudaMemcpy3_b0_t0" :> "done"
GridOf  == "add_b0_t0" :> "add" @@ "add_b0_t1" :> "add" @@ "add_b1_t0" :> "add" @@
    "cudaMemcpy_b0_t0" :> "cudaMemcpy" @@ "cudaMemcpy2_b0_t0" :> "cudaMemcpy2" @@
    "cudaMemcpy3_b0_t0" :> "cudaMemcpy3"
BlockOf == "add_b0_t0" :> "add_b0" @@ "add_b0_t1" :> "add_b0" @@ "add_b1_t0" :> "add_b1"
UnitOf  == BlockOf      \* neither clusters nor cooperative: each block is a unit
Labels  == {"idle", "done", "main_L29", "main_L30", "main_L31", "main_L32", "main_L32_2", "main_L32_2_return",
    "main_L33", "main_L33_2", "main_L33_2_return", "main_L36", "main_L38", "main_L38_return",
    "main_L39", "main_L41", "main_L41_return", "main_L41_2", "main_L42", "main_L44", "main_L45",
    "main_L46"}

VARIABLES
  pc,     \* label of each thread
  issued  \* grids in the order in which the host launched them

vars == <<pc, issued>>

TypeOK ==
  /\ pc \in [Threads -> Labels]
  /\ \A i \in DOMAIN issued : issued[i] \in {"cudaMemcpy", "cudaMemcpy2", "add", "cudaMemcpy3"}

Init ==
  /\ pc = "main" :> "main_L29" @@ [t \in Threads |-> "idle"]
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
Ordered(f, g) == <<f, g>> \in {<<"cudaMemcpy", "cudaMemcpy2">>, <<"cudaMemcpy", "cudaMemcpy3">>, <<"cudaMemcpy2", "cudaMemcpy">>, <<"cudaMemcpy2", "cudaMemcpy3">>, <<"cudaMemcpy3", "cudaMemcpy">>, <<"cudaMemcpy3", "cudaMemcpy2">>}
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
  /\ UNCHANGED issued

\* ---- host main -----------------------------------------------------------------
\* vector-add.cu:29: CHECK(cudaMalloc(&device_a, size));
main_L29(t) ==
  /\ pc[t] = "main_L29"
  /\ Goto(t, "main_L30")
  /\ UNCHANGED issued

\* vector-add.cu:30: CHECK(cudaMalloc(&device_b, size));
main_L30(t) ==
  /\ pc[t] = "main_L30"
  /\ Goto(t, "main_L31")
  /\ UNCHANGED issued

\* vector-add.cu:31: CHECK(cudaMalloc((void**)&device_c, size));
main_L31(t) ==
  /\ pc[t] = "main_L31"
  /\ Goto(t, "main_L32")
  /\ UNCHANGED issued

\* vector-add.cu:32: CHECK(cudaMemcpy(device_a, a, size, cudaMemcpyHostToDevice));
main_L32(t) ==
  /\ pc[t] = "main_L32"
  /\ AllDoneOf(Issued \cap {"cudaMemcpy", "cudaMemcpy2", "cudaMemcpy3"})
  /\ Goto(t, "main_L32_2")
  /\ UNCHANGED issued

\* vector-add.cu:32: CHECK(cudaMemcpy(device_a, a, size, cudaMemcpyHostToDevice));
main_L32_2(t) ==
  /\ pc[t] = "main_L32_2"
  /\ issued' = Append(issued, "cudaMemcpy")
  /\ Goto(t, "main_L32_2_return")

\* vector-add.cu:32: CHECK(cudaMemcpy(device_a, a, size, cudaMemcpyHostToDevice));
main_L32_2_return(t) ==
  /\ pc[t] = "main_L32_2_return"
  /\ Goto(t, "main_L33")
  /\ UNCHANGED issued

\* vector-add.cu:33: CHECK(cudaMemcpy(device_b, b, size, cudaMemcpyHostToDevice));
main_L33(t) ==
  /\ pc[t] = "main_L33"
  /\ AllDoneOf(Issued \cap {"cudaMemcpy", "cudaMemcpy2", "cudaMemcpy3"})
  /\ Goto(t, "main_L33_2")
  /\ UNCHANGED issued

\* vector-add.cu:33: CHECK(cudaMemcpy(device_b, b, size, cudaMemcpyHostToDevice));
main_L33_2(t) ==
  /\ pc[t] = "main_L33_2"
  /\ issued' = Append(issued, "cudaMemcpy2")
  /\ Goto(t, "main_L33_2_return")

\* vector-add.cu:33: CHECK(cudaMemcpy(device_b, b, size, cudaMemcpyHostToDevice));
main_L33_2_return(t) ==
  /\ pc[t] = "main_L33_2_return"
  /\ Goto(t, "main_L36")
  /\ UNCHANGED issued

\* vector-add.cu:36: CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
main_L36(t) ==
  /\ pc[t] = "main_L36"
  /\ Goto(t, "main_L38")
  /\ UNCHANGED issued

\* vector-add.cu:38: add<<<blocks, threads, 0, stream>>>(device_a, device_b, device_c, N);
main_L38(t) ==
  /\ pc[t] = "main_L38"
  /\ issued' = Append(issued, "add")
  /\ Goto(t, "main_L38_return")

\* vector-add.cu:38: add<<<blocks, threads, 0, stream>>>(device_a, device_b, device_c, N);
main_L38_return(t) ==
  /\ pc[t] = "main_L38_return"
  /\ Goto(t, "main_L39")
  /\ UNCHANGED issued

\* vector-add.cu:39: CHECK(cudaGetLastError());
main_L39(t) ==
  /\ pc[t] = "main_L39"
  /\ Goto(t, "main_L41")
  /\ UNCHANGED issued

\* vector-add.cu:41: CHECK(cudaMemcpy(c, device_c, size, cudaMemcpyDeviceToHost));
main_L41(t) ==
  /\ pc[t] = "main_L41"
  /\ issued' = Append(issued, "cudaMemcpy3")
  /\ Goto(t, "main_L41_return")

\* vector-add.cu:41: CHECK(cudaMemcpy(c, device_c, size, cudaMemcpyDeviceToHost));
main_L41_return(t) ==
  /\ pc[t] = "main_L41_return"
  /\ Goto(t, "main_L41_2")
  /\ UNCHANGED issued

\* vector-add.cu:41: CHECK(cudaMemcpy(c, device_c, size, cudaMemcpyDeviceToHost));
main_L41_2(t) ==
  /\ pc[t] = "main_L41_2"
  /\ AllDoneOf({"cudaMemcpy3"})
  /\ Goto(t, "main_L42")
  /\ UNCHANGED issued

\* vector-add.cu:42: CHECK(cudaStreamDestroy(stream));
main_L42(t) ==
  /\ pc[t] = "main_L42"
  /\ Goto(t, "main_L44")
  /\ UNCHANGED issued

\* vector-add.cu:44: CHECK(cudaFree(device_a));
main_L44(t) ==
  /\ pc[t] = "main_L44"
  /\ Goto(t, "main_L45")
  /\ UNCHANGED issued

\* vector-add.cu:45: CHECK(cudaFree(device_b));
main_L45(t) ==
  /\ pc[t] = "main_L45"
  /\ Goto(t, "main_L46")
  /\ UNCHANGED issued

\* vector-add.cu:46: CHECK(cudaFree(device_c));
main_L46(t) ==
  /\ pc[t] = "main_L46"
  /\ Goto(t, "done")
  /\ UNCHANGED issued

main_step(t) ==
  \/ main_L29(t)
  \/ main_L30(t)
  \/ main_L31(t)
  \/ main_L32(t)
  \/ main_L32_2(t)
  \/ main_L32_2_return(t)
  \/ main_L33(t)
  \/ main_L33_2(t)
  \/ main_L33_2_return(t)
  \/ main_L36(t)
  \/ main_L38(t)
  \/ main_L38_return(t)
  \/ main_L39(t)
  \/ main_L41(t)
  \/ main_L41_return(t)
  \/ main_L41_2(t)
  \/ main_L42(t)
  \/ main_L44(t)
  \/ main_L45(t)
  \/ main_L46(t)

\* ---- the whole system -------------------------------------------------------------
Host(t)    == main_step(t)
DevStep(t) == Begin(t)
Start(t)   == pc[t] = "idle" /\ DevStep(t)
TaskStep(t) == Begin(t)
Step(t)    == IF t \in HostThreads THEN Host(t) ELSE IF t \in Tasks THEN TaskStep(t) ELSE DevStep(t)
Terminating == AllDone /\ UNCHANGED vars
Next == (\E t \in Threads : Step(t)) \/ Terminating

\* ---- forward progress: cuda -----------------------------------------------------------
\* labels at which a CUDA API call is pending
ApiLabels == {"main_L29", "main_L30", "main_L31", "main_L32", "main_L32_2_return", "main_L33",
    "main_L33_2_return", "main_L36", "main_L38_return", "main_L39", "main_L41_return", "main_L41_2",
    "main_L42", "main_L44", "main_L45", "main_L46"}
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
  \/ \E t \in {"cudaMemcpy_b0_t0", "cudaMemcpy2_b0_t0", "cudaMemcpy3_b0_t0"} : TaskStep(t)
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
