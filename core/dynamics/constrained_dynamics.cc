#include "civita/constrained_dynamics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/max_abs.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/rnea.h"
#include "core/dynamics/internal/constraint_rows.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/small_dense.h"

namespace civita {

namespace {

void CheckRows(VectorIn<double> x, const char* name, int rows) {
  CIVITA_CHECK(x.size() == rows,
               name << " has " << x.size() << " numbers, the constraints have " << rows << " rows");
}

/// Whether both are the same state; what is not a number is like itself.
bool AreSame(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return ((a.array() == b.array()) || (a.array().isNaN() && b.array().isNaN())).all();
}

/// A ← Qᵀ A P = [R; 0] by Householder reflections, the column of the largest remaining norm first,
/// those with no more than least[c], of its square, last. R is left in the upper triangle, the rest
/// is not zeroed; order[k] is the column that came k-th. @returns how many came with more.
int FactorPivoted(const Eigen::VectorXd& least, Eigen::MatrixXd& A, Eigen::VectorXi& order,
                  Eigen::VectorXd& norms) {
  const Eigen::Index n = A.cols();
  int rank = 0;
  for (Eigen::Index k = 0; k < n; ++k) order[k] = static_cast<int>(k);
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index c = k; c < n; ++c) norms[c] = A.col(c).tail(A.rows() - k).squaredNorm();
    const auto stands_clear = [&](Eigen::Index c) { return norms[c] > least[order[c]]; };
    Eigen::Index largest = k;
    for (Eigen::Index c = k + 1; c < n; ++c) {
      const bool alike = stands_clear(c) == stands_clear(largest);
      if (alike ? norms[c] > norms[largest] : stands_clear(c)) largest = c;
    }
    if (stands_clear(largest)) ++rank;
    if (largest != k) {
      A.col(k).swap(A.col(largest));
      std::swap(order[k], order[largest]);
    }
    internal::ReflectColumn(k, A);
  }
  return rank;
}

}  // namespace

ConstrainedDynamics::ConstrainedDynamics(const Model& model, Constraints constraints,
                                         const Eigen::Ref<const Eigen::VectorXd>& q,
                                         double max_condition)
    : model_(model),
      constraints_(std::move(constraints)),
      max_condition_(max_condition),
      factor_(model) {
  if (!(max_condition_ > 1)) {
    internal::MessageStream message;
    message << "max_condition must be a number > 1, not " << max_condition_;
    throw UserError(message.str());
  }
  if (!q.allFinite()) throw UserError("the configuration of the constraints must be finite");
  auto rows = std::make_shared<internal::ConstraintRows>();
  for (const RigidConstraint& c : constraints_.rigid)
    rows->rigid.push_back(internal::RowsOf(model_, c, "constraint"));
  for (const JointConstraint& c : constraints_.joints)
    rows->joints.push_back(internal::RowsOf(model_, c, "constraint"));
  const int m = rows->Number(), n = model_.nv();
  rows_ = std::move(rows);
  J_.setZero(m, n);
  for (Eigen::VectorXd* x : {&error_, &Jv_, &slow_, &sizes_, &least_, &norms_, &b_, &z_, &rest_})
    x->setZero(m);
  W_.setZero(n + m, m);
  Q_.setZero(m, m);
  S_.setZero(m, m);
  order_.setZero(m);
  force_.setZero(n);
  bias_.setZero(n);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, Eigen::VectorXd::Zero(n), workspace);
  if (Update(workspace) == Status::kSingularMassMatrix)
    throw UserError("the mass matrix is singular at the configuration of the constraints");
  expected_rank_ = rank_;
}

/// J, J̇ v, e and the Baumgarte terms.
void ConstrainedDynamics::UpdateRows(Workspace<double>& workspace) {
  J_.setZero();
  for (size_t i = 0; i < rows_->rigid.size(); ++i)
    UpdateRows(rows_->rigid[i], constraints_.rigid[i], workspace);
  for (const internal::JointRow& row : rows_->joints) UpdateRow(row, workspace);
}

