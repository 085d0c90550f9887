/***************************************************************************************************
 * copy_arrives__FROM_0__NON_BLOCKING_false: the memory question, generated
 *   by scopec 0.1.0
 * from copy-arrives.cu, SHA-256 8e80564c527c4e050532a3c20f9c1237
 * variant FROM = 0, NON_BLOCKING = false
 * model cuda-v3
 * given concurrentManagedAccess = 1, hostNativeAtomicSupported = 0,
 *   pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0,
 *   p2pNativeAtomicSupported = 0
 ***************************************************************************************************/

---------------------------------------------------------------------------------------- values

abstract sig Value {}
one sig v0, v1, v2 extends Value {}

---------------------------------------------------------------------------------------- events

abstract sig Event {
  rf_ : set Event,      -- reads-from, chosen among the candidates below
  co_ : set Event,      -- coherence order, chosen where the program leaves it open
  wv_ : set Value       -- values of the writes that are computed from reads
}

-- initial writes
one sig init_target extends Event {}              -- target = 0 (initially)
one sig init_main_pageable extends Event {}       -- main.pageable = 0 (initially)
one sig init_pinned extends Event {}              -- pinned = 0 (initially)
one sig init_seen extends Event {}                -- seen = 0 (initially)
one sig init_cudaMemcpy_staged extends Event {}   -- cudaMemcpy.staged = 0 (initially)
fun init : set Event { init_target + init_main_pageable + init_pinned + init_seen + init_cudaMemcpy_staged }

-- thread main
-- line 20: pageable
one sig main_L20_W extends Event {}    -- write main.pageable
-- line 26: *pinned = 1
one sig main_L26_W extends Event {}    -- write pinned
-- line 30: cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice)
one sig main_L30_C extends Event {}    -- cudaStreamSynchronize(stream0)
one sig main_L30_R extends Event {}    -- read main.pageable
one sig main_L30_W extends Event {}    -- write cudaMemcpy.staged
one sig main_L30_C2 extends Event {}   -- launch cudaMemcpy
-- line 33: pageable = *pinned = 2
one sig main_L33_W extends Event {}    -- write pinned
one sig main_L33_W2 extends Event {}   -- write main.pageable
-- line 34: read<<<1, 1, 0, stream>>>(seen)
one sig main_L34_C extends Event {}    -- launch read
-- line 35: cudaDeviceSynchronize()
one sig main_L35_C extends Event {}    -- cudaDeviceSynchronize
fun th_main : set Event { main_L20_W + main_L26_W + main_L30_C + main_L30_R + main_L30_W + main_L30_C2 +
    main_L33_W + main_L33_W2 + main_L34_C + main_L35_C }

-- thread cudaMemcpy[0][0]
-- line 30: cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice)
one sig cudaMemcpy_0_0_L30_R extends Event {}   -- read cudaMemcpy.staged
one sig cudaMemcpy_0_0_L30_W extends Event {}   -- write target
fun th_cudaMemcpy_0_0 : set Event { cudaMemcpy_0_0_L30_R + cudaMemcpy_0_0_L30_W }

-- thread read[0][0]
-- line 15: cuda::atomic_ref<int, cuda::thread_scope_device>(target).load(cuda::memory_order_relaxed)
one sig read_0_0_L15_R extends Event {}    -- read.relaxed.device target
one sig read_0_0_L15_R2 extends Event {}   -- read.relaxed.device target
-- line 16: *seen = target
one sig read_0_0_L16_R extends Event {}    -- read target
one sig read_0_0_L16_W extends Event {}    -- write seen
fun th_read_0_0 : set Event { read_0_0_L15_R + read_0_0_L15_R2 + read_0_0_L16_R + read_0_0_L16_W }

-- accesses by location
fun w_target : set Event { init_target + cudaMemcpy_0_0_L30_W }
fun r_target : set Event { read_0_0_L15_R + read_0_0_L15_R2 + read_0_0_L16_R }
fun at_target : set Event { w_target + r_target }
fun w_main_pageable : set Event { init_main_pageable + main_L20_W + main_L33_W2 }
fun r_main_pageable : set Event { main_L30_R }
fun at_main_pageable : set Event { w_main_pageable + r_main_pageable }
fun w_pinned : set Event { init_pinned + main_L26_W + main_L33_W }
fun at_pinned : set Event { w_pinned }
fun w_seen : set Event { init_seen + read_0_0_L16_W }
fun at_seen : set Event { w_seen }
fun w_cudaMemcpy_staged : set Event { init_cudaMemcpy_staged + main_L30_W }
fun r_cudaMemcpy_staged : set Event { cudaMemcpy_0_0_L30_R }
fun at_cudaMemcpy_staged : set Event { w_cudaMemcpy_staged + r_cudaMemcpy_staged }

