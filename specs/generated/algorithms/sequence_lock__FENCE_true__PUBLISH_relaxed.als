/***************************************************************************************************
 * sequence_lock__FENCE_true__PUBLISH_relaxed: the memory question, generated
 *   by scopec 0.1.0
 * from sequence-lock.cu, SHA-256 d31acdc2e7e281a727da937123092ffb
 * variant FENCE = true, PUBLISH = relaxed
 * model cuda-v3
 * given concurrentManagedAccess = 1, hostNativeAtomicSupported = 0,
 *   pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0,
 *   p2pNativeAtomicSupported = 0
 ***************************************************************************************************/

---------------------------------------------------------------------------------------- values

abstract sig Value {}
one sig v0, v1, v2, v3, v4, v5, v6 extends Value {}

---------------------------------------------------------------------------------------- events

abstract sig Event {
  rf_ : set Event,      -- reads-from, chosen among the candidates below
  co_ : set Event,      -- coherence order, chosen where the program leaves it open
  wv_ : set Value       -- values of the writes that are computed from reads
}

-- initial writes
one sig init_version extends Event {}   -- version = 0 (initially)
one sig init_data_0 extends Event {}    -- data[0] = 0 (initially)
one sig init_data_1 extends Event {}    -- data[1] = 0 (initially)
fun init : set Event { init_version + init_data_0 + init_data_1 }

-- thread main
one sig main_L38_C extends Event {}    -- line 38: launch sequence_lock
one sig main_L38_C2 extends Event {}   -- line 38: cudaDeviceSynchronize
fun th_main : set Event { main_L38_C + main_L38_C2 }

-- thread sequence_lock[0][0]
one sig sequence_lock_0_0_L13_R extends Event {}   -- line 13: read.relaxed.device version
one sig sequence_lock_0_0_L14_W extends Event {}   -- line 14: write.relaxed.device version
one sig sequence_lock_0_0_L15_F extends Event {}   -- line 15: fence.release.device
one sig sequence_lock_0_0_L16_W extends Event {}   -- line 16: write.relaxed.device data[0]
one sig sequence_lock_0_0_L17_W extends Event {}   -- line 17: write.relaxed.device data[1]
one sig sequence_lock_0_0_L18_W extends Event {}   -- line 18: write.relaxed.device version
fun th_sequence_lock_0_0 : set Event { sequence_lock_0_0_L13_R + sequence_lock_0_0_L14_W + sequence_lock_0_0_L15_F +
    sequence_lock_0_0_L16_W + sequence_lock_0_0_L17_W + sequence_lock_0_0_L18_W }

-- thread sequence_lock[1][0]
one sig sequence_lock_1_0_L22_R extends Event {}   -- line 22: read.acquire.device version
one sig sequence_lock_1_0_L23_R extends Event {}   -- line 23: read.relaxed.device data[0]
one sig sequence_lock_1_0_L24_R extends Event {}   -- line 24: read.relaxed.device data[1]
one sig sequence_lock_1_0_L25_F extends Event {}   -- line 25: fence.acquire.device
one sig sequence_lock_1_0_L26_R extends Event {}   -- line 26: read.relaxed.device version
fun th_sequence_lock_1_0 : set Event { sequence_lock_1_0_L22_R + sequence_lock_1_0_L23_R + sequence_lock_1_0_L24_R +
    sequence_lock_1_0_L25_F + sequence_lock_1_0_L26_R }

-- accesses by location
fun w_version : set Event { init_version + sequence_lock_0_0_L14_W + sequence_lock_0_0_L18_W }
fun r_version : set Event { sequence_lock_0_0_L13_R + sequence_lock_1_0_L22_R + sequence_lock_1_0_L26_R }
fun at_version : set Event { w_version + r_version }
fun w_data_0 : set Event { init_data_0 + sequence_lock_0_0_L16_W }
fun r_data_0 : set Event { sequence_lock_1_0_L23_R }
fun at_data_0 : set Event { w_data_0 + r_data_0 }
fun w_data_1 : set Event { init_data_1 + sequence_lock_0_0_L17_W }
fun r_data_1 : set Event { sequence_lock_1_0_L24_R }
fun at_data_1 : set Event { w_data_1 + r_data_1 }

------------------------------------------------------------------------- values and conditions

fun f1 : Value->Value { v0->v1 + v1->v2 + v2->v3 + v3->v4 + v4->v5 }   -- a + 1
fun f2 : Value->Value { v0->v2 + v1->v3 + v2->v4 + v3->v5 + v4->v6 }   -- a + 2
fun f3 : Value->Value { v0->v1 + v1->v0 }   -- a != b
-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_version + init_data_0 + init_data_1)->v0 + (sequence_lock_0_0_L16_W +
    sequence_lock_0_0_L17_W)->v1 + (wv_ & sequence_lock_0_0_L14_W->(v1 + v2 + v3 + v4 + v5)) +
    (wv_ & sequence_lock_0_0_L18_W->(v2 + v3 + v4 + v5 + v6)) }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c0 { some (sequence_lock_1_0_L22_R.rv & (v0 + v2 + v4)) }   -- line 22: version % 2 == 0

-- the events that are executed
fun Exec : set Event { init + th_main + th_sequence_lock_0_0 + sequence_lock_1_0_L22_R + sequence_lock_1_0_L23_R +
    sequence_lock_1_0_L24_R + sequence_lock_1_0_L25_F + (c0 => sequence_lock_1_0_L26_R else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_version->r_version + w_data_0->r_data_0 + w_data_1->r_data_1) }
