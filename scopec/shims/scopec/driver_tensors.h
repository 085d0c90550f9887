// Tensor maps of the driver API, for scopec's cuda.h and for NVIDIA's.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace __scopec {
//! What is in an opaque map: what copies of the tensor need to know (scopec/frontends/clang/intrinsics/tensors.py).
struct tensor_map {
    void* base;
    unsigned long extents[5], strides[4];
    unsigned box[5], rank, bytes, special, swizzle;
};
static_assert(sizeof(tensor_map) <= sizeof(CUtensorMap));
}  // namespace __scopec

extern "C" inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* base,
                                                  const cuuint64_t* extents, const cuuint64_t* strides,
                                                  const cuuint32_t* box, const cuuint32_t* steps,
                                                  CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                  CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    if (rank < 1 || rank > 5) return CUDA_ERROR_INVALID_VALUE;
    constexpr unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    if (type >= sizeof bytes / sizeof *bytes) __scopec_unmodelled("a tensor map of packed elements");
    auto* made = reinterpret_cast<__scopec::tensor_map*>(map);
    made->base = base, made->rank = rank, made->bytes = bytes[type];
    made->special = interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || swizzle > CU_TENSOR_MAP_SWIZZLE_128B;
    made->swizzle = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16 << swizzle;
    for (unsigned n = 0; n < rank; ++n) {
        made->extents[n] = extents[n], made->box[n] = box[n];
        if (n) made->strides[n - 1] = strides[n - 1];
        if (steps[n] != 1) made->special = 1;
    }
    return CUDA_SUCCESS;
}

#pragma clang attribute pop
