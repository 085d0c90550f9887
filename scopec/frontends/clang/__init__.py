"""C++ as clang reads it: its LLVM IR against scopec's own headers (``scopec/shims/``)."""
