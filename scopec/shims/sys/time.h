#pragma once
#include <ctime>
SCOPEC_SHIM_BEGIN
struct timeval {
    time_t tv_sec;
    long tv_usec;
};
struct timezone {
    int tz_minuteswest, tz_dsttime;
};
inline int gettimeofday(timeval* now, void*) {
    now->tv_sec = __scopec_clock<time_t>();
    now->tv_usec = __scopec_clock<long>();
    return 0;
}
SCOPEC_SHIM_END
