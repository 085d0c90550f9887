/***************************************************************************************************
 * figure_4__RELEASE_release__ACQUIRE_acquire: the memory question, generated
 *   by scopec 0.1.0
 * from figure-4.cu, SHA-256 78a4f828f50ef01ee34fd6f4dbf4fa87
 * variant RELEASE = release, ACQUIRE = acquire
 * model cuda-v3
 * given concurrentManagedAccess = 1, hostNativeAtomicSupported = 0,
 *   pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0,
 *   p2pNativeAtomicSupported = 0
 ***************************************************************************************************/

---------------------------------------------------------------------------------------- values

abstract sig Value {}
one sig v0, v1, v2, v3, v4, v5 extends Value {}

---------------------------------------------------------------------------------------- events

abstract sig Event {
  rf_ : set Event,      -- reads-from, chosen among the candidates below
  co_ : set Event,      -- coherence order, chosen where the program leaves it open
  wv_ : set Value       -- values of the writes that are computed from reads
}

-- initial writes
one sig init_grid_0 extends Event {}    -- grid[0] = 0 (initially)
one sig init_grid_1 extends Event {}    -- grid[1] = 0 (initially)
one sig init_grid_2 extends Event {}    -- grid[2] = 0 (initially)
one sig init_grid_3 extends Event {}    -- grid[3] = 0 (initially)
one sig init_arrived extends Event {}   -- arrived = 0 (initially)
fun init : set Event { init_grid_0 + init_grid_1 + init_grid_2 + init_grid_3 + init_arrived }

-- thread main
one sig main_L24_C extends Event {}    -- line 24: launch stencil
one sig main_L24_C2 extends Event {}   -- line 24: cudaDeviceSynchronize
fun th_main : set Event { main_L24_C + main_L24_C2 }

-- thread stencil[0][0]
one sig stencil_0_0_L16_W extends Event {}    -- line 16: write grid[0]
one sig stencil_0_0_L17_A extends Event {}    -- line 17: arrive at __syncthreads
one sig stencil_0_0_L17_B extends Event {}    -- line 17: leave __syncthreads
one sig stencil_0_0_L18_R extends Event {}    -- line 18: read grid[1]
one sig stencil_0_0_L19_R extends Event {}    -- line 19: read.release.device arrived
one sig stencil_0_0_L19_W extends Event {}    -- line 19: write.release.device arrived
one sig stencil_0_0_L20_R extends Event {}    -- line 20: read.acquire.device arrived
one sig stencil_0_0_L20_R2 extends Event {}   -- line 20: read.acquire.device arrived
one sig stencil_0_0_L21_R extends Event {}    -- line 21: read grid[2]
fun th_stencil_0_0 : set Event { stencil_0_0_L16_W + stencil_0_0_L17_A + stencil_0_0_L17_B + stencil_0_0_L18_R + stencil_0_0_L19_R +
    stencil_0_0_L19_W + stencil_0_0_L20_R + stencil_0_0_L20_R2 + stencil_0_0_L21_R }

-- thread stencil[0][1]
one sig stencil_0_1_L16_W extends Event {}    -- line 16: write grid[1]
one sig stencil_0_1_L17_A extends Event {}    -- line 17: arrive at __syncthreads
one sig stencil_0_1_L17_B extends Event {}    -- line 17: leave __syncthreads
one sig stencil_0_1_L18_R extends Event {}    -- line 18: read grid[0]
one sig stencil_0_1_L19_R extends Event {}    -- line 19: read.release.device arrived
one sig stencil_0_1_L19_W extends Event {}    -- line 19: write.release.device arrived
one sig stencil_0_1_L20_R extends Event {}    -- line 20: read.acquire.device arrived
one sig stencil_0_1_L20_R2 extends Event {}   -- line 20: read.acquire.device arrived
one sig stencil_0_1_L21_R extends Event {}    -- line 21: read grid[3]
fun th_stencil_0_1 : set Event { stencil_0_1_L16_W + stencil_0_1_L17_A + stencil_0_1_L17_B + stencil_0_1_L18_R + stencil_0_1_L19_R +
    stencil_0_1_L19_W + stencil_0_1_L20_R + stencil_0_1_L20_R2 + stencil_0_1_L21_R }

