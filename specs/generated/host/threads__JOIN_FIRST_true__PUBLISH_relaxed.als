/***************************************************************************************************
 * threads__JOIN_FIRST_true__PUBLISH_relaxed: the memory question, generated
 *   by scopec 0.1.0
 * from threads.cu, SHA-256 5e5ece9d8a55755a1d62664865db0df2
 * variant JOIN_FIRST = true, PUBLISH = relaxed
 * model cuda-v3
 * given concurrentManagedAccess = 1, hostNativeAtomicSupported = 0,
 *   pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0,
 *   p2pNativeAtomicSupported = 0
 ***************************************************************************************************/

---------------------------------------------------------------------------------------- values

abstract sig Value {}
one sig v0, v1 extends Value {}

---------------------------------------------------------------------------------------- events

abstract sig Event {
  rf_ : set Event,      -- reads-from, chosen among the candidates below
  co_ : set Event,      -- coherence order, chosen where the program leaves it open
  wv_ : set Value       -- values of the writes that are computed from reads
}

-- initial writes
one sig init_ready extends Event {}       -- ready = 0 (initially)
one sig init_main_data extends Event {}   -- main.data = 0 (initially)
one sig init_main_seen extends Event {}   -- main.seen = 0 (initially)
fun init : set Event { init_ready + init_main_data + init_main_seen }

-- thread main
one sig main_L12_W extends Event {}    -- line 12: write main.data
one sig main_L12_W2 extends Event {}   -- line 12: write main.seen
one sig main_L13_C extends Event {}    -- line 13: create writer
one sig main_L17_C extends Event {}    -- line 17: create reader
one sig main_L23_C extends Event {}    -- line 23: join reader
one sig main_L24_R extends Event {}    -- line 24: read main.seen
one sig main_L26_C extends Event {}    -- line 26: join writer
fun th_main : set Event { main_L12_W + main_L12_W2 + main_L13_C + main_L17_C + main_L23_C + main_L24_R + main_L26_C }

-- thread writer
one sig writer_L14_W extends Event {}   -- line 14: write main.data
one sig writer_L15_W extends Event {}   -- line 15: write.relaxed.system ready
fun th_writer : set Event { writer_L14_W + writer_L15_W }

-- thread reader
one sig reader_L19_R extends Event {}    -- line 19: read.acquire.system ready
one sig reader_L19_R2 extends Event {}   -- line 19: read.acquire.system ready
one sig reader_L20_R extends Event {}    -- line 20: read main.data
one sig reader_L20_W extends Event {}    -- line 20: write main.seen
fun th_reader : set Event { reader_L19_R + reader_L19_R2 + reader_L20_R + reader_L20_W }

-- accesses by location
fun w_ready : set Event { init_ready + writer_L15_W }
fun r_ready : set Event { reader_L19_R + reader_L19_R2 }
fun at_ready : set Event { w_ready + r_ready }
fun w_main_data : set Event { init_main_data + main_L12_W + writer_L14_W }
fun r_main_data : set Event { reader_L20_R }
fun at_main_data : set Event { w_main_data + r_main_data }
fun w_main_seen : set Event { init_main_seen + main_L12_W2 + reader_L20_W }
fun r_main_seen : set Event { main_L24_R }
fun at_main_seen : set Event { w_main_seen + r_main_seen }

------------------------------------------------------------------------- values and conditions

-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_ready + init_main_data + init_main_seen + main_L12_W + main_L12_W2)->v0 + (writer_L14_W +
    writer_L15_W)->v1 + (wv_ & reader_L20_W->(v0 + v1)) }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c0 { some (reader_L19_R.rv & v0) }   -- line 19: ready == 0
pred c1 { some (reader_L19_R2.rv & v0) }   -- line 19: ready == 0
pred g1 { not c0 or not c1 }
pred g2 { c0 and c1 }

-- the events that are executed
fun Exec : set Event { init + th_writer + main_L12_W + main_L12_W2 + main_L13_C + main_L17_C + reader_L19_R +
    (g1 => main_L23_C + main_L24_R + main_L26_C + reader_L20_R + reader_L20_W else none) +
    (c0 => reader_L19_R2 else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_ready->r_ready + w_main_data->r_main_data + w_main_seen->r_main_seen) }
fun unordered : Event->Event { (main_L12_W->writer_L14_W + main_L12_W2->reader_L20_W) & Exec->Exec }
fun co : Event->Event { init_ready->(w_ready & Exec - init_ready) + init_main_data->(w_main_data & Exec - init_main_data) +
    init_main_seen->(w_main_seen & Exec - init_main_seen) + (co_ & unordered) + ~(unordered - co_) }
fun R : set Event { (main_L24_R + reader_L19_R + reader_L19_R2 + reader_L20_R) & Exec }
fun W : set Event { (init + th_writer + main_L12_W + main_L12_W2 + reader_L20_W) & Exec }
fun M : set Event { (init + th_writer + th_reader + main_L12_W + main_L12_W2 + main_L24_R) & Exec }
fun F : set Event { none }
fun IW : set Event { init & Exec }
fun A : set Event { (writer_L15_W + reader_L19_R + reader_L19_R2) & Exec }
fun Acq : set Event { (reader_L19_R + reader_L19_R2) & Exec }
fun Rel : set Event { none }
fun SC : set Event { none }
fun po : Event->Event { (^(main_L12_W->main_L12_W2 + main_L12_W2->main_L13_C + main_L13_C->main_L17_C +
    main_L17_C->main_L23_C + main_L23_C->main_L24_R + main_L24_R->main_L26_C) +
    writer_L14_W->writer_L15_W + ^(reader_L19_R->reader_L19_R2 + reader_L19_R2->reader_L20_R +
    reader_L20_R->reader_L20_W)) & Exec->Exec }
fun loc : Event->Event { (at_ready->at_ready + at_main_data->at_main_data + at_main_seen->at_main_seen) & Exec->Exec }
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_writer->th_writer + th_reader->th_reader + (init <: id)) }
fun rmw : Event->Event { none->none }
fun dep : Event->Event { none->none }
fun asw : Event->Event { (init->(th_main + th_writer + th_reader) + main_L13_C->th_writer + main_L17_C->th_reader +
    th_reader->main_L23_C + th_writer->main_L26_C) & Exec->Exec }
fun issue : Event->Event { none->none }
fun incl : Event->Event { (th_main->th_main + writer_L14_W->th_writer + writer_L15_W->(th_writer + reader_L19_R +
    reader_L19_R2) + (reader_L19_R + reader_L19_R2)->(th_reader + writer_L15_W) + (reader_L20_R +
    reader_L20_W)->th_reader) & Exec->Exec }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_ready + r_main_data + r_main_seen) & Exec | one rf.r
  co_ in unordered
  co.co in co
  wv_ = wv & (reader_L20_W)->Value
  reader_L20_W.wv_ = reader_L20_R.rv
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
pred complete { not g2 }

------------------------------------------------------------------------------------- questions

-- some execution is consistent and complete
run execution { consistent and complete }
-- some execution is consistent, complete or not
run prefix { consistent } expect 1
-- some execution has a race
run race { consistent and some race } expect 1
-- some execution has a race on main.data
run race_on_main_data { consistent and some race & at_main_data->at_main_data } expect 1
