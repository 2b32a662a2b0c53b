#include "civita/cluster_kinematics.h"

#include <algorithm>

#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "core/dynamics/internal/scratch.h"
#include "core/loops/internal/closure_rows.h"
#include "core/loops/internal/cluster_frame.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/householder.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {
using Cluster = ClusterModel::Cluster;
}  // namespace

std::string Describe(const ClusterModel& model, const ClusterStatus& status) {
  internal::MessageStream text;
  if (status.cluster < 0) return "no loops";
  const std::string& name = model.clusters()[static_cast<size_t>(status.cluster)].name;
  switch (status.code) {
    case ClusterStatus::Code::kOk:
      text << "worst cluster " << name << ": condition " << status.condition << ", open by "
           << status.gap;
      break;
    case ClusterStatus::Code::kSingular:
      text << "cluster " << name << " is singular here: its condition is " << status.condition
           << ", the limit " << model.max_condition();
      break;
    case ClusterStatus::Code::kNotClosed:
      text << "cluster " << name << " does not close: it stays open by " << status.gap;
      break;
  }
  return text.str();
}

template <typename T>
ClusterWorkspace<T>::ClusterWorkspace(const ClusterModel& model)
    : structure(model.structure()),
      tree(model.tree()),
      H(MatrixX<T>::Zero(model.nv(), model.nv())),
      C(H),
      q(VectorX<T>::Zero(model.tree().nq())),
      v(VectorX<T>::Zero(model.nv())),
      v_r(v),
      vdot(v),
      force(v),
      w(VectorX<T>::Zero(model.nw())),
      A(MatrixX<T>::Zero(model.max_support(), model.nv())),
      Adot(A),
      dA(MatrixX<T>::Zero(model.max_support() * model.max_support(), model.nv())) {
  for (int k = 0; k < model.nv(); ++k) {
    if (!model.dependent(k)) A(0, k) = T(1);
  }
  for (const Cluster& cluster : model.clusters()) {
    const int rows = cluster.num_rows, dependent = cluster.num_dependent();
    const int damped_rows = rows + dependent;
    blocks.push_back({.K = MatrixX<T>::Zero(rows, cluster.num_coordinates()),
                      .Kdot = MatrixX<T>::Zero(rows, cluster.num_coordinates()),
                      .factor = MatrixX<T>::Zero(rows, dependent),
                      .heads = VectorX<T>::Zero(dependent),
                      .scratch = VectorX<T>::Zero(dependent),
                      .solution = MatrixX<T>::Zero(rows, cluster.num_independent),
                      .gap = VectorX<T>::Zero(rows),
                      .damped = MatrixX<T>::Zero(damped_rows, dependent),
                      .step = MatrixX<T>::Zero(damped_rows, 1),
                      .damped_heads = VectorX<T>::Zero(dependent)});
  }
}

namespace {

/// Row iv of A or the like from the solution of K_d x = …, out of the units of K.
template <typename T>
void StoreSolution(const ClusterModel& model, const Cluster& cluster, const MatrixX<T>& solution,
                   int first, MatrixX<T>& rows) {
  const int n_i = cluster.num_independent;
  for (int d = 0; d < cluster.num_dependent(); ++d) {
    const int k = cluster.dependent(d);
    for (int c = 0; c < n_i; ++c) {
      const int i = cluster.coordinates[static_cast<size_t>(c)];
      rows(first + c, k) = T(model.unit(k) / model.unit(i)) * solution(d, c);
    }
  }
}

/// K, the factor of K_d and G = −K_d⁻¹ K_i of one cluster. @returns its condition.
template <typename T>
T UpdatePosition(const ClusterModel& model, size_t index, ClusterWorkspace<T>& workspace) {
  const Cluster& cluster = model.clusters()[index];
  typename ClusterWorkspace<T>::Block& block = workspace.blocks[index];
  internal::CalcRows<T>(model, cluster, workspace.tree, workspace.q, block.K);
  block.factor = block.K.rightCols(cluster.num_dependent());
  internal::FactorQr<T>(block.factor, block.heads);
  const T condition = block.K.norm() * internal::NormOfInverse<T>(block.factor, block.scratch);
  if (!(condition <= T(model.max_condition()))) return condition;
  block.solution = -block.K.leftCols(cluster.num_independent);
  internal::SolveQrInPlace<T>(block.factor, block.heads, block.solution);
  StoreSolution<T>(model, cluster, block.solution, 0, workspace.A);
  return condition;
}

}  // namespace

