// What the shims' headers of CUDA include: it was read before.
#pragma once
