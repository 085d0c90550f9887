/***************************************************************************************************
 * grid_barrier_cooperative__COOPERATIVE_true: the memory question, generated
 *   by scopec 0.1.0
 * from grid-barrier-cooperative.cu, SHA-256 771f039c372966e523178394996ea839
 * variant COOPERATIVE = true
 * model cuda-v3
 * given concurrentManagedAccess = 1, hostNativeAtomicSupported = 0,
 *   pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0,
 *   p2pNativeAtomicSupported = 0
 ***************************************************************************************************/

---------------------------------------------------------------------------------------- values

abstract sig Value {}
one sig v0, v1, v2, v3 extends Value {}

---------------------------------------------------------------------------------------- events

abstract sig Event {
  rf_ : set Event,      -- reads-from, chosen among the candidates below
  co_ : set Event,      -- coherence order, chosen where the program leaves it open
  wv_ : set Value       -- values of the writes that are computed from reads
}

-- initial writes
one sig init_before_0 extends Event {}   -- before[0] = 0 (initially)
one sig init_before_1 extends Event {}   -- before[1] = 0 (initially)
one sig init_after_0 extends Event {}    -- after[0] = 0 (initially)
one sig init_after_1 extends Event {}    -- after[1] = 0 (initially)
one sig init_arrived extends Event {}    -- arrived = 0 (initially)
fun init : set Event { init_before_0 + init_before_1 + init_after_0 + init_after_1 + init_arrived }

-- thread main
one sig main_L18_C extends Event {}   -- line 18: launch both_sides
one sig main_L22_C extends Event {}   -- line 22: cudaDeviceSynchronize
fun th_main : set Event { main_L18_C + main_L22_C }

-- thread both_sides[0][0]
one sig both_sides_0_0_L10_W extends Event {}    -- line 10: write before[0]
one sig both_sides_0_0_L11_R extends Event {}    -- line 11: read.acq_rel.device arrived
one sig both_sides_0_0_L11_W extends Event {}    -- line 11: write.acq_rel.device arrived
one sig both_sides_0_0_L12_R extends Event {}    -- line 12: read.acquire.device arrived
one sig both_sides_0_0_L12_R2 extends Event {}   -- line 12: read.acquire.device arrived
one sig both_sides_0_0_L13_R extends Event {}    -- line 13: read before[1]
one sig both_sides_0_0_L13_W extends Event {}    -- line 13: write after[0]
fun th_both_sides_0_0 : set Event { both_sides_0_0_L10_W + both_sides_0_0_L11_R + both_sides_0_0_L11_W + both_sides_0_0_L12_R +
    both_sides_0_0_L12_R2 + both_sides_0_0_L13_R + both_sides_0_0_L13_W }

-- thread both_sides[1][0]
one sig both_sides_1_0_L10_W extends Event {}    -- line 10: write before[1]
one sig both_sides_1_0_L11_R extends Event {}    -- line 11: read.acq_rel.device arrived
one sig both_sides_1_0_L11_W extends Event {}    -- line 11: write.acq_rel.device arrived
one sig both_sides_1_0_L12_R extends Event {}    -- line 12: read.acquire.device arrived
one sig both_sides_1_0_L12_R2 extends Event {}   -- line 12: read.acquire.device arrived
one sig both_sides_1_0_L13_R extends Event {}    -- line 13: read before[0]
one sig both_sides_1_0_L13_W extends Event {}    -- line 13: write after[1]
fun th_both_sides_1_0 : set Event { both_sides_1_0_L10_W + both_sides_1_0_L11_R + both_sides_1_0_L11_W + both_sides_1_0_L12_R +
    both_sides_1_0_L12_R2 + both_sides_1_0_L13_R + both_sides_1_0_L13_W }

-- accesses by location
fun w_before_0 : set Event { init_before_0 + both_sides_0_0_L10_W }
fun r_before_0 : set Event { both_sides_1_0_L13_R }
fun at_before_0 : set Event { w_before_0 + r_before_0 }
fun w_before_1 : set Event { init_before_1 + both_sides_1_0_L10_W }
fun r_before_1 : set Event { both_sides_0_0_L13_R }
fun at_before_1 : set Event { w_before_1 + r_before_1 }
fun w_after_0 : set Event { init_after_0 + both_sides_0_0_L13_W }
fun at_after_0 : set Event { w_after_0 }
fun w_after_1 : set Event { init_after_1 + both_sides_1_0_L13_W }
fun at_after_1 : set Event { w_after_1 }
fun w_arrived : set Event { init_arrived + both_sides_0_0_L11_W + both_sides_1_0_L11_W }
fun r_arrived : set Event { both_sides_0_0_L11_R + both_sides_0_0_L12_R + both_sides_0_0_L12_R2 + both_sides_1_0_L11_R +
    both_sides_1_0_L12_R + both_sides_1_0_L12_R2 }
