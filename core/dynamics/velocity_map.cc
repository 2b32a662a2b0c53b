#include "civita/velocity_map.h"

#include "core/dynamics/internal/map_products.h"
#include "core/dynamics/internal/scratch.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

using internal::CheckApart;
using internal::CheckShape;

/// An argument with its name and the size that it must have.
template <typename Matrix>
struct Sized {
  const Matrix& matrix;
  const char* name;
  Eigen::Index rows, columns;
};
template <typename Matrix>
Sized(const Matrix&, const char*, Eigen::Index, Eigen::Index) -> Sized<Matrix>;

/// Sizes, and that the result lies on none of the others.
template <typename T, typename Result, typename... Arguments>
void Check(const VelocityMap<T>& map, const Sized<Result>& result,
           const Sized<Arguments>&... arguments) {
  const auto apart = [&](const auto& x) {
    CheckShape(x.matrix, x.rows, x.columns, x.name);
    CheckApart(result.matrix, result.name, x.matrix, x.name);
  };
  CheckShape(result.matrix, result.rows, result.columns, result.name);
  CheckShape(map.Adot, map.A.rows(), map.A.cols(), "Adot");
  const internal::Extent extent = internal::ExtentOf(result.matrix);
  for (const MatrixX<T>* M : {&map.A, &map.Adot}) {
    const auto first = reinterpret_cast<std::uintptr_t>(M->data());
    const auto size = sizeof(T) * static_cast<std::uintptr_t>(M->size());
    CIVITA_CHECK(extent.end <= first || extent.first >= first + size,
                 result.name << " lies on A or Adot in memory");
  }
  (apart(arguments), ...);
}

// Products with M, which is map.A or map.Adot; no scratch from the heap.

/// y += M x.
template <typename T>
void AddProduct(const VelocityMap<T>& map, const MatrixX<T>& M, VectorIn<T> x, VectorOut<T>& y) {
  if (!map.support) {
    y.noalias() += M * x;
    return;
  }
  for (const auto [row, column] : map.support->entries()) y[row] += M(row, column) * x[column];
}

}  // namespace

template <typename T>
void ChangeVelocity(const VelocityMap<T>& map, VectorIn<T> w, VectorOut<T> v) {
  Check(map, Sized{v, "v", map.A.rows(), 1}, Sized{w, "w", map.A.cols(), 1});
  v.setZero();
  AddProduct<T>(map, map.A, w, v);
}

template <typename T>
void ChangeAcceleration(const VelocityMap<T>& map, VectorIn<T> w, VectorIn<T> wdot,
                        VectorOut<T> vdot) {
  const Eigen::Index nv = map.A.rows(), nw = map.A.cols();
  Check(map, Sized{vdot, "vdot", nv, 1}, Sized{w, "w", nw, 1}, Sized{wdot, "wdot", nw, 1});
  vdot.setZero();
  AddProduct<T>(map, map.A, wdot, vdot);
  AddProduct<T>(map, map.Adot, w, vdot);
}

template <typename T>
void ChangeForces(const VelocityMap<T>& map, VectorIn<T> tau, VectorOut<T> tau_w) {
  Check(map, Sized{tau_w, "tau_w", map.A.cols(), 1}, Sized{tau, "tau", map.A.rows(), 1});
  tau_w.setZero();
  internal::AddTransposedProduct<T>(map.support.get(), map.A, tau, tau_w);
}

template <typename T>
void ChangeMomentumRate(const VelocityMap<T>& map, VectorIn<T> p, VectorIn<T> pdot,
                        VectorOut<T> pdot_w) {
  const Eigen::Index nv = map.A.rows(), nw = map.A.cols();
  Check(map, Sized{pdot_w, "pdot_w", nw, 1}, Sized{p, "p", nv, 1}, Sized{pdot, "pdot", nv, 1});
  pdot_w.setZero();
  internal::AddTransposedProduct<T>(map.support.get(), map.A, pdot, pdot_w);
  internal::AddTransposedProduct<T>(map.support.get(), map.Adot, p, pdot_w);
}

template <typename T>
void ChangeJacobian(const VelocityMap<T>& map, MatrixIn<T> J, MatrixOut<T> J_w) {
  const Eigen::Index nv = map.A.rows(), nw = map.A.cols();
  Check(map, Sized{J_w, "J_w", J.rows(), nw}, Sized{J, "J", J.rows(), nv});
  J_w.setZero();
  internal::AddProductFromLeft<T>(map.support.get(), J, map.A, J_w);
}

template <typename T>
void ChangeJacobianRate(const VelocityMap<T>& map, MatrixIn<T> J, MatrixIn<T> Jdot,
                        MatrixOut<T> Jdot_w) {
  const Eigen::Index nv = map.A.rows(), nw = map.A.cols(), rows = J.rows();
  Check(map, Sized{Jdot_w, "Jdot_w", rows, nw}, Sized{J, "J", rows, nv},
        Sized{Jdot, "Jdot", rows, nv});
  Jdot_w.setZero();
  internal::AddProductFromLeft<T>(map.support.get(), Jdot, map.A, Jdot_w);
  internal::AddProductFromLeft<T>(map.support.get(), J, map.Adot, Jdot_w);
}

