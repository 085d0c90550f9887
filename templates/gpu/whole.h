// What a program that is run whole has beside its own text: what is looked at when its `main` has returned.
#pragma once
#include <cuda_runtime.h>

#include <atomic>
#include <cstring>
#include <type_traits>
#include <vector>

namespace scopec {

using word = unsigned long long;
constexpr word UNSET = 0x7ff75c0edeadbeefull;
// Memory is filled with this when it is allocated, and so are variables without a value (-ftrivial-auto-var-init).
constexpr unsigned char FILL = 0xfe;

// A variable outside functions: it begins each round as it began the first.
struct Global {
    size_t size;
    bool of_device, constant;
    void (*get)(void* to);
    void (*set)(const void* from);
};

// Elements of `size` bytes: of a variable, or of an allocation by its number, from the word `first` of the state on.
struct Look {
    bool allocated;
    unsigned which, first, count, size;
};

struct Text {
    const char *name, *key;
    unsigned words;
    std::vector<size_t> allocations;  // the least bytes of each that `main` makes
    std::vector<Global> globals;
    std::vector<Look> looks;
};

inline word* state();

inline void elements(unsigned first, unsigned count, unsigned size, const void* from) {
    for (unsigned n = 0; n < count; n++) {
        unsigned char bytes[8] = {};
        std::memcpy(bytes, static_cast<const unsigned char*>(from) + size_t(n) * size, size);
        bool filled = size > 1;
        for (unsigned b = 0; b < size; b++) filled &= bytes[b] == FILL;
        word found = 0;
        std::memcpy(&found, bytes, sizeof found);
        state()[first + n] = filled ? UNSET : found;
    }
}

// A variable of `main`, where that ends.
template <class T>
void local(unsigned first, unsigned count, unsigned size, const T& variable) {
    using Element = std::remove_all_extents_t<T>;
    static_assert(std::is_arithmetic_v<Element> || std::is_enum_v<Element>, "a number");
    if (sizeof(T) == size_t(count) * size) elements(first, count, size, &variable);
}

inline word* state() {
    static word* const words = new word[4096];
    return words;
}

}  // namespace scopec

#define SCOPEC_HOST(x)                                                                    \
    scopec::Global {                                                                      \
        sizeof(x), false, std::is_const_v<std::remove_reference_t<decltype((x))>>,          \
            [](void* to) { std::memcpy(to, (const void*)&x, sizeof(x)); },                \
            [](const void* from) { std::memcpy((void*)&x, from, sizeof(x)); }             \
    }
#define SCOPEC_DEVICE(x)                                                                  \
    scopec::Global {                                                                      \
        sizeof(x), true, false, [](void* to) { cudaMemcpyFromSymbol(to, x, sizeof(x)); }, \
            [](const void* from) { cudaMemcpyToSymbol(x, from, sizeof(x)); }              \
    }

extern const scopec::Text scopec_text;
int scopec_program();
