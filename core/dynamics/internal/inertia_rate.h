#pragma once

#include "core/dynamics/internal/scratch.h"

namespace civita::internal {

/// Idot of every body: the rate of its subtree's inertia.
template <typename T>
void CalcCompositeInertiaRates(const Tree& tree, Scratch<T>& s) {
  for (int b = 0; b < tree.num_bodies; ++b) {
    s.Idot[b] = CalcInertiaRate(s.bodies[b].I, s.bodies[b].V);
  }
  SumOverSubtrees(tree, s.Idot);
}

}  // namespace civita::internal
