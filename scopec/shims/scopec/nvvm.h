// Builtin functions of clang for NVPTX, which its own CUDA headers call, and those that name a scope, as scopec's intrinsics:
// what the first mean is what the functions of CUDA mean that are made of them.  What clang makes of them is another thing: of `__nvvm_atom_add_gen_i` an
// atomicrmw that is seq_cst and of the system, where atomicAdd is relaxed and of the device (CUDA C++ Programming Guide,
// "Atomic Functions").  A builtin without a row here is refused by its name.
#pragma once

#include "intrinsics.h"

SCOPEC_SHIM_BEGIN
template <class __T> __T __scopec_cas(volatile __T* object, __T expected, __T desired, int scope) {
    __scopec_compare_exchange<__T>(object, &expected, desired, 0, 0, scope, false);
    return expected;
}
template <class __T> unsigned __scopec_match_all(unsigned mask, __T value, int* predicate) {
    const unsigned found = __scopec_match<__T>(1, mask, value);
    *predicate = found != 0;
    return found;
}
SCOPEC_SHIM_END

// ---- atomic functions, relaxed

// of the device
#define __nvvm_atom_add_gen_i(...) __scopec_fetch_add<int>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_add_gen_ll(...) __scopec_fetch_add<long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_add_gen_f(...) __scopec_fetch_add<float>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_add_gen_d(...) __scopec_fetch_add<double>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_xchg_gen_i(...) __scopec_exchange<int>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_xchg_gen_ll(...) __scopec_exchange<long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_and_gen_i(...) __scopec_fetch_and<int>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_and_gen_ll(...) __scopec_fetch_and<long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_or_gen_i(...) __scopec_fetch_or<int>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_or_gen_ll(...) __scopec_fetch_or<long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_xor_gen_i(...) __scopec_fetch_xor<int>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_xor_gen_ll(...) __scopec_fetch_xor<long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_min_gen_i(...) __scopec_fetch_min<int>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_min_gen_ui(...) __scopec_fetch_min<unsigned>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_min_gen_ll(...) __scopec_fetch_min<long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_min_gen_ull(...) __scopec_fetch_min<unsigned long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_max_gen_i(...) __scopec_fetch_max<int>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_max_gen_ui(...) __scopec_fetch_max<unsigned>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_max_gen_ll(...) __scopec_fetch_max<long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_max_gen_ull(...) __scopec_fetch_max<unsigned long long>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_inc_gen_ui(...) __scopec_fetch_inc<unsigned>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_dec_gen_ui(...) __scopec_fetch_dec<unsigned>(__VA_ARGS__, 0, 3)
#define __nvvm_atom_cas_gen_us(...) __scopec_cas<unsigned short>(__VA_ARGS__, 3)
#define __nvvm_atom_cas_gen_i(...) __scopec_cas<int>(__VA_ARGS__, 3)
#define __nvvm_atom_cas_gen_ll(...) __scopec_cas<long long>(__VA_ARGS__, 3)
// of the block
#define __nvvm_atom_cta_add_gen_i(...) __scopec_fetch_add<int>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_add_gen_ll(...) __scopec_fetch_add<long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_add_gen_f(...) __scopec_fetch_add<float>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_add_gen_d(...) __scopec_fetch_add<double>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_xchg_gen_i(...) __scopec_exchange<int>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_xchg_gen_ll(...) __scopec_exchange<long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_and_gen_i(...) __scopec_fetch_and<int>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_and_gen_ll(...) __scopec_fetch_and<long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_or_gen_i(...) __scopec_fetch_or<int>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_or_gen_ll(...) __scopec_fetch_or<long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_xor_gen_i(...) __scopec_fetch_xor<int>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_xor_gen_ll(...) __scopec_fetch_xor<long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_min_gen_i(...) __scopec_fetch_min<int>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_min_gen_ui(...) __scopec_fetch_min<unsigned>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_min_gen_ll(...) __scopec_fetch_min<long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_min_gen_ull(...) __scopec_fetch_min<unsigned long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_max_gen_i(...) __scopec_fetch_max<int>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_max_gen_ui(...) __scopec_fetch_max<unsigned>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_max_gen_ll(...) __scopec_fetch_max<long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_max_gen_ull(...) __scopec_fetch_max<unsigned long long>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_inc_gen_ui(...) __scopec_fetch_inc<unsigned>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_dec_gen_ui(...) __scopec_fetch_dec<unsigned>(__VA_ARGS__, 0, 1)
#define __nvvm_atom_cta_cas_gen_us(...) __scopec_cas<unsigned short>(__VA_ARGS__, 1)
#define __nvvm_atom_cta_cas_gen_i(...) __scopec_cas<int>(__VA_ARGS__, 1)
#define __nvvm_atom_cta_cas_gen_ll(...) __scopec_cas<long long>(__VA_ARGS__, 1)
// of the system
#define __nvvm_atom_sys_add_gen_i(...) __scopec_fetch_add<int>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_add_gen_ll(...) __scopec_fetch_add<long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_add_gen_f(...) __scopec_fetch_add<float>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_add_gen_d(...) __scopec_fetch_add<double>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_xchg_gen_i(...) __scopec_exchange<int>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_xchg_gen_ll(...) __scopec_exchange<long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_and_gen_i(...) __scopec_fetch_and<int>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_and_gen_ll(...) __scopec_fetch_and<long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_or_gen_i(...) __scopec_fetch_or<int>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_or_gen_ll(...) __scopec_fetch_or<long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_xor_gen_i(...) __scopec_fetch_xor<int>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_xor_gen_ll(...) __scopec_fetch_xor<long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_min_gen_i(...) __scopec_fetch_min<int>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_min_gen_ui(...) __scopec_fetch_min<unsigned>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_min_gen_ll(...) __scopec_fetch_min<long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_min_gen_ull(...) __scopec_fetch_min<unsigned long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_max_gen_i(...) __scopec_fetch_max<int>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_max_gen_ui(...) __scopec_fetch_max<unsigned>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_max_gen_ll(...) __scopec_fetch_max<long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_max_gen_ull(...) __scopec_fetch_max<unsigned long long>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_inc_gen_ui(...) __scopec_fetch_inc<unsigned>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_dec_gen_ui(...) __scopec_fetch_dec<unsigned>(__VA_ARGS__, 0, 4)
#define __nvvm_atom_sys_cas_gen_us(...) __scopec_cas<unsigned short>(__VA_ARGS__, 4)
#define __nvvm_atom_sys_cas_gen_i(...) __scopec_cas<int>(__VA_ARGS__, 4)
#define __nvvm_atom_sys_cas_gen_ll(...) __scopec_cas<long long>(__VA_ARGS__, 4)

