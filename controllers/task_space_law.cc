#include "controllers/task_space_law.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <string>

#include "controllers/kinetic_storage.h"
#include "core/error.h"
#include "core/jacobian.h"
#include "core/kinematics.h"
#include "core/manifold.h"
#include "core/mass_matrix.h"

namespace civita {
namespace {

constexpr int kLambdaX = 0;
constexpr int kKX = 1;
constexpr int kLambda = 2;
constexpr int kKD = 3;

/// f of the header.
double DampedInverse(double x, double x_0) { return x >= x_0 ? 1 / x : (2 - x / x_0) / x_0; }

/// (f(a) − f(b))/(a − b), or f' where they meet.
double DividedDifference(double a, double b, double x_0) {
  if (a >= x_0 && b >= x_0) return -1 / (a * b);
  if (a <= x_0 && b <= x_0) return -1 / (x_0 * x_0);
  if (std::abs(a - b) < 1e-6 * x_0) return -1 / (x_0 * x_0);
  return (DampedInverse(a, x_0) - DampedInverse(b, x_0)) / (a - b);
}

Eigen::Vector3d LogOf(const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond quaternion(R);
  return QuaternionLog({quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z()});
}

}  // namespace

TaskSpaceLaw::TaskSpaceLaw(const Model& model, const ControllerOptions& options)
    : Controller(model, kTaskSpaceParameters, options),
      nx_(options.task && options.task->kind == TaskKind::kPose ? 6 : 3),
      factor_(model),
      target_workspace_(model),
      error_(model.nv()),
      J6_(Eigen::MatrixXd::Zero(6, model.nv())),
      Jdot6_(J6_),
      J_(Eigen::MatrixXd::Zero(nx_, model.nv())),
      Jdot_(J_),
      Y_(Eigen::MatrixXd::Zero(model.nv(), nx_)),
      Hdot_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      Lambda_(TaskMatrix::Zero(nx_, nx_)),
      Lambdadot_(Lambda_),
      xdot_r_(TaskVector::Zero(nx_)),
      xddot_r_(xdot_r_),
      sigma_(xdot_r_),
      K_x_sigma_(xdot_r_),
      v_r_(Eigen::VectorXd::Zero(model.nv())),
      s_n_(v_r_),
      K_D_s_n_(v_r_),
      scratch_(v_r_),
      force_(v_r_) {
  CIVITA_CHECK(options.task.has_value(), "task_space without a task");
  task_ = *options.task;
  std::vector<std::string> names = {"/task/error_m"};
  if (nx_ == 6) names.emplace_back("/task/error_rad");
  for (const char* name : {"/task/V_J", "/posture/V_J", "/task/manipulability", "/task/damped"}) {
    names.emplace_back(name);
  }
  DefineSignals(std::move(names));
  CheckReach();
  SetScales();
}

/// Full rank at one configuration near the start is enough: the start may be singular itself.
void TaskSpaceLaw::CheckReach() {
  Eigen::VectorXd q = options_.q_start, step(model_.nv());
  Eigen::Index rank = 0;
  for (int attempt = 0; attempt < 4 && rank < nx_; ++attempt) {
    for (Eigen::Index i = 0; i < step.size(); ++i) {
      step[i] = std::sin(1.7 * static_cast<double>(i + 1) * attempt);
    }
    IntegratePosition(model_, options_.q_start, step, 0.3, q);
    UpdateKinematics(model_, q, workspace_);
    CalcFrameJacobian<double>(model_, task_.frame, Eigen::Vector3d::Zero(), workspace_, J6_);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(1e-6);
    rank = std::max(rank, qr.compute(J6_.bottomRows(nx_ == 6 ? 6 : 3)).rank());
  }
  if (rank == nx_) return;
  throw UserError("task_space: the joints on the way to '" + task_.frame.name + "' move its " +
                  (nx_ == 6 ? "pose" : "position") + " in " + std::to_string(rank) + " of " +
                  std::to_string(nx_) + " directions; choose another frame" +
                  (nx_ == 6 ? ", or the kind position" : ""));
}

void TaskSpaceLaw::SetScales() {
  Eigen::VectorXd zero = Eigen::VectorXd::Zero(model_.nv());
  UpdateKinematics(model_, options_.q_start, zero, workspace_);
  CalcMassMatrix(model_, workspace_, H_);
  CalcFrameJacobian<double>(model_, task_.frame, Eigen::Vector3d::Zero(), workspace_, J6_);
  Eigen::MatrixXd Y = J6_.transpose();
  if (!factor_.Compute(H_)) throw UserError("task_space: the mass matrix is singular at the start");
  factor_.SolveInPlace(Y);
  const Eigen::VectorXd M = (J6_ * Y).diagonal();
  if (nx_ == 6) length_ = std::sqrt(M.tail<3>().sum() / M.head<3>().sum());
  lambda_0_ = kDampedShare * M.tail<3>().mean();
}

TaskSpaceLaw::TaskVector TaskSpaceLaw::Scaled(const Vector6<double>& velocity) const {
  TaskVector scaled = velocity.tail(nx_);
  if (nx_ == 6) scaled.head<3>() *= length_;
  return scaled;
}

void TaskSpaceLaw::UpdateJacobians() {
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  CalcFrameJacobian<double>(model_, task_.frame, origin, workspace_, J6_);
  CalcFrameJacobianDerivative<double>(model_, task_.frame, origin, workspace_, Jdot6_);
  J_ = J6_.bottomRows(nx_);
  Jdot_ = Jdot6_.bottomRows(nx_);
  if (nx_ != 6) return;
  J_.topRows<3>() *= length_;
  Jdot_.topRows<3>() *= length_;
}

/// Y = H⁻¹Jᵀ, M = JY, Ṁ = J̇Y + YᵀJ̇ᵀ − YᵀḢY, Λ = f(M) and Λ̇ by divided differences of f
/// (Daleckii and Krein).
bool TaskSpaceLaw::UpdateInertia() {
  if (!factor_.Compute(H_)) return false;
  Y_ = J_.transpose();
  factor_.SolveInPlace(Y_);
  CalcMassMatrixDerivative(model_, workspace_, Hdot_);
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

void TaskSpaceLaw::UpdateTarget(const ReferenceState& reference) {
  if (reference.task.given) {
    target_ = reference.task;
    return;
  }
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  UpdateKinematics(model_, reference.q, reference.v, target_workspace_);
  const FramePose<double> pose = CalcFramePose(model_, task_.frame, target_workspace_);
  target_.p = pose.p;
  target_.R = pose.R;
  target_.V = CalcFrameVelocity(model_, task_.frame, origin, target_workspace_);
  CalcFrameJacobian<double>(model_, task_.frame, origin, target_workspace_, Jdot6_);
  target_.Vdot = CalcFrameBiasAcceleration(model_, task_.frame, origin, target_workspace_);
  target_.Vdot.noalias() += Jdot6_ * reference.vdot;
}

/// ẋ_r and ẍ_r. A rotation's error is e = Log(R R_dᵀ) in world axes, ω_d carried by E = R R_dᵀ.
void TaskSpaceLaw::CalcTaskError(ControlOutput& output) {
  const double Lambda_x = gain(kLambdaX)[0];
  const FramePose<double> pose = CalcFramePose(model_, task_.frame, workspace_);
  const Vector6<double> V =
      CalcFrameVelocity<double>(model_, task_.frame, Eigen::Vector3d::Zero(), workspace_);
  Vector6<double> V_r = target_.V, Vdot_r = target_.Vdot;
  const Eigen::Vector3d e = pose.p - target_.p;
  V_r.tail<3>() -= Lambda_x * e;
  Vdot_r.tail<3>() -= Lambda_x * (V.tail<3>() - target_.V.tail<3>());
  output.signals[0] = e.norm();
  if (nx_ == 6) {
    const Eigen::Matrix3d E = pose.R * target_.R.transpose();
    const Eigen::Vector3d e_R = LogOf(E), omega = V.head<3>();
    const Eigen::Vector3d carried = E * target_.V.head<3>();
    const Eigen::Vector3d edot = RightJacobianInverse(e_R).transpose() * (omega - carried);
    V_r.head<3>() = carried - Lambda_x * e_R;
    Vdot_r.head<3>() = omega.cross(carried) + E * target_.Vdot.head<3>() - Lambda_x * edot;
    output.signals[1] = e_R.norm();
  }
  xdot_r_ = Scaled(V_r);
  xddot_r_ = Scaled(Vdot_r);
}

/// v_r = v_p − A_x δ with δ = J v_p − ẋ_r, so with A_x δ = H⁻¹Jᵀφ, φ = Λδ:
/// v̇_r = v̇_p − H⁻¹(Jᵀφ̇ + J̇ᵀφ − Ḣ A_x δ).
void TaskSpaceLaw::CalcReferenceVelocity(ControlOutput& output) {
  const Eigen::VectorXd& Lambda = gain(kLambda);
  v_r_ = error_.v_d - Lambda.cwiseProduct(error_.e);
  output.sdot_ref = error_.vdot_d - Lambda.cwiseProduct(error_.edot);
  TaskVector delta(nx_), deltadot(nx_), phi(nx_), phidot(nx_);
  delta.noalias() = J_ * v_r_;
  delta -= xdot_r_;
  deltadot.noalias() = J_ * output.sdot_ref;
  deltadot.noalias() += Jdot_ * v_r_;
  deltadot -= xddot_r_;
  phi.noalias() = Lambda_ * delta;
  phidot.noalias() = Lambda_ * deltadot;
  phidot.noalias() += Lambdadot_ * delta;
  scratch_.noalias() = Y_ * phi;
  v_r_ -= scratch_;
  force_.noalias() = J_.transpose() * phidot;
  force_.noalias() += Jdot_.transpose() * phi;
  force_.noalias() -= Hdot_ * scratch_;
  factor_.SolveInPlace(force_);
  output.sdot_ref -= force_;
}

void TaskSpaceLaw::CalcTorque(const Eigen::VectorXd& q, ControlOutput& output) {
  TaskVector a(nx_), b(nx_);
  sigma_.noalias() = J_ * output.s;
  a.noalias() = Lambda_ * sigma_;
  s_n_ = output.s;
  s_n_.noalias() -= Y_ * a;
  const bool by_mass = gain_form() == GainForm::kMass;
  K_x_sigma_ = gain(kKX)[0] * (by_mass ? a : sigma_);
  const double V_x = 0.5 * sigma_.dot(a);
  scratch_.noalias() = H_ * s_n_;
  const double V_n = 0.5 * s_n_.dot(scratch_);
  if (by_mass) {
    scratch_ = gain(kKD).cwiseSqrt().cwiseProduct(s_n_);
    K_D_s_n_.noalias() = H_ * scratch_;
    K_D_s_n_.array() *= gain(kKD).array().sqrt();
  } else {
    K_D_s_n_ = gain(kKD).cwiseProduct(s_n_);
  }

  // X = Λ(YᵀC − J̇), on s_n and, transposed, on σ: a = Λσ there.
  scratch_.noalias() = C_ * s_n_;
  b.noalias() = Y_.transpose() * scratch_;
  b.noalias() -= Jdot_ * s_n_;
  const TaskVector X_s_n = Lambda_ * b;
  scratch_.noalias() = Y_ * a;
  force_ = K_D_s_n_;
  force_.noalias() += C_.transpose() * scratch_;
  force_.noalias() -= Jdot_.transpose() * a;

  // Pᵀ = 1 − JᵀΛYᵀ.
  b.noalias() = Y_.transpose() * force_;
  a.noalias() = Lambda_ * b;
  a -= K_x_sigma_ - X_s_n;
  output.tau = g_ - force_;
  output.tau.noalias() += J_.transpose() * a;
  output.tau.noalias() += H_ * output.sdot_ref;
  output.tau.noalias() += C_ * v_r_;
  AddPassiveForces(q, v_r_, output.tau);

  TaskMatrix JJ(nx_, nx_);
  JJ.noalias() = J_.lazyProduct(J_.transpose());
  const double kept = std::clamp(smallest_ / lambda_0_, 0.0, 1.0);
  const Eigen::Index at = nx_ == 6 ? 2 : 1;
  output.signals[at] = V_x;
  output.signals[at + 1] = V_n;
  output.signals[at + 2] = std::sqrt(std::max(0.0, JJ.determinant()));
  output.signals[at + 3] = (1 - kept) * (1 - kept);  // 1 − χ
}

ControlStatus TaskSpaceLaw::CalcControl(const Measurement& measured,
                                        const ReferenceState& reference, ControlOutput& output) {
  UpdateDynamics(measured.q, measured.v, output);
  CalcTrackingError(model_, measured.q, measured.v, reference, error_);
  UpdateTarget(reference);
  UpdateJacobians();
  if (!UpdateInertia()) {
    output.tau.setZero();
    return ControlStatus::kNotFinite;
  }
  CalcTaskError(output);
  CalcReferenceVelocity(output);
  output.e = error_.e;
  output.s = measured.v - v_r_;
  CalcTorque(measured.q, output);
  return FinishControl(output);
}

StorageState TaskSpaceLaw::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  const Eigen::VectorXd& s = output.s;
  StorageState storage = CalcKineticStorage(plant, output, scratch_);
  storage.P = sigma_.dot(K_x_sigma_) + s_n_.dot(K_D_s_n_) + CalcPassiveDissipation(v_r_, s);
  return storage;
}

}  // namespace civita