------------------------------------------------------------------------- values and conditions

-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_target + init_main_pageable + init_pinned + init_seen +
    init_cudaMemcpy_staged)->v0 + (main_L20_W + main_L26_W)->v1 + (main_L33_W + main_L33_W2)->v2 + (wv_ &
    main_L30_W->(v0 + v1 + v2)) + (wv_ & cudaMemcpy_0_0_L30_W->(v0 + v1 + v2)) + (wv_ & read_0_0_L16_W->(v0 +
    v1 + v2)) }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c_L15_read_0_0 { some (read_0_0_L15_R.rv & v0) }   -- line 15: target == 0
pred c_L15_read_0_0_2 { some (read_0_0_L15_R2.rv & v0) }   -- line 15: target == 0
pred path_L35 { not c_L15_read_0_0 or not c_L15_read_0_0_2 }
pred path_L15 { c_L15_read_0_0 and c_L15_read_0_0_2 }

-- the events that are executed
fun Exec : set Event { init + th_cudaMemcpy_0_0 + main_L20_W + main_L26_W + main_L30_C + main_L30_R +
    main_L30_W + main_L30_C2 + main_L33_W + main_L33_W2 + main_L34_C + read_0_0_L15_R + (path_L35 =>
    main_L35_C + read_0_0_L16_R + read_0_0_L16_W else none) + (c_L15_read_0_0 => read_0_0_L15_R2 else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_target->r_target + w_main_pageable->r_main_pageable +
    w_cudaMemcpy_staged->r_cudaMemcpy_staged) }
fun unordered : Event->Event { (main_L20_W->main_L33_W2 + main_L26_W->main_L33_W) & Exec->Exec }
fun co : Event->Event { init_target->(w_target & Exec - init_target) + init_main_pageable->(w_main_pageable &
    Exec - init_main_pageable) + init_pinned->(w_pinned & Exec - init_pinned) + init_seen->(w_seen & Exec -
    init_seen) + init_cudaMemcpy_staged->(w_cudaMemcpy_staged & Exec - init_cudaMemcpy_staged) + (co_ &
    unordered) + ~(unordered - co_) }
-- reads
fun R : set Event { (main_L30_R + cudaMemcpy_0_0_L30_R + read_0_0_L15_R + read_0_0_L15_R2 + read_0_0_L16_R) &
    Exec }
-- writes, initial ones included
fun W : set Event { (init + main_L20_W + main_L26_W + main_L30_W + main_L33_W + main_L33_W2 +
    cudaMemcpy_0_0_L30_W + read_0_0_L16_W) & Exec }
-- reads and writes
fun M : set Event { (init + th_cudaMemcpy_0_0 + th_read_0_0 + main_L20_W + main_L26_W + main_L30_R +
    main_L30_W + main_L33_W + main_L33_W2) & Exec }
-- fences
fun F : set Event { none }
-- initial writes
fun IW : set Event { init & Exec }
-- accesses by operations that are atomic
fun A : set Event { (read_0_0_L15_R + read_0_0_L15_R2) & Exec }
-- acquires
fun Acq : set Event { none }
-- releases
fun Rel : set Event { none }
-- seq_cst operations
fun SC : set Event { none }
-- program order
fun po : Event->Event { (^(main_L20_W->main_L26_W + main_L26_W->main_L30_C + main_L30_C->main_L30_R +
    main_L30_R->main_L30_W + main_L30_W->main_L30_C2 + main_L30_C2->main_L33_W + main_L33_W->main_L33_W2 +
    main_L33_W2->main_L34_C + main_L34_C->main_L35_C) + cudaMemcpy_0_0_L30_R->cudaMemcpy_0_0_L30_W +
    ^(read_0_0_L15_R->read_0_0_L15_R2 + read_0_0_L15_R2->read_0_0_L16_R + read_0_0_L16_R->read_0_0_L16_W)) &
    Exec->Exec }
-- same location
fun loc : Event->Event { (at_target->at_target + at_main_pageable->at_main_pageable + at_pinned->at_pinned +
    at_seen->at_seen + at_cudaMemcpy_staged->at_cudaMemcpy_staged) & Exec->Exec }
-- different threads
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_cudaMemcpy_0_0->th_cudaMemcpy_0_0 +
    th_read_0_0->th_read_0_0 + (init <: id)) }
