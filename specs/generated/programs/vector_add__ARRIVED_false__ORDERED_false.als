/***************************************************************************************************
 * vector_add__ARRIVED_false__ORDERED_false: the memory question, generated
 *   by scopec 0.1.0
 * from vector-add.cu, SHA-256 f22c00c667618254be175f48c216c631
 * variant ARRIVED = false, ORDERED = false
 * model cuda-v3
 * given concurrentManagedAccess = 1, hostNativeAtomicSupported = 0,
 *   pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0,
 *   p2pNativeAtomicSupported = 0
 ***************************************************************************************************/

---------------------------------------------------------------------------------------- values

abstract sig Value {}
one sig v0 extends Value {}

---------------------------------------------------------------------------------------- events

abstract sig Event {
  rf_ : set Event,      -- reads-from, chosen among the candidates below
  co_ : set Event       -- coherence order, chosen where the program leaves it open
}

-- initial writes
one sig init_main_a_0 extends Event {}               -- main.a[0] = 0 (initially)
one sig init_main_a_1 extends Event {}               -- main.a[1] = 0 (initially)
one sig init_main_a_2 extends Event {}               -- main.a[2] = 0 (initially)
one sig init_main_b_0 extends Event {}               -- main.b[0] = 0 (initially)
one sig init_main_b_1 extends Event {}               -- main.b[1] = 0 (initially)
one sig init_main_b_2 extends Event {}               -- main.b[2] = 0 (initially)
one sig init_main_c_0 extends Event {}               -- main.c[0] = 0 (initially)
one sig init_main_c_1 extends Event {}               -- main.c[1] = 0 (initially)
one sig init_main_c_2 extends Event {}               -- main.c[2] = 0 (initially)
one sig init_device_a_0 extends Event {}             -- device_a[0] = 0 (initially)
one sig init_device_a_1 extends Event {}             -- device_a[1] = 0 (initially)
one sig init_device_a_2 extends Event {}             -- device_a[2] = 0 (initially)
one sig init_device_b_0 extends Event {}             -- device_b[0] = 0 (initially)
one sig init_device_b_1 extends Event {}             -- device_b[1] = 0 (initially)
one sig init_device_b_2 extends Event {}             -- device_b[2] = 0 (initially)
one sig init_device_c_0 extends Event {}             -- device_c[0] = 0 (initially)
one sig init_device_c_1 extends Event {}             -- device_c[1] = 0 (initially)
one sig init_device_c_2 extends Event {}             -- device_c[2] = 0 (initially)
one sig init_cudaMemcpy_staged extends Event {}      -- cudaMemcpy.staged = 0 (initially)
one sig init_cudaMemcpy_staged_2 extends Event {}    -- cudaMemcpy.staged' = 0 (initially)
one sig init_cudaMemcpy_staged_3 extends Event {}    -- cudaMemcpy.staged'' = 0 (initially)
one sig init_cudaMemcpy2_staged extends Event {}     -- cudaMemcpy#2.staged = 0 (initially)
one sig init_cudaMemcpy2_staged_2 extends Event {}   -- cudaMemcpy#2.staged' = 0 (initially)
one sig init_cudaMemcpy2_staged_3 extends Event {}   -- cudaMemcpy#2.staged'' = 0 (initially)
fun init : set Event { init_main_a_0 + init_main_a_1 + init_main_a_2 + init_main_b_0 + init_main_b_1 + init_main_b_2 +
    init_main_c_0 + init_main_c_1 + init_main_c_2 + init_device_a_0 + init_device_a_1 +
    init_device_a_2 + init_device_b_0 + init_device_b_1 + init_device_b_2 + init_device_c_0 +
    init_device_c_1 + init_device_c_2 + init_cudaMemcpy_staged + init_cudaMemcpy_staged_2 +
    init_cudaMemcpy_staged_3 + init_cudaMemcpy2_staged + init_cudaMemcpy2_staged_2 +
    init_cudaMemcpy2_staged_3 }

