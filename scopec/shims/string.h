#pragma once
#include <cstring>
#include <strings.h>
