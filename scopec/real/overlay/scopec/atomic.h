#pragma once
#include "../../../shims/scopec/atomic.h"
