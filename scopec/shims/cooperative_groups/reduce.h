#pragma once
#include <cooperative_groups.h>
SCOPEC_SHIM_BEGIN
namespace cooperative_groups {
// Every thread of the group takes part; what it computes is not modelled.
template <class __Group, class __T, class __Op> __T reduce(const __Group& group, __T, __Op&&) {
    group.sync();
    return __scopec_unknown<__T>();
}
}  // namespace cooperative_groups
SCOPEC_SHIM_END
