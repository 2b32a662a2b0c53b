#include "civita/space_kinematics.h"

#include <algorithm>

#include "base/max_abs.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "core/model/internal/checks.h"
#include "core/space/internal/loop_rows.h"
#include "core/space/internal/space_scratch.h"
#include "core/spatial/internal/scalars.h"
#include "core/spatial/internal/small_dense.h"

namespace civita {

namespace {
using internal::LoopRows;
}  // namespace

namespace internal {

template <typename T>
SpaceScratch<T>::SpaceScratch(const VelocitySpace& model)
    : structure(model.structure()),
      tree(model.tree()),
      q(VectorX<T>::Zero(model.tree().nq())),
      w(VectorX<T>::Zero(model.nw())),
      map(internal::LayoutOf(model).support),
      H(MatrixX<T>::Zero(model.nv(), model.nv())),
      C(H),
      v(VectorX<T>::Zero(model.nv())),
      v_r(v),
      vdot(v),
      force(v),
      products(map.A),
      dA(map.A),
      J(MatrixX<T>::Zero(6, model.nv())),
      Jdot(J),
      J_last(J),
      direction(v),
      v_rate(v),
      y_rate(v),
      dtau_dq(H),
      dtau_dv(H),
      dv_dq(map.A),
      dy_dq(map.A),
      dx_dq(map.A),
      sum(map.A),
      H_w(MatrixX<T>::Zero(model.nw(), model.nw())),
      dtau_dq_w(H_w),
      dtau_dw_w(H_w),
      J_w(MatrixX<T>::Zero(6, model.nw())),
      x_w(w) {
  for (int k = 0; k < model.nv(); ++k) {
    if (model.dependent(k)) continue;
    for (const int p : (*map.support)[k]) map.A(k, p) = T(1);
  }
  for (const LoopRows& cluster : internal::LayoutOf(model).clusters) {
    const int rows = cluster.num_rows, dependent = cluster.num_dependent();
    const int damped_rows = rows + dependent;
    blocks.push_back({.K = MatrixX<T>::Zero(rows, cluster.num_coordinates()),
                      .Kdot = MatrixX<T>::Zero(rows, cluster.num_coordinates()),
                      .factor = MatrixX<T>::Zero(rows, dependent),
                      .heads = VectorX<T>::Zero(dependent),
                      .scratch = VectorX<T>::Zero(dependent),
                      .solution = MatrixX<T>::Zero(rows, cluster.num_independent),
                      .second = MatrixX<T>::Zero(rows, cluster.num_independent),
                      .gap = VectorX<T>::Zero(rows),
                      .damped = MatrixX<T>::Zero(damped_rows, dependent),
                      .step = MatrixX<T>::Zero(damped_rows, 1),
                      .damped_heads = VectorX<T>::Zero(dependent)});
  }
}

}  // namespace internal

template <typename T>
SpaceWorkspace<T>::SpaceWorkspace(const VelocitySpace& model)
    : scratch_(std::make_unique<internal::SpaceScratch<T>>(model)) {}
template <typename T>
SpaceWorkspace<T>::~SpaceWorkspace() = default;
template <typename T>
SpaceWorkspace<T>::SpaceWorkspace(SpaceWorkspace&& other) noexcept = default;
template <typename T>
SpaceWorkspace<T>& SpaceWorkspace<T>::operator=(SpaceWorkspace&& other) noexcept = default;

template <typename T>
std::uint64_t SpaceWorkspace<T>::structure() const {
  return scratch_->structure;
}

template <typename T>
Workspace<T>& SpaceWorkspace<T>::tree() {
  return scratch_->tree;
}

template <typename T>
const Workspace<T>& SpaceWorkspace<T>::tree() const {
  return scratch_->tree;
}

template <typename T>
const VelocityMap<T>& SpaceWorkspace<T>::map(const VelocitySpace& model) const {
  return internal::RequireSpace<T>(model, *this, Stage::kVelocity, "map").map;
}

namespace {

inline double ValueOf(double x) { return x; }
inline double ValueOf(const Dual& x) { return x.value; }

}  // namespace

template <typename T>
double SpaceWorkspace<T>::gap(int cluster) const {
  double gap = 0;
  CIVITA_CHECK(cluster >= 0 && static_cast<size_t>(cluster) < scratch_->blocks.size(),
               "cluster " << cluster << " of " << scratch_->blocks.size());
  for (const T& x : scratch_->blocks[static_cast<size_t>(cluster)].gap) {
    gap = internal::LargerOrNaN(gap, std::abs(ValueOf(x)));
  }
  return gap;
}

namespace {

/// The rows of a cluster's dependent coordinates in A or the like from the solution of K_d x = …,
/// out of the units of K.
template <typename T>
void StoreSolution(const VelocitySpace& model, const LoopRows& cluster, const MatrixX<T>& solution,
                   MatrixX<T>& A) {
  for (int d = 0; d < cluster.num_dependent(); ++d) {
    const int k = cluster.dependent(d);
    for (int c = 0; c < cluster.num_independent; ++c) {
      const auto place = static_cast<size_t>(c);
      const double unit = internal::LayoutOf(model).unit(cluster.coordinates[place]);
      A(k, cluster.reduced[place]) = T(internal::LayoutOf(model).unit(k) / unit) * solution(d, c);
    }
  }
}

/// K, the factor of K_d and G = −K_d⁻¹ K_i of one cluster. @returns its condition.
template <typename T>
T UpdatePosition(const VelocitySpace& model, size_t index, internal::SpaceScratch<T>& s) {
  const LoopRows& cluster = internal::LayoutOf(model).clusters[index];
  typename internal::SpaceScratch<T>::Block& block = s.blocks[index];
  internal::CalcRows<T>(model, cluster, s.tree, s.q, block.K);
  block.factor = block.K.rightCols(cluster.num_dependent());
  internal::FactorQr<T>(block.factor, block.heads);
  const T condition = block.K.norm() * internal::NormOfInverse<T>(block.factor, block.scratch);
  if (!(condition <= T(model.max_condition()))) return condition;
  block.solution = -block.K.leftCols(cluster.num_independent);
  internal::SolveDependent<T>(model, index, s, block.solution, s.map.A);
  return condition;
}

}  // namespace

namespace internal {

template <typename T>
void SolveDependent(const VelocitySpace& model, size_t index, SpaceScratch<T>& s, MatrixX<T>& right,
                    MatrixX<T>& x) {
  typename SpaceScratch<T>::Block& block = s.blocks[index];
  SolveQrInPlace<T>(block.factor, block.heads, right);
  StoreSolution(model, internal::LayoutOf(model).clusters[index], right, x);
}

template <typename T>
void CalcLoopMapRate(const VelocitySpace& model, size_t index, VectorIn<T> v, SpaceScratch<T>& s,
                     MatrixX<T>& rate) {
  const LoopRows& cluster = internal::LayoutOf(model).clusters[index];
  typename SpaceScratch<T>::Block& block = s.blocks[index];
  CalcRowRates<T>(model, cluster, s.tree, s.q, v, block.Kdot);
  const int n_i = cluster.num_independent;
  for (int c = 0; c < n_i; ++c) {
    const auto place = static_cast<size_t>(c);
    block.solution.col(c) = -block.Kdot.col(c);
    const double unit = internal::LayoutOf(model).unit(cluster.coordinates[place]);
    for (int d = 0; d < cluster.num_dependent(); ++d) {
      const int k = cluster.dependent(d);
      const T G = T(unit / internal::LayoutOf(model).unit(k)) * s.map.A(k, cluster.reduced[place]);
      block.solution.col(c) -= G * block.Kdot.col(n_i + d);
    }
  }
  SolveDependent<T>(model, index, s, block.solution, rate);
}

}  // namespace internal

namespace {

/// Notes the worst condition, and the first cluster that is singular.
void NoteCondition(const VelocitySpace& model, int cluster, double condition, LoopStatus* status) {
  if (!status->ok()) return;
  const bool singular = !(condition <= model.max_condition());
  if (singular) status->code = LoopStatus::Code::kSingular;
  if (singular || status->cluster < 0 || condition > status->condition) {
    status->cluster = cluster;
    status->condition = condition;
  }
}

}  // namespace

template <typename T>
LoopStatus UpdateKinematics(const VelocitySpace& model, VectorIn<T> q,
                            SpaceWorkspace<T>& workspace) {
  internal::CheckSpace(model, workspace, "UpdateKinematics");
  internal::SpaceScratch<T>& s = internal::Access::scratch(workspace);
  UpdateKinematics<T>(model.tree(), q, s.tree);
  s.tree_state = internal::Access::scratch(s.tree).state;
  s.q = q;
  LoopStatus status;
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    const int cluster = static_cast<int>(i);
    internal::CalcGap<T>(model, internal::LayoutOf(model).clusters[i], s.tree, s.q,
                         s.blocks[i].gap);
    status.gap = internal::LargerOrNaN(status.gap, workspace.gap(cluster));
    NoteCondition(model, cluster, ValueOf(UpdatePosition(model, i, s)), &status);
  }
  if (!status.ok()) internal::Access::scratch(s.tree).stage = Stage::kNone;
  return status;
}

