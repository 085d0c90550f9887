// Complex numbers of CUDA's: pairs of floating-point numbers, whose values are not modelled.
#pragma once
#include <math.h>
#include <scopec_cuda.h>
SCOPEC_SHIM_BEGIN
#define SCOPEC_COMPLEX(TYPE, PAIR, REAL, F, ROOT)                                                             \
    typedef PAIR TYPE;                                                                                        \
    inline TYPE make_##TYPE(REAL real, REAL imaginary) { return {real, imaginary}; }                          \
    inline REAL cuCreal##F(TYPE x) { return x.x; }                                                            \
    inline REAL cuCimag##F(TYPE x) { return x.y; }                                                            \
    inline TYPE cuConj##F(TYPE x) { return {x.x, -x.y}; }                                                     \
    inline TYPE cuCadd##F(TYPE a, TYPE b) { return {a.x + b.x, a.y + b.y}; }                                  \
    inline TYPE cuCsub##F(TYPE a, TYPE b) { return {a.x - b.x, a.y - b.y}; }                                  \
    inline TYPE cuCmul##F(TYPE a, TYPE b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }          \
    inline TYPE cuCdiv##F(TYPE a, TYPE b) {                                                                   \
        REAL square = b.x * b.x + b.y * b.y;                                                                  \
        return {(a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square};                          \
    }                                                                                                         \
    inline REAL cuCabs##F(TYPE x) { return ROOT(x.x * x.x + x.y * x.y); }                                     \
    inline TYPE cuCfma##F(TYPE a, TYPE b, TYPE c) { return cuCadd##F(cuCmul##F(a, b), c); }
SCOPEC_COMPLEX(cuFloatComplex, float2, float, f, sqrtf)
SCOPEC_COMPLEX(cuDoubleComplex, double2, double, , sqrt)
#undef SCOPEC_COMPLEX
typedef cuFloatComplex cuComplex;
inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return {float(x.x), float(x.y)}; }
SCOPEC_SHIM_END