-- thread main
one sig main_L26_W extends Event {}    -- line 26: write main.a[0]
one sig main_L26_W2 extends Event {}   -- line 26: write main.a[1]
one sig main_L26_W3 extends Event {}   -- line 26: write main.a[2]
one sig main_L26_W4 extends Event {}   -- line 26: write main.b[0]
one sig main_L26_W5 extends Event {}   -- line 26: write main.b[1]
one sig main_L26_W6 extends Event {}   -- line 26: write main.b[2]
one sig main_L32_C extends Event {}    -- line 32: cudaStreamSynchronize(stream0)
one sig main_L32_R extends Event {}    -- line 32: read main.a[0]
one sig main_L32_W extends Event {}    -- line 32: write cudaMemcpy.staged
one sig main_L32_R2 extends Event {}   -- line 32: read main.a[1]
one sig main_L32_W2 extends Event {}   -- line 32: write cudaMemcpy.staged'
one sig main_L32_R3 extends Event {}   -- line 32: read main.a[2]
one sig main_L32_W3 extends Event {}   -- line 32: write cudaMemcpy.staged''
one sig main_L32_C2 extends Event {}   -- line 32: launch cudaMemcpy
one sig main_L33_C extends Event {}    -- line 33: cudaStreamSynchronize(stream0)
one sig main_L33_R extends Event {}    -- line 33: read main.b[0]
one sig main_L33_W extends Event {}    -- line 33: write cudaMemcpy#2.staged
one sig main_L33_R2 extends Event {}   -- line 33: read main.b[1]
one sig main_L33_W2 extends Event {}   -- line 33: write cudaMemcpy#2.staged'
one sig main_L33_R3 extends Event {}   -- line 33: read main.b[2]
one sig main_L33_W3 extends Event {}   -- line 33: write cudaMemcpy#2.staged''
one sig main_L33_C2 extends Event {}   -- line 33: launch cudaMemcpy#2
one sig main_L38_C extends Event {}    -- line 38: launch add
one sig main_L41_C extends Event {}    -- line 41: launch cudaMemcpy#3
one sig main_L41_C2 extends Event {}   -- line 41: end of cudaMemcpy#3
one sig main_L43_R extends Event {}    -- line 43: read main.c[0]
fun th_main : set Event { main_L26_W + main_L26_W2 + main_L26_W3 + main_L26_W4 + main_L26_W5 + main_L26_W6 + main_L32_C +
    main_L32_R + main_L32_W + main_L32_R2 + main_L32_W2 + main_L32_R3 + main_L32_W3 + main_L32_C2 +
    main_L33_C + main_L33_R + main_L33_W + main_L33_R2 + main_L33_W2 + main_L33_R3 + main_L33_W3 +
    main_L33_C2 + main_L38_C + main_L41_C + main_L41_C2 + main_L43_R }

-- thread cudaMemcpy[0][0]
one sig cudaMemcpy_0_0_L32_R extends Event {}    -- line 32: read cudaMemcpy.staged
one sig cudaMemcpy_0_0_L32_W extends Event {}    -- line 32: write device_a[0]
one sig cudaMemcpy_0_0_L32_R2 extends Event {}   -- line 32: read cudaMemcpy.staged'
one sig cudaMemcpy_0_0_L32_W2 extends Event {}   -- line 32: write device_a[1]
one sig cudaMemcpy_0_0_L32_R3 extends Event {}   -- line 32: read cudaMemcpy.staged''
one sig cudaMemcpy_0_0_L32_W3 extends Event {}   -- line 32: write device_a[2]
fun th_cudaMemcpy_0_0 : set Event { cudaMemcpy_0_0_L32_R + cudaMemcpy_0_0_L32_W + cudaMemcpy_0_0_L32_R2 + cudaMemcpy_0_0_L32_W2 +
    cudaMemcpy_0_0_L32_R3 + cudaMemcpy_0_0_L32_W3 }

