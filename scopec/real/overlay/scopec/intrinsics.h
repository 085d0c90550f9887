#pragma once
#include "../../../shims/scopec/intrinsics.h"
