// Calls of the CUDA driver API but for those of modules and graphs, as definitions of what is declared the same in scopec's cuda.h and in NVIDIA's: they do what
// those of the runtime API do, with the same streams, events and memory.  A context is the device that it is of.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace __scopec {
inline CUresult of_driver(cudaError_t told) { return CUresult(int(told)); }
inline CUresult driven(const char* name) { return of_driver(success(name)); }
inline CUcontext context_of(CUdevice device) { return reinterpret_cast<CUcontext>(device + 1L); }
inline CUdevice device_of(CUcontext context) { return CUdevice(reinterpret_cast<long>(context) - 1); }
inline CUresult driver_allocated(CUdeviceptr* memory, size_t bytes, int storage, const char* by, int stream = -1) {
    *memory = (CUdeviceptr)__scopec_allocate(bytes, storage, by, stream);
    return CUDA_SUCCESS;
}
inline CUresult driver_freed(CUdeviceptr memory, const char* by, int stream = -1) {
    return of_driver(freed((void*)memory, by, stream));
}
inline CUresult driver_copied(CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaMemcpyKind kind, CUstream stream, bool waits) {
    return of_driver(copied((void*)to, (const void*)from, bytes, kind, stream, waits));
}
//! Each element is filled with one number of some bytes, which are all the same.
inline CUresult driver_filled(CUdeviceptr to, unsigned value, size_t width, size_t count, CUstream stream, bool waits) {
    unsigned byte = value & 0xFF;
    if (value != byte * (width == 1 ? 1u : width == 2 ? 0x101u : 0x1010101u))
        __scopec_unmodelled("a cuMemset of elements of unlike bytes");
    return of_driver(filled((void*)to, int(byte), width * count, stream, waits));
}
}  // namespace __scopec

extern "C" {

// ---- devices and contexts

inline CUresult cuInit(unsigned) { return __scopec::driven("cuInit"); }
inline CUresult cuGetErrorName(CUresult, const char** name) {
    *name = "";
    return CUDA_SUCCESS;
}
inline CUresult cuGetErrorString(CUresult, const char** text) {
    *text = "";
    return CUDA_SUCCESS;
}
inline CUresult cuDriverGetVersion(int* version) {
    *version = __scopec_unknown<int>();
    return __scopec::driven("cuDriverGetVersion");
}
inline CUresult cuDeviceGet(CUdevice* device, int number) {
    *device = number;
    return __scopec::driven("cuDeviceGet");
}
inline CUresult cuDeviceGetCount(int* count) { return __scopec::of_driver(cudaGetDeviceCount(count)); }
inline CUresult cuDeviceGetName(char* name, int, CUdevice) {
    *name = 0;
    return __scopec::driven("cuDeviceGetName");
}
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
    return __scopec::of_driver(cudaDeviceGetAttribute(value, cudaDeviceAttr(int(which)), device));
}
inline CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) {
    *bytes = __scopec_unknown<size_t>();
    return __scopec::driven("cuDeviceTotalMem");
}
inline CUresult cuCtxSetCurrent(CUcontext context) {
    __scopec_set_device(__scopec::device_of(context));
    return CUDA_SUCCESS;
}
inline CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    __scopec_context(device, true);
    *context = __scopec::context_of(device);
    return __scopec::driven("cuDevicePrimaryCtxRetain");
}
// "Creates a new CUDA context and associates it with the calling thread": its device is current from here on.
inline CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice device) {
    __scopec_context(device, false);
    *context = __scopec::context_of(device);
    __scopec_push_device(device);
    return __scopec::driven("cuCtxCreate");
}
inline CUresult cuCtxPushCurrent(CUcontext context) {
    __scopec_push_device(__scopec::device_of(context));
    return __scopec::driven("cuCtxPushCurrent");
}
inline CUresult cuCtxPopCurrent(CUcontext* context) {
    CUdevice device = __scopec_pop_device();
    if (context) *context = __scopec::context_of(device);
    return __scopec::driven("cuCtxPopCurrent");
}
inline CUresult cuDevicePrimaryCtxRelease(CUdevice) { return __scopec::driven("cuDevicePrimaryCtxRelease"); }
inline CUresult cuCtxDestroy(CUcontext) { return __scopec::driven("cuCtxDestroy"); }
inline CUresult cuCtxGetCurrent(CUcontext* context) {
    *context = __scopec::context_of(__scopec_get_device());
    return __scopec::driven("cuCtxGetCurrent");
}
inline CUresult cuCtxGetDevice(CUdevice* device) {
    *device = __scopec_get_device();
    return __scopec::driven("cuCtxGetDevice");
}
inline CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return __scopec::driven("cuCtxEnablePeerAccess"); }
inline CUresult cuCtxDisablePeerAccess(CUcontext) { return __scopec::driven("cuCtxDisablePeerAccess"); }
inline CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
    *can = __scopec_unknown<int>();
    return __scopec::driven("cuDeviceCanAccessPeer");
}
inline CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return __scopec::of_driver(cudaDeviceGetStreamPriorityRange(least, greatest));
}
inline CUresult cuCtxSynchronize() { return __scopec::of_driver(cudaDeviceSynchronize()); }

