// cuda::ptx's functions of tensor memory that take descriptors and registers, for scopec's <cuda/ptx>.
#pragma once

namespace cuda {
namespace ptx {

enum class dot_kind { f16, tf32, f8f6f4, i8, mxf4, mxf4nvf4, mxf8f6f4 };
template <dot_kind __V> using kind_t = __scopec::integral_constant<dot_kind, __V>;
using kind_f16_t = kind_t<dot_kind::f16>;
using kind_tf32_t = kind_t<dot_kind::tf32>;
using kind_f8f6f4_t = kind_t<dot_kind::f8f6f4>;
using kind_i8_t = kind_t<dot_kind::i8>;
[[maybe_unused]] static constexpr kind_f16_t kind_f16{};
[[maybe_unused]] static constexpr kind_tf32_t kind_tf32{};
[[maybe_unused]] static constexpr kind_f8f6f4_t kind_f8f6f4{};
[[maybe_unused]] static constexpr kind_i8_t kind_i8{};
template <int __N> using n32_t = __scopec::integral_constant<int, __N>;

template <dot_cta_group __G> void __scopec_of_one_block() {
    __scopec_in_kernel();
    if constexpr (__G != dot_cta_group::cta_group_1) __scopec_unmodelled("a tcgen05 instruction of two blocks (.cta_group::2)");
}

// ---- products: what is added to is the same columns, and lanes that are left out are taken to be written

template <dot_kind __K, dot_cta_group __G>
void __scopec_product(std::uint32_t to, std::uint64_t a, bool in_memory, std::uint64_t b, std::uint32_t shape) {
    static_assert(__K <= dot_kind::i8, "kind_f16, kind_tf32, kind_f8f6f4 or kind_i8");
    __scopec_of_one_block<__G>();
    __scopec_tensor_multiply(to, a, in_memory, b, shape, (int)__K);
}
#define SCOPEC_PRODUCTS(NAME, A, IN_MEMORY)                                                                                \
    template <dot_kind __K, dot_cta_group __G>                                                                             \
    void NAME(kind_t<__K>, cta_group_t<__G>, std::uint32_t to, A a, std::uint64_t b, std::uint32_t shape, bool) {          \
        __scopec_product<__K, __G>(to, a, IN_MEMORY, b, shape);                                                            \
    }                                                                                                                      \
    template <dot_kind __K, dot_cta_group __G, int __N>                                                                    \
    void NAME(kind_t<__K>, cta_group_t<__G>, std::uint32_t to, A a, std::uint64_t b, std::uint32_t shape, bool,            \
              n32_t<__N>) {                                                                                                \
        static_assert(__K <= dot_kind::tf32, "kind_f16 or kind_tf32");                                                     \
        __scopec_product<__K, __G>(to, a, IN_MEMORY, b, shape);                                                            \
    }                                                                                                                      \
    template <dot_kind __K, dot_cta_group __G, int __L>                                                                    \
    void NAME(kind_t<__K>, cta_group_t<__G>, std::uint32_t to, A a, std::uint64_t b, std::uint32_t shape,                  \
              const std::uint32_t (&)[__L], bool) {                                                                        \
        static_assert(__L == (__G == dot_cta_group::cta_group_1 ? 4 : 8), "a bit of each lane");                           \
        __scopec_product<__K, __G>(to, a, IN_MEMORY, b, shape);                                                            \
    }
SCOPEC_PRODUCTS(tcgen05_mma, std::uint64_t, false)
SCOPEC_PRODUCTS(tcgen05_mma_tmem_a, std::uint32_t, true)
#undef SCOPEC_PRODUCTS

// ---- copies from shared memory, and shifts

#define SCOPEC_COPY(NAME, ROWS, PARTS, COLUMNS)                                                                            \
    template <dot_cta_group __G> void NAME(cta_group_t<__G>, std::uint32_t to, std::uint64_t from) {                       \
        __scopec_of_one_block<__G>();                                                                                      \
        __scopec_tensor_copy(to, from, ROWS, PARTS, COLUMNS);                                                              \
    }
SCOPEC_COPY(tcgen05_cp_128x256b, 128, 2, 8)
SCOPEC_COPY(tcgen05_cp_4x256b, 4, 2, 8)
SCOPEC_COPY(tcgen05_cp_128x128b, 128, 1, 4)
SCOPEC_COPY(tcgen05_cp_64x128b_warpx2_02_13, 64, 1, 4)
SCOPEC_COPY(tcgen05_cp_64x128b_warpx2_01_23, 64, 1, 4)
SCOPEC_COPY(tcgen05_cp_32x128b_warpx4, 32, 1, 4)
#undef SCOPEC_COPY
template <dot_cta_group __G> void tcgen05_shift_down(cta_group_t<__G>, std::uint32_t at) {
    __scopec_of_one_block<__G>();
    __scopec_tensor_shift(at);
}

// ---- loads and stores: of so many columns and lanes, with so many registers

template <int __E, class __T, unsigned long __N> void __scopec_check_registers() {
    static_assert(sizeof(__T) == 4, "32 bits");
    static_assert(__N % __E == 0 && !(__N / __E & (__N / __E - 1)) && __N <= 128, "as many registers as an instruction has");
    __scopec_in_kernel();
}
template <class __I, __I... __P> struct __scopec_places {};
template <class __T, unsigned long __N, unsigned long... __P>
void __scopec_loaded(__T (&to)[__N], __scopec_places<unsigned long, __P...>) {
    ((to[__P] = __scopec_unknown<__T>()), ...);
}
template <class __T, unsigned long __N, unsigned long... __P>
void __scopec_stored(const __T (&from)[__N], __scopec_places<unsigned long, __P...>) {
    ((void)__scopec_unknown<__T>(from[__P]), ...);
}
#define SCOPEC_MOVES(SHAPE, COLUMNS, LANES, EACH)                                                                          \
    SCOPEC_LOAD(tcgen05_ld_##SHAPE, COLUMNS, LANES, EACH)                                                                  \
    SCOPEC_LOAD(tcgen05_ld_##SHAPE##_pack_16b, 2 * COLUMNS, LANES, EACH)                                                   \
    SCOPEC_STORE(tcgen05_st_##SHAPE, COLUMNS, LANES, EACH)                                                                 \
    SCOPEC_STORE(tcgen05_st_##SHAPE##_unpack_16b, 2 * COLUMNS, LANES, EACH)
#define SCOPEC_LOAD(NAME, COLUMNS, LANES, EACH)                                                                            \
    template <class __T, unsigned long __N> void NAME(__T (&to)[__N], std::uint32_t at) {                                  \
        __scopec_check_registers<EACH, __T, __N>();                                                                        \
        __scopec_warp_vote(0, 0xFFFFFFFF, 0);                                                                              \
        __scopec_tensor_read(at, COLUMNS * __N / EACH, LANES, 0);                                                          \
        __scopec_loaded(to, __make_integer_seq<__scopec_places, unsigned long, __N>{});                                    \
    }
#define SCOPEC_STORE(NAME, COLUMNS, LANES, EACH)                                                                           \
    template <class __T, unsigned long __N> void NAME(std::uint32_t at, const __T (&from)[__N]) {                          \
        __scopec_check_registers<EACH, __T, __N>();                                                                        \
        __scopec_warp_vote(0, 0xFFFFFFFF, 0);                                                                              \
        __scopec_stored(from, __make_integer_seq<__scopec_places, unsigned long, __N>{});                                  \
        __scopec_tensor_write(at, COLUMNS * __N / EACH, LANES, 0);                                                         \
    }
SCOPEC_MOVES(32x32b, 1, 32, 1)
SCOPEC_MOVES(16x64b, 2, 16, 1)
SCOPEC_MOVES(16x128b, 4, 16, 2)
SCOPEC_MOVES(16x256b, 8, 16, 4)
#undef SCOPEC_MOVES
#undef SCOPEC_LOAD
#undef SCOPEC_STORE

}  // namespace ptx
}  // namespace cuda
