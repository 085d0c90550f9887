// As two-grids.cu, with the other kernel not loaded yet when it is launched: to load it waits for what runs.
#define NOT_LOADED
#include "two-grids.cu"
//@ options api = returns;
//@ expect terminates;
