"""Headers of libraries over NVIDIA's own."""