namespace internal {

template <typename T>
void CalcClusterFrameDerivative(const ClusterModel& model, size_t index, VectorIn<T> v, int first,
                                ClusterWorkspace<T>& workspace, MatrixX<T>& rates) {
  const Cluster& cluster = model.clusters()[index];
  typename ClusterWorkspace<T>::Block& block = workspace.blocks[index];
  CalcRowRates<T>(model, cluster, workspace.tree, workspace.q, v, block.Kdot);
  const int n_i = cluster.num_independent;
  for (int c = 0; c < n_i; ++c) {
    block.solution.col(c) = -block.Kdot.col(c);
    const double unit = model.unit(cluster.coordinates[static_cast<size_t>(c)]);
    for (int d = 0; d < cluster.num_dependent(); ++d) {
      const int k = cluster.dependent(d);
      const T G = T(unit / model.unit(k)) * workspace.A(c, k);
      block.solution.col(c) -= G * block.Kdot.col(n_i + d);
    }
  }
  SolveQrInPlace<T>(block.factor, block.heads, block.solution);
  StoreSolution<T>(model, cluster, block.solution, first, rates);
}

}  // namespace internal

namespace {

void CheckSize(Eigen::Index size, Eigen::Index wanted, const char* what) {
  CIVITA_CHECK(size == wanted, what << " has " << size << " numbers, wanted " << wanted);
}

double ValueOf(double x) { return x; }
double ValueOf(const Dual& x) { return x.value; }

/// Notes the worst condition, and the first cluster that is singular.
void NoteCondition(const ClusterModel& model, int cluster, double condition,
                   ClusterStatus* status) {
  if (!status->ok()) return;
  const bool singular = !(condition <= model.max_condition());
  if (singular) status->code = ClusterStatus::Code::kSingular;
  if (singular || status->cluster < 0 || condition > status->condition) {
    status->cluster = cluster;
    status->condition = condition;
  }
}

}  // namespace

template <typename T>
ClusterStatus UpdateKinematics(const ClusterModel& model, VectorIn<T> q,
                               ClusterWorkspace<T>& workspace) {
  internal::CheckLoops(model, workspace, "UpdateKinematics");
  UpdateKinematics<T>(model.tree(), q, workspace.tree);
  workspace.q = q;
  ClusterStatus status;
  for (size_t i = 0; i < workspace.blocks.size(); ++i) {
    VectorX<T>& gap = workspace.blocks[i].gap;
    internal::CalcGap<T>(model, model.clusters()[i], workspace.tree, workspace.q, gap);
    for (const T& x : gap) status.gap = std::max(status.gap, std::abs(ValueOf(x)));
    NoteCondition(model, static_cast<int>(i), ValueOf(UpdatePosition(model, i, workspace)),
                  &status);
  }
  if (!status.ok()) workspace.tree.scratch().stage = Stage::kNone;
  return status;
}

template <typename T>
ClusterStatus UpdateKinematics(const ClusterModel& model, VectorIn<T> q, VectorIn<T> w,
                               ClusterWorkspace<T>& workspace) {
  CheckSize(w.size(), model.nw(), "w");
  const ClusterStatus status = UpdateKinematics<T>(model, q, workspace);
  if (!status.ok()) return status;
  workspace.w = w;
  CalcTreeVelocity<T>(model, workspace.w, workspace, workspace.v);
  UpdateKinematics<T>(model.tree(), workspace.q, workspace.v, workspace.tree);
  for (size_t i = 0; i < workspace.blocks.size(); ++i) {
    internal::CalcClusterFrameDerivative<T>(model, i, workspace.v, 0, workspace, workspace.Adot);
  }
  return status;
}

template <typename T>
void CalcTreeVelocity(const ClusterModel& model, VectorIn<T> w,
                      const ClusterWorkspace<T>& workspace, VectorOut<T> v) {
  internal::CheckLoopState(model, workspace, Stage::kPosition, "CalcTreeVelocity");
  CheckSize(w.size(), model.nw(), "w");
  CheckSize(v.size(), model.nv(), "v");
  internal::CheckApart(v, "v", w, "w");
  for (int k = 0; k < model.nv(); ++k) {
    const std::vector<int>& support = model.support(k);
    T sum(0);
    for (size_t c = 0; c < support.size(); ++c) {
      sum += workspace.A(static_cast<Eigen::Index>(c), k) * w[support[c]];
    }
    v[k] = sum;
  }
}

