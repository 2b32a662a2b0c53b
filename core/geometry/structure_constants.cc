#include "civita/geometry/structure_constants.h"

namespace civita {

Tensor3 CalcStructureConstants(const Model& model) {
  Tensor3 c(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    if (model.rotation_triple(k) != k) continue;
    for (int a = 0; a < 3; ++a) {
      const int l = k + a, i = k + (a + 1) % 3, j = k + (a + 2) % 3;
      c(l, i, j) = 1;
      c(l, j, i) = -1;
    }
  }
  return c;
}

}  // namespace civita
