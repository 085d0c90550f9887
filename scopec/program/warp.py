"""The size of a warp, and the mask of all its lanes (PTX ISA, "WARP_SZ")."""

WARP = 32
EVERY_LANE = (1 << WARP) - 1