// ---- indices

#define __nvvm_read_ptx_sreg_tid_x() __scopec_index(0)
#define __nvvm_read_ptx_sreg_tid_y() __scopec_index(1)
#define __nvvm_read_ptx_sreg_tid_z() __scopec_index(2)
#define __nvvm_read_ptx_sreg_ctaid_x() __scopec_index(3)
#define __nvvm_read_ptx_sreg_ctaid_y() __scopec_index(4)
#define __nvvm_read_ptx_sreg_ctaid_z() __scopec_index(5)
#define __nvvm_read_ptx_sreg_ntid_x() __scopec_index(6)
#define __nvvm_read_ptx_sreg_ntid_y() __scopec_index(7)
#define __nvvm_read_ptx_sreg_ntid_z() __scopec_index(8)
#define __nvvm_read_ptx_sreg_nctaid_x() __scopec_index(9)
#define __nvvm_read_ptx_sreg_nctaid_y() __scopec_index(10)
#define __nvvm_read_ptx_sreg_nctaid_z() __scopec_index(11)
#define __nvvm_read_ptx_sreg_cluster_ctarank() __scopec_index(12)
#define __nvvm_read_ptx_sreg_cluster_nctarank() __scopec_index(13)
#define __nvvm_read_ptx_sreg_laneid() __scopec_lane(0)
#define __nvvm_read_ptx_sreg_warpsize() 32
#define __nvvm_read_ptx_sreg_clock() __scopec_clock<int>()
#define __nvvm_read_ptx_sreg_clock64() __scopec_clock<long long>()

// ---- barriers and fences