-- thread cudaMemcpy#2[0][0]
one sig cudaMemcpy2_0_0_L33_R extends Event {}    -- line 33: read cudaMemcpy#2.staged
one sig cudaMemcpy2_0_0_L33_W extends Event {}    -- line 33: write device_b[0]
one sig cudaMemcpy2_0_0_L33_R2 extends Event {}   -- line 33: read cudaMemcpy#2.staged'
one sig cudaMemcpy2_0_0_L33_W2 extends Event {}   -- line 33: write device_b[1]
one sig cudaMemcpy2_0_0_L33_R3 extends Event {}   -- line 33: read cudaMemcpy#2.staged''
one sig cudaMemcpy2_0_0_L33_W3 extends Event {}   -- line 33: write device_b[2]
fun th_cudaMemcpy2_0_0 : set Event { cudaMemcpy2_0_0_L33_R + cudaMemcpy2_0_0_L33_W + cudaMemcpy2_0_0_L33_R2 + cudaMemcpy2_0_0_L33_W2 +
    cudaMemcpy2_0_0_L33_R3 + cudaMemcpy2_0_0_L33_W3 }

-- thread add[0][0]
one sig add_0_0_L22_R extends Event {}    -- line 22: read device_a[0]
one sig add_0_0_L22_R2 extends Event {}   -- line 22: read device_b[0]
one sig add_0_0_L22_W extends Event {}    -- line 22: write device_c[0]
fun th_add_0_0 : set Event { add_0_0_L22_R + add_0_0_L22_R2 + add_0_0_L22_W }

-- thread add[0][1]
one sig add_0_1_L22_R extends Event {}    -- line 22: read device_a[1]
one sig add_0_1_L22_R2 extends Event {}   -- line 22: read device_b[1]
one sig add_0_1_L22_W extends Event {}    -- line 22: write device_c[1]
fun th_add_0_1 : set Event { add_0_1_L22_R + add_0_1_L22_R2 + add_0_1_L22_W }

-- thread add[1][0]
one sig add_1_0_L22_R extends Event {}    -- line 22: read device_a[2]
one sig add_1_0_L22_R2 extends Event {}   -- line 22: read device_b[2]
one sig add_1_0_L22_W extends Event {}    -- line 22: write device_c[2]
fun th_add_1_0 : set Event { add_1_0_L22_R + add_1_0_L22_R2 + add_1_0_L22_W }

-- thread cudaMemcpy#3[0][0]
one sig cudaMemcpy3_0_0_L41_R extends Event {}    -- line 41: read device_c[0]
one sig cudaMemcpy3_0_0_L41_W extends Event {}    -- line 41: write main.c[0]
one sig cudaMemcpy3_0_0_L41_R2 extends Event {}   -- line 41: read device_c[1]
one sig cudaMemcpy3_0_0_L41_W2 extends Event {}   -- line 41: write main.c[1]
one sig cudaMemcpy3_0_0_L41_R3 extends Event {}   -- line 41: read device_c[2]
one sig cudaMemcpy3_0_0_L41_W3 extends Event {}   -- line 41: write main.c[2]
fun th_cudaMemcpy3_0_0 : set Event { cudaMemcpy3_0_0_L41_R + cudaMemcpy3_0_0_L41_W + cudaMemcpy3_0_0_L41_R2 + cudaMemcpy3_0_0_L41_W2 +
    cudaMemcpy3_0_0_L41_R3 + cudaMemcpy3_0_0_L41_W3 }

