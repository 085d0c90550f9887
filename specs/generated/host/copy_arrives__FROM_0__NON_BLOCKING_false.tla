---------------- MODULE copy_arrives__FROM_0__NON_BLOCKING_false -----------------
(******************************************************************************)
(* copy_arrives__FROM_0__NON_BLOCKING_false: the progress question, generated *)
(*   by scopec 0.1.0                                                          *)
(* from copy-arrives.cu, SHA-256 8e80564c527c4e050532a3c20f9c1237             *)
(* variant FROM = 0, NON_BLOCKING = false                                     *)
(* progress model cuda                                                        *)
(* memory is sequentially consistent here; races are the memory question's    *)
(******************************************************************************)
EXTENDS CudaProgress

\* ---- threads and where they run -----------------------------------------------
HostThreads    == {"main"}
DeviceThreads  == {"read_b0_t0"}
Tasks          == {"cudaMemcpy_b0_t0"}      \* what streams execute without device threads
Threads        == HostThreads \cup DeviceThreads \cup Tasks
Entry          == "read_b0_t0" :> "read_L15" @@ "cudaMemcpy_b0_t0" :> "cudaMemcpy_L30"
GridOf         == "read_b0_t0" :> "read" @@ "cudaMemcpy_b0_t0" :> "cudaMemcpy"
BlockOf        == "read_b0_t0" :> "read_b0"
UnitOf         == BlockOf      \* neither clusters nor cooperative: each block is a unit
Labels         ==
  {"idle", "done", "main_L20", "main_L22", "main_L23", "main_L24", "main_L25", "main_L29", "main_L30",
  "main_L30_2", "main_L30_3", "main_L30_4", "main_L30_4_return", "main_L33", "main_L34", "main_L34_return",
  "main_L35", "cudaMemcpy_L30", "cudaMemcpy_L30_2", "read_L15"}
ApiLabels      ==
  {"main_L22", "main_L23", "main_L24", "main_L25", "main_L29", "main_L30", "main_L30_4_return",
  "main_L34_return", "main_L35"}
NotReadyLabels == {}

VARIABLES
  mem,    \* objects in memory, sequentially consistent
  reg,    \* registers and automatic objects of each thread
  issued  \* grids in the order in which the host launched them

vars == <<pc, mem, reg, issued>>

TypeOK ==
  /\ pc \in [Threads -> Labels]
  /\ \A o \in {"target", "main_pageable", "cudaMemcpy_staged"} : mem[o] \in Int
  /\ \A i \in DOMAIN issued : issued[i] \in {"cudaMemcpy", "read"}

Init ==
  /\ pc = "main" :> "main_L20" @@ [t \in Threads |-> "idle"]
  /\ mem = [target |-> 0, main_pageable |-> 0, cudaMemcpy_staged |-> 0]
  /\ reg = "main" :> [tmp2 |-> 0] @@ "read_b0_t0" :> <<>> @@ "cudaMemcpy_b0_t0" :> [tmp1 |-> 0]
  /\ issued = <<>>

\* ---- laws -----------------------------------------------------------------------
\* f and g are issued in an order that streams keep
Ordered(f, g) == <<f, g>> \in {<<"cudaMemcpy", "read">>, <<"read", "cudaMemcpy">>}
INSTANCE Streams
AllDone == (\A h \in HostThreads : Done(h)) /\ AllIssuedDone
INSTANCE ExecutionModel

\* a device thread starts with its first step
At(t, l)   == pc[t] = l \/ (pc[t] = "idle" /\ Entry[t] = l /\ CanStart(t))

\* ---- host main -----------------------------------------------------------------
\* copy-arrives.cu:20: int pageable = 1;
main_L20(t) ==
  /\ pc[t] = "main_L20"
  /\ mem' = [mem EXCEPT !.main_pageable = 1]
  /\ Goto(t, "main_L22")
  /\ UNCHANGED <<reg, issued>>

\* copy-arrives.cu:22: cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocDefault);
main_L22(t) ==
  /\ pc[t] = "main_L22"
  /\ Goto(t, "main_L23")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:23: cudaMallocManaged(&seen, sizeof(int));
main_L23(t) ==
  /\ pc[t] = "main_L23"
  /\ Goto(t, "main_L24")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:24: cudaGetSymbolAddress((void**)&to, target);
main_L24(t) ==
  /\ pc[t] = "main_L24"
  /\ Goto(t, "main_L25")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:25: cudaGetSymbolAddress((void**)&from, other);
main_L25(t) ==
  /\ pc[t] = "main_L25"
  /\ Goto(t, "main_L29")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:29: if (!NON_BLOCKING) cudaStreamCreate(&stream);
main_L29(t) ==
  /\ pc[t] = "main_L29"
  /\ Goto(t, "main_L30")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:30: if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
main_L30(t) ==
  /\ pc[t] = "main_L30"
  /\ AllDoneOf(Issued \cap {"cudaMemcpy"})
  /\ Goto(t, "main_L30_2")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:30: if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
main_L30_2(t) ==
  /\ pc[t] = "main_L30_2"
  /\ reg' = [reg EXCEPT ![t].tmp2 = mem.main_pageable]
  /\ Goto(t, "main_L30_3")
  /\ UNCHANGED <<mem, issued>>

\* copy-arrives.cu:30: if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
main_L30_3(t) ==
  /\ pc[t] = "main_L30_3"
  /\ mem' = [mem EXCEPT !.cudaMemcpy_staged = reg[t].tmp2]
  /\ reg' = [reg EXCEPT ![t].tmp2 = 0]
  /\ Goto(t, "main_L30_4")
  /\ UNCHANGED issued

