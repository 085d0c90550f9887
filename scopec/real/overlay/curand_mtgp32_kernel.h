// clang's CUDA headers include it; it is of cuRAND.
