#include <array>
#include <cmath>

#include "app/commands/reproduce.h"
#include "app/commands/reproduction.h"

namespace civita {

void ReproduceConnections(Reproduction* reproduction) { reproduction->ExpectAtMost("x", 0, 0, 0); }

}  // namespace civita
