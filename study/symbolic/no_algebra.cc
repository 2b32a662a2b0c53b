#include "civita/error.h"
#include "study/symbolic/algebra.h"

namespace civita {

bool HasAlgebra() { return false; }

Formulas MultiplyOut(const Formulas&, const ShouldStop&) {
  CIVITA_CHECK(HasAlgebra(), "no computer algebra");
  return {};
}

Formulas DifferentiateMassMatrix(const Formulas&, int, bool, const ShouldStop&) {
  CIVITA_CHECK(HasAlgebra(), "no computer algebra");
  return {};
}

}  // namespace civita
