#pragma once
#include "../../../shims/cooperative_groups/reduce.h"
