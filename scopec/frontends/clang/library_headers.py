"""Headers of libraries that scopec does not model: what each is, the way in, and what else it would declare."""

from __future__ import annotations

import re

_HOST = "what the host does with it is left out where launches are guessed"
_DEVICE = "write the kernels that use it without it, or leave them out"
_EITHER = f"{_HOST}; {_DEVICE}"
_REAL = "`--headers real` reads it (pip install 'scopec[headers]')"
_FOLDER = "name its folder with -I"
_SAMPLES = "name the folder `Common` of NVIDIA's cuda-samples with -I"

#: Headers by a pattern of their names, what they are, and the way in; "real" where NVIDIA's headers, or the C++ library
#: that is read with them, have them, or have what they are over.
_TABLE = [
    (re.compile(names), what, way, "real" in rest)
    for names, what, way, *rest in (
        (r"thrust/.*", "Thrust", _EITHER, "real"),
        (r"cub/.*", "CUB", _EITHER, "real"),
        (r"cute/.*|cutlass/.*", "CUTLASS", f"{_FOLDER}; {_DEVICE}", "real"),
        (r"mma\.h|crt/mma\.h", "CUDA's matrix operations of warps (wmma)", _DEVICE),
        (r"cuda_fp8\.h|cuda_fp6\.h|cuda_fp4\.h", "CUDA's numbers of 8 bits and fewer", _DEVICE, "real"),
        (r"curand.*", "cuRAND", _EITHER),
        (r"cu(?:blas|sparse|solver|fft|tensor|dnn|pti|file|dss).*|cudnn.*|cufftw.*|npp.*|nv(?:rtc|jpeg|ml|JitLink).*"
         r"|nccl.*|nvshmem.*|nvtx3/.*|nvToolsExt.*|cudalibxt\.h|nvsci.*", "a library of CUDA's for the host", _HOST),
        (r"cuda(?:GL|EGL|VDPAU|D3D).*|cuda_(?:gl|egl|d3d\d+|vdpau)_interop\.h|GL/.*|GLES\d?/.*|EGL/.*|GLFW/.*|GLUT/.*"
         r"|OpenGL/.*|vulkan/.*|X11/.*|[dD]3[dD].*|DirectX.*|dxgi.*|wayland.*", "graphics", _HOST),
        (r"omp\.h|mpi\.h|tbb/.*", "another way to run code in parallel", _HOST),
        (r"pthread\.h", "another way to run code in parallel", _HOST, "real"),
        (r"windows\.h|Windows\.h|io\.h|conio\.h|direct\.h", "the operating system's", _HOST),
        (r"fcntl\.h|dirent\.h|sys/\w+\.h|netinet/.*|arpa/.*|dlfcn\.h|poll\.h|signal\.h|err\.h|stdarg\.h"
         r"|locale\.h|setjmp\.h", "the operating system's", _HOST, "real"),
        (r"hip/.*|sycl/.*|CL/.*", "another language's than CUDA", "check the CUDA version of the program"),
        (r"ATen/.*|torch/.*|c10/.*", "PyTorch", _EITHER),
        (r"helper_\w+\.h|exception\.h|multithreading\.h|nvrtc_helper\.h|rendercheck_\w+\.h|paramgl\.h|param\.h|timer\.h",
         "NVIDIA's cuda-samples", _SAMPLES),
        (r"forward_list|complex|bitset|future|regex|filesystem|format"
         r"|condition_variable|shared_mutex|valarray|variant|any|codecvt|locale|ranges|execution|charconv|system_error"
         r"|typeindex|scoped_allocator|clocale|csignal|csetjmp|cstdarg|cuchar|cwchar|cwctype|cfenv|ccomplex|print|numbers"
         r"|expected|mdspan|syncstream|memory_resource|streambuf", "of the C++ library", _HOST, "real"),
        (r"generator|flat_map|flat_set|stacktrace", "of the C++ library", _HOST),
        (r"boost/.*|Eigen/.*|gsl/.*|fmt/.*|opencv2/.*|cxxopts\.hpp|CLI11?/.*|json.*\.hpp|nlohmann/.*|cgal/.*|FreeImage\.h"
         r"|zlib\.h|png\.h|jpeglib\.h|hdf5\.h|gdal/.*|fftw3\.h|sqlite3\.h", "a library for the host", _HOST),
    )
]  # fmt: skip


def known(header: str, *, real: bool) -> tuple[str, str] | None:
    """What a header is that is not there, and the way in, over NVIDIA's headers (``real``) or scopec's own.

    None for one that is not known.
    """
    for names, what, way, had in _TABLE:
        if names.fullmatch(header):
            return what, f"{_REAL}; {way}" if had and not real else way
    return None


#: Headers by a pattern of their names, the names that they define, and the header with what they include.
_OF_LIBRARIES = [
    (re.compile(headers), re.compile(names), brings)
    for headers, names, brings in (
        (r"(?:cublas|cusolver|nccl).*", r"(?!CUDA_[RC]_|CUDART_VERSION$)(?i:cu|nccl)\w*", "scopec/numbers.h"),
        (r"(?:cusparse|cufft).*", r"(?i:cu)\w*", "cuComplex.h"),
        (r"(?:curand|cudnn|cutensor|cupti|cufile|npp|nv(?:rtc|jpeg|ml|JitLink)|nvshmem).*|nvtx3/.*|nvToolsExt.*",
         r"(?i:cu|nv|npp)\w*", ""),
        (r"omp\.h", r"(?i:omp)\w*", ""),
        (r"mpi\.h", r"(?i:mpi|ompi)\w*", ""),
        (r"sys/\w+\.h|fcntl\.h|dirent\.h|dlfcn\.h|poll\.h|netinet/.*|arpa/.*",
         r"(?!(?i:cu|nv|win|mac|linux|apple|android|qnx))\w*", ""),
    )
]  # fmt: skip


def may_define(header: str, name: str) -> bool:
    """Whether a header that is not there may define a name: those of some libraries define what begins as theirs do,
    and an operating system's no names of systems.
    """
    return all(names.fullmatch(name) for headers, names, _ in _OF_LIBRARIES if headers.fullmatch(header))


def instead_of(header: str) -> str:
    """The header with what a library's header, which is not there, would include; none is "" for those that bring
    nothing that kernels use.
    """
    return next((brought for headers, _, brought in _OF_LIBRARIES if headers.fullmatch(header)), "")