\* copy-arrives.cu:30: if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
main_L30_4(t) ==
  /\ pc[t] = "main_L30_4"
  /\ issued' = Append(issued, "cudaMemcpy")
  /\ Goto(t, "main_L30_4_return")
  /\ UNCHANGED <<mem, reg>>

\* copy-arrives.cu:30: if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
main_L30_4_return(t) ==
  /\ pc[t] = "main_L30_4_return"
  /\ Goto(t, "main_L33")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:33: pageable = *pinned = 2;
main_L33(t) ==
  /\ pc[t] = "main_L33"
  /\ mem' = [mem EXCEPT !.main_pageable = 2]
  /\ Goto(t, "main_L34")
  /\ UNCHANGED <<reg, issued>>

\* copy-arrives.cu:34: read<<<1, 1, 0, stream>>>(seen);
main_L34(t) ==
  /\ pc[t] = "main_L34"
  /\ issued' = Append(issued, "read")
  /\ Goto(t, "main_L34_return")
  /\ UNCHANGED <<mem, reg>>

\* copy-arrives.cu:34: read<<<1, 1, 0, stream>>>(seen);
main_L34_return(t) ==
  /\ pc[t] = "main_L34_return"
  /\ Goto(t, "main_L35")
  /\ UNCHANGED <<mem, reg, issued>>

\* copy-arrives.cu:35: cudaDeviceSynchronize();
main_L35(t) ==
  /\ pc[t] = "main_L35"
  /\ AllIssuedDone
  /\ Goto(t, "done")
  /\ UNCHANGED <<mem, reg, issued>>

main_step(t) ==
  \/ main_L20(t)
  \/ main_L22(t)
  \/ main_L23(t)
  \/ main_L24(t)
  \/ main_L25(t)
  \/ main_L29(t)
  \/ main_L30(t)
  \/ main_L30_2(t)
  \/ main_L30_3(t)
  \/ main_L30_4(t)
  \/ main_L30_4_return(t)
  \/ main_L33(t)
  \/ main_L34(t)
  \/ main_L34_return(t)
  \/ main_L35(t)

\* ---- task cudaMemcpy -----------------------------------------------------------
\* copy-arrives.cu:30: if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
cudaMemcpy_L30(t) ==
  /\ At(t, "cudaMemcpy_L30")
  /\ reg' = [reg EXCEPT ![t].tmp1 = mem.cudaMemcpy_staged]
  /\ Goto(t, "cudaMemcpy_L30_2")
  /\ UNCHANGED <<mem, issued>>

\* copy-arrives.cu:30: if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
cudaMemcpy_L30_2(t) ==
  /\ pc[t] = "cudaMemcpy_L30_2"
  /\ mem' = [mem EXCEPT !.target = reg[t].tmp1]
  /\ reg' = [reg EXCEPT ![t].tmp1 = 0]
  /\ Goto(t, "done")
  /\ UNCHANGED issued

cudaMemcpy_step(t) ==
  \/ cudaMemcpy_L30(t)
  \/ cudaMemcpy_L30_2(t)

\* ---- kernel read ---------------------------------------------------------------
\* copy-arrives.cu:15: while (cuda::atomic_ref<int,
\*   cuda::thread_scope_device>(target).load(cuda::memory_order_relaxed) ==
read_L15(t) ==
  /\ At(t, "read_L15")
  /\ Goto(t, IF mem.target = 0 THEN "read_L15" ELSE "done")
  /\ UNCHANGED <<mem, reg, issued>>

read_step(t) ==
  \/ read_L15(t)

\* ---- the whole system -------------------------------------------------------------
Host(t)    == main_step(t)
DevStep(t) == read_step(t)
Start(t)   == pc[t] = "idle" /\ DevStep(t)
TaskStep(t) == cudaMemcpy_step(t)
Step(t)    == IF t \in HostThreads THEN Host(t) ELSE IF t \in Tasks THEN TaskStep(t) ELSE DevStep(t)
Terminating == AllDone /\ UNCHANGED vars
Next == (\E t \in Threads : Step(t)) \/ Terminating

\* ---- forward progress: cuda -----------------------------------------------------------
\* a device thread starts, or a stream gets on with work that has no device thread
Serve ==
  \/ \E t \in DeviceThreads : Start(t)
  \/ \E t \in {"cudaMemcpy_b0_t0"} : TaskStep(t)

Promises ==
  /\ \A h \in HostThreads : WF_vars(HostProgress(h, Host(h)))
  /\ \A h \in HostThreads : WF_vars(ApiProgress(h, Host(h), Serve))
  /\ \A t \in DeviceThreads : WF_vars(DeviceProgress(t, DevStep(t)))
Guaranteed ==
  \/ \E h \in HostThreads : HostProgress(h, Host(h))
  \/ \E h \in HostThreads : ApiProgress(h, Host(h), Serve)
  \/ \E t \in DeviceThreads : DeviceProgress(t, DevStep(t))
Fairness == Promises
Spec == Init /\ [][Next]_vars /\ Fairness

\* ---- properties -----------------------------------------------------------------------
Termination == <>AllDone
\* A state from which nobody is owed a step that changes anything is a hang, with a shortest schedule to it.
\* The states without any step are left to TLC's deadlock check.
NotStuck == AllDone \/ ENABLED <<Guaranteed>>_vars \/ ~ENABLED Next
===============================================================================