-- thread stencil[1][0]
one sig stencil_1_0_L16_W extends Event {}    -- line 16: write grid[2]
one sig stencil_1_0_L17_A extends Event {}    -- line 17: arrive at __syncthreads
one sig stencil_1_0_L17_B extends Event {}    -- line 17: leave __syncthreads
one sig stencil_1_0_L18_R extends Event {}    -- line 18: read grid[3]
one sig stencil_1_0_L19_R extends Event {}    -- line 19: read.release.device arrived
one sig stencil_1_0_L19_W extends Event {}    -- line 19: write.release.device arrived
one sig stencil_1_0_L20_R extends Event {}    -- line 20: read.acquire.device arrived
one sig stencil_1_0_L20_R2 extends Event {}   -- line 20: read.acquire.device arrived
one sig stencil_1_0_L21_R extends Event {}    -- line 21: read grid[0]
fun th_stencil_1_0 : set Event { stencil_1_0_L16_W + stencil_1_0_L17_A + stencil_1_0_L17_B + stencil_1_0_L18_R + stencil_1_0_L19_R +
    stencil_1_0_L19_W + stencil_1_0_L20_R + stencil_1_0_L20_R2 + stencil_1_0_L21_R }

-- thread stencil[1][1]
one sig stencil_1_1_L16_W extends Event {}    -- line 16: write grid[3]
one sig stencil_1_1_L17_A extends Event {}    -- line 17: arrive at __syncthreads
one sig stencil_1_1_L17_B extends Event {}    -- line 17: leave __syncthreads
one sig stencil_1_1_L18_R extends Event {}    -- line 18: read grid[2]
one sig stencil_1_1_L19_R extends Event {}    -- line 19: read.release.device arrived
one sig stencil_1_1_L19_W extends Event {}    -- line 19: write.release.device arrived
one sig stencil_1_1_L20_R extends Event {}    -- line 20: read.acquire.device arrived
one sig stencil_1_1_L20_R2 extends Event {}   -- line 20: read.acquire.device arrived
one sig stencil_1_1_L21_R extends Event {}    -- line 21: read grid[1]
fun th_stencil_1_1 : set Event { stencil_1_1_L16_W + stencil_1_1_L17_A + stencil_1_1_L17_B + stencil_1_1_L18_R + stencil_1_1_L19_R +
    stencil_1_1_L19_W + stencil_1_1_L20_R + stencil_1_1_L20_R2 + stencil_1_1_L21_R }

-- accesses by location
fun w_grid_0 : set Event { init_grid_0 + stencil_0_0_L16_W }
fun r_grid_0 : set Event { stencil_0_1_L18_R + stencil_1_0_L21_R }
fun at_grid_0 : set Event { w_grid_0 + r_grid_0 }
fun w_grid_1 : set Event { init_grid_1 + stencil_0_1_L16_W }
fun r_grid_1 : set Event { stencil_0_0_L18_R + stencil_1_1_L21_R }
fun at_grid_1 : set Event { w_grid_1 + r_grid_1 }
fun w_grid_2 : set Event { init_grid_2 + stencil_1_0_L16_W }
fun r_grid_2 : set Event { stencil_0_0_L21_R + stencil_1_1_L18_R }
fun at_grid_2 : set Event { w_grid_2 + r_grid_2 }
fun w_grid_3 : set Event { init_grid_3 + stencil_1_1_L16_W }
fun r_grid_3 : set Event { stencil_0_1_L21_R + stencil_1_0_L18_R }
fun at_grid_3 : set Event { w_grid_3 + r_grid_3 }
fun w_arrived : set Event { init_arrived + stencil_0_0_L19_W + stencil_0_1_L19_W + stencil_1_0_L19_W + stencil_1_1_L19_W }
fun r_arrived : set Event { stencil_0_0_L19_R + stencil_0_0_L20_R + stencil_0_0_L20_R2 + stencil_0_1_L19_R + stencil_0_1_L20_R +
    stencil_0_1_L20_R2 + stencil_1_0_L19_R + stencil_1_0_L20_R + stencil_1_0_L20_R2 +
    stencil_1_1_L19_R + stencil_1_1_L20_R + stencil_1_1_L20_R2 }