/// With the columns x_k of J in world axes, of the one sign along B's path and the other along A's,
///   ė = Rᵀ Σ x_k v_k,   J̇ v = Rᵀ Σ (ẋ_k − ω_A × x_k) v_k,
/// by Σ Φ̇_k v_k and the bodies' V = Σ Φ_k v_k: no column of J̇ is needed.
void ConstrainedDynamics::UpdateRows(const internal::RigidRows& rows, const RigidConstraint& c,
                                     Workspace<double>& workspace) {
  auto& s = internal::RequirePaths(model_, workspace, Stage::kVelocity,
                                   "ConstrainedDynamics::Update", rows.A.end, rows.B.end);
  const internal::RelativePlace<double> place = internal::PlaceBetween<double>(
      model_, rows.A.end, rows.B.end, ReferenceFrame::kLocalWorldAligned, s);
  const M3<double>& R = place.axes.R;
  const internal::Tree& tree = internal::TreeOf(model_);
  const Eigen::Index angular = rows.row, linear = rows.row + c.num_rows() - 3;
  Motion<double> rate{}, bias{};
  const auto add = [&](const internal::Leg& leg, const V3<double>& p, double sign) {
    Motion<double> a{};
    internal::ForEachColumn(tree, leg, p, s, [&](int k, const Motion<double>& x) {
      internal::AddTo(sign * TransposeTimes(R, x.u), &J_(linear, k));
      if (c.fixes_rotation) internal::AddTo(sign * TransposeTimes(R, x.w), &J_(angular, k));
      a += s.v[k] * s.Phidot[k];
    });
    const Motion<double> V = leg.end.body < 0 ? Motion<double>{} : s.bodies[leg.end.body].V;
    rate += sign * Motion<double>{V.w, PointVelocity(V, p)};
    bias += sign * Motion<double>{a.w, PointVelocity(a, p) + Cross(V.w, place.pdot)};
  };
  add(rows.B, place.p_B, 1);
  add(rows.A, place.p_A, -1);
  bias += -1.0 * Motion<double>{Cross(place.axes.w, rate.w), Cross(place.axes.w, rate.u)};
  rate = internal::ExpressedIn(R, rate);
  const V3<double> point_A = internal::PointOn<double>(rows.A.end, s).p;
  Motion<double> error = {{}, TransposeTimes(R, place.p_A - point_A)};
  if (c.fixes_rotation) {
    const M3<double> R_B = internal::AxesOf(rows.B.end, s).R;
    error.w = internal::ToV3<double>(
        RotationLog(internal::ToMatrix(R).transpose() * internal::ToMatrix(R_B)));
  }
  const auto put = [&](const Motion<double>& x, Eigen::VectorXd& to) {
    if (c.fixes_rotation) to.segment<3>(angular) = internal::ToVector(x.w);
    to.segment<3>(linear) = internal::ToVector(x.u);
  };
  put(internal::ExpressedIn(R, bias), Jv_);
  put(error, error_);
  put(-c.damping * rate + -c.stiffness * error, slow_);
}

void ConstrainedDynamics::UpdateRow(const internal::JointRow& row,
                                    const Workspace<double>& workspace) {
  const Eigen::VectorXd &q = workspace.q(), &v = workspace.v();
  const std::array<double, 4> p = internal::Followed<double>(row, q);
  const double speed = row.leader_iv < 0 ? 0 : v[row.leader_iv];
  J_(row.row, row.iv) = 1;
  if (row.leader_iv >= 0) J_(row.row, row.leader_iv) -= p[1];
  error_[row.row] = internal::ErrorOf<double>(row, q);
  Jv_[row.row] = -p[2] * speed * speed;
  slow_[row.row] =
      -row.of.damping * (v[row.iv] - p[1] * speed) - row.of.stiffness * error_[row.row];
}

