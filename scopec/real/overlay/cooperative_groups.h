#pragma once
#include "../../shims/cooperative_groups.h"