fun at_arrived : set Event { w_arrived + r_arrived }

------------------------------------------------------------------------- values and conditions

fun f1 : Value->Value { v0->v1 + v1->v2 + v2->v3 + v3->v4 + v4->v5 }   -- a + 1
-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_grid_0 + init_grid_1 + init_grid_2 + init_grid_3 + init_arrived)->v0 + (stencil_0_0_L16_W +
    stencil_0_1_L16_W + stencil_1_0_L16_W + stencil_1_1_L16_W)->v1 + (wv_ & stencil_0_0_L19_W->(v1 +
    v2 + v3 + v4 + v5)) + (wv_ & stencil_0_1_L19_W->(v1 + v2 + v3 + v4 + v5)) +
    (wv_ & stencil_1_0_L19_W->(v1 + v2 + v3 + v4 + v5)) + (wv_ & stencil_1_1_L19_W->(v1 + v2 + v3 + v4 +
    v5)) }
fun rv : Event->Value { ~rf.wv }

-- branch conditions, and combinations of them
pred c0 { some (stencil_0_0_L20_R.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred c1 { some (stencil_0_0_L20_R2.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred c2 { some (stencil_0_1_L20_R.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred c3 { some (stencil_0_1_L20_R2.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred c4 { some (stencil_1_0_L20_R.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred c5 { some (stencil_1_0_L20_R2.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred c6 { some (stencil_1_1_L20_R.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred c7 { some (stencil_1_1_L20_R2.rv & (v0 + v1 + v2 + v3)) }   -- line 20: arrived != 4
pred g1 { not c6 or not c7 }
pred g2 { not c5 and g1 }
pred g3 { c4 => g2 else g1 }
pred g4 { not c3 and g3 }
pred g5 { c2 => g4 else g3 }
pred g6 { not c1 and g5 }
pred g7 { c0 => g6 else g5 }
pred g8 { not c0 or not c1 }
pred g9 { not c2 or not c3 }
pred g10 { not c4 or not c5 }
pred g11 { c0 and c1 }
pred g12 { c2 and c3 }
pred g13 { c4 and c5 }
pred g14 { c6 and c7 }
pred g15 { c5 or g14 }
pred g16 { c4 => g15 else g14 }
pred g17 { c3 or g16 }
pred g18 { c2 => g17 else g16 }
pred g19 { c1 or g18 }
pred g20 { c0 => g19 else g18 }

-- the events that are executed
fun Exec : set Event { init + main_L24_C + stencil_0_0_L16_W + stencil_0_0_L17_A + stencil_0_0_L17_B + stencil_0_0_L18_R +
    stencil_0_0_L19_R + stencil_0_0_L19_W + stencil_0_0_L20_R + stencil_0_1_L16_W + stencil_0_1_L17_A +
    stencil_0_1_L17_B + stencil_0_1_L18_R + stencil_0_1_L19_R + stencil_0_1_L19_W + stencil_0_1_L20_R +
    stencil_1_0_L16_W + stencil_1_0_L17_A + stencil_1_0_L17_B + stencil_1_0_L18_R + stencil_1_0_L19_R +
    stencil_1_0_L19_W + stencil_1_0_L20_R + stencil_1_1_L16_W + stencil_1_1_L17_A + stencil_1_1_L17_B +
    stencil_1_1_L18_R + stencil_1_1_L19_R + stencil_1_1_L19_W + stencil_1_1_L20_R +
    (g7 => main_L24_C2 else none) + (c0 => stencil_0_0_L20_R2 else none) +
    (g8 => stencil_0_0_L21_R else none) + (c2 => stencil_0_1_L20_R2 else none) +
    (g9 => stencil_0_1_L21_R else none) + (c4 => stencil_1_0_L20_R2 else none) +
    (g10 => stencil_1_0_L21_R else none) + (c6 => stencil_1_1_L20_R2 else none) +
    (g1 => stencil_1_1_L21_R else none) }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_grid_0->r_grid_0 + w_grid_1->r_grid_1 + w_grid_2->r_grid_2 + w_grid_3->r_grid_3 +
    w_arrived->r_arrived) }
fun unordered : Event->Event { (stencil_0_0_L19_W->(stencil_0_1_L19_W + stencil_1_0_L19_W + stencil_1_1_L19_W) +
    stencil_0_1_L19_W->(stencil_1_0_L19_W + stencil_1_1_L19_W) +
    stencil_1_0_L19_W->stencil_1_1_L19_W) & Exec->Exec }
fun co : Event->Event { init_grid_0->(w_grid_0 & Exec - init_grid_0) + init_grid_1->(w_grid_1 & Exec - init_grid_1) +
    init_grid_2->(w_grid_2 & Exec - init_grid_2) + init_grid_3->(w_grid_3 & Exec - init_grid_3) +
    init_arrived->(w_arrived & Exec - init_arrived) + (co_ & unordered) + ~(unordered - co_) }
fun R : set Event { (stencil_0_0_L18_R + stencil_0_0_L19_R + stencil_0_0_L20_R + stencil_0_0_L20_R2 +
    stencil_0_0_L21_R + stencil_0_1_L18_R + stencil_0_1_L19_R + stencil_0_1_L20_R + stencil_0_1_L20_R2 +
    stencil_0_1_L21_R + stencil_1_0_L18_R + stencil_1_0_L19_R + stencil_1_0_L20_R + stencil_1_0_L20_R2 +
    stencil_1_0_L21_R + stencil_1_1_L18_R + stencil_1_1_L19_R + stencil_1_1_L20_R + stencil_1_1_L20_R2 +
    stencil_1_1_L21_R) & Exec }
fun W : set Event { (init + stencil_0_0_L16_W + stencil_0_0_L19_W + stencil_0_1_L16_W + stencil_0_1_L19_W +
    stencil_1_0_L16_W + stencil_1_0_L19_W + stencil_1_1_L16_W + stencil_1_1_L19_W) & Exec }
fun M : set Event { (init + stencil_0_0_L16_W + stencil_0_0_L18_R + stencil_0_0_L19_R + stencil_0_0_L19_W +
    stencil_0_0_L20_R + stencil_0_0_L20_R2 + stencil_0_0_L21_R + stencil_0_1_L16_W + stencil_0_1_L18_R +
    stencil_0_1_L19_R + stencil_0_1_L19_W + stencil_0_1_L20_R + stencil_0_1_L20_R2 + stencil_0_1_L21_R +
    stencil_1_0_L16_W + stencil_1_0_L18_R + stencil_1_0_L19_R + stencil_1_0_L19_W + stencil_1_0_L20_R +
    stencil_1_0_L20_R2 + stencil_1_0_L21_R + stencil_1_1_L16_W + stencil_1_1_L18_R + stencil_1_1_L19_R +
    stencil_1_1_L19_W + stencil_1_1_L20_R + stencil_1_1_L20_R2 + stencil_1_1_L21_R) & Exec }
fun F : set Event { none }
fun IW : set Event { init & Exec }
fun A : set Event { (stencil_0_0_L19_R + stencil_0_0_L19_W + stencil_0_0_L20_R + stencil_0_0_L20_R2 +
    stencil_0_1_L19_R + stencil_0_1_L19_W + stencil_0_1_L20_R + stencil_0_1_L20_R2 + stencil_1_0_L19_R +
    stencil_1_0_L19_W + stencil_1_0_L20_R + stencil_1_0_L20_R2 + stencil_1_1_L19_R + stencil_1_1_L19_W +
    stencil_1_1_L20_R + stencil_1_1_L20_R2) & Exec }
fun Acq : set Event { (stencil_0_0_L20_R + stencil_0_0_L20_R2 + stencil_0_1_L20_R + stencil_0_1_L20_R2 +
    stencil_1_0_L20_R + stencil_1_0_L20_R2 + stencil_1_1_L20_R + stencil_1_1_L20_R2) & Exec }
fun Rel : set Event { (stencil_0_0_L19_W + stencil_0_1_L19_W + stencil_1_0_L19_W + stencil_1_1_L19_W) & Exec }
fun SC : set Event { none }
fun po : Event->Event { (main_L24_C->main_L24_C2 + ^(stencil_0_0_L16_W->stencil_0_0_L17_A +
    stencil_0_0_L17_A->stencil_0_0_L17_B + stencil_0_0_L17_B->stencil_0_0_L18_R +
    stencil_0_0_L18_R->stencil_0_0_L19_R + stencil_0_0_L19_R->stencil_0_0_L19_W +
    stencil_0_0_L19_W->stencil_0_0_L20_R + stencil_0_0_L20_R->stencil_0_0_L20_R2 +
    stencil_0_0_L20_R2->stencil_0_0_L21_R) + ^(stencil_0_1_L16_W->stencil_0_1_L17_A +
    stencil_0_1_L17_A->stencil_0_1_L17_B + stencil_0_1_L17_B->stencil_0_1_L18_R +
    stencil_0_1_L18_R->stencil_0_1_L19_R + stencil_0_1_L19_R->stencil_0_1_L19_W +
    stencil_0_1_L19_W->stencil_0_1_L20_R + stencil_0_1_L20_R->stencil_0_1_L20_R2 +
    stencil_0_1_L20_R2->stencil_0_1_L21_R) + ^(stencil_1_0_L16_W->stencil_1_0_L17_A +
    stencil_1_0_L17_A->stencil_1_0_L17_B + stencil_1_0_L17_B->stencil_1_0_L18_R +
    stencil_1_0_L18_R->stencil_1_0_L19_R + stencil_1_0_L19_R->stencil_1_0_L19_W +
    stencil_1_0_L19_W->stencil_1_0_L20_R + stencil_1_0_L20_R->stencil_1_0_L20_R2 +
    stencil_1_0_L20_R2->stencil_1_0_L21_R) + ^(stencil_1_1_L16_W->stencil_1_1_L17_A +
    stencil_1_1_L17_A->stencil_1_1_L17_B + stencil_1_1_L17_B->stencil_1_1_L18_R +
    stencil_1_1_L18_R->stencil_1_1_L19_R + stencil_1_1_L19_R->stencil_1_1_L19_W +
    stencil_1_1_L19_W->stencil_1_1_L20_R + stencil_1_1_L20_R->stencil_1_1_L20_R2 +
    stencil_1_1_L20_R2->stencil_1_1_L21_R)) & Exec->Exec }
fun loc : Event->Event { (at_grid_0->at_grid_0 + at_grid_1->at_grid_1 + at_grid_2->at_grid_2 + at_grid_3->at_grid_3 +
    at_arrived->at_arrived) & Exec->Exec }
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_stencil_0_0->th_stencil_0_0 + th_stencil_0_1->th_stencil_0_1 +
    th_stencil_1_0->th_stencil_1_0 + th_stencil_1_1->th_stencil_1_1 + (init <: id)) }
fun rmw : Event->Event { (stencil_0_0_L19_R->stencil_0_0_L19_W + stencil_0_1_L19_R->stencil_0_1_L19_W +
    stencil_1_0_L19_R->stencil_1_0_L19_W + stencil_1_1_L19_R->stencil_1_1_L19_W) & Exec->Exec }
fun dep : Event->Event { (stencil_0_0_L19_R->stencil_0_0_L19_W + stencil_0_1_L19_R->stencil_0_1_L19_W +
    stencil_1_0_L19_R->stencil_1_0_L19_W + stencil_1_1_L19_R->stencil_1_1_L19_W) & Exec->Exec }
fun asw : Event->Event { (init->(th_main + th_stencil_0_0 + th_stencil_0_1 + th_stencil_1_0 + th_stencil_1_1) +
    main_L24_C->(th_stencil_0_0 + th_stencil_0_1 + th_stencil_1_0 + th_stencil_1_1) + (th_stencil_0_0 +
    th_stencil_0_1 + th_stencil_1_0 + th_stencil_1_1)->main_L24_C2 +
    stencil_0_0_L17_A->stencil_0_1_L17_B + stencil_0_1_L17_A->stencil_0_0_L17_B +
    stencil_1_0_L17_A->stencil_1_1_L17_B + stencil_1_1_L17_A->stencil_1_0_L17_B) & Exec->Exec }
fun issue : Event->Event { none->none }
fun incl : Event->Event { (th_main->th_main + (stencil_0_0_L16_W + stencil_0_0_L18_R + stencil_0_0_L21_R)->th_stencil_0_0 +
    (stencil_0_0_L17_A + stencil_0_0_L17_B)->(th_stencil_0_0 + stencil_0_1_L17_A + stencil_0_1_L17_B +
    stencil_0_1_L19_R + stencil_0_1_L19_W + stencil_0_1_L20_R + stencil_0_1_L20_R2) +
    (stencil_0_0_L19_R + stencil_0_0_L19_W + stencil_0_0_L20_R + stencil_0_0_L20_R2)->(th_stencil_0_0 +
    stencil_0_1_L17_A + stencil_0_1_L17_B + stencil_0_1_L19_R + stencil_0_1_L19_W + stencil_0_1_L20_R +
    stencil_0_1_L20_R2 + stencil_1_0_L19_R + stencil_1_0_L19_W + stencil_1_0_L20_R +
    stencil_1_0_L20_R2 + stencil_1_1_L19_R + stencil_1_1_L19_W + stencil_1_1_L20_R +
    stencil_1_1_L20_R2) + (stencil_0_1_L16_W + stencil_0_1_L18_R + stencil_0_1_L21_R)->th_stencil_0_1 +
    (stencil_0_1_L17_A + stencil_0_1_L17_B)->(th_stencil_0_1 + stencil_0_0_L17_A + stencil_0_0_L17_B +
    stencil_0_0_L19_R + stencil_0_0_L19_W + stencil_0_0_L20_R + stencil_0_0_L20_R2) +
    (stencil_0_1_L19_R + stencil_0_1_L19_W + stencil_0_1_L20_R + stencil_0_1_L20_R2)->(th_stencil_0_1 +
    stencil_0_0_L17_A + stencil_0_0_L17_B + stencil_0_0_L19_R + stencil_0_0_L19_W + stencil_0_0_L20_R +
    stencil_0_0_L20_R2 + stencil_1_0_L19_R + stencil_1_0_L19_W + stencil_1_0_L20_R +
    stencil_1_0_L20_R2 + stencil_1_1_L19_R + stencil_1_1_L19_W + stencil_1_1_L20_R +
    stencil_1_1_L20_R2) + (stencil_1_0_L16_W + stencil_1_0_L18_R + stencil_1_0_L21_R)->th_stencil_1_0 +
    (stencil_1_0_L17_A + stencil_1_0_L17_B)->(th_stencil_1_0 + stencil_1_1_L17_A + stencil_1_1_L17_B +
    stencil_1_1_L19_R + stencil_1_1_L19_W + stencil_1_1_L20_R + stencil_1_1_L20_R2) +
    (stencil_1_0_L19_R + stencil_1_0_L19_W + stencil_1_0_L20_R + stencil_1_0_L20_R2)->(th_stencil_1_0 +
    stencil_0_0_L19_R + stencil_0_0_L19_W + stencil_0_0_L20_R + stencil_0_0_L20_R2 + stencil_0_1_L19_R +
    stencil_0_1_L19_W + stencil_0_1_L20_R + stencil_0_1_L20_R2 + stencil_1_1_L17_A + stencil_1_1_L17_B +
    stencil_1_1_L19_R + stencil_1_1_L19_W + stencil_1_1_L20_R + stencil_1_1_L20_R2) +
    (stencil_1_1_L16_W + stencil_1_1_L18_R + stencil_1_1_L21_R)->th_stencil_1_1 + (stencil_1_1_L17_A +
    stencil_1_1_L17_B)->(th_stencil_1_1 + stencil_1_0_L17_A + stencil_1_0_L17_B + stencil_1_0_L19_R +
    stencil_1_0_L19_W + stencil_1_0_L20_R + stencil_1_0_L20_R2) + (stencil_1_1_L19_R +
    stencil_1_1_L19_W + stencil_1_1_L20_R + stencil_1_1_L20_R2)->(th_stencil_1_1 + stencil_0_0_L19_R +
    stencil_0_0_L19_W + stencil_0_0_L20_R + stencil_0_0_L20_R2 + stencil_0_1_L19_R + stencil_0_1_L19_W +
    stencil_0_1_L20_R + stencil_0_1_L20_R2 + stencil_1_0_L17_A + stencil_1_0_L17_B + stencil_1_0_L19_R +
    stencil_1_0_L19_W + stencil_1_0_L20_R + stencil_1_0_L20_R2)) & Exec->Exec }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_grid_0 + r_grid_1 + r_grid_2 + r_grid_3 + r_arrived) & Exec | one rf.r
  co_ in unordered
  co.co in co
  wv_ = wv & (stencil_0_0_L19_W + stencil_0_1_L19_W + stencil_1_0_L19_W + stencil_1_1_L19_W)->Value
  stencil_0_0_L19_W.wv_ = stencil_0_0_L19_R.rv.f1
  stencil_0_1_L19_W.wv_ = stencil_0_1_L19_R.rv.f1
  stencil_1_0_L19_W.wv_ = stencil_1_0_L19_R.rv.f1
  stencil_1_1_L19_W.wv_ = stencil_1_1_L19_R.rv.f1
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
pred valued { all r : (stencil_0_0_L19_R + stencil_1_1_L19_R + stencil_1_0_L19_R + stencil_0_1_L19_R) & Exec | some r.rv }

-- every loop has ended
pred complete { not g11 and not g12 and not g13 and not g14 and not g20 }

------------------------------------------------------------------------------------- questions

-- some execution is consistent and complete
run execution { consistent and valued and complete } expect 1
-- some execution is consistent, complete or not
run prefix { consistent and valued } expect 1
-- some execution has a race
run race { consistent and valued and some race } expect 0
-- required stencil[0][0].ghost == 1 && stencil[1][1].neighbour == 1
run required_2 { consistent and valued and complete and (not (some (stencil_0_0_L21_R.rv & v1) and some (stencil_1_1_L18_R.rv & v1))) } expect 0
-- some write has a value beyond those that are modelled
run overflow { consistent and some w : (stencil_0_0_L19_W + stencil_0_1_L19_W + stencil_1_0_L19_W + stencil_1_1_L19_W) & Exec | no w.wv } expect 0
