#pragma once
#include "../../../shims/scopec/pipeline.h"
