/***************************************************************************************************
 * relay__FIRST_release__SECOND_release__ptx: the memory question, generated
 *   by scopec 0.1.0
 * from relay.cu, SHA-256 dda879f87a5ca4593b8f9fa686dd95db
 * variant FIRST = release, SECOND = release
 * model ptx
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
  partial_co_ : set Event,      -- coherence order, chosen where the program leaves it open
  sync_fence_ : set Event    -- an order of seq_cst fences
}

-- initial writes
one sig init_x extends Event {}   -- x = 0 (initially)
one sig init_w extends Event {}   -- w = 0 (initially)
one sig init_f extends Event {}   -- f = 0 (initially)
one sig init_g extends Event {}   -- g = 0 (initially)
fun init : set Event { init_x + init_w + init_f + init_g }

-- thread main
-- line 27: relay<<<3, 1>>>()
one sig main_L27_C extends Event {}    -- launch relay
one sig main_L27_C2 extends Event {}   -- cudaDeviceSynchronize
fun th_main : set Event { main_L27_C + main_L27_C2 }

-- thread relay[0][0]
-- line 13: observed.store(1, cuda::memory_order_relaxed)
one sig relay_0_0_L13_W extends Event {}   -- write.relaxed.device w
-- line 14: x = 1
one sig relay_0_0_L14_W extends Event {}   -- write x
-- line 15: first.store(1, FIRST)
one sig relay_0_0_L15_W extends Event {}   -- write.release.device f
fun th_relay_0_0 : set Event { relay_0_0_L13_W + relay_0_0_L14_W + relay_0_0_L15_W }

-- thread relay[1][0]
-- line 17: observed.load(cuda::memory_order_relaxed); first.load(cuda::memory_order_acquire)
one sig relay_1_0_L17_R extends Event {}    -- read.relaxed.device w
one sig relay_1_0_L17_R2 extends Event {}   -- read.acquire.device f
-- line 18: second.store(1, SECOND)
one sig relay_1_0_L18_W extends Event {}    -- write.release.device g
fun th_relay_1_0 : set Event { relay_1_0_L17_R + relay_1_0_L17_R2 + relay_1_0_L18_W }

-- thread relay[2][0]
-- line 20: second.load(cuda::memory_order_acquire)
one sig relay_2_0_L20_R extends Event {}   -- read.acquire.device g
-- line 21: x
one sig relay_2_0_L21_R extends Event {}   -- read x
-- line 22: w
one sig relay_2_0_L22_R extends Event {}   -- read w
fun th_relay_2_0 : set Event { relay_2_0_L20_R + relay_2_0_L21_R + relay_2_0_L22_R }

-- accesses by location
fun w_x : set Event { init_x + relay_0_0_L14_W }
fun r_x : set Event { relay_2_0_L21_R }
fun at_x : set Event { w_x + r_x }
fun w_w : set Event { init_w + relay_0_0_L13_W }
fun r_w : set Event { relay_1_0_L17_R + relay_2_0_L22_R }
fun at_w : set Event { w_w + r_w }
fun w_f : set Event { init_f + relay_0_0_L15_W }
fun r_f : set Event { relay_1_0_L17_R2 }
fun at_f : set Event { w_f + r_f }
fun w_g : set Event { init_g + relay_1_0_L18_W }
fun r_g : set Event { relay_2_0_L20_R }
fun at_g : set Event { w_g + r_g }

------------------------------------------------------------------------- values and conditions

-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_x + init_w + init_f + init_g)->v0 + (relay_0_0_L13_W + relay_0_0_L14_W +
    relay_0_0_L15_W + relay_1_0_L18_W)->v1 }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c_L17_relay_1_0 { some (relay_1_0_L17_R.rv & v1) }   -- line 17: w == 1
pred c_L17_relay_1_0_2 { some (relay_1_0_L17_R2.rv & v1) }   -- line 17: f == 1
pred c_L20 { some (relay_2_0_L20_R.rv & v1) }   -- line 20: g == 1
pred path_L18 { c_L17_relay_1_0 and c_L17_relay_1_0_2 }

-- the events that are executed
fun Exec : set Event { init + th_main + th_relay_0_0 + relay_1_0_L17_R + relay_2_0_L20_R + (c_L17_relay_1_0 =>
    relay_1_0_L17_R2 else none) + (path_L18 => relay_1_0_L18_W else none) + (c_L20 => relay_2_0_L21_R +
    relay_2_0_L22_R else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_x->r_x + w_w->r_w + w_f->r_f + w_g->r_g) }
fun co : Event->Event { init_x->(w_x & Exec - init_x) + init_w->(w_w & Exec - init_w) + init_f->(w_f & Exec -
    init_f) + init_g->(w_g & Exec - init_g) }
fun fence_pairs : Event->Event { none->none }
-- reads
fun R : set Event { (th_relay_2_0 + relay_1_0_L17_R + relay_1_0_L17_R2) & Exec }
-- writes, initial ones included
fun W : set Event { (init + th_relay_0_0 + relay_1_0_L18_W) & Exec }
-- reads and writes
fun M : set Event { (init + th_relay_0_0 + th_relay_1_0 + th_relay_2_0) & Exec }
-- fences
fun F : set Event { none }
-- barrier arrivals and waits
fun B : set Event { none }
-- barrier waits
fun BW : set Event { none }
-- initial writes
fun IW : set Event { init & Exec }
-- plain accesses that are not volatile
fun WEAK : set Event { (relay_0_0_L14_W + relay_2_0_L21_R + relay_2_0_L22_R) & Exec }
-- reads of reductions
fun RED : set Event { none }
-- both halves of read-modify-writes
fun RMW : set Event { none }
-- acquires
fun Acq : set Event { (relay_1_0_L17_R2 + relay_2_0_L20_R) & Exec }
-- releases
fun Rel : set Event { (relay_0_0_L15_W + relay_1_0_L18_W) & Exec }
-- order relaxed
fun RLX : set Event { (relay_0_0_L13_W + relay_1_0_L17_R) & Exec }
-- order acquire
fun ACQ : set Event { (relay_1_0_L17_R2 + relay_2_0_L20_R) & Exec }
-- order release
fun REL : set Event { (relay_0_0_L15_W + relay_1_0_L18_W) & Exec }
-- program order
fun po : Event->Event { (main_L27_C->main_L27_C2 + ^(relay_0_0_L13_W->relay_0_0_L14_W +
    relay_0_0_L14_W->relay_0_0_L15_W) + ^(relay_1_0_L17_R->relay_1_0_L17_R2 +
    relay_1_0_L17_R2->relay_1_0_L18_W) + ^(relay_2_0_L20_R->relay_2_0_L21_R +
    relay_2_0_L21_R->relay_2_0_L22_R)) & Exec->Exec }
-- same location
fun loc : Event->Event { (at_x->at_x + at_w->at_w + at_f->at_f + at_g->at_g) & Exec->Exec }
-- different threads
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_relay_0_0->th_relay_0_0 +
    th_relay_1_0->th_relay_1_0 + th_relay_2_0->th_relay_2_0 + (init <: id)) }
-- the halves of one operation
fun rmw : Event->Event { none->none }
-- dependency that no compiler can remove
fun dep : Event->Event { none->none }
-- additional synchronises-with
fun asw : Event->Event { (init->(th_main + th_relay_0_0 + th_relay_1_0 + th_relay_2_0) +
    main_L27_C->(th_relay_0_0 + th_relay_1_0 + th_relay_2_0) + (th_relay_0_0 + th_relay_1_0 +
    th_relay_2_0)->main_L27_C2) & Exec->Exec }
-- calls of host threads in the order in which they are made, where the program leaves it open
fun issue : Event->Event { none->none }
-- each one's scope includes the other's thread
fun incl : Event->Event { (th_main->th_main + (relay_0_0_L13_W + relay_0_0_L15_W)->(th_relay_0_0 +
    th_relay_1_0 + relay_2_0_L20_R) + relay_0_0_L14_W->th_relay_0_0 + th_relay_1_0->(th_relay_1_0 +
    relay_0_0_L13_W + relay_0_0_L15_W + relay_2_0_L20_R) + relay_2_0_L20_R->(th_relay_1_0 + th_relay_2_0 +
    relay_0_0_L13_W + relay_0_0_L15_W) + (relay_2_0_L21_R + relay_2_0_L22_R)->th_relay_2_0) & Exec->Exec }
-- an order of the seq_cst fences that include each other
fun sync_fence : Event->Event { ^sync_fence_ }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_x + r_w + r_f + r_g) & Exec | one rf.r
  no partial_co_
  co.co in co
  no id & co
  sync_fence_ in fence_pairs
  fence_pairs in sync_fence_ + ~sync_fence_
  no id & ^sync_fence_
}

------------------------------------------------------------------------------ the memory model
-- ptx: PTX

-- let fence = (F \ RLX) | BW
fun fence : set Event { F - RLX + BW }
-- let strong = fence | (M \ WEAK \ IW)
fun strong : set Event { fence + (M - WEAK - IW) }
-- let same = loc
fun same : Event->Event { loc }
-- let ms = (po | po^-1 | (incl & (strong * strong))) & (same | ~(M * M))
fun ms : Event->Event { (po + ~po + incl & strong->strong) & (same + (Exec->Exec - M->M)) }
-- let fr = (rf^-1 ; co) \ id
fun fr : Event->Event { ~rf.co - id }
-- let obs = (ms & rf) ; (rmw ; (ms & rf))*
fun obs : Event->Event { (ms & rf).(id + ^(rmw.(ms & rf))) }
-- let release-pattern = [Rel & W] ; (po & same)? ; [W & strong] | [fence \ ACQ] ; po ; [W & strong]
fun release_pattern : Event->Event { (Rel & W) <: (id + po & same) :> (W & strong) + (fence -
    ACQ) <: po :> (W & strong) }
-- let acquire-pattern = [~RED] ; ([R & strong] ; (po & same)? ; [Acq & R] | [R & strong] ; po ; [fence \
--   REL])
fun acquire_pattern : Event->Event { (Exec - RED) <: ((R & strong) <: (id + po & same) :> (Acq & R) + (R &
    strong) <: po :> (fence - REL)) }
-- let sync = ms & (release-pattern ; obs ; acquire-pattern)
fun sync : Event->Event { ms & release_pattern.obs.acquire_pattern }
-- let cause-base = (po? ; ((sync | sync_fence | asw) ; po?))+
fun cause_base : Event->Event { ^((id + po).((sync + sync_fence + asw).(id + po))) }
-- let passed = [R \ Acq] ; (po & loc) ; [R & WEAK]
fun passed : Event->Event { (R - Acq) <: (po & loc) :> (R & WEAK) }
-- let held = po ; [Acq | Rel | RMW | B] ; po | (po & loc) ; [W] ; (po & loc)
fun held : Event->Event { (po :> (Acq + Rel + RMW + B)).po + ((po & loc) :> W).(po & loc) }
-- let kept = (po & loc) \ (passed \ held)
fun kept : Event->Event { po & loc - (passed - held) }
-- let cause = cause-base | obs ; (cause-base | kept)
fun cause : Event->Event { cause_base + obs.(cause_base + kept) }
-- let conflict = (loc & ext & ((W * M) | (M * W))) \ (IW * _) \ (_ * IW)
fun conflict : Event->Event { loc & ext & (W->M + M->W) - IW->Exec - Exec->IW }
-- let race = conflict \ cause \ cause^-1 \ ms
fun race : Event->Event { conflict - cause - ~cause - ms }

-- empty ((ms & (W * W)) \ id) \ (co | co^-1) as coherence_total
pred coherence_total { no ms & W->W - id - (co + ~co) }
-- empty (loc & ([W] ; cause ; [W])) \ co as coherence
pred coherence { no loc & W <: cause :> W - co }
-- irreflexive (cause-base? ; issue)+ as issue_order
pred issue_order { no id & ^((id + cause_base).issue) }
-- irreflexive sync_fence ; cause-base as fence_sc
pred fence_sc { no id & sync_fence.cause_base }
-- empty rmw & ((ms & fr) ; (ms & co)) as atomicity
pred atomicity { no rmw & (ms & fr).(ms & co) }
-- acyclic rf | dep as no_thin_air
pred no_thin_air { no id & ^(rf + dep) }
-- acyclic (ms & (rf | co | fr)) | (po & same) as sc_per_location
pred sc_per_location { no id & ^(ms & (rf + co + fr) + po & same) }
-- irreflexive (rf | fr) ; cause as causality
pred causality { no id & (rf + fr).cause }

pred consistent { candidate and coherence_total and coherence and issue_order and fence_sc and atomicity and
    no_thin_air and sc_per_location and causality }

-- every loop has ended
pred complete { some Event }

------------------------------------------------------------------------------------- questions

-- some execution is consistent and complete
run execution { consistent and complete } expect 1
-- forbidden relay[2][0].r == 0
run forbidden_1 { consistent and complete and (some ((some (relay_2_0_L20_R.rv & v0) => v2 else
    relay_2_0_L21_R.rv) & v0)) } expect 0
-- forbidden relay[2][0].s == 0
run forbidden_2 { consistent and complete and (some ((some (relay_2_0_L20_R.rv & v0) => v2 else
    relay_2_0_L22_R.rv) & v0)) } expect 0