-- accesses by location
fun w_main_a_0 : set Event { init_main_a_0 + main_L26_W }
fun r_main_a_0 : set Event { main_L32_R }
fun at_main_a_0 : set Event { w_main_a_0 + r_main_a_0 }
fun w_main_a_1 : set Event { init_main_a_1 + main_L26_W2 }
fun r_main_a_1 : set Event { main_L32_R2 }
fun at_main_a_1 : set Event { w_main_a_1 + r_main_a_1 }
fun w_main_a_2 : set Event { init_main_a_2 + main_L26_W3 }
fun r_main_a_2 : set Event { main_L32_R3 }
fun at_main_a_2 : set Event { w_main_a_2 + r_main_a_2 }
fun w_main_b_0 : set Event { init_main_b_0 + main_L26_W4 }
fun r_main_b_0 : set Event { main_L33_R }
fun at_main_b_0 : set Event { w_main_b_0 + r_main_b_0 }
fun w_main_b_1 : set Event { init_main_b_1 + main_L26_W5 }
fun r_main_b_1 : set Event { main_L33_R2 }
fun at_main_b_1 : set Event { w_main_b_1 + r_main_b_1 }
fun w_main_b_2 : set Event { init_main_b_2 + main_L26_W6 }
fun r_main_b_2 : set Event { main_L33_R3 }
fun at_main_b_2 : set Event { w_main_b_2 + r_main_b_2 }
fun w_main_c_0 : set Event { init_main_c_0 + cudaMemcpy3_0_0_L41_W }
fun r_main_c_0 : set Event { main_L43_R }
fun at_main_c_0 : set Event { w_main_c_0 + r_main_c_0 }
fun w_main_c_1 : set Event { init_main_c_1 + cudaMemcpy3_0_0_L41_W2 }
fun at_main_c_1 : set Event { w_main_c_1 }
fun w_main_c_2 : set Event { init_main_c_2 + cudaMemcpy3_0_0_L41_W3 }
fun at_main_c_2 : set Event { w_main_c_2 }
fun w_device_a_0 : set Event { init_device_a_0 + cudaMemcpy_0_0_L32_W }
fun r_device_a_0 : set Event { add_0_0_L22_R }
fun at_device_a_0 : set Event { w_device_a_0 + r_device_a_0 }
fun w_device_a_1 : set Event { init_device_a_1 + cudaMemcpy_0_0_L32_W2 }
fun r_device_a_1 : set Event { add_0_1_L22_R }
fun at_device_a_1 : set Event { w_device_a_1 + r_device_a_1 }
fun w_device_a_2 : set Event { init_device_a_2 + cudaMemcpy_0_0_L32_W3 }
fun r_device_a_2 : set Event { add_1_0_L22_R }
fun at_device_a_2 : set Event { w_device_a_2 + r_device_a_2 }
fun w_device_b_0 : set Event { init_device_b_0 + cudaMemcpy2_0_0_L33_W }
fun r_device_b_0 : set Event { add_0_0_L22_R2 }
fun at_device_b_0 : set Event { w_device_b_0 + r_device_b_0 }
fun w_device_b_1 : set Event { init_device_b_1 + cudaMemcpy2_0_0_L33_W2 }
fun r_device_b_1 : set Event { add_0_1_L22_R2 }
fun at_device_b_1 : set Event { w_device_b_1 + r_device_b_1 }
fun w_device_b_2 : set Event { init_device_b_2 + cudaMemcpy2_0_0_L33_W3 }
fun r_device_b_2 : set Event { add_1_0_L22_R2 }
fun at_device_b_2 : set Event { w_device_b_2 + r_device_b_2 }
fun w_device_c_0 : set Event { init_device_c_0 + add_0_0_L22_W }
fun r_device_c_0 : set Event { cudaMemcpy3_0_0_L41_R }
fun at_device_c_0 : set Event { w_device_c_0 + r_device_c_0 }
fun w_device_c_1 : set Event { init_device_c_1 + add_0_1_L22_W }
fun r_device_c_1 : set Event { cudaMemcpy3_0_0_L41_R2 }
fun at_device_c_1 : set Event { w_device_c_1 + r_device_c_1 }
fun w_device_c_2 : set Event { init_device_c_2 + add_1_0_L22_W }
fun r_device_c_2 : set Event { cudaMemcpy3_0_0_L41_R3 }
fun at_device_c_2 : set Event { w_device_c_2 + r_device_c_2 }
fun w_cudaMemcpy_staged : set Event { init_cudaMemcpy_staged + main_L32_W }
fun r_cudaMemcpy_staged : set Event { cudaMemcpy_0_0_L32_R }
fun at_cudaMemcpy_staged : set Event { w_cudaMemcpy_staged + r_cudaMemcpy_staged }
fun w_cudaMemcpy_staged_2 : set Event { init_cudaMemcpy_staged_2 + main_L32_W2 }
fun r_cudaMemcpy_staged_2 : set Event { cudaMemcpy_0_0_L32_R2 }
fun at_cudaMemcpy_staged_2 : set Event { w_cudaMemcpy_staged_2 + r_cudaMemcpy_staged_2 }
fun w_cudaMemcpy_staged_3 : set Event { init_cudaMemcpy_staged_3 + main_L32_W3 }
fun r_cudaMemcpy_staged_3 : set Event { cudaMemcpy_0_0_L32_R3 }
fun at_cudaMemcpy_staged_3 : set Event { w_cudaMemcpy_staged_3 + r_cudaMemcpy_staged_3 }
fun w_cudaMemcpy2_staged : set Event { init_cudaMemcpy2_staged + main_L33_W }
fun r_cudaMemcpy2_staged : set Event { cudaMemcpy2_0_0_L33_R }
fun at_cudaMemcpy2_staged : set Event { w_cudaMemcpy2_staged + r_cudaMemcpy2_staged }
fun w_cudaMemcpy2_staged_2 : set Event { init_cudaMemcpy2_staged_2 + main_L33_W2 }
fun r_cudaMemcpy2_staged_2 : set Event { cudaMemcpy2_0_0_L33_R2 }
fun at_cudaMemcpy2_staged_2 : set Event { w_cudaMemcpy2_staged_2 + r_cudaMemcpy2_staged_2 }
fun w_cudaMemcpy2_staged_3 : set Event { init_cudaMemcpy2_staged_3 + main_L33_W3 }
fun r_cudaMemcpy2_staged_3 : set Event { cudaMemcpy2_0_0_L33_R3 }
fun at_cudaMemcpy2_staged_3 : set Event { w_cudaMemcpy2_staged_3 + r_cudaMemcpy2_staged_3 }

