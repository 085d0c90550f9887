#pragma once
#include <new>
