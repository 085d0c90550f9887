#pragma once
#include <scopec_cuda.h>