------------------------------------------------------------------------- values and conditions

-- the value that each write stores, and the value that each read returns
fun wv : Event->Value { (init_main_a_0 + init_main_a_1 + init_main_a_2 + init_main_b_0 + init_main_b_1 + init_main_b_2 +
    init_main_c_0 + init_main_c_1 + init_main_c_2 + init_device_a_0 + init_device_a_1 +
    init_device_a_2 + init_device_b_0 + init_device_b_1 + init_device_b_2 + init_device_c_0 +
    init_device_c_1 + init_device_c_2 + init_cudaMemcpy_staged + init_cudaMemcpy_staged_2 +
    init_cudaMemcpy_staged_3 + init_cudaMemcpy2_staged + init_cudaMemcpy2_staged_2 +
    init_cudaMemcpy2_staged_3 + main_L26_W + main_L26_W2 + main_L26_W3 + main_L26_W4 + main_L26_W5 +
    main_L26_W6 + main_L32_W + main_L32_W2 + main_L32_W3 + main_L33_W + main_L33_W2 + main_L33_W3 +
    cudaMemcpy_0_0_L32_W + cudaMemcpy_0_0_L32_W2 + cudaMemcpy_0_0_L32_W3 + cudaMemcpy2_0_0_L33_W +
    cudaMemcpy2_0_0_L33_W2 + cudaMemcpy2_0_0_L33_W3 + add_0_0_L22_W + add_0_1_L22_W + add_1_0_L22_W +
    cudaMemcpy3_0_0_L41_W + cudaMemcpy3_0_0_L41_W2 + cudaMemcpy3_0_0_L41_W3)->v0 }
fun rv : Event->Value { ~rf.wv }

-- the events that are executed
fun Exec : set Event { init + th_main + th_cudaMemcpy_0_0 + th_cudaMemcpy2_0_0 + th_add_0_0 + th_add_0_1 + th_add_1_0 +
    th_cudaMemcpy3_0_0 }

------------------------------------------------------------- what the program gives to the model

fun id : Event->Event { Exec <: iden }
fun rf : Event->Event { rf_ & (w_main_a_0->r_main_a_0 + w_main_a_1->r_main_a_1 + w_main_a_2->r_main_a_2 + w_main_b_0->r_main_b_0 +
    w_main_b_1->r_main_b_1 + w_main_b_2->r_main_b_2 + w_main_c_0->r_main_c_0 +
    w_device_a_0->r_device_a_0 + w_device_a_1->r_device_a_1 + w_device_a_2->r_device_a_2 +
    w_device_b_0->r_device_b_0 + w_device_b_1->r_device_b_1 + w_device_b_2->r_device_b_2 +
    w_device_c_0->r_device_c_0 + w_device_c_1->r_device_c_1 + w_device_c_2->r_device_c_2 +
    w_cudaMemcpy_staged->r_cudaMemcpy_staged + w_cudaMemcpy_staged_2->r_cudaMemcpy_staged_2 +
    w_cudaMemcpy_staged_3->r_cudaMemcpy_staged_3 + w_cudaMemcpy2_staged->r_cudaMemcpy2_staged +
    w_cudaMemcpy2_staged_2->r_cudaMemcpy2_staged_2 + w_cudaMemcpy2_staged_3->r_cudaMemcpy2_staged_3) }