/// W and its R. The size of a row is that of its column of W, as if the row of J were as large as
/// the largest of its rotation or point.
void ConstrainedDynamics::Decompose(double damping) {
  constexpr double kRounding = 1e-13;
  const Eigen::Index m = J_.rows(), n = J_.cols();
  auto W = W_.topRows(n);
  W = J_.transpose();
  factor_.SolveTransposedFactorInPlace(W);
  // Without rows W is empty, and has no place of its own that a row could begin at.
  for (int k = 0; m > 0 && k < model_.nv(); ++k) W.row(k) *= 1 / std::sqrt(factor_.pivot(k));
  W_.bottomRows(m).setZero();
  W_.bottomRows(m).diagonal().setConstant(std::sqrt(damping));
  for (Eigen::Index c = 0; c < m; ++c) {
    sizes_[c] = W_.col(c).norm();
    norms_[c] = J_.row(c).norm();
  }
  const double largest = internal::MaxAbs(sizes_);
  if (damping > 0) {
    sizes_.setConstant(largest);
    least_.setZero();
  } else {
    const auto joints = static_cast<Eigen::Index>(rows_->joints.size());
    for (Eigen::Index row = 0; row < m - joints; row += 3) {
      const auto of_J = norms_.segment<3>(row).array();
      sizes_.segment<3>(row).array() *= of_J.maxCoeff() / of_J;
    }
    least_ = (sizes_ / max_condition_).cwiseMax(kRounding * largest).cwiseAbs2();
  }
  rank_ = FactorPivoted(least_, W_, order_, norms_);
  const int expected = damping > 0 || expected_rank_ == 0 ? rank_ : expected_rank_;
  condition_ = 1;
  for (int k = 0; k < expected; ++k)
    condition_ = std::max(condition_, sizes_[order_[k]] / std::abs(W_(k, k)));
  if (rank_ < m) Orthogonalize();
}

/// R_1ᵀ = Q S of the first rank rows of R by Gram and Schmidt, twice, where rows depend on others.
void ConstrainedDynamics::Orthogonalize() {
  const Eigen::Index m = J_.rows();
  for (Eigen::Index c = 0; c < rank_; ++c) {
    auto x = Q_.col(c);
    x.head(c).setZero();
    x.tail(m - c) = W_.row(c).tail(m - c).transpose();
    S_.col(c).setZero();
    for (int pass = 0; pass < 2; ++pass) {
      for (Eigen::Index k = 0; k < c; ++k) {
        const double share = Q_.col(k).dot(x);
        S_(k, c) += share;
        x -= share * Q_.col(k);
      }
    }
    S_(c, c) = x.norm();
    x /= S_(c, c);
  }
}

Status ConstrainedDynamics::Update(Workspace<double>& workspace, double damping) {
  internal::CheckState(model_, workspace, Stage::kVelocity, "ConstrainedDynamics::Update");
  CIVITA_CHECK(damping >= 0 && std::isfinite(damping), "damping is " << damping);
  q_ = workspace.q();
  v_ = workspace.v();
  damping_ = damping;
  UpdateRows(workspace);
  status_ = factor_.Compute(workspace);
  if (!status_) return status_;
  Decompose(damping);
  if (rank_ < expected_rank_) status_.code = Status::kSingularConstraints;
  status_.condition = condition_;
  return status_;
}

void ConstrainedDynamics::RequireUpdate(const Workspace<double>& workspace,
                                        const char* function) const {
  internal::CheckState(model_, workspace, Stage::kVelocity, function);
  CIVITA_CHECK(AreSame(workspace.q(), q_) && AreSame(workspace.v(), v_),
               function << ": the last Update was at another state than that of the workspace");
}

/// With R_1ᵀz = Pᵀb met by the first rank rows, moves z to where it is met best by all. @returns
/// what remains. Rows that agree to rounding, of terms as large as `scale`, leave z as it is.
double ConstrainedDynamics::Reconcile(double scale, const Eigen::VectorXd& b) {
  constexpr double kRounding = 1e-12;
  const Eigen::Index m = b.size(), r = rank_;
  auto z = z_.head(r);
  rest_.setZero();
  for (Eigen::Index i = r; i < m; ++i) rest_[i] = b[order_[i]] - W_.col(i).head(r).dot(z);
  if (!(rest_.norm() > kRounding * scale)) return 0;
  const auto Q = Q_.leftCols(r);
  auto share = norms_.head(r);
  share.noalias() = Q.transpose() * rest_;
  rest_.noalias() -= Q * share;
  S_.topLeftCorner(r, r).triangularView<Eigen::Upper>().solveInPlace(share);
  z += share;
  return rest_.norm();
}

