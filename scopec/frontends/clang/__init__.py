"""C++ as clang reads it: its LLVM IR against scopec's own headers (``scopec/shims/``).

- ``program``: a file to a Program
- ``prepare``: directives become C++
- ``kernels``, ``template_arguments``, ``shapes``, ``host_code``: the kernels of a file, templates among them, shapes of
  launches, and it without its host's code
- ``libraries``, ``library_choice``: the library's headers, scopec's own or NVIDIA's
- ``real_headers``, ``overlays``, ``host_overlays``: where NVIDIA's are, and what is laid over them and over libc++
- ``toolkits``: those of ``-I``
- ``headers``, ``library_headers``: headers of the user's that a file includes; those that scopec has none of
- ``instead``: other texts for the user's headers
- ``including``: a file of which the given one is a part
- ``brackets``: groups in brackets of a text
- ``flags``: flags of a build
- ``compiler``, ``command``, ``running``: LLVM IR of both sides; which clang, and how it is run
- ``precompiled``, ``kept_preludes``: headers that it reads once for many files, and those kept from call to call
- ``messages``, ``roots``, ``extents``: clang's messages, their roots, and the expression at a place
- ``dependencies``, ``read_files``: files that it may read, and whether those that it read are as they were
- ``compilation_cache``: its output in earlier calls
- ``threads``: all threads of a program
- ``mbarriers``: objects that are mbarriers
- ``read_only``: loads of what a kernel must not write
- ``llvm``: LLVM IR
- ``machine``: executes the code of one thread
- ``anythread``: one thread of any launch
- ``intrinsics``: calls of the library
- ``ptx``: PTX as LLVM code; ``through``: that of nvcc for a file; ``counted``: the
  GPU's instructions that it makes of one
- ``evaluation_order``: operands in no order
"""
