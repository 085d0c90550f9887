// Of NVIDIA's cuda-samples: comparisons of results, and files.
#pragma once
#include <helper_string.h>
#include <string>
SCOPEC_SHIM_BEGIN
#ifndef MIN
#define MIN(a, b) ((a < b) ? a : b)
#endif
#ifndef MAX
#define MAX(a, b) ((a > b) ? a : b)
#endif
template <class __T, class __S>
bool compareData(const __T* reference, const __T* data, unsigned length, __S epsilon, float threshold) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < length; i++) {
        __T difference = reference[i] - data[i];
        wrong += !(difference <= epsilon && difference >= -epsilon);
    }
    return threshold == 0 ? wrong == 0 : length * threshold > wrong;
}
template <class __T, class __S>
bool compareDataAsFloatThreshold(const __T* reference, const __T* data, unsigned length, __S epsilon, float threshold) {
    return compareData(reference, data, length, float(epsilon), threshold);
}
inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned length, float epsilon) {
    return compareData(reference, data, length, epsilon, 0.0f);
}
// What reads or writes files is declared alone: a program that comes there is told so.
template <class __T> bool sdkLoadPGM(const char*, __T**, unsigned*, unsigned*);
template <class __T> bool sdkLoadPPM4(const char*, __T**, unsigned*, unsigned*);
template <class __T> bool sdkSavePGM(const char*, __T*, unsigned, unsigned);
template <class __T> bool sdkReadFile(const char*, __T**, unsigned*, bool);
template <class __T> bool sdkReadFileBlocks(const char*, __T**, unsigned*, unsigned, unsigned, bool);
template <class __T, class __S> bool sdkWriteFile(const char*, const __T*, unsigned, __S, bool, bool = false);
bool sdkLoadPPMub(const char*, unsigned char**, unsigned*, unsigned*);
bool sdkLoadPPM4ub(const char*, unsigned char**, unsigned*, unsigned*);
bool sdkSavePPM4ub(const char*, unsigned char*, unsigned, unsigned);
void sdkDumpBin(void*, unsigned, const char*);
bool sdkCompareBin2BinUint(const char*, const char*, unsigned, float, float, char*);
bool sdkCompareBin2BinFloat(const char*, const char*, unsigned, float, float, char*);
bool sdkComparePPM(const char*, const char*, float, float, bool);
bool sdkComparePGM(const char*, const char*, float, float, bool);
SCOPEC_SHIM_END