template <typename T>
void CalcTreeAcceleration(const ClusterModel& model, VectorIn<T> w, VectorIn<T> wdot,
                          const ClusterWorkspace<T>& workspace, VectorOut<T> vdot) {
  internal::CheckLoopState(model, workspace, Stage::kVelocity, "CalcTreeAcceleration");
  CheckSize(w.size(), model.nw(), "w");
  CheckSize(wdot.size(), model.nw(), "wdot");
  CheckSize(vdot.size(), model.nv(), "vdot");
  internal::CheckApart(vdot, "vdot", w, "w");
  internal::CheckApart(vdot, "vdot", wdot, "wdot");
  for (int k = 0; k < model.nv(); ++k) {
    const std::vector<int>& support = model.support(k);
    T sum(0);
    for (size_t c = 0; c < support.size(); ++c) {
      const auto row = static_cast<Eigen::Index>(c);
      sum += workspace.A(row, k) * wdot[support[c]] + workspace.Adot(row, k) * w[support[c]];
    }
    vdot[k] = sum;
  }
}

template <typename T>
void CalcReducedForces(const ClusterModel& model, VectorIn<T> tau,
                       const ClusterWorkspace<T>& workspace, VectorOut<T> tau_w) {
  internal::CheckLoopState(model, workspace, Stage::kPosition, "CalcReducedForces");
  CheckSize(tau.size(), model.nv(), "tau");
  CheckSize(tau_w.size(), model.nw(), "tau_w");
  internal::CheckApart(tau_w, "tau_w", tau, "tau");
  tau_w.setZero();
  for (int k = 0; k < model.nv(); ++k) {
    const std::vector<int>& support = model.support(k);
    for (size_t c = 0; c < support.size(); ++c) {
      tau_w[support[c]] += workspace.A(static_cast<Eigen::Index>(c), k) * tau[k];
    }
  }
}

namespace {

template <typename T>
void ScatterRows(const ClusterModel& model, const MatrixX<T>& rows, MatrixOut<T>& A) {
  CIVITA_CHECK(
      A.rows() == model.nv() && A.cols() == model.nw(),
      "A is " << A.rows() << "×" << A.cols() << ", wanted " << model.nv() << "×" << model.nw());
  A.setZero();
  for (int k = 0; k < model.nv(); ++k) {
    const std::vector<int>& support = model.support(k);
    for (size_t c = 0; c < support.size(); ++c) {
      A(k, support[c]) = rows(static_cast<Eigen::Index>(c), k);
    }
  }
}

}  // namespace

template <typename T>
void CalcClusterFrame(const ClusterModel& model, const ClusterWorkspace<T>& workspace,
                      MatrixOut<T> A) {
  internal::CheckLoopState(model, workspace, Stage::kPosition, "CalcClusterFrame");
  ScatterRows<T>(model, workspace.A, A);
}

template <typename T>
void CalcClusterFrameRate(const ClusterModel& model, const ClusterWorkspace<T>& workspace,
                          MatrixOut<T> Adot) {
  internal::CheckLoopState(model, workspace, Stage::kVelocity, "CalcClusterFrameRate");
  ScatterRows<T>(model, workspace.Adot, Adot);
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template struct ClusterWorkspace<T>;                                                             \
  template ClusterStatus UpdateKinematics<T>(const ClusterModel&, VectorIn<T>,                     \
                                             ClusterWorkspace<T>&);                                \
  template ClusterStatus UpdateKinematics<T>(const ClusterModel&, VectorIn<T>, VectorIn<T>,        \
                                             ClusterWorkspace<T>&);                                \
  template void CalcTreeVelocity<T>(const ClusterModel&, VectorIn<T>, const ClusterWorkspace<T>&,  \
                                    VectorOut<T>);                                                 \
  template void CalcTreeAcceleration<T>(const ClusterModel&, VectorIn<T>, VectorIn<T>,             \
                                        const ClusterWorkspace<T>&, VectorOut<T>);                 \
  template void CalcReducedForces<T>(const ClusterModel&, VectorIn<T>, const ClusterWorkspace<T>&, \
                                     VectorOut<T>);                                                \
  template void CalcClusterFrame<T>(const ClusterModel&, const ClusterWorkspace<T>&,               \
                                    MatrixOut<T>);                                                 \
  template void CalcClusterFrameRate<T>(const ClusterModel&, const ClusterWorkspace<T>&,           \
                                        MatrixOut<T>);                                             \
  template void internal::CalcClusterFrameDerivative<T>(const ClusterModel&, size_t, VectorIn<T>,  \
                                                        int, ClusterWorkspace<T>&, MatrixX<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
