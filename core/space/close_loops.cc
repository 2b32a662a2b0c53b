#include <algorithm>
#include <cmath>
#include <limits>

#include "base/max_abs.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/space_kinematics.h"
#include "core/dynamics/internal/scratch.h"
#include "core/space/internal/loop_rows.h"
#include "core/space/internal/space_scratch.h"
#include "core/spatial/internal/small_dense.h"

namespace civita {

namespace {

using Block = internal::SpaceScratch<double>::Block;

constexpr int kMaxIterations = 200;
constexpr double kMaxStep = 0.5;  ///< rad, or Cluster::length
/// Closed: what rounding leaves of an open loop, after which steps no longer help.
constexpr double kClosed = 1e-10;

/// One step of the dependent coordinates, (K_dᵀK_d + ‖gap‖²) δ = −K_dᵀ gap, into `v`. The damping
/// vanishes with the gap, so that the last steps are Newton's, and does without a rank.
void AddStep(const VelocitySpace& model, const internal::LoopRows& cluster, Block& block,
             Eigen::VectorXd& v) {
  const int n_d = cluster.num_dependent();
  block.damped.topRows(cluster.num_rows) = block.K.rightCols(n_d);
  block.damped.bottomRows(n_d).setZero();
  block.damped.bottomRows(n_d).diagonal().setConstant(
      std::max(block.gap.norm(), std::numeric_limits<double>::epsilon()));
  block.step.setZero();
  block.step.topRows(cluster.num_rows) = -block.gap;
  internal::FactorQr<double>(block.damped, block.damped_heads);
  internal::SolveQrInPlace<double>(block.damped, block.damped_heads, block.step);
  const double largest = n_d == 0 ? 0 : block.step.topRows(n_d).cwiseAbs().maxCoeff();
  const double shorten = largest > kMaxStep ? kMaxStep / largest : 1;
  for (int d = 0; d < n_d; ++d) {
    const int k = cluster.dependent(d);
    v[k] = shorten * internal::LayoutOf(model).unit(k) * block.step(d, 0);
  }
}

/// Gaps and K at q, and the worst of the gaps. Whether all are as small as they become.
bool UpdateGaps(const VelocitySpace& model, const Eigen::VectorXd& q,
                internal::SpaceScratch<double>& s, Status* status) {
  UpdateKinematics<double>(model.tree(), q, s.tree);
  internal::UpdateLegs<double>(model, s.tree);
  const double last = status->residual;
  status->residual = 0;
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    Block& block = s.blocks[i];
    const internal::LoopRows& cluster = internal::LayoutOf(model).clusters[i];
    internal::CalcGap<double>(model, cluster, s.tree, q, block.gap);
    internal::CalcRows<double>(model, cluster, s.tree, q, block.K);
    const double gap = internal::MaxAbs(block.gap);
    if (status->index < 0 || !(gap <= status->residual)) {
      status->index = static_cast<int>(i);
      status->residual = gap;
    }
    if (std::isnan(gap)) return true;
  }
  return status->residual <= std::numeric_limits<double>::epsilon() ||
         (status->residual <= kClosed && status->residual >= 0.5 * last);
}

}  // namespace

Status CloseLoops(const VelocitySpace& model, SpaceWorkspace<double>& workspace,
                  Eigen::Ref<Eigen::VectorXd> q) {
  CIVITA_CHECK(q.size() == model.tree().nq(),
               "q has " << q.size() << " numbers, the model has nq = " << model.tree().nq());
  internal::CheckSpace(model, workspace, "CloseLoops");
  Status status;
  status.residual = HUGE_VAL;
  internal::SpaceScratch<double>& s = internal::Access::scratch(workspace);
  s.q = q;
  for (int i = 0; i < kMaxIterations; ++i) {
    if (UpdateGaps(model, s.q, s, &status)) break;
    s.v.setZero();
    for (size_t c = 0; c < s.blocks.size(); ++c) {
      AddStep(model, internal::LayoutOf(model).clusters[c], s.blocks[c], s.v);
    }
    IntegratePosition(model.tree(), s.q, s.v, 1, s.q);
  }
  q = s.q;
  internal::Access::scratch(s.tree).stage = Stage::kNone;
  if (!(status.residual <= kClosed)) status.code = Status::kNotClosed;
  return status;
}

}  // namespace civita