// ---- streams and events

inline CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return __scopec::of_driver(cudaStreamCreateWithFlags(stream, flags));
}
inline CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }
inline CUresult cuStreamDestroy(CUstream stream) { return __scopec::of_driver(cudaStreamDestroy(stream)); }
inline CUresult cuStreamSynchronize(CUstream stream) { return __scopec::of_driver(cudaStreamSynchronize(stream)); }
inline CUresult cuStreamQuery(CUstream stream) { return __scopec::of_driver(cudaStreamQuery(stream)); }
inline CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return __scopec::of_driver(cudaStreamWaitEvent(stream, event, flags));
}
inline CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return __scopec::of_driver(cudaEventCreateWithFlags(event, flags));
}
inline CUresult cuEventDestroy(CUevent event) { return __scopec::of_driver(cudaEventDestroy(event)); }
inline CUresult cuEventRecord(CUevent event, CUstream stream) { return __scopec::of_driver(cudaEventRecord(event, stream)); }
inline CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    return __scopec::of_driver(cudaEventRecordWithFlags(event, stream, flags));
}
inline CUresult cuEventSynchronize(CUevent event) { return __scopec::of_driver(cudaEventSynchronize(event)); }
inline CUresult cuEventQuery(CUevent event) { return __scopec::of_driver(cudaEventQuery(event)); }
inline CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
    return __scopec::of_driver(cudaEventElapsedTime(milliseconds, start, end));
}

// ---- memory

inline CUresult cuMemGetInfo(size_t* free, size_t* total) { return __scopec::of_driver(cudaMemGetInfo(free, total)); }
inline CUresult cuMemAlloc(CUdeviceptr* memory, size_t bytes) {
    return __scopec::driver_allocated(memory, bytes, 0, "cuMemAlloc");
}
inline CUresult cuMemAllocManaged(CUdeviceptr* memory, size_t bytes, unsigned) {
    return __scopec::driver_allocated(memory, bytes, 1, "cuMemAllocManaged");
}
inline CUresult cuMemAllocAsync(CUdeviceptr* memory, size_t bytes, CUstream stream) {
    return __scopec::driver_allocated(memory, bytes, 0, "cuMemAllocAsync", __scopec::number(stream));
}
inline CUresult cuMemAllocHost(void** memory, size_t bytes) {
    *memory = __scopec_allocate(bytes, 2, "cuMemAllocHost");
    return CUDA_SUCCESS;
}
inline CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
    *memory = __scopec_allocate(bytes, 2, "cuMemHostAlloc");
    return CUDA_SUCCESS;
}
inline CUresult cuMemHostRegister(void* memory, size_t bytes, unsigned flags) {
    return __scopec::of_driver(cudaHostRegister(memory, bytes, flags));
}
inline CUresult cuMemHostUnregister(void* memory) { return __scopec::of_driver(cudaHostUnregister(memory)); }
inline CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned) {
    *device = (CUdeviceptr)host;
    return __scopec::driven("cuMemHostGetDevicePointer");
}
inline CUresult cuMemFree(CUdeviceptr memory) { return __scopec::driver_freed(memory, "cuMemFree"); }
inline CUresult cuMemFreeHost(void* memory) { return __scopec::of_driver(__scopec::freed(memory, "cuMemFreeHost")); }
inline CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
    return __scopec::driver_freed(memory, "cuMemFreeAsync", __scopec::number(stream));
}

