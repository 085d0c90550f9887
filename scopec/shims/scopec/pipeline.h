// Asynchronous copies of the library, and the pipeline of one thread.
#pragma once
#include <scopec/types.h>
SCOPEC_SHIM_BEGIN
namespace __scopec {
template <size_t __N> struct aligned_size_t {
    static constexpr size_t align = __N;
    size_t value;
    constexpr explicit aligned_size_t(size_t size) : value(size) {}
    constexpr operator size_t() const { return value; }
};

inline void copy_async(void* to, const void* from, size_t size) {
    __scopec_in_kernel();
    __scopec_agent(true);
    __builtin_memcpy(to, from, size);
    __scopec_agent(false);
}

// Elements are dealt out to the threads of a group; which one copies which is not said to users.
struct copies {
    template <class __Group, class __T> void operator()(const __Group& group, __T* to, const __T* from, size_t count) const {
        for (size_t n = group.thread_rank(); n < count; n += group.size()) copy_async(to + n, from + n, sizeof(__T));
    }
};
template <class __Group, class __T, class __Copy = copies>
void copy_shared(const __Group& group, __T* to, const __T* from, size_t size, __Copy copy = {}) {
    if constexpr (sizeof(__T) % 4 == 0) {
        copy(group, to, from, size / sizeof(__T));
    } else {
        struct word { __T parts[4 / sizeof(__T)]; };
        copy(group, (word*)to, (const word*)from, size / 4);
        size_t whole = size / 4 * (4 / sizeof(__T));
        copy(group, to + whole, from + whole, size % 4 / sizeof(__T));
    }
}

// libcu++'s pipeline of a thread: groups that are committed and waited for in order.
class pipeline {
    unsigned char __scopec_head = 0, __scopec_tail = 0;

public:
    pipeline() = default;
    pipeline(const pipeline&) = delete;
    pipeline(pipeline&&) = default;
    void producer_acquire() {}
    void producer_commit() { __scopec_commit_copies(), ++__scopec_head; }
    void consumer_wait() {
        if (__scopec_head == __scopec_tail) return;
        __scopec_await_copies((unsigned char)(__scopec_head - __scopec_tail - 1));
        ++__scopec_tail;
    }
    void consumer_release() {}
    bool quit() { return true; }
    void __scopec_wait_prior(unsigned char left) {
        __scopec_await_copies(left);
        __scopec_tail = __scopec_head - left;
    }
};
}  // namespace __scopec
SCOPEC_SHIM_END
