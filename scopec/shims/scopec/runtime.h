// The CUDA runtime API, as far as it is modelled.  Calls are taken to succeed, but for what a trap leaves.
#pragma once

#include <scopec/device.h>
#include <scopec/intrinsics.h>
#include <scopec/types.h>

// ---- types

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorNotReady = 600,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorLaunchFailure = 719,
    cudaErrorGraphExecUpdateFailure = 910,
    cudaErrorUnknown = 999,
};
using cudaError_t = cudaError;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};

// A handle is the number that the machine gave.
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventBlockingSync 1
#define cudaEventDisableTiming 2
#define cudaEventInterprocess 4
#define cudaEventRecordDefault 0
#define cudaEventRecordExternal 1
#define cudaEventWaitDefault 0
#define cudaEventWaitExternal 1
#define cudaHostAllocDefault 0
#define cudaHostAllocPortable 1
#define cudaHostAllocMapped 2
#define cudaHostAllocWriteCombined 4
#define cudaHostRegisterDefault 0
#define cudaHostRegisterPortable 1
#define cudaHostRegisterMapped 2
#define cudaMemAttachGlobal 1
#define cudaMemAttachHost 2
#define cudaMemAttachSingle 4
#define cudaDeviceScheduleAuto 0
#define cudaDeviceScheduleSpin 1
#define cudaDeviceScheduleYield 2
#define cudaDeviceScheduleBlockingSync 4
#define cudaDeviceMapHost 8
#define cudaCpuDeviceId (-1)
using cudaHostFn_t = void (*)(void*);

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6,
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120,
};

enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3,
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem;
    int warpSize, maxThreadsPerBlock, major, minor, multiProcessorCount, cooperativeLaunch, managedMemory,
        concurrentManagedAccess, canMapHostMemory, unifiedAddressing, pageableMemoryAccess, regsPerBlock, l2CacheSize,
        maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, memoryBusWidth, asyncEngineCount, concurrentKernels,
        hostNativeAtomicSupported, maxThreadsDim[3], maxGridSize[3], integrated, computeMode, clockRate, memoryClockRate,
        pciBusID, pciDeviceID, pciDomainID, ECCEnabled, deviceOverlap, tccDriver, multiGpuBoardGroupID;
    size_t memPitch, textureAlignment;
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13,
};
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3,
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2,
};
enum { cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1 };
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};
enum cudaLimit { cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2 };
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3,
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2,
};
using cudaMemPool_t = struct CUmemPoolHandle_st*;
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
};
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributeProgrammaticEvent = 7,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributeMemSyncDomainMap = 9,
    cudaLaunchAttributeMemSyncDomain = 10,
    cudaLaunchAttributePreferredClusterDimension = 11,
    cudaLaunchAttributeLaunchCompletionEvent = 12,
    cudaLaunchAttributeDeviceUpdatableKernelNode = 13,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};
enum cudaAccessProperty { cudaAccessPropertyNormal = 0, cudaAccessPropertyStreaming = 1, cudaAccessPropertyPersisting = 2 };
struct cudaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp, missProp;
};
enum cudaClusterSchedulingPolicy {
    cudaClusterSchedulingPolicyDefault = 0,
    cudaClusterSchedulingPolicySpread = 1,
    cudaClusterSchedulingPolicyLoadBalancing = 2,
};
enum cudaLaunchMemSyncDomain { cudaLaunchMemSyncDomainDefault = 0, cudaLaunchMemSyncDomainRemote = 1 };
union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
    struct { unsigned x, y, z; } clusterDim;
    int programmaticStreamSerializationAllowed;
    struct { cudaEvent_t event; int flags; int triggerAtBlockStart; } programmaticEvent;
    struct { cudaEvent_t event; int flags; } launchCompletionEvent;
    int priority;
    cudaLaunchMemSyncDomain memSyncDomain;
    cudaAccessPolicyWindow accessPolicyWindow;
    cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    struct { unsigned x, y, z; } preferredClusterDim;
    unsigned sharedMemCarveout;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

// ---- launches: clang calls the first three for <<<...>>>, that of the device's side only to check it

extern "C" unsigned cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
extern "C" cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream);

// ---- default arguments of calls that are defined in scopec/calls.h

inline cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned flags = 0);
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned flags = 0);
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                       cudaStream_t stream = nullptr);
inline cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream = nullptr);
inline cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int byte, size_t width, size_t height,
                                     cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);

#include <scopec/calls.h>

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

template <class __T>
cudaError_t cudaLaunchKernel(__T* kernel, dim3 grid, dim3 block, void** arguments = nullptr, size_t shared = 0,
                             cudaStream_t stream = nullptr) {
    return __scopec::launched((const void*)kernel, grid, block, arguments, shared, stream, false);
}
template <class __T>
cudaError_t cudaLaunchCooperativeKernel(__T* kernel, dim3 grid, dim3 block, void** arguments = nullptr,
                                        size_t shared = 0, cudaStream_t stream = nullptr) {
    return __scopec::launched((const void*)kernel, grid, block, arguments, shared, stream, true);
}
template <class... __Parameters, class... __Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(__Parameters...),
                               __Arguments&&... arguments) {
    return [&](__Parameters... values) {
        void* pointers[] = {(void*)&values..., nullptr};
        return cudaLaunchKernelExC(config, (const void*)kernel, pointers);
    }(__scopec::forward<__Arguments>(arguments)...);
}