fun unordered : Event->Event { sequence_lock_0_0_L14_W->sequence_lock_0_0_L18_W & Exec->Exec }
fun co : Event->Event { init_version->(w_version & Exec - init_version) + init_data_0->(w_data_0 & Exec - init_data_0) +
    init_data_1->(w_data_1 & Exec - init_data_1) + (co_ & unordered) + ~(unordered - co_) }
fun R : set Event { (sequence_lock_0_0_L13_R + sequence_lock_1_0_L22_R + sequence_lock_1_0_L23_R +
    sequence_lock_1_0_L24_R + sequence_lock_1_0_L26_R) & Exec }
fun W : set Event { (init + sequence_lock_0_0_L14_W + sequence_lock_0_0_L16_W + sequence_lock_0_0_L17_W +
    sequence_lock_0_0_L18_W) & Exec }
fun M : set Event { (init + sequence_lock_0_0_L13_R + sequence_lock_0_0_L14_W + sequence_lock_0_0_L16_W +
    sequence_lock_0_0_L17_W + sequence_lock_0_0_L18_W + sequence_lock_1_0_L22_R +
    sequence_lock_1_0_L23_R + sequence_lock_1_0_L24_R + sequence_lock_1_0_L26_R) & Exec }
fun F : set Event { (sequence_lock_0_0_L15_F + sequence_lock_1_0_L25_F) & Exec }
fun IW : set Event { init & Exec }
fun A : set Event { (sequence_lock_0_0_L13_R + sequence_lock_0_0_L14_W + sequence_lock_0_0_L16_W +
    sequence_lock_0_0_L17_W + sequence_lock_0_0_L18_W + sequence_lock_1_0_L22_R +
    sequence_lock_1_0_L23_R + sequence_lock_1_0_L24_R + sequence_lock_1_0_L26_R) & Exec }
fun Acq : set Event { (sequence_lock_1_0_L22_R + sequence_lock_1_0_L25_F) & Exec }
fun Rel : set Event { sequence_lock_0_0_L15_F & Exec }
fun SC : set Event { none }
fun po : Event->Event { (main_L38_C->main_L38_C2 + ^(sequence_lock_0_0_L13_R->sequence_lock_0_0_L14_W +
    sequence_lock_0_0_L14_W->sequence_lock_0_0_L15_F +
    sequence_lock_0_0_L15_F->sequence_lock_0_0_L16_W +
    sequence_lock_0_0_L16_W->sequence_lock_0_0_L17_W +
    sequence_lock_0_0_L17_W->sequence_lock_0_0_L18_W) +
    ^(sequence_lock_1_0_L22_R->sequence_lock_1_0_L23_R +
    sequence_lock_1_0_L23_R->sequence_lock_1_0_L24_R +
    sequence_lock_1_0_L24_R->sequence_lock_1_0_L25_F +
    sequence_lock_1_0_L25_F->sequence_lock_1_0_L26_R)) & Exec->Exec }
fun loc : Event->Event { (at_version->at_version + at_data_0->at_data_0 + at_data_1->at_data_1) & Exec->Exec }
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_sequence_lock_0_0->th_sequence_lock_0_0 +
    th_sequence_lock_1_0->th_sequence_lock_1_0 + (init <: id)) }
fun rmw : Event->Event { none->none }
fun dep : Event->Event { none->none }
fun asw : Event->Event { (init->(th_main + th_sequence_lock_0_0 + th_sequence_lock_1_0) + main_L38_C->(th_sequence_lock_0_0 +
    th_sequence_lock_1_0) + (th_sequence_lock_0_0 + th_sequence_lock_1_0)->main_L38_C2) & Exec->Exec }
fun issue : Event->Event { none->none }
fun incl : Event->Event { (th_main->th_main + (th_sequence_lock_0_0 + th_sequence_lock_1_0)->(th_sequence_lock_0_0 +
    th_sequence_lock_1_0)) & Exec->Exec }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_version + r_data_0 + r_data_1) & Exec | one rf.r
  co_ in unordered
  co.co in co
  wv_ = wv & (sequence_lock_0_0_L14_W + sequence_lock_0_0_L18_W)->Value
  sequence_lock_0_0_L14_W.wv_ = sequence_lock_0_0_L13_R.rv.f1
  sequence_lock_0_0_L18_W.wv_ = sequence_lock_0_0_L13_R.rv.f2
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

-- reads whose values may depend on themselves return one of those that are modelled
pred valued { all r : sequence_lock_0_0_L13_R & Exec | some r.rv }

-- every loop has ended
pred complete { some Event }

------------------------------------------------------------------------------------- questions

-- some execution is consistent and complete
run execution { consistent and valued and complete } expect 1
-- some execution has a race
run race { consistent and valued and some race } expect 0
-- allowed sequence_lock[1][0].consistent == 1 && sequence_lock[1][0].first == 1
run allowed_2 { consistent and valued and complete and (some ((some (sequence_lock_1_0_L22_R.rv & (v0 + v2 + v4)) and some (sequence_lock_1_0_L26_R.rv & sequence_lock_1_0_L22_R.rv) => v1 else v0) & v1) and some (sequence_lock_1_0_L23_R.rv & v1)) } expect 1
-- allowed sequence_lock[1][0].consistent == 1 && sequence_lock[1][0].first != sequence_lock[1][0].second
run allowed_3 { consistent and valued and complete and (some ((some (sequence_lock_1_0_L22_R.rv & (v0 + v2 + v4)) and some (sequence_lock_1_0_L26_R.rv & sequence_lock_1_0_L22_R.rv) => v1 else v0) & v1) and some (sequence_lock_1_0_L23_R.rv->sequence_lock_1_0_L24_R.rv & f3)) } expect 1
-- some write has a value beyond those that are modelled
run overflow { consistent and some w : (sequence_lock_0_0_L14_W + sequence_lock_0_0_L18_W) & Exec | no w.wv } expect 0