// ---- copies and fills

inline CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return __scopec::driver_copied(to, from, bytes, cudaMemcpyDefault, nullptr, true);
}
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return __scopec::driver_copied(to, (CUdeviceptr)from, bytes, cudaMemcpyHostToDevice, nullptr, true);
}
inline CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return __scopec::driver_copied((CUdeviceptr)to, from, bytes, cudaMemcpyDeviceToHost, nullptr, true);
}
inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return __scopec::driver_copied(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr, true);
}
inline CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return __scopec::driver_copied(to, from, bytes, cudaMemcpyDefault, stream, false);
}
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return __scopec::driver_copied(to, (CUdeviceptr)from, bytes, cudaMemcpyHostToDevice, stream, false);
}
inline CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return __scopec::driver_copied((CUdeviceptr)to, from, bytes, cudaMemcpyDeviceToHost, stream, false);
}
inline CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return __scopec::driver_copied(to, from, bytes, cudaMemcpyDeviceToDevice, stream, false);
}
inline CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes) {
    return __scopec::of_driver(cudaMemcpyPeer((void*)to, __scopec::device_of(to_context), (const void*)from,
                                              __scopec::device_of(from_context), bytes));
}
inline CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
    return __scopec::driver_copied(to, from, bytes, cudaMemcpyDefault, stream, false);
}
inline CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
    return __scopec::driver_filled(to, value, 1, count, nullptr, true);
}
inline CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
    return __scopec::driver_filled(to, value, 2, count, nullptr, true);
}
inline CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
    return __scopec::driver_filled(to, value, 4, count, nullptr, true);
}
inline CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return __scopec::driver_filled(to, value, 1, count, stream, false);
}
inline CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return __scopec::driver_filled(to, value, 2, count, stream, false);
}
inline CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return __scopec::driver_filled(to, value, 4, count, stream, false);
}
inline CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr, size_t, unsigned) {
    return __scopec::of_driver(__scopec::operated(stream, "cuStreamAttachMemAsync"));
}

// ---- values in streams

inline CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    __scopec_wait_value(__scopec::number(stream), (const void*)address, 4, value, flags);
    return CUDA_SUCCESS;
}
inline CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    __scopec_wait_value(__scopec::number(stream), (const void*)address, 8, value, flags);
    return CUDA_SUCCESS;
}
inline CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    __scopec_write_value(__scopec::number(stream), (void*)address, 4, value, flags);
    return CUDA_SUCCESS;
}
inline CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    __scopec_write_value(__scopec::number(stream), (void*)address, 8, value, flags);
    return CUDA_SUCCESS;
}
inline CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* all, unsigned) {
    for (unsigned i = 0; i < count; i++) {
        const auto& wait = all[i].waitValue;
        const auto& write = all[i].writeValue;
        switch (all[i].operation) {
            case CU_STREAM_MEM_OP_WAIT_VALUE_32: cuStreamWaitValue32(stream, wait.address, wait.value, wait.flags); break;
            case CU_STREAM_MEM_OP_WAIT_VALUE_64: cuStreamWaitValue64(stream, wait.address, wait.value64, wait.flags); break;
            case CU_STREAM_MEM_OP_WRITE_VALUE_32: cuStreamWriteValue32(stream, write.address, write.value, write.flags); break;
            case CU_STREAM_MEM_OP_WRITE_VALUE_64:
                cuStreamWriteValue64(stream, write.address, write.value64, write.flags);
                break;
            case CU_STREAM_MEM_OP_BARRIER: __scopec_unmodelled("CU_STREAM_MEM_OP_BARRIER"); break;
            default: __scopec_unmodelled("this operation of cuStreamBatchMemOp");
        }
    }
    return CUDA_SUCCESS;
}
}

#pragma clang attribute pop
