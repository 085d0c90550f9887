#pragma once
#include "../../../shims/scopec/barrier.h"
