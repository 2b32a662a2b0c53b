#include "civita/geometry/torsion.h"

#include "civita/geometry/connection.h"

namespace civita {
namespace {

void CheckSizes(const Tensor3& a, const Tensor3& b) {
  CIVITA_CHECK(a.n() == b.n(), a.n() << " and " << b.n());
}

}  // namespace

Tensor3 Torsion(const Tensor3& Gamma, const Tensor3& s) {
  CheckSizes(Gamma, s);
  return MakeTensor3(
      Gamma.n(), [&](int i, int j, int k) { return Gamma(i, j, k) - Gamma(i, k, j) - s(i, j, k); });
}

Tensor3 SymmetricPart(const Tensor3& Gamma) {
  return MakeTensor3(Gamma.n(),
                     [&](int i, int j, int k) { return 0.5 * (Gamma(i, j, k) + Gamma(i, k, j)); });
}

Tensor3 TorsionFreeSameGeodesics(const Tensor3& Gamma, const Tensor3& s) {
  CheckSizes(Gamma, s);
  return MakeTensor3(Gamma.n(), [&](int i, int j, int k) {
    return 0.5 * (Gamma(i, j, k) + Gamma(i, k, j) + s(i, j, k));
  });
}

/// Metric compatibility is K_ijk = −K_kji, and T_ijk = K_ijk − K_ikj; the sum of three T leaves 2
/// K.
Tensor3 TorsionFreeSameMetric(const Tensor3& Gamma, const Tensor3& s) {
  const Tensor3 T = Torsion(Gamma, s);
  return Gamma - MakeTensor3(T.n(), [&](int i, int j, int k) {
           return 0.5 * (T(i, j, k) + T(j, i, k) + T(k, i, j));
         });
}

ConnectionResiduals CalcConnectionResiduals(const Tensor3& Gamma, const Tensor3& metric_rates,
                                            const Tensor3& s) {
  CheckSizes(Gamma, metric_rates);
  const Tensor3 metric = MakeTensor3(Gamma.n(), [&](int i, int j, int k) {
    return metric_rates(i, j, k) - Gamma(i, j, k) - Gamma(k, j, i);
  });
  const Tensor3 contorsion = Gamma - KoszulConnection(metric_rates, s);
  return {metric.MaxAbs(), Torsion(Gamma, s).MaxAbs(), SymmetricPart(contorsion).MaxAbs()};
}

}  // namespace civita
