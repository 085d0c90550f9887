/***************************************************************************************************
 * mp_fences__FENCES_device__ACCESSES_device: the memory question, generated
 *   by scopec 0.1.0
 * from mp-fences.cu, SHA-256 fa9410e3e762da7fc07d4072a6b0c518
 * variant FENCES = device, ACCESSES = device
 * model cuda-v3, options races = ignore
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
one sig init_x extends Event {}   -- x = 0 (initially)
one sig init_f extends Event {}   -- f = 0 (initially)
fun init : set Event { init_x + init_f }

-- thread main
one sig main_L24_C extends Event {}    -- line 24: launch mp
one sig main_L24_C2 extends Event {}   -- line 24: cudaDeviceSynchronize
fun th_main : set Event { main_L24_C + main_L24_C2 }

-- thread mp[0][0]
one sig mp_0_0_L14_W extends Event {}   -- line 14: write x
one sig mp_0_0_L15_F extends Event {}   -- line 15: fence.release.device
one sig mp_0_0_L16_W extends Event {}   -- line 16: write.relaxed.device f
fun th_mp_0_0 : set Event { mp_0_0_L14_W + mp_0_0_L15_F + mp_0_0_L16_W }

-- thread mp[1][0]
one sig mp_1_0_L18_R extends Event {}   -- line 18: read.relaxed.device f
one sig mp_1_0_L19_F extends Event {}   -- line 19: fence.acquire.device
one sig mp_1_0_L20_R extends Event {}   -- line 20: read x
fun th_mp_1_0 : set Event { mp_1_0_L18_R + mp_1_0_L19_F + mp_1_0_L20_R }

-- accesses by location
fun w_x : set Event { init_x + mp_0_0_L14_W }
fun r_x : set Event { mp_1_0_L20_R }
fun at_x : set Event { w_x + r_x }
fun w_f : set Event { init_f + mp_0_0_L16_W }
fun r_f : set Event { mp_1_0_L18_R }
fun at_f : set Event { w_f + r_f }

------------------------------------------------------------------------- values and conditions

-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_x + init_f)->v0 + (mp_0_0_L14_W + mp_0_0_L16_W)->v1 }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c0 { some (mp_1_0_L18_R.rv & v1) }   -- line 18: f == 1

-- the events that are executed
fun Exec : set Event { init + th_main + th_mp_0_0 + mp_1_0_L18_R + mp_1_0_L19_F + (c0 => mp_1_0_L20_R else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_x->r_x + w_f->r_f) }
fun co : Event->Event { init_x->(w_x & Exec - init_x) + init_f->(w_f & Exec - init_f) }
fun R : set Event { (mp_1_0_L18_R + mp_1_0_L20_R) & Exec }
fun W : set Event { (init + mp_0_0_L14_W + mp_0_0_L16_W) & Exec }
fun M : set Event { (init + mp_0_0_L14_W + mp_0_0_L16_W + mp_1_0_L18_R + mp_1_0_L20_R) & Exec }
fun F : set Event { (mp_0_0_L15_F + mp_1_0_L19_F) & Exec }
fun IW : set Event { init & Exec }
fun A : set Event { (mp_0_0_L16_W + mp_1_0_L18_R) & Exec }
fun Acq : set Event { mp_1_0_L19_F & Exec }
fun Rel : set Event { mp_0_0_L15_F & Exec }
fun SC : set Event { none }
fun po : Event->Event { (main_L24_C->main_L24_C2 + ^(mp_0_0_L14_W->mp_0_0_L15_F + mp_0_0_L15_F->mp_0_0_L16_W) +
    ^(mp_1_0_L18_R->mp_1_0_L19_F + mp_1_0_L19_F->mp_1_0_L20_R)) & Exec->Exec }
fun loc : Event->Event { (at_x->at_x + at_f->at_f) & Exec->Exec }
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_mp_0_0->th_mp_0_0 + th_mp_1_0->th_mp_1_0 + (init <: id)) }
fun rmw : Event->Event { none->none }
fun dep : Event->Event { none->none }
fun asw : Event->Event { (init->(th_main + th_mp_0_0 + th_mp_1_0) + main_L24_C->(th_mp_0_0 + th_mp_1_0) + (th_mp_0_0 +
    th_mp_1_0)->main_L24_C2) & Exec->Exec }
fun issue : Event->Event { none->none }
fun incl : Event->Event { (th_main->th_main + mp_0_0_L14_W->th_mp_0_0 + (mp_0_0_L15_F + mp_0_0_L16_W)->(th_mp_0_0 +
    mp_1_0_L18_R + mp_1_0_L19_F) + (mp_1_0_L18_R + mp_1_0_L19_F)->(th_mp_1_0 + mp_0_0_L15_F +
    mp_0_0_L16_W) + mp_1_0_L20_R->th_mp_1_0) & Exec->Exec }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_x + r_f) & Exec | one rf.r
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
pred complete { some Event }

------------------------------------------------------------------------------------- questions

-- some execution is consistent and complete
run execution { consistent and complete } expect 1
-- some execution has a race
run race { consistent and some race } expect 0
-- forbidden mp[1][0].r == 0
run forbidden_1 { consistent and complete and (some ((some (mp_1_0_L18_R.rv & v1) => mp_1_0_L20_R.rv else v2) & v0)) } expect 0
