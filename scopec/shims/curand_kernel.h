// cuRAND on the device: each call reads and writes the state, whose values are not modelled, nor is what it yields.
#pragma once
#include <scopec_cuda.h>

SCOPEC_SHIM_BEGIN
#define SCOPEC_STATE(NAME)                                                                                    \
    struct NAME##_t { float __scopec_state; };                                                                \
    using NAME = NAME##_t;
SCOPEC_STATE(curandStateXORWOW)
SCOPEC_STATE(curandStatePhilox4_32_10)
SCOPEC_STATE(curandStateMRG32k3a)
SCOPEC_STATE(curandStateMtgp32)
SCOPEC_STATE(curandStateSobol32)
SCOPEC_STATE(curandStateScrambledSobol32)
SCOPEC_STATE(curandStateSobol64)
SCOPEC_STATE(curandStateScrambledSobol64)
#undef SCOPEC_STATE
using curandState_t = curandStateXORWOW_t;
using curandState = curandStateXORWOW_t;
using curandDirectionVectors32_t = unsigned[32];
using curandDirectionVectors64_t = unsigned long long[64];

namespace __scopec {
template <class __S> void draw(__S* state) { state->__scopec_state += 1; }
}  // namespace __scopec

template <class __S> void curand_init(unsigned long long, unsigned long long, unsigned long long, __S* state) {
    state->__scopec_state = 0;
}
template <class __V, class __S> void curand_init(__V* vectors, unsigned long long, __S* state) {
    (void)vectors[0];
    state->__scopec_state = 0;
}
template <class __V, class __S>
void curand_init(__V* vectors, unsigned long long, unsigned long long, __S* state) {
    curand_init(vectors, 0, state);
}
#define SCOPEC_SKIP(NAME)                                                                                     \
    template <class __S> void NAME(unsigned long long, __S* state) { __scopec::draw(state); }
SCOPEC_SKIP(skipahead)
SCOPEC_SKIP(skipahead_sequence)
SCOPEC_SKIP(skipahead_subsequence)
#undef SCOPEC_SKIP
#define SCOPEC_DRAW(RESULT, NAME, ...)                                                                        \
    template <class __S> RESULT NAME(__S* state __VA_ARGS__) {                                                \
        __scopec::draw(state);                                                                                \
        return __scopec_drawn<RESULT>();                                                                      \
    }
template <class __T> __T __scopec_drawn() {
    if constexpr (__is_class(__T)) {
        __T made;
        made.x = __scopec_drawn<decltype(made.x)>();
        made.y = __scopec_drawn<decltype(made.y)>();
        if constexpr (sizeof(__T) == 4 * sizeof made.x) {
            made.z = __scopec_drawn<decltype(made.z)>();
            made.w = __scopec_drawn<decltype(made.w)>();
        }
        return made;
    } else {
        return __scopec_unknown<__T>();
    }
}
SCOPEC_DRAW(unsigned, curand)
SCOPEC_DRAW(uint4, curand4)
SCOPEC_DRAW(float, curand_uniform)
SCOPEC_DRAW(float4, curand_uniform4)
SCOPEC_DRAW(double, curand_uniform_double)
SCOPEC_DRAW(double2, curand_uniform2_double)
SCOPEC_DRAW(float, curand_normal)
SCOPEC_DRAW(float2, curand_normal2)
SCOPEC_DRAW(float4, curand_normal4)
SCOPEC_DRAW(double, curand_normal_double)
SCOPEC_DRAW(double2, curand_normal2_double)
SCOPEC_DRAW(float, curand_log_normal, , float, float)
SCOPEC_DRAW(float2, curand_log_normal2, , float, float)
SCOPEC_DRAW(float4, curand_log_normal4, , float, float)
SCOPEC_DRAW(double, curand_log_normal_double, , double, double)
SCOPEC_DRAW(unsigned, curand_poisson, , double)
SCOPEC_DRAW(uint4, curand_poisson4, , double)
#undef SCOPEC_DRAW
SCOPEC_SHIM_END
