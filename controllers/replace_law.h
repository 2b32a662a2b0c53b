#pragma once

#include "civita/controllers/law_info.h"

namespace civita {

/// As RegisterLaw, in the place of a law of this type: for languages in which a law is redefined
/// while the program runs. Both rows must live as long as the process.
void ReplaceLaw(const LawInfo& law);

}  // namespace civita
