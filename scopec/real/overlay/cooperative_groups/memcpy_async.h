#pragma once
#include "../../../shims/cooperative_groups/memcpy_async.h"
