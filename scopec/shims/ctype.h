#pragma once
#include <cctype>
