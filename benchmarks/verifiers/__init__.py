"""Tests of other verifiers of kernels, at the sizes that they record."""
