#include "civita/space_kinematics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

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
SpaceScratch<T>::SpaceScratch(const VelocitySpace& space, std::string_view instruction_set)
    : SpaceScratch(space, instruction_set, space.is_tree() ? 0 : space.nv(),
                   space.is_tree() ? 0 : space.nw()) {}

template <typename T>
SpaceScratch<T>::SpaceScratch(const VelocitySpace& model, std::string_view instruction_set, int nv,
                              int nw)
    : structure(model.structure()),
      tree(model.tree(), instruction_set),
      q(VectorX<T>::Zero(model.tree().nq())),
      w(VectorX<T>::Zero(model.nw())),
      map(model.has_loops() ? VelocityMap<T>(internal::LayoutOf(model).support)
                            : VelocityMap<T>(nv, nw)),
      H(MatrixX<T>::Zero(nv, nv)),
      C(H),
      v(VectorX<T>::Zero(nv)),
      v_r(v),
      vdot(v),
      force(v),
      products(map.A),
      dA(map.A),
      J(MatrixX<T>::Zero(6, nv)),
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
      H_w(MatrixX<T>::Zero(nw, nw)),
      dtau_dq_w(H_w),
      dtau_dw_w(H_w),
      J_w(MatrixX<T>::Zero(6, nw)),
      x_w(VectorX<T>::Zero(nw)) {
  if (model.is_tree()) tree_factor.emplace(model.tree());
  if (model.coordinates() != nullptr) {
    coordinates = *model.coordinates();
    factor = map.A;
    heads = x_w;
    right = v;
    beside.emplace(model.tree());
    map_beside.emplace(map);
  }
  if (!model.has_loops()) return;
  for (const auto [row, column] : map.support->entries())
    if (!model.dependent(row)) map.A(row, column) = T(1);
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
SpaceWorkspace<T>::SpaceWorkspace(const VelocitySpace& model, std::string_view instruction_set)
    : scratch_(internal::Own<internal::SpaceScratch<T>>(model, instruction_set)) {}

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
const VectorX<T>& SpaceWorkspace<T>::w() const {
  return scratch_->w;
}

template <typename T>
const VelocityMap<T>& SpaceWorkspace<T>::map(const VelocitySpace& model) const {
  CIVITA_CHECK(!model.is_tree(), "map: the velocities are the tree's, A is the identity");
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
  const internal::LoopLayout& layout = internal::LayoutOf(model);
  for (int d = 0; d < cluster.num_dependent(); ++d) {
    const int k = cluster.dependent(d);
    for (int c = 0; c < cluster.num_independent; ++c) {
      const auto place = static_cast<size_t>(c);
      const double unit = layout.unit(cluster.coordinates[place]);
      A(k, cluster.reduced[place]) = T(layout.unit(k) / unit) * solution(d, c);
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
  const LoopLayout& layout = LayoutOf(model);
  const LoopRows& cluster = layout.clusters[index];
  typename SpaceScratch<T>::Block& block = s.blocks[index];
  CalcRowRates<T>(model, cluster, s.tree, s.q, v, block.Kdot);
  const int n_i = cluster.num_independent;
  for (int c = 0; c < n_i; ++c) {
    const auto place = static_cast<size_t>(c);
    T* const x = block.solution.col(c).data();
    for (int r = 0; r < cluster.num_rows; ++r) x[r] = -block.Kdot(r, c);
    const double unit = layout.unit(cluster.coordinates[place]);
    for (int d = 0; d < cluster.num_dependent(); ++d) {
      const int k = cluster.dependent(d);
      const T G = T(unit / layout.unit(k)) * s.map.A(k, cluster.reduced[place]);
      AddMultiple<T>(-G, block.Kdot.col(n_i + d).data(), x, cluster.num_rows);
    }
  }
  SolveDependent<T>(model, index, s, block.solution, rate);
}

/// The cluster of w_b moves alone, by that column of A.
template <typename T>
void CalcMapRate(const VelocitySpace& model, int b, SpaceScratch<T>& s) {
  s.dA.setZero();
  s.direction = s.map.A.col(b);
  if constexpr (std::is_same_v<T, double>) {
    if (s.coordinates) {
      UpdateKinematics<T>(model.tree(), s.tree.q(), s.direction, *s.beside);
      CIVITA_CHECK(s.coordinates->update(*s.beside, *s.map_beside), "A is singular");
      s.dA = s.map_beside->Adot;
    }
  }
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    const std::vector<int>& moved = internal::LayoutOf(model).clusters[i].reduced;
    if (std::find(moved.begin(), moved.end(), b) == moved.end()) continue;
    CalcLoopMapRate<T>(model, i, s.direction, s, s.dA);
  }
}

}  // namespace internal

namespace {

/// Notes the worst condition, and the first cluster that is singular.
void NoteCondition(const VelocitySpace& model, int cluster, double condition, Status* status) {
  if (!status->ok()) return;
  const bool singular = !(condition <= model.max_condition());
  if (singular) status->code = Status::kSingularLoops;
  if (singular || status->index < 0 || condition > status->condition) {
    status->index = cluster;
    status->condition = condition;
  }
}

/// The tree's state, of which the space's is then one.
template <typename T>
void UpdateTree(const VelocitySpace& model, VectorIn<T> q, VectorIn<T> v,
                internal::SpaceScratch<T>& s) {
  UpdateKinematics<T>(model.tree(), q, v, s.tree);
  s.tree_state = internal::Access::scratch(s.tree).state;
}

/// A and Ȧ of coordinates at q and the tree's velocity v.
template <typename T>
Status UpdateCoordinates(const VelocitySpace& model, VectorIn<T> q, VectorIn<T> v,
                         internal::SpaceScratch<T>& s) {
  UpdateTree<T>(model, q, v, s);
  s.is_factored = false;
  if constexpr (std::is_same_v<T, double>) {
    if (s.coordinates->update(s.tree, s.map)) return {};
  } else {
    CIVITA_CHECK(false, "coordinates are for double alone");
  }
  internal::Access::scratch(s.tree).stage = Stage::kNone;
  return Status::kSingularCoordinates;
}

/// Factors A of square coordinates. @returns whether it is regular.
template <typename T>
bool FactorMap(internal::SpaceScratch<T>& s) {
  constexpr double kSingular = 1e-9;  // pivots against the largest
  s.factor = s.map.A;
  internal::FactorQr<T>(s.factor, s.heads);
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (Eigen::Index k = 0; k < s.factor.cols(); ++k) {
    const double pivot = std::abs(ValueOf(s.factor(k, k)));
    least = std::min(least, pivot);
    largest = internal::LargerOrNaN(largest, pivot);
  }
  s.is_factored = least > kSingular * largest;
  return s.is_factored;
}

}  // namespace

template <typename T>
Status UpdateKinematics(const VelocitySpace& model, VectorIn<T> q, SpaceWorkspace<T>& workspace) {
  internal::CheckSpace(model, workspace, "UpdateKinematics");
  internal::SpaceScratch<T>& s = internal::Access::scratch(workspace);
  if (s.coordinates) {
    s.w.setZero();
    s.v.setZero();
    return UpdateCoordinates<T>(model, q, s.v, s);
  }
  UpdateKinematics<T>(model.tree(), q, s.tree);
  s.tree_state = internal::Access::scratch(s.tree).state;
  internal::UpdateLegs<T>(model, s.tree);
  s.q = q;
  Status status;
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    const int cluster = static_cast<int>(i);
    internal::CalcGap<T>(model, internal::LayoutOf(model).clusters[i], s.tree, s.q,
                         s.blocks[i].gap);
    status.residual = internal::LargerOrNaN(status.residual, workspace.gap(cluster));
    NoteCondition(model, cluster, ValueOf(UpdatePosition(model, i, s)), &status);
  }
  if (!status.ok()) internal::Access::scratch(s.tree).stage = Stage::kNone;
  return status;
}

