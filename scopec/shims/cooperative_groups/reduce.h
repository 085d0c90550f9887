#pragma once
#include <cooperative_groups.h>
SCOPEC_SHIM_BEGIN
namespace cooperative_groups {
namespace __v1 {  // where libcu++ declares its names
// What the operations of the library are called in __scopec_reduce.
template <class __Op> inline constexpr int __scopec_operation = -1;
template <class __T> inline constexpr int __scopec_operation<plus<__T>> = 0;
template <class __T> inline constexpr int __scopec_operation<less<__T>> = 1;
template <class __T> inline constexpr int __scopec_operation<greater<__T>> = 2;
template <class __T> inline constexpr int __scopec_operation<bit_and<__T>> = 3;
template <class __T> inline constexpr int __scopec_operation<bit_or<__T>> = 4;
template <class __T> inline constexpr int __scopec_operation<bit_xor<__T>> = 5;

// Another operation associates, and is made of whole tiles alone: two lanes, then four, and so on.
template <unsigned __N, class __P, class __T, class __Op>
__T reduce(const thread_block_tile<__N, __P>& tile, __T value, __Op&& operation) {
    constexpr int known = __scopec_operation<__scopec::decay_t<__Op>>;
    if constexpr (known >= 0) {
        return __scopec_reduce<__T>(known, tile.__scopec_mask(), value);
    } else {
        for (unsigned by = 1; by < __N; by *= 2) value = operation(value, tile.shfl_xor(value, by));
        return value;
    }
}
// Another operation goes from rank to rank, and all get what comes out.
template <class __T, class __Op> __T reduce(const coalesced_group& group, __T value, __Op&& operation) {
    constexpr int known = __scopec_operation<__scopec::decay_t<__Op>>;
    if constexpr (known >= 0) {
        return __scopec_reduce<__T>(known, group.__scopec_mask(), value);
    } else {
        __T found = group.shfl(value, 0);
        for (unsigned rank = 1; rank < group.size(); rank++) found = operation(found, group.shfl(value, rank));
        return found;
    }
}
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
SCOPEC_SHIM_END