#define __nvvm_bar0_popc(predicate) __scopec_vote(0, predicate)
#define __nvvm_bar0_and(predicate) __scopec_vote(1, predicate)
#define __nvvm_bar0_or(predicate) __scopec_vote(2, predicate)
#define __nvvm_bar_warp_sync(mask) __scopec_group_sync(0, mask)
#define __nvvm_barrier_sync(name) __scopec_cta_barrier(name, -1, true, false)
#define __nvvm_barrier_sync_cnt(name, count) __scopec_cta_barrier(name, count, true, false)
#define __nvvm_barrier_cluster_arrive() __scopec_cluster_barrier(false)
#define __nvvm_barrier_cluster_arrive_relaxed() __scopec_cluster_barrier(false, true)
#define __nvvm_barrier_cluster_wait() __scopec_cluster_barrier(true)
#define __nvvm_membar_cta() __scopec_fence(5, 1)
#define __nvvm_fence_sc_cluster() __scopec_fence(5, 2)
#define __nvvm_membar_gl() __scopec_fence(5, 3)
#define __nvvm_membar_sys() __scopec_fence(5, 4)
#define __nvvm_nanosleep(...) __scopec_yield(true)

// ---- warps

#define __nvvm_vote_any_sync(...) __scopec_warp_vote(0, __VA_ARGS__)
#define __nvvm_vote_all_sync(...) __scopec_warp_vote(1, __VA_ARGS__)
#define __nvvm_vote_uni_sync(...) __scopec_warp_vote(2, __VA_ARGS__)
#define __nvvm_vote_ballot_sync(...) __scopec_warp_vote(3, __VA_ARGS__)
#define __nvvm_activemask() __scopec_active()
#define __nvvm_match_any_sync_i32(...) __scopec_match<unsigned>(0, __VA_ARGS__)
#define __nvvm_match_any_sync_i64(...) __scopec_match<unsigned long long>(0, __VA_ARGS__)
#define __nvvm_match_all_sync_i32p(...) __scopec_match_all<unsigned>(__VA_ARGS__)
#define __nvvm_match_all_sync_i64p(...) __scopec_match_all<unsigned long long>(__VA_ARGS__)
#define __nvvm_shfl_sync_idx_i32(mask, value, ...) __scopec_shuffle<int>(0, mask, value, __VA_ARGS__)
#define __nvvm_shfl_sync_idx_f32(mask, value, ...) __scopec_shuffle<float>(0, mask, value, __VA_ARGS__)
#define __nvvm_shfl_sync_up_i32(mask, value, ...) __scopec_shuffle<int>(1, mask, value, __VA_ARGS__)
#define __nvvm_shfl_sync_up_f32(mask, value, ...) __scopec_shuffle<float>(1, mask, value, __VA_ARGS__)
#define __nvvm_shfl_sync_down_i32(mask, value, ...) __scopec_shuffle<int>(2, mask, value, __VA_ARGS__)
#define __nvvm_shfl_sync_down_f32(mask, value, ...) __scopec_shuffle<float>(2, mask, value, __VA_ARGS__)
#define __nvvm_shfl_sync_bfly_i32(mask, value, ...) __scopec_shuffle<int>(3, mask, value, __VA_ARGS__)
#define __nvvm_shfl_sync_bfly_f32(mask, value, ...) __scopec_shuffle<float>(3, mask, value, __VA_ARGS__)
#define __nvvm_redux_sync_add(value, mask) __scopec_reduce<int>(0, mask, value)
#define __nvvm_redux_sync_umin(value, mask) __scopec_reduce<unsigned>(1, mask, value)
#define __nvvm_redux_sync_umax(value, mask) __scopec_reduce<unsigned>(2, mask, value)
#define __nvvm_redux_sync_min(value, mask) __scopec_reduce<int>(1, mask, value)
#define __nvvm_redux_sync_max(value, mask) __scopec_reduce<int>(2, mask, value)
#define __nvvm_redux_sync_and(value, mask) __scopec_reduce<int>(3, mask, value)
#define __nvvm_redux_sync_or(value, mask) __scopec_reduce<int>(4, mask, value)
#define __nvvm_redux_sync_xor(value, mask) __scopec_reduce<int>(5, mask, value)