-- the halves of one operation
fun rmw : Event->Event { none->none }
-- dependency that no compiler can remove
fun dep : Event->Event { none->none }
-- additional synchronises-with
fun asw : Event->Event { (init->(th_main + th_cudaMemcpy_0_0 + th_read_0_0) + main_L30_C2->th_cudaMemcpy_0_0 +
    main_L34_C->th_read_0_0 + th_cudaMemcpy_0_0->th_read_0_0 + th_cudaMemcpy_0_0->main_L35_C +
    th_read_0_0->main_L35_C) & Exec->Exec }
-- calls of host threads in the order in which they are made, where the program leaves it open
fun issue : Event->Event { none->none }
-- each one's scope includes the other's thread
fun incl : Event->Event { (th_main->th_main + th_cudaMemcpy_0_0->th_cudaMemcpy_0_0 +
    th_read_0_0->th_read_0_0) & Exec->Exec }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_target + r_main_pageable + r_cudaMemcpy_staged) & Exec | one rf.r
  co_ in unordered
  co.co in co
  wv_ = wv & (main_L30_W + cudaMemcpy_0_0_L30_W + read_0_0_L16_W)->Value
  main_L30_W.wv_ = main_L30_R.rv
  cudaMemcpy_0_0_L30_W.wv_ = cudaMemcpy_0_0_L30_R.rv
  read_0_0_L16_W.wv_ = read_0_0_L16_R.rv
}

------------------------------------------------------------------------------ the memory model
-- cuda-v3: CUDA

-- let fr = (rf^-1 ; co) \ id
fun fr : Event->Event { ~rf.co - id }
-- let eco = (rf | co | fr)+
fun eco : Event->Event { ^(rf + co + fr) }
-- let rs = [W & A] ; (rf ; rmw)*
fun rs : Event->Event { (W & A) <: (id + ^(rf.rmw)) }
-- let rs-rf = rs ; rf
fun rs_rf : Event->Event { rs.rf }
-- let rel = [Rel & W] | [Rel & F] ; po ; [W & A]
fun rel : Event->Event { (Rel & W) <: id + (Rel & F) <: po :> (W & A) }
-- let acq = [Acq & R] | [R & A] ; po ; [Acq & F]
fun acq : Event->Event { (Acq & R) <: id + (R & A) <: po :> (Acq & F) }
-- let sw-scoped = incl & (rel ; (incl & (rs-rf ; [A])) ; acq)
fun sw_scoped : Event->Event { incl & rel.(incl & rs_rf :> A).acq }
-- let sw = sw-scoped
fun sw : Event->Event { sw_scoped }
-- let hb = (po | asw | sw)+
fun hb : Event->Event { ^(po + asw + sw) }
-- let sb = po \ rmw
fun sb : Event->Event { po - rmw }
-- let shb = (po | asw | [SC] ; sw ; [SC] | sb ; hb ; sb)+
fun shb : Event->Event { ^(po + asw + SC <: sw :> SC + sb.hb.sb) }
-- let S = [SC] ; shb ; [SC] | ([SC] | [SC & F] ; hb) ; eco ; ([SC] | hb ; [SC & F])
fun S : Event->Event { SC <: shb :> SC + (SC <: id + (SC & F) <: hb).eco.(SC <: id + hb :> (SC & F)) }
-- let conflict = (loc & ext & ((W * M) | (M * W))) \ (IW * _) \ (_ * IW)
fun conflict : Event->Event { loc & ext & (W->M + M->W) - IW->Exec - Exec->IW }
-- let race = conflict \ hb \ hb^-1 \ (incl & (A * A))
fun race : Event->Event { conflict - hb - ~hb - incl & A->A }

-- irreflexive hb ; eco? as coherence
pred coherence { no id & hb.(id + eco) }
-- irreflexive (hb? ; issue)+ as issue_order
pred issue_order { no id & ^((id + hb).issue) }
-- empty rmw & (fr ; co) as atomicity
pred atomicity { no rmw & fr.co }
-- acyclic rf | dep as no_thin_air
pred no_thin_air { no id & ^(rf + dep) }
-- acyclic incl & S as seq_cst
pred seq_cst { no id & ^(incl & S) }

pred consistent { candidate and coherence and issue_order and atomicity and no_thin_air and seq_cst }

-- every loop has ended
pred complete { not path_L15 }

------------------------------------------------------------------------------------- questions

fun final_seen : set Value { let ws = w_seen & Exec | (ws - co.ws).wv }   -- seen at the end
-- some execution is consistent and complete
run execution { consistent and complete } expect 1
-- some execution is consistent, complete or not
run prefix { consistent } expect 1
-- some execution has a race
run race { consistent and some race } expect 0
-- required seen == 1
run required_2 { consistent and complete and (not (some (final_seen & v1))) } expect 0
-- some execution is not sequentially consistent
run weak { consistent and some e : Exec | e in e.^(po + asw + rf + co + (~rf).co) }