fun at_arrived : set Event { w_arrived + r_arrived }

------------------------------------------------------------------------- values and conditions

fun f1 : Value->Value { v0->v1 + v1->v2 + v2->v3 }   -- a + 1
-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_before_0 + init_before_1 + init_after_0 + init_after_1 + init_arrived)->v0 +
    (both_sides_0_0_L10_W + both_sides_1_0_L10_W)->v1 + (wv_ & both_sides_0_0_L11_W->(v1 + v2 + v3)) +
    (wv_ & both_sides_0_0_L13_W->(v0 + v1)) + (wv_ & both_sides_1_0_L11_W->(v1 + v2 + v3)) +
    (wv_ & both_sides_1_0_L13_W->(v0 + v1)) }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c0 { some (both_sides_0_0_L12_R.rv & (v0 + v1)) }   -- line 12: unsigned int(arrived) != 2
pred c1 { some (both_sides_0_0_L12_R2.rv & (v0 + v1)) }   -- line 12: unsigned int(arrived) != 2
pred c2 { some (both_sides_1_0_L12_R.rv & (v0 + v1)) }   -- line 12: unsigned int(arrived) != 2
pred c3 { some (both_sides_1_0_L12_R2.rv & (v0 + v1)) }   -- line 12: unsigned int(arrived) != 2
pred g1 { not c2 or not c3 }
pred g2 { not c1 and g1 }
pred g3 { c0 => g2 else g1 }
pred g4 { not c0 or not c1 }
pred g5 { c0 and c1 }
pred g6 { c2 and c3 }
pred g7 { c1 or g6 }
pred g8 { c0 => g7 else g6 }

-- the events that are executed
fun Exec : set Event { init + main_L18_C + both_sides_0_0_L10_W + both_sides_0_0_L11_R + both_sides_0_0_L11_W +
    both_sides_0_0_L12_R + both_sides_1_0_L10_W + both_sides_1_0_L11_R + both_sides_1_0_L11_W +
    both_sides_1_0_L12_R + (g3 => main_L22_C else none) + (c0 => both_sides_0_0_L12_R2 else none) +
    (g4 => both_sides_0_0_L13_R + both_sides_0_0_L13_W else none) +
    (c2 => both_sides_1_0_L12_R2 else none) + (g1 => both_sides_1_0_L13_R +
    both_sides_1_0_L13_W else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_before_0->r_before_0 + w_before_1->r_before_1 + w_arrived->r_arrived) }
fun unordered : Event->Event { both_sides_0_0_L11_W->both_sides_1_0_L11_W & Exec->Exec }
fun co : Event->Event { init_before_0->(w_before_0 & Exec - init_before_0) +
    init_before_1->(w_before_1 & Exec - init_before_1) +
    init_after_0->(w_after_0 & Exec - init_after_0) + init_after_1->(w_after_1 & Exec - init_after_1) +
    init_arrived->(w_arrived & Exec - init_arrived) + (co_ & unordered) + ~(unordered - co_) }
fun R : set Event { (both_sides_0_0_L11_R + both_sides_0_0_L12_R + both_sides_0_0_L12_R2 + both_sides_0_0_L13_R +
    both_sides_1_0_L11_R + both_sides_1_0_L12_R + both_sides_1_0_L12_R2 + both_sides_1_0_L13_R) & Exec }
fun W : set Event { (init + both_sides_0_0_L10_W + both_sides_0_0_L11_W + both_sides_0_0_L13_W + both_sides_1_0_L10_W +
    both_sides_1_0_L11_W + both_sides_1_0_L13_W) & Exec }
fun M : set Event { (init + th_both_sides_0_0 + th_both_sides_1_0) & Exec }
fun F : set Event { none }
fun IW : set Event { init & Exec }
fun A : set Event { (both_sides_0_0_L11_R + both_sides_0_0_L11_W + both_sides_0_0_L12_R + both_sides_0_0_L12_R2 +
    both_sides_1_0_L11_R + both_sides_1_0_L11_W + both_sides_1_0_L12_R + both_sides_1_0_L12_R2) & Exec }
fun Acq : set Event { (both_sides_0_0_L11_R + both_sides_0_0_L12_R + both_sides_0_0_L12_R2 + both_sides_1_0_L11_R +
    both_sides_1_0_L12_R + both_sides_1_0_L12_R2) & Exec }
