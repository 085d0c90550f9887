#pragma once
#include <cstdint>
#include <scopec/intrinsics.h>
SCOPEC_SHIM_BEGIN
using ssize_t = long;
using off_t = long;
using pid_t = int;
using mode_t = unsigned;
using uint = unsigned;
using ushort = unsigned short;
using ulong = unsigned long;
SCOPEC_SHIM_END