fun co : Event->Event { init_main_a_0->(w_main_a_0 - init_main_a_0) + init_main_a_1->(w_main_a_1 - init_main_a_1) +
    init_main_a_2->(w_main_a_2 - init_main_a_2) + init_main_b_0->(w_main_b_0 - init_main_b_0) +
    init_main_b_1->(w_main_b_1 - init_main_b_1) + init_main_b_2->(w_main_b_2 - init_main_b_2) +
    init_main_c_0->(w_main_c_0 - init_main_c_0) + init_main_c_1->(w_main_c_1 - init_main_c_1) +
    init_main_c_2->(w_main_c_2 - init_main_c_2) + init_device_a_0->(w_device_a_0 - init_device_a_0) +
    init_device_a_1->(w_device_a_1 - init_device_a_1) +
    init_device_a_2->(w_device_a_2 - init_device_a_2) +
    init_device_b_0->(w_device_b_0 - init_device_b_0) +
    init_device_b_1->(w_device_b_1 - init_device_b_1) +
    init_device_b_2->(w_device_b_2 - init_device_b_2) +
    init_device_c_0->(w_device_c_0 - init_device_c_0) +
    init_device_c_1->(w_device_c_1 - init_device_c_1) +
    init_device_c_2->(w_device_c_2 - init_device_c_2) +
    init_cudaMemcpy_staged->(w_cudaMemcpy_staged - init_cudaMemcpy_staged) +
    init_cudaMemcpy_staged_2->(w_cudaMemcpy_staged_2 - init_cudaMemcpy_staged_2) +
    init_cudaMemcpy_staged_3->(w_cudaMemcpy_staged_3 - init_cudaMemcpy_staged_3) +
    init_cudaMemcpy2_staged->(w_cudaMemcpy2_staged - init_cudaMemcpy2_staged) +
    init_cudaMemcpy2_staged_2->(w_cudaMemcpy2_staged_2 - init_cudaMemcpy2_staged_2) +
    init_cudaMemcpy2_staged_3->(w_cudaMemcpy2_staged_3 - init_cudaMemcpy2_staged_3) }
fun R : set Event { main_L32_R + main_L32_R2 + main_L32_R3 + main_L33_R + main_L33_R2 + main_L33_R3 + main_L43_R +
    cudaMemcpy_0_0_L32_R + cudaMemcpy_0_0_L32_R2 + cudaMemcpy_0_0_L32_R3 + cudaMemcpy2_0_0_L33_R +
    cudaMemcpy2_0_0_L33_R2 + cudaMemcpy2_0_0_L33_R3 + add_0_0_L22_R + add_0_0_L22_R2 + add_0_1_L22_R +
    add_0_1_L22_R2 + add_1_0_L22_R + add_1_0_L22_R2 + cudaMemcpy3_0_0_L41_R + cudaMemcpy3_0_0_L41_R2 +
    cudaMemcpy3_0_0_L41_R3 }
fun W : set Event { init + main_L26_W + main_L26_W2 + main_L26_W3 + main_L26_W4 + main_L26_W5 + main_L26_W6 +
    main_L32_W + main_L32_W2 + main_L32_W3 + main_L33_W + main_L33_W2 + main_L33_W3 +
    cudaMemcpy_0_0_L32_W + cudaMemcpy_0_0_L32_W2 + cudaMemcpy_0_0_L32_W3 + cudaMemcpy2_0_0_L33_W +
    cudaMemcpy2_0_0_L33_W2 + cudaMemcpy2_0_0_L33_W3 + add_0_0_L22_W + add_0_1_L22_W + add_1_0_L22_W +
    cudaMemcpy3_0_0_L41_W + cudaMemcpy3_0_0_L41_W2 + cudaMemcpy3_0_0_L41_W3 }