template <typename T>
LoopStatus UpdateKinematics(const VelocitySpace& model, VectorIn<T> q, VectorIn<T> w,
                            SpaceWorkspace<T>& workspace) {
  internal::CheckShape(w, model.nw(), 1, "w");
  const LoopStatus status = UpdateKinematics<T>(model, q, workspace);
  if (!status.ok()) return status;
  internal::SpaceScratch<T>& s = internal::Access::scratch(workspace);
  s.w = w;
  ChangeVelocity<T>(s.map, s.w, s.v);
  UpdateKinematics<T>(model.tree(), s.q, s.v, s.tree);
  s.tree_state = internal::Access::scratch(s.tree).state;
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    internal::CalcLoopMapRate<T>(model, i, s.v, s, s.map.Adot);
  }
  return status;
}

template <typename T>
void CalcVelocityMap(const VelocitySpace& model, const SpaceWorkspace<T>& workspace,
                     MatrixOut<T> A) {
  const auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcVelocityMap");
  internal::CheckShape(A, model.nv(), model.nw(), "A");
  A = s.map.A;
}

template <typename T>
void CalcTreeVelocity(const VelocitySpace& model, VectorIn<T> w, const SpaceWorkspace<T>& workspace,
                      VectorOut<T> v) {
  const auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcTreeVelocity");
  ChangeVelocity<T>(s.map, w, v);
}

