#include "../../shims/cassert"
