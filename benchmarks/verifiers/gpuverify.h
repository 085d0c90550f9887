// GPUVerify's own words, as far as questions about races and barriers need them. What a precondition of a kernel says
// becomes a condition of the launch (__main__.py), so nothing is left of it here; invariants and asserts are hints, or
// questions that are not asked. An assumption ends the threads that do not meet it.
#include <cooperative_groups.h>
#include <curand_kernel.h>
namespace cooperative_groups {
template <class Group> __device__ void synchronize(Group group) { group.sync(); }
}  // namespace cooperative_groups
#define __requires(...) ((void)0)
#define __requires_fresh_array(...) ((void)0)
#define __ensures(...) ((void)0)
#define __invariant(...) ((void)0)
#define __global_invariant(...) ((void)0)
#define __barrier_invariant(...) ((void)0)
#define __function_wide_invariant(...) ((void)0)
#define __function_wide_candidate_invariant(...) ((void)0)
#define __candidate_invariant(...) ((void)0)
#define __assert(...) ((void)0)
#define __global_assert(...) ((void)0)
#define __axiom(...) static_assert(true)
#define __assume(...) do { if (!(__VA_ARGS__)) __trap(); } while (0)