fun M : set Event { init + th_cudaMemcpy_0_0 + th_cudaMemcpy2_0_0 + th_add_0_0 + th_add_0_1 + th_add_1_0 +
    th_cudaMemcpy3_0_0 + main_L26_W + main_L26_W2 + main_L26_W3 + main_L26_W4 + main_L26_W5 +
    main_L26_W6 + main_L32_R + main_L32_W + main_L32_R2 + main_L32_W2 + main_L32_R3 + main_L32_W3 +
    main_L33_R + main_L33_W + main_L33_R2 + main_L33_W2 + main_L33_R3 + main_L33_W3 + main_L43_R }
fun F : set Event { none }
fun IW : set Event { init }
fun A : set Event { none }
fun Acq : set Event { none }
fun Rel : set Event { none }
fun SC : set Event { none }
fun po : Event->Event { ^(main_L26_W->main_L26_W2 + main_L26_W2->main_L26_W3 + main_L26_W3->main_L26_W4 +
    main_L26_W4->main_L26_W5 + main_L26_W5->main_L26_W6 + main_L26_W6->main_L32_C +
    main_L32_C->main_L32_R + main_L32_R->main_L32_W + main_L32_W->main_L32_R2 +
    main_L32_R2->main_L32_W2 + main_L32_W2->main_L32_R3 + main_L32_R3->main_L32_W3 +
    main_L32_W3->main_L32_C2 + main_L32_C2->main_L33_C + main_L33_C->main_L33_R +
    main_L33_R->main_L33_W + main_L33_W->main_L33_R2 + main_L33_R2->main_L33_W2 +
    main_L33_W2->main_L33_R3 + main_L33_R3->main_L33_W3 + main_L33_W3->main_L33_C2 +
    main_L33_C2->main_L38_C + main_L38_C->main_L41_C + main_L41_C->main_L41_C2 +
    main_L41_C2->main_L43_R) + ^(cudaMemcpy_0_0_L32_R->cudaMemcpy_0_0_L32_W +
    cudaMemcpy_0_0_L32_W->cudaMemcpy_0_0_L32_R2 + cudaMemcpy_0_0_L32_R2->cudaMemcpy_0_0_L32_W2 +
    cudaMemcpy_0_0_L32_W2->cudaMemcpy_0_0_L32_R3 + cudaMemcpy_0_0_L32_R3->cudaMemcpy_0_0_L32_W3) +
    ^(cudaMemcpy2_0_0_L33_R->cudaMemcpy2_0_0_L33_W + cudaMemcpy2_0_0_L33_W->cudaMemcpy2_0_0_L33_R2 +
    cudaMemcpy2_0_0_L33_R2->cudaMemcpy2_0_0_L33_W2 + cudaMemcpy2_0_0_L33_W2->cudaMemcpy2_0_0_L33_R3 +
    cudaMemcpy2_0_0_L33_R3->cudaMemcpy2_0_0_L33_W3) + ^(add_0_0_L22_R->add_0_0_L22_R2 +
    add_0_0_L22_R2->add_0_0_L22_W) + ^(add_0_1_L22_R->add_0_1_L22_R2 + add_0_1_L22_R2->add_0_1_L22_W) +
    ^(add_1_0_L22_R->add_1_0_L22_R2 + add_1_0_L22_R2->add_1_0_L22_W) +
    ^(cudaMemcpy3_0_0_L41_R->cudaMemcpy3_0_0_L41_W + cudaMemcpy3_0_0_L41_W->cudaMemcpy3_0_0_L41_R2 +
    cudaMemcpy3_0_0_L41_R2->cudaMemcpy3_0_0_L41_W2 + cudaMemcpy3_0_0_L41_W2->cudaMemcpy3_0_0_L41_R3 +
    cudaMemcpy3_0_0_L41_R3->cudaMemcpy3_0_0_L41_W3) }
