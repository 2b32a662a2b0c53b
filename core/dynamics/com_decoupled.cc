#include "civita/com_decoupled.h"

#include "civita/error.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

template <typename T>
void SetComVelocities(const CoriolisIn<T>& in, VelocityMap<T>* map) {
  const auto& [by_name, C, H] = in;
  const Eigen::Index nv = map->A.rows();
  internal::CheckShape(map->A, nv, nv, "A");
  internal::CheckShape(H, nv, nv, "H");
  internal::CheckShape(C, nv, nv, "C");
  for (const auto* result : {&map->A, &map->Adot}) {
    internal::CheckApart(*result, "A or Adot", H, "H", C, "C");
  }
  const T m = H(0, 0);
  CIVITA_CHECK(m > T(0), "the mass is not positive");
  CIVITA_CHECK(C.template leftCols<3>().isZero(T(0)),
               "C acts on the centre of mass: see CheckComDecoupling");
  map->A.setIdentity();
  map->Adot.setZero();
  map->A.topRightCorner(3, nv - 3) = -H.topRightCorner(3, nv - 3) / m;
  map->Adot.topRightCorner(3, nv - 3) = -C.topRightCorner(3, nv - 3) / m;
}

template <typename T>
void CalcComDecoupled(const VelocityMap<T>& map, const CoriolisIn<T>& in, CoriolisOut<T> out) {
  const auto& [in_by_name, C, H] = in;
  auto& [out_by_name, C_w, H_w] = out;
  const Eigen::Index nv = map.A.rows(), rest = nv - 3;
  internal::CheckShape(H, nv, nv, "H");
  internal::CheckShape(C, nv, nv, "C");
  internal::CheckResults(nv, nv, H_w, "H_w", C_w, "C_w");
  for (const auto* result : {&H_w, &C_w}) {
    internal::CheckApart(*result, "H_w or C_w", H, "H", C, "C", map.A, "A");
  }
  H_w.setZero();
  C_w.setZero();
  H_w.diagonal().template head<3>().setConstant(H(0, 0));
  const auto A_12 = map.A.topRightCorner(3, rest);
  H_w.bottomRightCorner(rest, rest) =
      H.bottomRightCorner(rest, rest) + H.bottomLeftCorner(rest, 3).lazyProduct(A_12);
  C_w.bottomRightCorner(rest, rest) =
      C.bottomRightCorner(rest, rest) + A_12.transpose().lazyProduct(C.topRightCorner(3, rest));
}

#define CIVITA_INSTANTIATE(T)                                               \
  template void SetComVelocities<T>(const CoriolisIn<T>&, VelocityMap<T>*); \
  template void CalcComDecoupled<T>(const VelocityMap<T>&, const CoriolisIn<T>&, CoriolisOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
