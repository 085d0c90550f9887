// Of NVIDIA's cuda-samples: errors of CUDA's calls, and which device a program takes.
#pragma once
#include <cuda_runtime.h>
#include <helper_string.h>
SCOPEC_SHIM_BEGIN
#ifndef MAX
#define MAX(a, b) (a > b ? a : b)
#endif
#define checkCudaErrors(result) check((result), #result, __FILE__, __LINE__)
#define getLastCudaError(text) __getLastCudaError(text, __FILE__, __LINE__)
#define printLastCudaError(text) __printLastCudaError(text, __FILE__, __LINE__)
template <class __T> void check(__T result, const char*, const char*, int) {
    if (result) exit(EXIT_FAILURE);
}
inline void __getLastCudaError(const char*, const char*, int) {
    if (cudaGetLastError() != cudaSuccess) exit(EXIT_FAILURE);
}
inline void __printLastCudaError(const char*, const char*, int) { cudaGetLastError(); }
inline int ftoi(float value) { return int(value >= 0 ? value + 0.5f : value - 0.5f); }
inline int _ConvertSMVer2Cores(int, int) { return __scopec_unknown<int>(); }
inline const char* _ConvertSMVer2ArchName(int, int) { return ""; }
// "CUDA guesses which device is fastest using a simple heuristic, and makes that device 0" (CUDA's guide on
// CUDA_DEVICE_ORDER, whose default is FASTEST_FIRST).
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int device) {
    cudaSetDevice(device);
    return device;
}
inline int findCudaDevice(int count, const char** arguments) {
    bool given = checkCmdLineFlag(count, arguments, "device");
    return gpuDeviceInit(given ? getCmdLineArgumentInt(count, arguments, "device=") : gpuGetMaxGflopsDeviceId());
}
inline bool checkCudaCapabilities(int major, int minor) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return properties.major > major || (properties.major == major && properties.minor >= minor);
}
int findIntegratedGPU();  // declared alone: a program that comes there is told so
SCOPEC_SHIM_END