template <typename T>
Status UpdateKinematics(const VelocitySpace& model, VectorIn<T> q, VectorIn<T> w,
                        SpaceWorkspace<T>& workspace) {
  internal::CheckSpace(model, workspace, "UpdateKinematics");
  internal::CheckShape(w, model.nw(), 1, "w");
  internal::SpaceScratch<T>& s = internal::Access::scratch(workspace);
  if (model.is_tree()) {
    UpdateTree<T>(model, q, w, s);
    s.w = w;
    return {};
  }
  const Status status = UpdateKinematics<T>(model, q, workspace);
  if (!status.ok()) return status;
  s.w = w;
  ChangeVelocity<T>(s.map, s.w, s.v);
  if (s.coordinates) return UpdateCoordinates<T>(model, q, s.v, s);
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    internal::CalcLoopMapRate<T>(model, i, s.v, s, s.map.Adot);
  }
  UpdateTree<T>(model, s.q, s.v, s);  // last: rows and their rates take the poses at hand
  return status;
}

template <typename T>
Status UpdateKinematicsAlong(const VelocitySpace& model, VectorIn<T> q, VectorIn<T> v,
                             SpaceWorkspace<T>& workspace) {
  internal::CheckSpace(model, workspace, "UpdateKinematicsAlong");
  internal::CheckShape(v, model.nv(), 1, "v");
  internal::SpaceScratch<T>& s = internal::Access::scratch(workspace);
  if (s.coordinates) {
    if (const Status status = UpdateCoordinates<T>(model, q, v, s); !status) return status;
    if (!FactorMap(s)) return Status::kSingularCoordinates;
    CalcSpaceVelocity<T>(model, v, workspace, s.w);
    s.v = v;
    return {};
  }
  if (model.is_tree()) return UpdateKinematics<T>(model, q, v, workspace);
  for (int a = 0; a < model.nw(); ++a) s.x_w[a] = v[model.independent()[static_cast<size_t>(a)]];
  return UpdateKinematics<T>(model, q, s.x_w, workspace);
}

