/***************************************************************************************************
 * persistent_kernel_blocking__BEFORE_false: the memory question, generated
 *   by scopec 0.1.0
 * from persistent-kernel-blocking.cu, SHA-256
 *   85ad7e4beb3a0adb232187d11b5a6ce5
 * variant BEFORE = false
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
  co_ : set Event       -- coherence order, chosen where the program leaves it open
}

-- initial writes
one sig init_tail extends Event {}   -- tail = 0 (initially)
one sig init_stop extends Event {}   -- stop = 0 (initially)
fun init : set Event { init_tail + init_stop }

-- thread main
one sig main_L25_C extends Event {}   -- line 25: launch persistent
one sig main_L27_W extends Event {}   -- line 27: write.release.system tail
one sig main_L28_W extends Event {}   -- line 28: write.release.system stop
one sig main_L30_C extends Event {}   -- line 30: cudaDeviceSynchronize
fun th_main : set Event { main_L25_C + main_L27_W + main_L28_W + main_L30_C }

-- thread persistent[0][0]
one sig persistent_0_0_L12_R extends Event {}    -- line 12: read.acquire.system tail
one sig persistent_0_0_L14_R extends Event {}    -- line 14: read.acquire.system stop
one sig persistent_0_0_L12_R2 extends Event {}   -- line 12: read.acquire.system tail
one sig persistent_0_0_L14_R2 extends Event {}   -- line 14: read.acquire.system stop
one sig persistent_0_0_L12_R3 extends Event {}   -- line 12: read.acquire.system tail
one sig persistent_0_0_L14_R3 extends Event {}   -- line 14: read.acquire.system stop
fun th_persistent_0_0 : set Event { persistent_0_0_L12_R + persistent_0_0_L14_R + persistent_0_0_L12_R2 + persistent_0_0_L14_R2 +
    persistent_0_0_L12_R3 + persistent_0_0_L14_R3 }

-- accesses by location
fun w_tail : set Event { init_tail + main_L27_W }
fun r_tail : set Event { persistent_0_0_L12_R + persistent_0_0_L12_R2 + persistent_0_0_L12_R3 }
fun at_tail : set Event { w_tail + r_tail }
fun w_stop : set Event { init_stop + main_L28_W }
fun r_stop : set Event { persistent_0_0_L14_R + persistent_0_0_L14_R2 + persistent_0_0_L14_R3 }
fun at_stop : set Event { w_stop + r_stop }

------------------------------------------------------------------------- values and conditions

fun f1 : Value->Value { v0->v1 }   -- a < b
fun f2 : Value->Value { v0->v1 + v1->v2 }   -- (0 < a ? 1 : 0) + 1
-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_tail + init_stop)->v0 + (main_L27_W + main_L28_W)->v1 }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c0 { some (persistent_0_0_L12_R.rv & v1) }   -- line 12: 0 < tail
pred c1 { some (persistent_0_0_L14_R.rv & v1) }   -- line 14: stop == 1
pred c2 { some ((some (persistent_0_0_L12_R.rv & v1) => v1 else v0)->persistent_0_0_L12_R2.rv & f1) }   -- line 12: (0 < tail ? 1 : 0) < tail
pred c3 { some (persistent_0_0_L14_R2.rv & v1) }   -- line 14: stop == 1
pred c4 { some ((some ((some (persistent_0_0_L12_R.rv & v1) => v1 else v0)->persistent_0_0_L12_R2.rv & f1) => persistent_0_0_L12_R.rv.f2 else (some (persistent_0_0_L12_R.rv & v1) => v1 else v0))->persistent_0_0_L12_R3.rv & f1) }   -- line 12: ((0 < tail ? 1 : 0) < tail ? (0 < tail ? 1 : 0) + 1 : 0 < tail ? 1 : 0) < tail
pred c5 { some (persistent_0_0_L14_R3.rv & v1) }   -- line 14: stop == 1
pred g1 { not c4 and c5 }
pred g2 { c3 or g1 }
pred g3 { c2 => g1 else g2 }
pred g4 { c1 or g3 }
pred g5 { c0 => g3 else g4 }
pred g6 { c0 or not c1 }
pred g7 { not c1 and not c2 }
pred g8 { c0 => not c2 else g7 }
pred g9 { c2 or not c3 }
pred g10 { not c1 and g9 }
pred g11 { c0 => g9 else g10 }
pred g12 { not c3 and not c4 }
pred g13 { c2 => not c4 else g12 }
pred g14 { not c1 and g13 }
pred g15 { c0 => g13 else g14 }
pred g16 { not c4 and not c5 }
pred g17 { not c3 and g16 }
pred g18 { c2 => g16 else g17 }
pred g19 { not c1 and g18 }
pred g20 { c0 => g18 else g19 }
pred g21 { not c3 and c4 }
pred g22 { c2 => c4 else g21 }
pred g23 { not c1 and g22 }
pred g24 { c0 => g22 else g23 }
pred g25 { c4 or not c5 }
pred g26 { not c3 and g25 }
pred g27 { c2 => g25 else g26 }
pred g28 { not c1 and g27 }
pred g29 { c0 => g27 else g28 }

-- the events that are executed
fun Exec : set Event { init + main_L25_C + main_L27_W + main_L28_W + persistent_0_0_L12_R + (g5 => main_L30_C else none) +
    (not c0 => persistent_0_0_L14_R else none) + (g6 => persistent_0_0_L12_R2 else none) +
    (g8 => persistent_0_0_L14_R2 else none) + (g11 => persistent_0_0_L12_R3 else none) +
    (g15 => persistent_0_0_L14_R3 else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_tail->r_tail + w_stop->r_stop) }
fun co : Event->Event { init_tail->(w_tail & Exec - init_tail) + init_stop->(w_stop & Exec - init_stop) }
fun R : set Event { th_persistent_0_0 & Exec }
fun W : set Event { (init + main_L27_W + main_L28_W) & Exec }
fun M : set Event { (init + th_persistent_0_0 + main_L27_W + main_L28_W) & Exec }
fun F : set Event { none }
fun IW : set Event { init & Exec }
fun A : set Event { (th_persistent_0_0 + main_L27_W + main_L28_W) & Exec }
fun Acq : set Event { th_persistent_0_0 & Exec }
fun Rel : set Event { (main_L27_W + main_L28_W) & Exec }
fun SC : set Event { none }
fun po : Event->Event { (^(main_L25_C->main_L27_W + main_L27_W->main_L28_W + main_L28_W->main_L30_C) +
    ^(persistent_0_0_L12_R->persistent_0_0_L14_R + persistent_0_0_L14_R->persistent_0_0_L12_R2 +
    persistent_0_0_L12_R2->persistent_0_0_L14_R2 + persistent_0_0_L14_R2->persistent_0_0_L12_R3 +
    persistent_0_0_L12_R3->persistent_0_0_L14_R3)) & Exec->Exec }
fun loc : Event->Event { (at_tail->at_tail + at_stop->at_stop) & Exec->Exec }
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_persistent_0_0->th_persistent_0_0 + (init <: id)) }
fun rmw : Event->Event { none->none }
fun dep : Event->Event { none->none }
fun asw : Event->Event { (init->(th_main + th_persistent_0_0) + main_L25_C->th_persistent_0_0 +
    th_persistent_0_0->main_L30_C) & Exec->Exec }
fun issue : Event->Event { none->none }
fun incl : Event->Event { ((main_L25_C + main_L30_C)->th_main + (main_L27_W + main_L28_W)->(th_main + th_persistent_0_0) +
    th_persistent_0_0->(th_persistent_0_0 + main_L27_W + main_L28_W)) & Exec->Exec }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_tail + r_stop) & Exec | one rf.r
  no co_
  co.co in co
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
pred complete { not g20 and not g24 and not g29 }

------------------------------------------------------------------------------------- questions

-- some execution is consistent and complete
run execution { consistent and complete }
-- some execution is consistent, complete or not
run prefix { consistent } expect 1
-- some execution has a race
run race { consistent and some race }
-- some execution goes round a loop more than 2 times
run longer { consistent and (g20 or g24) }
