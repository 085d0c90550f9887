#pragma once
#include "../../../shims/cooperative_groups/scan.h"
