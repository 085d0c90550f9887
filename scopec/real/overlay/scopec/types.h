#pragma once
#include "../../../shims/scopec/types.h"
