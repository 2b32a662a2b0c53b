// The test IgnoredStatus looks for the compiler's warning about this call.
#include "civita/status.h"

civita::Status Compute();

void Ignore() { Compute(); }
