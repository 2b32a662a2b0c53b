#include "civita/controllers/task_field.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/decompositions.h"
#include "civita/controllers/tracking_error.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/space_dynamics.h"
#include "civita/space_motion.h"

namespace civita {
namespace {

/// The damped inverse f(λ) defined in the header.
double DampedInverse(double x, double x_0) { return x >= x_0 ? 1 / x : (2 - x / x_0) / x_0; }

/// (f(a) − f(b))/(a − b); f' for equal arguments.
double DividedDifference(double a, double b, double x_0) {
  if (a >= x_0 && b >= x_0) return -1 / (a * b);
  if (a <= x_0 && b <= x_0) return -1 / (x_0 * x_0);
  if (std::abs(a - b) < 1e-6 * x_0) return -1 / (x_0 * x_0);
  return (DampedInverse(a, x_0) - DampedInverse(b, x_0)) / (a - b);
}

TaskField::Rows RowsOf(TaskKind kind) {
  if (kind == TaskKind::kPose) return TaskField::Rows::LinSpaced(6, 0, 5);
  if (kind == TaskKind::kPosition) return TaskField::Rows::LinSpaced(3, 3, 5);
  return TaskField::Rows{{kind == TaskKind::kYZ ? 4 : 3, kind == TaskKind::kXY ? 4 : 5}};
}

constexpr std::pair<TaskKind, const char*> kPlanes[] = {
    {TaskKind::kXY, "xy"}, {TaskKind::kXZ, "xz"}, {TaskKind::kYZ, "yz"}};

}  // namespace

TaskField::TaskField(const VelocitySpace& space, const TaskFrame& task,
                     const Eigen::VectorXd& q_start)
    : space_(space),
      model_(space_.tree()),
      task_(task),
      rows_(RowsOf(task.kind)),
      nx_(rows_.size()),
      factor_(model_),
      llt_(space_.is_tree() ? 0 : space_.nw()),
      target_workspace_(model_),
      J6_target_(Eigen::MatrixXd::Zero(6, space_.nv())),
      J6_(Eigen::MatrixXd::Zero(6, space_.nw())),
      Jdot6_(J6_),
      J_(Eigen::MatrixXd::Zero(nx_, space_.nw())),
      Jdot_(J_),
      Y_(Eigen::MatrixXd::Zero(space_.nw(), nx_)),
      Hdot_(Eigen::MatrixXd::Zero(space_.nw(), space_.nw())),
      Lambda_(TaskMatrix::Zero(nx_, nx_)),
      Lambdadot_(Lambda_),
      xdot_r_(TaskVector::Zero(nx_)),
      xddot_r_(xdot_r_),
      scratch_(Eigen::VectorXd::Zero(space_.nw())),
      force_(scratch_) {
  SpaceWorkspace<double> workspace(space_);
  CheckReach(q_start, workspace);
  SetScales(q_start, workspace);
}

Status TaskField::Update(const ReferenceState& reference, double Lambda_x, const Eigen::MatrixXd& H,
                         SpaceWorkspace<double>& workspace, Eigen::VectorXd& w,
                         Eigen::VectorXd& wdot) {
  UpdateTarget(reference);
  UpdateJacobians(workspace);
  if (!UpdateInertia(H, workspace)) return Status::kNotFinite;
  CalcTaskReference(Lambda_x, workspace.tree());
  Project(w, wdot);
  return Status::kOk;
}

std::vector<SignalInfo> TaskField::Signals() const {
  std::vector<SignalInfo> signals = {
      {.name = "/task/error_m", .unit = "m", .doc = "distance of the frame from its reference"}};
  if (nx_ == 6) {
    signals.push_back({.name = "/task/error_rad", .unit = "rad", .doc = "angle to its reference"});
  }
  signals.push_back({.name = "/task/manipulability", .doc = "(det JJᵀ)^½"});
  signals.push_back(
      {.name = "/task/damped", .doc = "1 − χ of the worst direction: 0 while nothing is damped"});
  return signals;
}

Eigen::Index TaskField::FillSignals(Eigen::VectorXd& signals) const {
  Eigen::Index at = 0;
  signals[at++] = error_m_;
  if (nx_ == 6) signals[at++] = error_rad_;
  TaskMatrix JJ(nx_, nx_);
  JJ.noalias() = J_.lazyProduct(J_.transpose());
  signals[at++] = std::sqrt(std::max(0.0, JJ.determinant()));
  const double kept = std::clamp(smallest_ / lambda_0_, 0.0, 1.0);
  signals[at++] = (1 - kept) * (1 - kept);  // 1 − χ
  return at;
}

/// Checks for full rank at one configuration near the start; the start itself may be singular.
void TaskField::CheckReach(const Eigen::VectorXd& q_start, SpaceWorkspace<double>& workspace) {
  Eigen::VectorXd q = q_start, step(model_.nv());
  Eigen::Index rank = 0, position = 0;
  std::string plane;  // in which the frame moves
  const auto rank_of = [this](const Rows& rows) {
    return internal::FindColumnSpace(J6_(rows, Eigen::all), 1e-6).rank;
  };
  for (int attempt = 0; attempt < 4 && rank < nx_; ++attempt) {
    for (Eigen::Index i = 0; i < step.size(); ++i) {
      step[i] = std::sin(1.7 * static_cast<double>(i + 1) * attempt);
    }
    IntegratePosition(model_, q_start, step, 0.3, q);
    if (!MoveTo(q, workspace)) continue;
    CalcJacobians(workspace);
    rank = std::max(rank, rank_of(rows_));
    position = std::max(position, rank_of(RowsOf(TaskKind::kPosition)));
    for (const auto& [kind, name] : kPlanes) {
      if (plane.empty() && rank_of(RowsOf(kind)) == 2) plane = name;
    }
  }
  if (rank == nx_) return;
  const std::string other = position == 3 ? ", or the kind position"
                            : plane.empty()
                                ? ""
                                : ", or task.kind " + plane + ", the plane in which they do";
  throw UserError("task.frame: the joints on the way to '" + task_.frame.name + "' move its " +
                  (nx_ == 6 ? "pose" : "position") + " in " + std::to_string(rank) + " of " +
                  std::to_string(nx_) + " directions; choose another frame" + other);
}

/// Kinematics at rest at q, closed before with loops. @returns false where they do not close or the
/// velocities do not exist.
bool TaskField::MoveTo(Eigen::VectorXd& q, SpaceWorkspace<double>& workspace) const {
  if (space_.has_loops() && !CloseLoops(space_, workspace, q).ok()) return false;
  return UpdateKinematics<double>(space_, q, Eigen::VectorXd::Zero(space_.nw()), workspace).ok();
}

void TaskField::SetScales(const Eigen::VectorXd& q_start, SpaceWorkspace<double>& workspace) {
  Eigen::VectorXd q = q_start;
  if (!MoveTo(q, workspace)) {
    throw UserError("task.frame: the loops or coordinates are singular at the start");
  }
  Eigen::MatrixXd H(space_.nw(), space_.nw());
  CalcMassMatrix<double>(space_, workspace, H);
  CalcJacobians(workspace);
  Eigen::MatrixXd Y = J6_.transpose();
  if (!Factor(H, workspace)) {
    throw UserError("task.frame: the mass matrix is singular at the start");
  }
  SolveInPlace(Y);
  const Eigen::VectorXd M = (J6_ * Y).diagonal();
  if (nx_ == 6) length_ = std::sqrt(M.tail<3>().sum() / M.head<3>().sum());
  lambda_0_ = kDampedShare * (nx_ == 2 ? M(rows_).mean() : M.tail<3>().mean());
}

TaskField::TaskVector TaskField::Scaled(const Vector6<double>& velocity) const {
  TaskVector scaled = velocity(rows_);
  if (nx_ == 6) scaled.head<3>() *= length_;
  return scaled;
}

void TaskField::CalcJacobians(SpaceWorkspace<double>& workspace) {
  constexpr ReferenceFrame kAxes = ReferenceFrame::kLocalWorldAligned;
  CalcFrameJacobian<double>(space_, task_.frame, kAxes, workspace, J6_);
  CalcFrameJacobianDerivative<double>(space_, task_.frame, kAxes, workspace, Jdot6_);
}

void TaskField::UpdateJacobians(SpaceWorkspace<double>& workspace) {
  CalcJacobians(workspace);
  J_ = J6_(rows_, Eigen::all);
  Jdot_ = Jdot6_(rows_, Eigen::all);
  if (nx_ != 6) return;
  J_.topRows<3>() *= length_;
  Jdot_.topRows<3>() *= length_;
}

/// Factors H, and computes Ḣ.
bool TaskField::Factor(const Eigen::MatrixXd& H, SpaceWorkspace<double>& workspace) {
  CalcMassMatrixDerivative<double>(space_, workspace, Hdot_);
  if (space_.is_tree()) return factor_.Compute(H).ok();
  llt_.compute(H);
  return llt_.info() == Eigen::Success;
}

/// x ← H⁻¹x.
void TaskField::SolveInPlace(Eigen::Ref<Eigen::MatrixXd> x) const {
  if (space_.is_tree()) {
    factor_.SolveInPlace(x);
  } else {
    llt_.solveInPlace(x);
  }
}

/// Y = H⁻¹Jᵀ, M = JY, Ṁ = J̇Y + YᵀJ̇ᵀ − YᵀḢY, Λ = f(M) and Λ̇ by divided differences of f
/// (Daleckii and Krein).
bool TaskField::UpdateInertia(const Eigen::MatrixXd& H, SpaceWorkspace<double>& workspace) {
  if (!Factor(H, workspace)) return false;
  Y_ = J_.transpose();
  SolveInPlace(Y_);
  TaskMatrix M(nx_, nx_), Mdot(nx_, nx_), S(nx_, nx_);
  M.noalias() = J_.lazyProduct(Y_);
  S.noalias() = Jdot_.lazyProduct(Y_);
  for (Eigen::Index c = 0; c < nx_; ++c) {
    scratch_.noalias() = Hdot_ * Y_.col(c);
    Mdot.col(c).noalias() = Y_.transpose() * scratch_;
  }
  Mdot = S + S.transpose() - Mdot;
  const Eigen::SelfAdjointEigenSolver<TaskMatrix> eigen(M);
  if (eigen.info() != Eigen::Success) return false;
  const TaskMatrix& U = eigen.eigenvectors();
  const TaskVector& lambda = eigen.eigenvalues();
  S.noalias() = U.transpose().lazyProduct(Mdot.lazyProduct(U).eval());
  M.setZero();
  for (Eigen::Index i = 0; i < nx_; ++i) {
    M(i, i) = DampedInverse(lambda[i], lambda_0_);
    for (Eigen::Index j = 0; j < nx_; ++j) {
      S(i, j) *= DividedDifference(lambda[i], lambda[j], lambda_0_);
    }
  }
  Lambda_.noalias() = U.lazyProduct(M.lazyProduct(U.transpose()).eval());
  Lambdadot_.noalias() = U.lazyProduct(S.lazyProduct(U.transpose()).eval());
  smallest_ = lambda[0];
  return true;
}

void TaskField::UpdateTarget(const ReferenceState& reference) {
  if (reference.task.given) {
    target_ = reference.task;
    return;
  }
  CheckReference(model_, reference);
  UpdateKinematics(model_, reference.q, reference.v, target_workspace_);
  const Pose pose = CalcFramePose(model_, task_.frame, target_workspace_);
  target_.p = pose.p;
  target_.R = pose.R;
  target_.V = CalcFrameVelocity(model_, task_.frame, target_workspace_);
  CalcFrameJacobian<double>(model_, task_.frame, target_workspace_, J6_target_);
  target_.Vdot = CalcFrameBiasAcceleration(model_, task_.frame, target_workspace_);
  target_.Vdot.noalias() += J6_target_ * reference.vdot;
}

/// ẋ_r and ẍ_r. A rotation's error is e = Log(R R_dᵀ) in world axes, ω_d carried by E = R R_dᵀ.
void TaskField::CalcTaskReference(double Lambda_x, Workspace<double>& tree) {
  const Pose pose = CalcFramePose(model_, task_.frame, tree);
  const Vector6<double> V = CalcFrameVelocity<double>(model_, task_.frame, tree);
  Vector6<double> V_r = target_.V, Vdot_r = target_.Vdot;
  const Eigen::Vector3d e = pose.p - target_.p;
  V_r.tail<3>() -= Lambda_x * e;
  Vdot_r.tail<3>() -= Lambda_x * (V.tail<3>() - target_.V.tail<3>());
  error_m_ = nx_ == 2 ? std::hypot(e[rows_[0] - 3], e[rows_[1] - 3]) : e.norm();
  if (nx_ == 6) {
    const Eigen::Matrix3d E = pose.R * target_.R.transpose();
    const Eigen::Vector3d e_R = RotationLog(E), omega = V.head<3>();
    const Eigen::Vector3d carried = E * target_.V.head<3>();
    const Eigen::Vector3d edot = RightJacobianInverse(e_R).transpose() * (omega - carried);
    V_r.head<3>() = carried - Lambda_x * e_R;
    Vdot_r.head<3>() = omega.cross(carried) + E * target_.Vdot.head<3>() - Lambda_x * edot;
    error_rad_ = e_R.norm();
  }
  xdot_r_ = Scaled(V_r);
  xddot_r_ = Scaled(Vdot_r);
}

/// w_f = w_p − A_x δ with δ = J w_p − ẋ_r, so with A_x δ = H⁻¹Jᵀφ, φ = Λδ:
/// ẇ_f = ẇ_p − H⁻¹(Jᵀφ̇ + J̇ᵀφ − Ḣ A_x δ).
void TaskField::Project(Eigen::VectorXd& w, Eigen::VectorXd& wdot) {
  TaskVector delta(nx_), deltadot(nx_), phi(nx_), phidot(nx_);
  delta.noalias() = J_ * w;
  delta -= xdot_r_;
  deltadot.noalias() = J_ * wdot;
  deltadot.noalias() += Jdot_ * w;
  deltadot -= xddot_r_;
  phi.noalias() = Lambda_ * delta;
  phidot.noalias() = Lambda_ * deltadot;
  phidot.noalias() += Lambdadot_ * delta;
  scratch_.noalias() = Y_ * phi;
  w -= scratch_;
  force_.noalias() = J_.transpose() * phidot;
  force_.noalias() += Jdot_.transpose() * phi;
  force_.noalias() -= Hdot_ * scratch_;
  SolveInPlace(force_);
  wdot -= force_;
}

}  // namespace civita
