// Of NVIDIA's cuda-samples: how long something takes on the host, which is unknown.
#pragma once
#include <cstdlib>
SCOPEC_SHIM_BEGIN
class StopWatchInterface {
  public:
    void start() {}
    void stop() {}
    void reset() {}
    float getTime() { return __scopec_unknown<float>(); }
    float getAverageTime() { return __scopec_unknown<float>(); }
};
inline bool sdkCreateTimer(StopWatchInterface** timer) {
    *timer = new StopWatchInterface;
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface**) { return true; }
inline bool sdkStopTimer(StopWatchInterface**) { return true; }
inline bool sdkResetTimer(StopWatchInterface**) { return true; }
inline float sdkGetTimerValue(StopWatchInterface**) { return __scopec_unknown<float>(); }
inline float sdkGetAverageTimerValue(StopWatchInterface**) { return __scopec_unknown<float>(); }
SCOPEC_SHIM_END