template <typename T>
void CalcSpaceVelocity(const VelocitySpace& model, VectorIn<T> v, SpaceWorkspace<T>& workspace,
                       VectorOut<T> w) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcSpaceVelocity");
  internal::CheckShape(v, model.nv(), 1, "v");
  internal::CheckShape(w, model.nw(), 1, "w");
  if (model.coordinates() == nullptr) {
    for (int a = 0; a < model.nw(); ++a) w[a] = v[model.independent()[static_cast<size_t>(a)]];
    return;
  }
  CIVITA_CHECK(s.is_factored || FactorMap(s), "CalcSpaceVelocity: A is singular");
  s.right = v;
  internal::SolveQrInPlace<T>(s.factor, s.heads, s.right);
  w = s.right.col(0).head(model.nw());
}

template <typename T>
void CalcSpaceAcceleration(const VelocitySpace& model, VectorIn<T> w, VectorIn<T> vdot,
                           SpaceWorkspace<T>& workspace, VectorOut<T> wdot) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcSpaceAcceleration");
  internal::CheckShape(w, model.nw(), 1, "w");
  if (model.coordinates() == nullptr) return CalcSpaceVelocity<T>(model, vdot, workspace, wdot);
  s.x_w.setZero();
  ChangeAcceleration<T>(s.map, w, s.x_w, s.vdot);
  s.vdot = vdot - s.vdot;
  CalcSpaceVelocity<T>(model, s.vdot, workspace, wdot);
}

template <typename T>
void CalcTreeForces(const VelocitySpace& model, VectorIn<T> tau_w, SpaceWorkspace<T>& workspace,
                    VectorOut<T> tau) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcTreeForces");
  CIVITA_CHECK(!model.has_loops(), "CalcTreeForces: loops have many forces of the same work");
  internal::CheckShape(tau_w, model.nw(), 1, "tau_w");
  tau = tau_w;
  if (model.is_tree()) return;
  CIVITA_CHECK(s.is_factored || FactorMap(s), "CalcTreeForces: A is singular");
  internal::SolveTransposedQrInPlace<T>(s.factor, s.heads, tau);
}