template <typename T>
void ChangeMassMatrix(const VelocityMap<T>& map, MatrixIn<T> H, MatrixX<T>& products,
                      MatrixOut<T> H_w) {
  const Eigen::Index nv = map.A.rows(), nw = map.A.cols();
  Check(map, Sized{H_w, "H_w", nw, nw}, Sized{H, "H", nv, nv});
  internal::CalcCongruence<T>(map.support.get(), map.A, nullptr, 1, nullptr, H, products, H_w);
}

template <typename T>
void ChangeMassMatrixRate(const VelocityMap<T>& map, MatrixIn<T> H, MatrixIn<T> Hdot,
                          MatrixX<T>& products, MatrixOut<T> Hdot_w) {
  const Eigen::Index nv = map.A.rows(), nw = map.A.cols();
  Check(map, Sized{Hdot_w, "Hdot_w", nw, nw}, Sized{H, "H", nv, nv}, Sized{Hdot, "Hdot", nv, nv});
  internal::CalcCongruence<T>(map.support.get(), map.A, &map.Adot, 0.5, &Hdot, H, products, Hdot_w);
  for (Eigen::Index c = 0; c < nw; ++c) {
    for (Eigen::Index r = 0; r <= c; ++r) Hdot_w(r, c) = Hdot_w(c, r) = Hdot_w(r, c) + Hdot_w(c, r);
  }
}

template <typename T>
void ChangeCoriolisMatrix(const VelocityMap<T>& map, const CoriolisIn<T>& in, MatrixX<T>& products,
                          MatrixOut<T> C_w) {
  const auto& [by_name, C, H] = in;
  const Eigen::Index nv = map.A.rows(), nw = map.A.cols();
  Check(map, Sized{C_w, "C_w", nw, nw}, Sized{C, "C", nv, nv}, Sized{H, "H", nv, nv});
  internal::CalcCongruence<T>(map.support.get(), map.A, &map.Adot, 1, &C, H, products, C_w);
}

template <typename T>
void SetFromBodyTwists(const Model& model, Workspace<T>& workspace, VelocityMap<T>* map) {
  auto& s = internal::RequireState(model, workspace, Stage::kVelocity,
                                   "a change of free joints' velocities");
  CheckShape(map->A, model.nv(), model.nv(), "A");
  CheckShape(map->Adot, model.nv(), model.nv(), "Adot");
  map->A.setIdentity();
  map->Adot.setZero();
  for (int b = 0; b < model.num_bodies(); ++b) {
    const internal::Link& link = internal::TreeOf(model).links[b];
    if (link.joint != JointType::kFree) continue;
    internal::UpdatePosesTo(internal::TreeOf(model), b, s);
    const Matrix3<T> R = internal::ToMatrix(s.bodies[b].R_WB);
    const Vector3<T> w = s.v.template segment<3>(link.iv + 3);
    map->A.template block<6, 6>(link.iv, link.iv).setZero();
    map->A.template block<3, 3>(link.iv, link.iv + 3) = R;
    map->A.template block<3, 3>(link.iv + 3, link.iv).setIdentity();
    map->Adot.template block<3, 3>(link.iv, link.iv + 3) = R * Skew<T>(w);
  }
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template void ChangeVelocity<T>(const VelocityMap<T>&, VectorIn<T>, VectorOut<T>);              \
  template void ChangeAcceleration<T>(const VelocityMap<T>&, VectorIn<T>, VectorIn<T>,            \
                                      VectorOut<T>);                                              \
  template void ChangeForces<T>(const VelocityMap<T>&, VectorIn<T>, VectorOut<T>);                \
  template void ChangeMomentumRate<T>(const VelocityMap<T>&, VectorIn<T>, VectorIn<T>,            \
                                      VectorOut<T>);                                              \
  template void ChangeJacobian<T>(const VelocityMap<T>&, MatrixIn<T>, MatrixOut<T>);              \
  template void ChangeJacobianRate<T>(const VelocityMap<T>&, MatrixIn<T>, MatrixIn<T>,            \
                                      MatrixOut<T>);                                              \
  template void ChangeMassMatrix<T>(const VelocityMap<T>&, MatrixIn<T>, MatrixX<T>&,              \
                                    MatrixOut<T>);                                                \
  template void ChangeMassMatrixRate<T>(const VelocityMap<T>&, MatrixIn<T>, MatrixIn<T>,          \
                                        MatrixX<T>&, MatrixOut<T>);                               \
  template void ChangeCoriolisMatrix<T>(const VelocityMap<T>&, const CoriolisIn<T>&, MatrixX<T>&, \
                                        MatrixOut<T>);                                            \
  template void SetFromBodyTwists<T>(const Model&, Workspace<T>&, VelocityMap<T>*);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
