// Copies by a group: each call is a group of copies, and a wait ends with a barrier of the threads.
#pragma once
#include <cooperative_groups.h>
#include <scopec/pipeline.h>
SCOPEC_SHIM_BEGIN
namespace cooperative_groups {
namespace __v1 {  // where libcu++ declares its names
template <class __Group, class __T, class __Size>
void memcpy_async(const __Group& group, __T* to, const __T* from, const __Size& size) {
    __scopec::copy_shared(group, to, from, size_t(size));
    __scopec_commit_copies();
}
template <class __Group, class __T, class __To, class __From>
void memcpy_async(const __Group& group, __T* to, const __To& there, const __T* from, const __From& here) {
    const size_t most = size_t(there) < size_t(here) ? size_t(there) : size_t(here);
    __scopec::copy_shared(group, to, from, most * sizeof(__T));
    __scopec_commit_copies();
}
template <unsigned __N, class __Group> void wait_prior(const __Group& group) {
    __scopec_await_copies(__N);
    group.sync();
}
template <class __Group> void wait(const __Group& group) { wait_prior<0>(group); }
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
SCOPEC_SHIM_END