/// b ← λ with RᵀR Pᵀλ = Pᵀb in the sense of least squares, and of these λ the least. `scale` is
/// that of the terms of b. @returns what remains of b.
double ConstrainedDynamics::Solve(double scale, Eigen::VectorXd& b) {
  const Eigen::Index m = b.size(), r = rank_;
  const auto R = W_.topLeftCorner(m, m);
  for (Eigen::Index k = 0; k < r; ++k) {  // R_11ᵀ y = b_1
    z_[k] = (b[order_[k]] - R.col(k).head(k).dot(z_.head(k))) / R(k, k);
  }
  if (r == m) {
    for (Eigen::Index k = m; k-- > 0;) {
      z_[k] = (z_[k] - R.row(k).tail(m - k - 1).dot(z_.tail(m - k - 1))) / R(k, k);
    }
    for (Eigen::Index k = 0; k < m; ++k) b[order_[k]] = z_[k];
    return damping_ > 0 ? damping_ * b.norm() : 0;
  }
  const double residual = Reconcile(scale, b);
  for (Eigen::Index k = 0; k < r; ++k)  // Sᵀ x = y
    z_[k] = (z_[k] - S_.col(k).head(k).dot(z_.head(k))) / S_(k, k);
  for (Eigen::Index i = 0; i < m; ++i) b[order_[i]] = Q_.row(i).head(r).dot(z_.head(r));
  return residual;
}

Status ConstrainedDynamics::CalcForwardDynamics(VectorIn<double> tau, Workspace<double>& workspace,
                                                VectorOut<double> vdot, VectorOut<double> lambda,
                                                ExternalForces<double> forces) {
  RequireUpdate(workspace, "ConstrainedDynamics::CalcForwardDynamics");
  internal::CheckLength(model_, tau, "tau", vdot, "vdot");
  CheckRows(lambda, "lambda", num_rows());
  internal::CheckApart(vdot, "vdot", lambda, "lambda");
  internal::CheckApart(lambda, "lambda", tau, "tau");
  if (!status_) return status_;
  CalcBiasForces(model_, workspace, bias_);
  force_ = tau - bias_;
  if (!forces.empty()) {
    CalcGeneralizedForces(model_, forces, workspace, bias_);
    force_ += bias_;
  }
  bias_ = force_;
  factor_.SolveInPlace(bias_);  // v̇ without constraints
  b_ = slow_ - Jv_;
  b_.noalias() -= J_ * bias_;
  const double scale = slow_.norm() + Jv_.norm() + J_.norm() * bias_.norm();
  Status status = status_;
  status.residual = Solve(scale, b_);
  force_.noalias() += J_.transpose() * b_;
  factor_.SolveInPlace(force_);
  vdot = force_;
  lambda = b_;
  return status;
}

Status ConstrainedDynamics::CalcImpulse(VectorIn<double> v_before, double restitution,
                                        VectorOut<double> v_after, VectorOut<double> Lambda) {
  internal::CheckLength(model_, v_before, "v_before", v_after, "v_after");
  CheckRows(Lambda, "Lambda", num_rows());
  internal::CheckApart(v_after, "v_after", Lambda, "Lambda");
  internal::CheckApart(Lambda, "Lambda", v_before, "v_before");
  CIVITA_CHECK(restitution >= 0 && std::isfinite(restitution), "restitution is " << restitution);
  if (!status_) return status_;
  b_.noalias() = J_ * v_before;
  b_ *= -(1 + restitution);
  Status status = status_;
  status.residual = Solve((1 + restitution) * J_.norm() * v_before.norm(), b_);
  force_.noalias() = J_.transpose() * b_;
  factor_.SolveInPlace(force_);
  v_after = v_before + force_;
  Lambda = b_;
  return status;
}

void ConstrainedDynamics::CalcInverseDynamics(VectorIn<double> vdot, VectorIn<double> lambda,
                                              Workspace<double>& workspace,
                                              VectorOut<double> tau) const {
  RequireUpdate(workspace, "ConstrainedDynamics::CalcInverseDynamics");
  CheckRows(lambda, "lambda", num_rows());
  internal::CheckApart(tau, "tau", lambda, "lambda");
  civita::CalcInverseDynamics(model_, vdot, workspace, tau);
  tau.noalias() -= J_.transpose() * lambda;
}

Status ConstrainedDynamics::CalcOperationalSpaceInertia(MatrixOut<double> inertia) {
  internal::CheckShape(inertia, num_rows(), num_rows(), "the operational-space inertia");
  if (!status_) return status_;
  if (rank_ < num_rows()) return Status::kSingularConstraints;
  for (Eigen::Index c = 0; c < inertia.cols(); ++c) {
    b_.setZero();
    b_[c] = 1;
    (void)Solve(1, b_);
    inertia.col(c) = b_;
  }
  return status_;
}

}  // namespace civita