template <typename T>
void CalcVelocityMap(const VelocitySpace& model, const SpaceWorkspace<T>& workspace,
                     MatrixOut<T> A) {
  const auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcVelocityMap");
  internal::CheckShape(A, model.nv(), model.nw(), "A");
  if (model.is_tree()) {
    A.setIdentity();
  } else {
    A = s.map.A;
  }
}

template <typename T>
void CalcTreeVelocity(const VelocitySpace& model, VectorIn<T> w, const SpaceWorkspace<T>& workspace,
                      VectorOut<T> v) {
  const auto& s = internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcTreeVelocity");
  if (!model.is_tree()) return ChangeVelocity<T>(s.map, w, v);
  internal::CheckShape(w, model.nw(), 1, "w");
  v = w;
}

template <typename T>
void CalcTreeAcceleration(const VelocitySpace& model, VectorIn<T> w, VectorIn<T> wdot,
                          const SpaceWorkspace<T>& workspace, VectorOut<T> vdot) {
  const auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcTreeAcceleration");
  if (!model.is_tree()) return ChangeAcceleration<T>(s.map, w, wdot, vdot);
  internal::CheckShape(wdot, model.nw(), 1, "wdot");
  vdot = wdot;
}

template <typename T>
void CalcReducedForces(const VelocitySpace& model, VectorIn<T> tau,
                       const SpaceWorkspace<T>& workspace, VectorOut<T> tau_w) {
  const auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcReducedForces");
  if (!model.is_tree()) return ChangeForces<T>(s.map, tau, tau_w);
  internal::CheckShape(tau, model.nv(), 1, "tau");
  tau_w = tau;
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template struct internal::SpaceScratch<T>;                                                       \
  template class SpaceWorkspace<T>;                                                                \
  template Status UpdateKinematics<T>(const VelocitySpace&, VectorIn<T>, SpaceWorkspace<T>&);      \
  template Status UpdateKinematics<T>(const VelocitySpace&, VectorIn<T>, VectorIn<T>,              \
                                      SpaceWorkspace<T>&);                                         \
  template Status UpdateKinematicsAlong<T>(const VelocitySpace&, VectorIn<T>, VectorIn<T>,         \
                                           SpaceWorkspace<T>&);                                    \
  template void CalcSpaceVelocity<T>(const VelocitySpace&, VectorIn<T>, SpaceWorkspace<T>&,        \
                                     VectorOut<T>);                                                \
  template void CalcSpaceAcceleration<T>(const VelocitySpace&, VectorIn<T>, VectorIn<T>,           \
                                         SpaceWorkspace<T>&, VectorOut<T>);                        \
  template void CalcTreeForces<T>(const VelocitySpace&, VectorIn<T>, SpaceWorkspace<T>&,           \
                                  VectorOut<T>);                                                   \
  template void CalcTreeVelocity<T>(const VelocitySpace&, VectorIn<T>, const SpaceWorkspace<T>&,   \
                                    VectorOut<T>);                                                 \
  template void CalcTreeAcceleration<T>(const VelocitySpace&, VectorIn<T>, VectorIn<T>,            \
                                        const SpaceWorkspace<T>&, VectorOut<T>);                   \
  template void CalcReducedForces<T>(const VelocitySpace&, VectorIn<T>, const SpaceWorkspace<T>&,  \
                                     VectorOut<T>);                                                \
  template void CalcVelocityMap<T>(const VelocitySpace&, const SpaceWorkspace<T>&, MatrixOut<T>);  \
  template void internal::SolveDependent<T>(const VelocitySpace&, size_t,                          \
                                            internal::SpaceScratch<T>&, MatrixX<T>&, MatrixX<T>&); \
  template void internal::CalcMapRate<T>(const VelocitySpace&, int, internal::SpaceScratch<T>&);   \
  template void internal::CalcLoopMapRate<T>(const VelocitySpace&, size_t, VectorIn<T>,            \
                                             internal::SpaceScratch<T>&, MatrixX<T>&);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