// ---- loads through the read-only cache

#define __nvvm_ldg_c(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_s(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_i(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_l(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ll(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_uc(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_us(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ui(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ul(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ull(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_f(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_d(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_c2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_c4(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_s2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_s4(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_i2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_i4(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ll2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_uc2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_uc4(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_us2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_us4(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ui2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ui4(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_ull2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_f2(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_f4(p) (__scopec_read_only(), *(p))
#define __nvvm_ldg_d2(p) (__scopec_read_only(), *(p))

// ---- the state space of an address

#define __nvvm_isspacep_global(address) __scopec_space(address, 0)
#define __nvvm_isspacep_shared(address) __scopec_space(address, 1)
#define __nvvm_isspacep_shared_cluster(address) __scopec_space(address, 3)
#define __nvvm_isspacep_local(address) __scopec_space(address, 8)

// ---- shared memory of other blocks of the cluster

#define __nvvm_mapa(address, rank) __scopec_map_shared(address, rank)
#define __nvvm_getctarank(address) __scopec_shared_rank(address)

// ---- GNU atomics with a scope (clang, "Scoped Atomic Builtins"): clang drops the scope for NVPTX, so they would be the
// system's.  There is none of a warp: that of a thread is narrower.

SCOPEC_SHIM_BEGIN
inline constexpr int __scopec_scopes[] = {4, 3, 1, 0, 0, 2};  // system, device, block, warp, thread, cluster
template <class __T> __T __scopec_at_load(const volatile __T* object, int order, int scope) {
    return __scopec_load<__T>(object, order, scope);
}
template <class __T, class __V> void __scopec_at_store(volatile __T* object, __V value, int order, int scope) {
    __scopec_store<__T>(object, value, order, scope);
}
#define SCOPEC_AT(NAME)                                                                                       \
    template <class __T, class __V> __T __scopec_at_##NAME(volatile __T* object, __V value, int order, int scope) { \
        return __scopec_##NAME<__T>(object, value, order, scope);                                             \
    }
SCOPEC_AT(exchange)
SCOPEC_AT(fetch_add)
SCOPEC_AT(fetch_sub)
SCOPEC_AT(fetch_and)
SCOPEC_AT(fetch_or)
SCOPEC_AT(fetch_xor)
SCOPEC_AT(fetch_min)
SCOPEC_AT(fetch_max)
#undef SCOPEC_AT
SCOPEC_SHIM_END
#pragma GCC poison __scoped_atomic_load __scoped_atomic_store __scoped_atomic_exchange __scoped_atomic_compare_exchange
#pragma GCC poison __scoped_atomic_add_fetch __scoped_atomic_sub_fetch __scoped_atomic_and_fetch __scoped_atomic_or_fetch
#pragma GCC poison __scoped_atomic_xor_fetch __scoped_atomic_nand_fetch __scoped_atomic_fetch_nand __scoped_atomic_min_fetch
#pragma GCC poison __scoped_atomic_max_fetch __scoped_atomic_compare_exchange_n __scoped_atomic_uinc_wrap
#pragma GCC poison __scoped_atomic_udec_wrap
#define __scoped_atomic_load_n(object, order, scope) __scopec_at_load(object, order, __scopec_scopes[scope])
#define __scoped_atomic_store_n(object, value, order, scope) __scopec_at_store(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_exchange_n(object, value, order, scope) __scopec_at_exchange(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_fetch_add(object, value, order, scope) __scopec_at_fetch_add(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_fetch_sub(object, value, order, scope) __scopec_at_fetch_sub(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_fetch_and(object, value, order, scope) __scopec_at_fetch_and(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_fetch_or(object, value, order, scope) __scopec_at_fetch_or(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_fetch_xor(object, value, order, scope) __scopec_at_fetch_xor(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_fetch_min(object, value, order, scope) __scopec_at_fetch_min(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_fetch_max(object, value, order, scope) __scopec_at_fetch_max(object, value, order, __scopec_scopes[scope])
#define __scoped_atomic_thread_fence(order, scope) __scopec_fence(order, __scopec_scopes[scope])