// ---- devices

inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
// How much of a device a kernel may use changes no answer; how much it does use is not modelled.
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return __scopec::success("cudaDeviceSetSharedMemConfig");
}
template <class __T> cudaError_t cudaFuncSetAttribute(__T*, cudaFuncAttribute, int) {
    return __scopec::success("cudaFuncSetAttribute");
}
template <class __T> cudaError_t cudaFuncSetCacheConfig(__T*, cudaFuncCache) {
    return __scopec::success("cudaFuncSetCacheConfig");
}
template <class __T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, __T*) {
    return __scopec::of_a_kernel(attributes);
}
template <class __T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, __T*, int, size_t, unsigned = 0) {
    *blocks = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}
template <class __T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, __T* kernel, int threads, size_t shared,
                                                                   unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
template <class __T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, __T*, int, int) {
    *bytes = __scopec_unknown<size_t>();
    return __scopec::success("cudaOccupancyAvailableDynamicSMemPerBlock");
}
template <class __T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* blocks, int* threads, __T*, size_t = 0, int = 0) {
    *blocks = __scopec_unknown<int>();
    *threads = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxPotentialBlockSize");
}
template <class __T, class __F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* blocks, int* threads, __T* kernel, __F, int = 0) {
    return cudaOccupancyMaxPotentialBlockSize(blocks, threads, kernel);
}
template <class __T> cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, __T*, const cudaLaunchConfig_t*) {
    *clusters = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxActiveClusters");
}
template <class __T> cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, __T*, const cudaLaunchConfig_t*) {
    *size = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxPotentialClusterSize");
}

// ---- memory

template <class __T> cudaError_t cudaMalloc(__T** memory, size_t bytes) {
    return __scopec::allocated(memory, bytes, 0, "cudaMalloc");
}
template <class __T> cudaError_t cudaMallocManaged(__T** memory, size_t bytes, unsigned = cudaMemAttachGlobal) {
    return __scopec::allocated(memory, bytes, 1, "cudaMallocManaged");
}
template <class __T> cudaError_t cudaMallocHost(__T** memory, size_t bytes, unsigned = 0) {
    return __scopec::allocated(memory, bytes, 2, "cudaMallocHost");
}
template <class __T> cudaError_t cudaHostAlloc(__T** memory, size_t bytes, unsigned) {
    return __scopec::allocated(memory, bytes, 2, "cudaHostAlloc");
}
template <class __T> cudaError_t cudaMallocPitch(__T** memory, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return __scopec::allocated(memory, *pitch * height, 0, "cudaMallocPitch");
}
template <class __T> cudaError_t cudaMallocAsync(__T** memory, size_t bytes, cudaStream_t stream) {
    return __scopec::allocated(memory, bytes, 0, "cudaMallocAsync", __scopec::number(stream));
}
template <class __T> cudaError_t cudaMallocAsync(__T** memory, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
    return cudaMallocAsync(memory, bytes, stream);
}
template <class __T>
cudaError_t cudaMallocFromPoolAsync(__T** memory, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
    return __scopec::allocated(memory, bytes, 0, "cudaMallocFromPoolAsync", __scopec::number(stream));
}
template <class __T> cudaError_t cudaHostGetDevicePointer(__T** device, void* host, unsigned) {
    *device = static_cast<__T*>(host);
    return __scopec::success("cudaHostGetDevicePointer");
}
template <class __T, class __Symbol> cudaError_t cudaGetSymbolAddress(__T** address, const __Symbol& symbol) {
    *address = (__T*)&symbol;
    return __scopec::success("cudaGetSymbolAddress");
}
template <class __Symbol> cudaError_t cudaGetSymbolSize(size_t* bytes, const __Symbol& symbol) {
    *bytes = sizeof symbol;
    return __scopec::success("cudaGetSymbolSize");
}
inline cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, int device, cudaStream_t stream = nullptr);
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* memory, size_t bytes = 0,
                                            unsigned flags = cudaMemAttachSingle);
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) {
    return __scopec::success("cudaMemAdvise");
}

// ---- copies

namespace __scopec {
template <class __T> char* bytes_of(const __T& symbol) { return (char*)&symbol; }
}  // namespace __scopec

template <class __T>
cudaError_t cudaMemcpyToSymbol(const __T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return __scopec::copied(__scopec::bytes_of(symbol) + offset, from, bytes, kind, nullptr, true);
}
template <class __T>
cudaError_t cudaMemcpyFromSymbol(void* to, const __T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return __scopec::copied(to, __scopec::bytes_of(symbol) + offset, bytes, kind, nullptr, true);
}
template <class __T>
cudaError_t cudaMemcpyToSymbolAsync(const __T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
    return __scopec::copied(__scopec::bytes_of(symbol) + offset, from, bytes, kind, stream, false);
}
template <class __T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const __T& symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
    return __scopec::copied(to, __scopec::bytes_of(symbol) + offset, bytes, kind, stream, false);
}

#pragma clang attribute pop