fun Rel : set Event { (both_sides_0_0_L11_W + both_sides_1_0_L11_W) & Exec }
fun SC : set Event { none }
fun po : Event->Event { (main_L18_C->main_L22_C + ^(both_sides_0_0_L10_W->both_sides_0_0_L11_R +
    both_sides_0_0_L11_R->both_sides_0_0_L11_W + both_sides_0_0_L11_W->both_sides_0_0_L12_R +
    both_sides_0_0_L12_R->both_sides_0_0_L12_R2 + both_sides_0_0_L12_R2->both_sides_0_0_L13_R +
    both_sides_0_0_L13_R->both_sides_0_0_L13_W) + ^(both_sides_1_0_L10_W->both_sides_1_0_L11_R +
    both_sides_1_0_L11_R->both_sides_1_0_L11_W + both_sides_1_0_L11_W->both_sides_1_0_L12_R +
    both_sides_1_0_L12_R->both_sides_1_0_L12_R2 + both_sides_1_0_L12_R2->both_sides_1_0_L13_R +
    both_sides_1_0_L13_R->both_sides_1_0_L13_W)) & Exec->Exec }
fun loc : Event->Event { (at_before_0->at_before_0 + at_before_1->at_before_1 + at_after_0->at_after_0 +
    at_after_1->at_after_1 + at_arrived->at_arrived) & Exec->Exec }
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_both_sides_0_0->th_both_sides_0_0 +
    th_both_sides_1_0->th_both_sides_1_0 + (init <: id)) }
fun rmw : Event->Event { (both_sides_0_0_L11_R->both_sides_0_0_L11_W +
    both_sides_1_0_L11_R->both_sides_1_0_L11_W) & Exec->Exec }
fun dep : Event->Event { (both_sides_0_0_L11_R->both_sides_0_0_L11_W +
    both_sides_1_0_L11_R->both_sides_1_0_L11_W) & Exec->Exec }
fun asw : Event->Event { (init->(th_main + th_both_sides_0_0 + th_both_sides_1_0) + main_L18_C->(th_both_sides_0_0 +
    th_both_sides_1_0) + (th_both_sides_0_0 + th_both_sides_1_0)->main_L22_C) & Exec->Exec }
fun issue : Event->Event { none->none }
fun incl : Event->Event { (th_main->th_main + (both_sides_0_0_L10_W + both_sides_0_0_L13_R +
    both_sides_0_0_L13_W)->th_both_sides_0_0 + (both_sides_0_0_L11_R + both_sides_0_0_L11_W +
    both_sides_0_0_L12_R + both_sides_0_0_L12_R2)->(th_both_sides_0_0 + both_sides_1_0_L11_R +
    both_sides_1_0_L11_W + both_sides_1_0_L12_R + both_sides_1_0_L12_R2) + (both_sides_1_0_L10_W +
    both_sides_1_0_L13_R + both_sides_1_0_L13_W)->th_both_sides_1_0 + (both_sides_1_0_L11_R +
    both_sides_1_0_L11_W + both_sides_1_0_L12_R + both_sides_1_0_L12_R2)->(th_both_sides_1_0 +
    both_sides_0_0_L11_R + both_sides_0_0_L11_W + both_sides_0_0_L12_R +
    both_sides_0_0_L12_R2)) & Exec->Exec }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_before_0 + r_before_1 + r_arrived) & Exec | one rf.r
  co_ in unordered
  co.co in co
  wv_ = wv & (both_sides_0_0_L11_W + both_sides_0_0_L13_W + both_sides_1_0_L11_W + both_sides_1_0_L13_W)->Value
  both_sides_0_0_L11_W.wv_ = both_sides_0_0_L11_R.rv.f1
  both_sides_0_0_L13_W.wv_ = both_sides_0_0_L13_R.rv
  both_sides_1_0_L11_W.wv_ = both_sides_1_0_L11_R.rv.f1
  both_sides_1_0_L13_W.wv_ = both_sides_1_0_L13_R.rv
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
pred valued { all r : (both_sides_0_0_L11_R + both_sides_1_0_L11_R) & Exec | some r.rv }

-- every loop has ended
pred complete { not g5 and not g6 and not g8 }

------------------------------------------------------------------------------------- questions

fun final_after_0 : set Value { let ws = w_after_0 & Exec | (ws - co.ws).wv }   -- after[0] at the end
fun final_after_1 : set Value { let ws = w_after_1 & Exec | (ws - co.ws).wv }   -- after[1] at the end
-- some execution is consistent and complete
run execution { consistent and valued and complete } expect 1
-- some execution is consistent, complete or not
run prefix { consistent and valued } expect 1
-- some execution has a race
run race { consistent and valued and some race } expect 0
-- required after[0] == 1 && after[1] == 1
run required_2 { consistent and valued and complete and (not (some (final_after_0 & v1) and some (final_after_1 & v1))) } expect 0
-- some write has a value beyond those that are modelled
run overflow { consistent and some w : (both_sides_0_0_L11_W + both_sides_0_0_L13_W + both_sides_1_0_L11_W + both_sides_1_0_L13_W) & Exec | no w.wv } expect 0
