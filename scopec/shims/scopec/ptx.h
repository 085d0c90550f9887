// What a kernel of a file of PTX takes: the C++ text around it gives numbers, addresses, or whole objects.
#pragma once

namespace __scopec {

struct word {
    unsigned long value;

    word(int number) : value(number) {}
    word(unsigned number) : value(number) {}
    word(long number) : value(number) {}
    word(unsigned long number) : value(number) {}
    word(long long number) : value(number) {}
    word(unsigned long long number) : value(number) {}
    word(decltype(nullptr)) : value(0) {}
    template <class __T> word(__T* pointer) : value((unsigned long)pointer) {}
};

template <unsigned __N, unsigned __A> struct alignas(__A) bytes {
    unsigned char data[__N];

    template <class __T> bytes(const __T& from) {
        static_assert(sizeof(__T) <= __N, "this parameter has fewer bytes");
        __builtin_memcpy(data, &from, sizeof(__T));
    }
};

} // namespace __scopec
