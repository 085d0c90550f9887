// Modules, libraries, kernels and launches of the CUDA driver API, as definitions of what is declared the same in scopec's
// cuda.h and in NVIDIA's: a module and a library are the file, a function and a kernel of it the kernel.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace __scopec {
inline CUresult found_global(CUdeviceptr* address, size_t* bytes, const char* name, bool managed) {
    if (bytes) *bytes = __scopec_global_size(name);
    if (address) *address = (CUdeviceptr)__scopec_global(name, managed);
    return driven("cuModuleGetGlobal");
}
//! The attributes 11 to 13 are the extents of the clusters of all launches, as `__cluster_dims__` says them.
inline CUresult set_attribute(int which) {
    if (which >= 11 && which <= 13) __scopec_unmodelled("CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH and its kin");
    return driven("cuFuncSetAttribute");
}
}  // namespace __scopec

extern "C" {

inline CUresult cuModuleLoad(CUmodule* module, const char*) {
    *module = reinterpret_cast<CUmodule>(1L);
    return __scopec::driven("cuModuleLoad");
}
inline CUresult cuModuleLoadData(CUmodule* module, const void*) { return cuModuleLoad(module, ""); }
inline CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
    return cuModuleLoad(module, "");
}
inline CUresult cuModuleLoadFatBinary(CUmodule* module, const void*) { return cuModuleLoad(module, ""); }
inline CUresult cuModuleUnload(CUmodule) { return __scopec::driven("cuModuleUnload"); }
inline CUresult cuModuleGetFunction(CUfunction* kernel, CUmodule, const char* name) {
    *kernel = (CUfunction)__scopec_kernel(name);
    return __scopec::driven("cuModuleGetFunction");
}
inline CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule, const char* name) {
    return __scopec::found_global(address, bytes, name, false);
}

inline CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                                  unsigned) {
    *library = reinterpret_cast<CUlibrary>(1L);
    return __scopec::driven("cuLibraryLoadData");
}
inline CUresult cuLibraryLoadFromFile(CUlibrary* library, const char*, CUjit_option*, void**, unsigned, CUlibraryOption*,
                                      void**, unsigned) {
    *library = reinterpret_cast<CUlibrary>(1L);
    return __scopec::driven("cuLibraryLoadFromFile");
}
inline CUresult cuLibraryUnload(CUlibrary) { return __scopec::driven("cuLibraryUnload"); }
inline CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char* name) {
    *kernel = (CUkernel)__scopec_kernel(name);
    return __scopec::driven("cuLibraryGetKernel");
}
inline CUresult cuLibraryGetModule(CUmodule* module, CUlibrary) { return cuModuleLoad(module, ""); }
inline CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary, const char* name) {
    return __scopec::found_global(address, bytes, name, false);
}
inline CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary, const char* name) {
    return __scopec::found_global(address, bytes, name, true);
}
inline CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    *function = (CUfunction)(void*)kernel;
    return __scopec::driven("cuKernelGetFunction");
}

// ---- how much of a device a kernel may use changes no answer; how much it does use is not modelled

inline CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
    *value = __scopec_unknown<int>();
    return __scopec::driven("cuFuncGetAttribute");
}
inline CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute which, int) {
    return __scopec::set_attribute(which);
}
inline CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return __scopec::driven("cuFuncSetCacheConfig"); }
inline CUresult cuKernelGetAttribute(int* value, CUfunction_attribute, CUkernel, CUdevice) {
    *value = __scopec_unknown<int>();
    return __scopec::driven("cuKernelGetAttribute");
}
inline CUresult cuKernelSetAttribute(CUfunction_attribute which, int, CUkernel, CUdevice) {
    return __scopec::set_attribute(which);
}
inline CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, size_t) {
    *blocks = __scopec_unknown<int>();
    return __scopec::driven("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

// ---- launches

inline CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments,
                               void** extra) {
    if (extra) __scopec_unmodelled("the extra arguments of cuLaunchKernel");
    return __scopec::of_driver(__scopec::launched((const void*)kernel, dim3(grid_x, grid_y, grid_z),
                                                  dim3(block_x, block_y, block_z), arguments, shared, stream, false));
}
inline CUresult cuLaunchCooperativeKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                          CUstream stream, void** arguments) {
    return __scopec::of_driver(__scopec::launched((const void*)kernel, dim3(grid_x, grid_y, grid_z),
                                                  dim3(block_x, block_y, block_z), arguments, shared, stream, true));
}
inline CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction kernel, void** arguments, void** extra) {
    if (extra) __scopec_unmodelled("the extra arguments of cuLaunchKernelEx");
    __scopec::launch_options asked;
    for (unsigned i = 0; i < config->numAttrs; i++) asked.take(config->attrs[i].id, config->attrs[i].value);
    return __scopec::of_driver(__scopec::launched(
        (const void*)kernel, dim3(config->gridDimX, config->gridDimY, config->gridDimZ),
        dim3(config->blockDimX, config->blockDimY, config->blockDimZ), arguments, config->sharedMemBytes, config->hStream,
        asked.cooperative, asked.cluster, asked.domain, asked.dependent));
}
inline CUresult cuLaunchHostFunc(CUstream stream, CUhostFn run, void* data) {
    return __scopec::of_driver(cudaLaunchHostFunc(stream, run, data));
}
}

#pragma clang attribute pop
