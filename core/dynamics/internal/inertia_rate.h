#pragma once

#include "core/dynamics/internal/scratch.h"

namespace civita::internal {

/// İ = (ξ×*)I − I(ξ×), which has the form of an inertia without mass.
template <typename T>
Inertia<T> InertiaRate(const Inertia<T>& I, const Motion<T>& V) {
  const V3<T>&w = V.w, &u = V.u, &h = I.h;
  const M3<T> A = Skew(w) * ToM3(I.Ibar);  // Ī's own rate is A + Aᵀ
  const auto at = [&](int i, int k) { return A(i, k) + A(k, i); };
  const T uh = Dot(u, h) + Dot(u, h);  // −(h uᵀ + u hᵀ) + 2(u·h)1
  Inertia<T> rate;
  rate.m = T(0);
  rate.h = I.m * u + Cross(w, h);
  rate.Ibar = {at(0, 0) - (h.x * u.x + u.x * h.x) + uh, at(0, 1) - (h.x * u.y + u.x * h.y),
               at(0, 2) - (h.x * u.z + u.x * h.z),      at(1, 1) - (h.y * u.y + u.y * h.y) + uh,
               at(1, 2) - (h.y * u.z + u.y * h.z),      at(2, 2) - (h.z * u.z + u.z * h.z) + uh};
  return rate;
}

/// Idot of every body: the rate of its subtree's inertia.
template <typename T>
void CalcCompositeInertiaRates(const Tree& tree, Scratch<T>& s) {
  for (int b = 0; b < tree.num_bodies; ++b) s.Idot[b] = InertiaRate(s.bodies[b].I, s.bodies[b].V);
  SumOverSubtrees(tree, s.Idot);
}

}  // namespace civita::internal
