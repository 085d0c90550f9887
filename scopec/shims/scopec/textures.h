// Textures, surfaces and arrays: programs may name them; who reads or writes one is told that they are not modelled.
#pragma once

#include <scopec/runtime.h>

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
using cudaArray_t = struct cudaArray*;
using cudaArray_const_t = const struct cudaArray*;
using cudaMipmappedArray_t = struct cudaMipmappedArray*;

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3,
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3,
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3,
};
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct { void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
    } res;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
#define cudaArrayDefault 0
#define cudaArrayLayered 1
#define cudaArraySurfaceLoadStore 2
#define cudaArrayCubemap 4
#define cudaArrayTextureGather 8

SCOPEC_SHIM_BEGIN

constexpr cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
constexpr cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
constexpr cudaPitchedPtr make_cudaPitchedPtr(void* memory, size_t pitch, size_t width, size_t height) {
    return {memory, pitch, width, height};
}
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
template <class __T> cudaChannelFormatDesc cudaCreateChannelDesc() {
    return {int(8 * sizeof(__T)), 0, 0, 0, cudaChannelFormatKindNone};
}

// ---- what the host makes

#define SCOPEC_ARRAYS(NAME)                                                                                   \
    template <class... __A> cudaError_t NAME(__A&&...) {                                                      \
        __scopec_unmodelled("textures, surfaces and arrays (`" #NAME "`)");                                   \
        return cudaSuccess;                                                                                   \
    }
SCOPEC_ARRAYS(cudaCreateTextureObject)
SCOPEC_ARRAYS(cudaDestroyTextureObject)
SCOPEC_ARRAYS(cudaGetTextureObjectResourceDesc)
SCOPEC_ARRAYS(cudaCreateSurfaceObject)
SCOPEC_ARRAYS(cudaDestroySurfaceObject)
SCOPEC_ARRAYS(cudaMallocArray)
SCOPEC_ARRAYS(cudaMalloc3DArray)
SCOPEC_ARRAYS(cudaMallocMipmappedArray)
SCOPEC_ARRAYS(cudaGetMipmappedArrayLevel)
SCOPEC_ARRAYS(cudaArrayGetInfo)
SCOPEC_ARRAYS(cudaGetChannelDesc)
SCOPEC_ARRAYS(cudaFreeArray)
SCOPEC_ARRAYS(cudaFreeMipmappedArray)
SCOPEC_ARRAYS(cudaMemcpyToArray)
SCOPEC_ARRAYS(cudaMemcpyFromArray)
SCOPEC_ARRAYS(cudaMemcpy2DToArray)
SCOPEC_ARRAYS(cudaMemcpy2DToArrayAsync)
SCOPEC_ARRAYS(cudaMemcpy2DFromArray)
SCOPEC_ARRAYS(cudaMemset3D)
#undef SCOPEC_ARRAYS

// ---- what kernels read and write: the value is the template argument's, or of an argument; of a texture any

#define SCOPEC_FETCH(NAME)                                                                                    \
    template <class __T, class... __A> __T NAME(cudaTextureObject_t, __A...) {                                \
        __scopec_texture("textures (`" #NAME "`)");                                                           \
        __T __texel;                                                                                          \
        return __texel;                                                                                       \
    }                                                                                                         \
    template <class __T, class... __A> void NAME(__T* __to, cudaTextureObject_t, __A...) {                    \
        __scopec_texture("textures (`" #NAME "`)");                                                           \
        __T __texel;                                                                                          \
        *__to = __texel;                                                                                      \
    }
SCOPEC_FETCH(tex1Dfetch)
SCOPEC_FETCH(tex1D)
SCOPEC_FETCH(tex1DLod)
SCOPEC_FETCH(tex1DGrad)
SCOPEC_FETCH(tex2D)
SCOPEC_FETCH(tex2DLod)
SCOPEC_FETCH(tex2DGrad)
SCOPEC_FETCH(tex2Dgather)
SCOPEC_FETCH(tex3D)
SCOPEC_FETCH(tex3DLod)
SCOPEC_FETCH(tex3DGrad)
SCOPEC_FETCH(tex1DLayered)
SCOPEC_FETCH(tex2DLayered)
SCOPEC_FETCH(tex2DLayeredLod)
SCOPEC_FETCH(texCubemap)
SCOPEC_FETCH(texCubemapLod)
SCOPEC_FETCH(texCubemapLayered)
#undef SCOPEC_FETCH
#define SCOPEC_SURFACE(NAME)                                                                                  \
    template <class __T, class... __A> __T NAME##read(cudaSurfaceObject_t, __A...) {                          \
        __scopec_unmodelled("surfaces (`" #NAME "read`)");                                                    \
        return __T();                                                                                         \
    }                                                                                                         \
    template <class __T, class... __A> void NAME##read(__T*, cudaSurfaceObject_t, __A...) {                   \
        __scopec_unmodelled("surfaces (`" #NAME "read`)");                                                    \
    }                                                                                                         \
    template <class __T, class... __A> void NAME##write(__T, cudaSurfaceObject_t, __A...) {                   \
        __scopec_unmodelled("surfaces (`" #NAME "write`)");                                                   \
    }
SCOPEC_SURFACE(surf1D)
SCOPEC_SURFACE(surf2D)
SCOPEC_SURFACE(surf3D)
SCOPEC_SURFACE(surf1DLayered)
SCOPEC_SURFACE(surf2DLayered)
SCOPEC_SURFACE(surfCubemap)
SCOPEC_SURFACE(surfCubemapLayered)
#undef SCOPEC_SURFACE

SCOPEC_SHIM_END
