#pragma once
#include <cooperative_groups.h>
SCOPEC_SHIM_BEGIN
namespace cooperative_groups {
namespace __v1 {  // where libcu++ declares its names
// In each round a lane takes what one half of its way to the first lane has gathered.
template <unsigned __N, class __P, class __T, class __Op>
__T inclusive_scan(const thread_block_tile<__N, __P>& tile, __T value, __Op&& operation) {
    for (unsigned by = 1; by < __N; by *= 2) {
        const __T before = tile.shfl_up(value, by);
        if (tile.thread_rank() >= by) value = operation(before, value);
    }
    return value;
}
template <unsigned __N, class __P, class __T>
__T inclusive_scan(const thread_block_tile<__N, __P>& tile, __T value) {
    return inclusive_scan(tile, value, plus<__T>());
}
template <unsigned __N, class __P, class __T>
__T exclusive_scan(const thread_block_tile<__N, __P>& tile, __T value) {
    const __T before = tile.shfl_up(inclusive_scan(tile, value), 1);
    return tile.thread_rank() == 0 ? __T() : before;
}
template <class __T, class __Op> __T inclusive_scan(const coalesced_group& group, __T value, __Op&& operation) {
    for (unsigned by = 1; by < group.size(); by *= 2) {
        const __T before = group.shfl_up(value, by);
        if (group.thread_rank() >= by) value = operation(before, value);
    }
    return value;
}
template <class __T> __T inclusive_scan(const coalesced_group& group, __T value) {
    return inclusive_scan(group, value, plus<__T>());
}
template <class __T> __T exclusive_scan(const coalesced_group& group, __T value) {
    const __T before = group.shfl_up(inclusive_scan(group, value), 1);
    return group.thread_rank() == 0 ? __T() : before;
}
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
SCOPEC_SHIM_END