fun loc : Event->Event { at_main_a_0->at_main_a_0 + at_main_a_1->at_main_a_1 + at_main_a_2->at_main_a_2 +
    at_main_b_0->at_main_b_0 + at_main_b_1->at_main_b_1 + at_main_b_2->at_main_b_2 +
    at_main_c_0->at_main_c_0 + at_main_c_1->at_main_c_1 + at_main_c_2->at_main_c_2 +
    at_device_a_0->at_device_a_0 + at_device_a_1->at_device_a_1 + at_device_a_2->at_device_a_2 +
    at_device_b_0->at_device_b_0 + at_device_b_1->at_device_b_1 + at_device_b_2->at_device_b_2 +
    at_device_c_0->at_device_c_0 + at_device_c_1->at_device_c_1 + at_device_c_2->at_device_c_2 +
    at_cudaMemcpy_staged->at_cudaMemcpy_staged + at_cudaMemcpy_staged_2->at_cudaMemcpy_staged_2 +
    at_cudaMemcpy_staged_3->at_cudaMemcpy_staged_3 + at_cudaMemcpy2_staged->at_cudaMemcpy2_staged +
    at_cudaMemcpy2_staged_2->at_cudaMemcpy2_staged_2 + at_cudaMemcpy2_staged_3->at_cudaMemcpy2_staged_3 }
fun ext : Event->Event { Exec->Exec - (th_main->th_main + th_cudaMemcpy_0_0->th_cudaMemcpy_0_0 +
    th_cudaMemcpy2_0_0->th_cudaMemcpy2_0_0 + th_add_0_0->th_add_0_0 + th_add_0_1->th_add_0_1 +
    th_add_1_0->th_add_1_0 + th_cudaMemcpy3_0_0->th_cudaMemcpy3_0_0 + (init <: id)) }
fun rmw : Event->Event { none->none }
fun dep : Event->Event { none->none }
fun asw : Event->Event { init->(th_main + th_cudaMemcpy_0_0 + th_cudaMemcpy2_0_0 + th_add_0_0 + th_add_0_1 + th_add_1_0 +
    th_cudaMemcpy3_0_0) + main_L32_C2->th_cudaMemcpy_0_0 + main_L33_C2->th_cudaMemcpy2_0_0 +
    main_L38_C->(th_add_0_0 + th_add_0_1 + th_add_1_0) + main_L41_C->th_cudaMemcpy3_0_0 +
    th_cudaMemcpy_0_0->th_cudaMemcpy2_0_0 + th_cudaMemcpy_0_0->th_cudaMemcpy3_0_0 +
    th_cudaMemcpy2_0_0->th_cudaMemcpy3_0_0 + th_cudaMemcpy_0_0->main_L33_C +
    th_cudaMemcpy3_0_0->main_L41_C2 }
fun issue : Event->Event { none->none }
fun incl : Event->Event { th_main->th_main + th_cudaMemcpy_0_0->th_cudaMemcpy_0_0 + th_cudaMemcpy2_0_0->th_cudaMemcpy2_0_0 +
    th_add_0_0->th_add_0_0 + th_add_0_1->th_add_0_1 + th_add_1_0->th_add_1_0 +
    th_cudaMemcpy3_0_0->th_cudaMemcpy3_0_0 }

-- every read has one source, coherence is an order, values are what the program computes
pred candidate {
  rf_ = rf
  rf in Exec->Exec
  all r : (r_main_a_0 + r_main_a_1 + r_main_a_2 + r_main_b_0 + r_main_b_1 + r_main_b_2 + r_main_c_0 + r_device_a_0 + r_device_a_1 + r_device_a_2 + r_device_b_0 + r_device_b_1 + r_device_b_2 + r_device_c_0 + r_device_c_1 + r_device_c_2 + r_cudaMemcpy_staged + r_cudaMemcpy_staged_2 + r_cudaMemcpy_staged_3 + r_cudaMemcpy2_staged + r_cudaMemcpy2_staged_2 + r_cudaMemcpy2_staged_3) & Exec | one rf.r
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
run race { consistent and some race } expect 1
-- some execution has a race on device_b
run race_on_device_b { consistent and some race & (at_device_b_0 + at_device_b_1 + at_device_b_2)->(at_device_b_0 + at_device_b_1 + at_device_b_2) } expect 1
-- some execution has a race on device_c
run race_on_device_c { consistent and some race & (at_device_c_0 + at_device_c_1 + at_device_c_2)->(at_device_c_0 + at_device_c_1 + at_device_c_2) } expect 1