template <typename T>
void CalcTreeAcceleration(const VelocitySpace& model, VectorIn<T> w, VectorIn<T> wdot,
                          const SpaceWorkspace<T>& workspace, VectorOut<T> vdot) {
  const auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcTreeAcceleration");
  ChangeAcceleration<T>(s.map, w, wdot, vdot);
}

template <typename T>
void CalcReducedForces(const VelocitySpace& model, VectorIn<T> tau,
                       const SpaceWorkspace<T>& workspace, VectorOut<T> tau_w) {
  const auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcReducedForces");
  ChangeForces<T>(s.map, tau, tau_w);
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template struct internal::SpaceScratch<T>;                                                       \
  template class SpaceWorkspace<T>;                                                                \
  template LoopStatus UpdateKinematics<T>(const VelocitySpace&, VectorIn<T>, SpaceWorkspace<T>&);  \
  template LoopStatus UpdateKinematics<T>(const VelocitySpace&, VectorIn<T>, VectorIn<T>,          \
                                          SpaceWorkspace<T>&);                                     \
  template void CalcTreeVelocity<T>(const VelocitySpace&, VectorIn<T>, const SpaceWorkspace<T>&,   \
                                    VectorOut<T>);                                                 \
  template void CalcTreeAcceleration<T>(const VelocitySpace&, VectorIn<T>, VectorIn<T>,            \
                                        const SpaceWorkspace<T>&, VectorOut<T>);                   \
  template void CalcReducedForces<T>(const VelocitySpace&, VectorIn<T>, const SpaceWorkspace<T>&,  \
                                     VectorOut<T>);                                                \
  template void CalcVelocityMap<T>(const VelocitySpace&, const SpaceWorkspace<T>&, MatrixOut<T>);  \
  template void internal::SolveDependent<T>(const VelocitySpace&, size_t,                          \
                                            internal::SpaceScratch<T>&, MatrixX<T>&, MatrixX<T>&); \
  template void internal::CalcLoopMapRate<T>(const VelocitySpace&, size_t, VectorIn<T>,            \
                                             internal::SpaceScratch<T>&, MatrixX<T>&);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
