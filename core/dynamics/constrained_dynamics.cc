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
#include "core/dynamics/internal/serve.h"
#include "core/kernels/kernels.h"
#include "core/kernels/plan.h"
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
  if (a == b) [[likely]]
    return true;
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
  used_.assign(static_cast<size_t>(n), 0);
  const internal::Tree& tree = internal::TreeOf(model_);
  const auto use = [this, &tree](int k) {
    for (; k >= 0; k = tree.parent[k]) used_[static_cast<size_t>(k)] = 1;
  };
  for (const internal::RigidRows& rigid : rows_->rigid) {
    for (const internal::Leg* leg : {&rigid.A, &rigid.B})
      if (leg->end.body >= 0) use(tree.LastCoordinate(leg->end.body));
  }
  for (const internal::JointRow& joint : rows_->joints) {
    use(joint.iv);
    use(joint.leader_iv);
  }
  H_.setZero(n, n);
  // Whole blocks of more than m rows, as rows are added four at a time.
  X_.setZero((m / kernels::kLanes + 1) * kernels::kLanes, n);
  G_.setZero(X_.rows(), m);
  for (Eigen::VectorXd* x : {&force_, &free_, &bias_}) x->setZero(n);
  for (Eigen::VectorXd* x : {&squares_, &products_}) x->setZero(X_.rows());
  inverse_.setZero(n);
  sums_.setZero(X_.rows() * internal::Access::rows(factor_).rows());
  W_.setZero(n + m, m);
  Q_.setZero(m, m);
  S_.setZero(m, m);
  order_.setZero(m);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, Eigen::VectorXd::Zero(n), workspace);
  if (Update(workspace) == Status::kSingularMassMatrix)
    throw UserError("the mass matrix is singular at the configuration of the constraints");
  expected_rank_ = rank_;
}

/// J, in place of X, J̇ v, e and the Baumgarte terms.
void ConstrainedDynamics::UpdateRows(Workspace<double>& workspace) {
  X_.setZero();
  for (size_t i = 0; i < rows_->rigid.size(); ++i)
    UpdateRows(rows_->rigid[i], constraints_.rigid[i], workspace);
  for (const internal::JointRow& row : rows_->joints) UpdateRow(row, workspace);
}

/// With the columns x_k of J in world axes, of the one sign along B's path and the other along A's,
///   ė = Rᵀ Σ x_k v_k,   J̇ v = Rᵀ Σ (ẋ_k − ω_A × x_k) v_k,
/// by Σ Φ̇_k v_k and the bodies' V = Σ Φ_k v_k: no column of J̇ is needed. With kernels the sums are
/// those of all coordinates that move an end, of which those of both cancel.
void ConstrainedDynamics::UpdateRows(const internal::RigidRows& rows, const RigidConstraint& c,
                                     Workspace<double>& workspace) {
  auto& s =
      internal::RequireState(model_, workspace, Stage::kVelocity, "ConstrainedDynamics::Update");
  const internal::Tree& tree = internal::TreeOf(model_);
  Motion<double> at_ends[2] = {};  // Σ Φ̇_k v_k of A and B
  for (const internal::Leg* leg : {&rows.A, &rows.B}) {
    const int body = leg->end.body;
    if (body < 0) continue;
    if (kernels_ == nullptr) {
      internal::UpdatePath(tree, body, s);
      for (const int b : leg->path) {
        for (int k = tree.links[b].iv; k <= tree.LastCoordinate(b); ++k)
          at_ends[leg == &rows.B] += s.v[k] * s.Phidot[k];
      }
    } else {
      internal::UpdatePath(tree, model_.bodies()[static_cast<size_t>(body)].root, s);
      at_ends[leg == &rows.B] = kernels::SetBodyMotion(body, s);
    }
  }
  const internal::RelativePlace<double> place = internal::PlaceBetween<double>(
      model_, rows.A.end, rows.B.end, ReferenceFrame::kLocalWorldAligned, s);
  const M3<double>& R = place.axes.R;
  const Eigen::Index angular = rows.row, linear = rows.row + c.num_rows() - 3;
  Motion<double> rate{}, bias{};
  const auto add = [&](const internal::Leg& leg, const V3<double>& p, double sign) {
    const Motion<double>& a = at_ends[&leg == &rows.B];
    if (kernels_ == nullptr) {
      internal::ForEachColumn(tree, leg, p, s, [&](int k, const Motion<double>& x) {
        internal::AddTo(sign * TransposeTimes(R, x.u), &X_(linear, k));
        if (c.fixes_rotation) internal::AddTo(sign * TransposeTimes(R, x.w), &X_(angular, k));
      });
    } else if (!leg.path.empty()) {
      const int from = tree.links[leg.path.front()].parent;
      kernels::AddJacobian({leg.end.body, from, R, p, sign, c.fixes_rotation}, s, &X_(rows.row, 0),
                           X_.outerStride());
    }
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
  X_(row.row, row.iv) = 1;
  if (row.leader_iv >= 0) X_(row.row, row.leader_iv) -= p[1];
  error_[row.row] = internal::ErrorOf<double>(row, q);
  Jv_[row.row] = -p[2] * speed * speed;
  slow_[row.row] =
      -row.of.damping * (v[row.iv] - p[1] * speed) - row.of.stiffness * error_[row.row];
}

kernels::ConstraintView ConstrainedDynamics::View() {
  Eigen::MatrixXd& L = internal::Access::rows(factor_);
  return {.L = {L.data(), L.outerStride()},
          .X = {X_.data(), X_.outerStride()},
          .inverse = inverse_.data(),
          .used = used_.data(),
          .rows = num_rows(),
          .sums = sums_.data()};
}

/// From X = J and the factor: J, 1/D, X = J L⁻¹ and G.
void ConstrainedDynamics::Whiten() {
  if (kernels_ != nullptr) {
    kernels_->whiten_constraints(*plan_, View(), {J_.data(), J_.outerStride()}, squares_.data(),
                                 {G_.data(), G_.outerStride()});
    return;
  }
  const internal::Tree& tree = internal::TreeOf(model_);
  const Eigen::MatrixXd& L = internal::Access::rows(factor_);
  const Eigen::Index m = J_.rows();
  J_ = X_.topRows(m);
  squares_.head(m) = J_.rowwise().squaredNorm();
  G_.setZero();
  for (int n = tree.nv - 1; n >= 0; --n) {
    const int k = tree.order[n];
    inverse_[k] = 1 / factor_.pivot(k);
    for (int i = tree.parent[k]; i >= 0; i = tree.parent[i])
      X_.col(i) -= L(tree.depth[i], k) * X_.col(k);
    for (Eigen::Index c = 0; c < m; ++c) G_.col(c) += inverse_[k] * X_(c, k) * X_.col(k);
  }
}

/// f ← L⁻ᵀf, and the products J H⁻¹f.
void ConstrainedDynamics::ProjectForce(Eigen::VectorXd& f) {
  if (kernels_ != nullptr) {
    kernels_->project_force(*plan_, View(), f.data(), products_.data());
    return;
  }
  factor_.SolveTransposedFactorInPlace(f);
  products_.setZero();
  for (Eigen::Index k = 0; k < f.size(); ++k) products_ += inverse_[k] * f[k] * X_.col(k);
}

/// y ← L⁻¹D⁻¹(y + Xᵀλ) with λ in b.
void ConstrainedDynamics::ReleaseForce(Eigen::VectorXd& y) {
  if (kernels_ != nullptr) {
    kernels_->release_force(*plan_, View(), b_.data(), y.data());
    return;
  }
  const internal::Tree& tree = internal::TreeOf(model_);
  const Eigen::MatrixXd& L = internal::Access::rows(factor_);
  for (int n = 0; n < tree.nv; ++n) {
    const int k = tree.order[n];
    double x = (y[k] + X_.col(k).head(b_.size()).dot(b_)) * inverse_[k];
    for (int i = tree.parent[k]; i >= 0; i = tree.parent[i]) x -= L(tree.depth[i], k) * y[i];
    y[k] = x;
  }
}

/// R of RᵀR = Pᵀ(G + μ1)P in the place of that of W. @returns whether all rows stand clear of those
/// before them by far more than G, which has the squares of W, lets tell.
bool ConstrainedDynamics::FactorRegular(double damping) {
  constexpr double kClear = 1e-6;  // of squares
  const auto m = static_cast<int>(J_.rows());
  for (int c = 0; c < m; ++c) {
    order_[c] = c;
    norms_[c] = G_(c, c) + damping;
  }
  for (int k = 0; k < m; ++k) {
    int largest = k;
    for (int c = k + 1; c < m; ++c)
      if (norms_[c] > norms_[largest]) largest = c;
    std::swap(order_[k], order_[largest]);
    std::swap(norms_[k], norms_[largest]);
    for (int i = 0; i < k; ++i) std::swap(W_(i, k), W_(i, largest));
    const int row = order_[k];
    if (!(norms_[k] > kClear * (G_(row, row) + damping)) || !(norms_[k] > least_[row]))
      return false;
    W_(k, k) = std::sqrt(norms_[k]);
    for (int c = k + 1; c < m; ++c) {
      double x = G_(std::max(row, order_[c]), std::min(row, order_[c]));
      for (int i = 0; i < k; ++i) x -= W_(i, k) * W_(i, c);
      W_(k, c) = x / W_(k, k);
      norms_[c] -= W_(k, c) * W_(k, c);
    }
  }
  rank_ = m;
  return true;
}

/// R of W. The size of a row is that of its column of W, as if the row of J were as large as the
/// largest of its rotation or point.
void ConstrainedDynamics::Decompose(double damping) {
  constexpr double kRounding = 1e-13;
  const Eigen::Index m = J_.rows();
  Whiten();
  for (Eigen::Index c = 0; c < m; ++c) sizes_[c] = std::sqrt(G_(c, c) + damping);
  const double largest = internal::MaxAbs(sizes_);
  if (damping > 0) {
    sizes_.setConstant(largest);
    least_.setZero();
  } else {
    const auto joints = static_cast<Eigen::Index>(rows_->joints.size());
    for (Eigen::Index row = 0; row < m - joints; row += 3) {
      const auto of_J = squares_.segment<3>(row).array();
      sizes_.segment<3>(row).array() *= (of_J.maxCoeff() / of_J).sqrt();
    }
    least_ = (sizes_ / max_condition_).cwiseMax(kRounding * largest).cwiseAbs2();
  }
  if (!FactorRegular(damping)) {
    for (Eigen::Index k = 0; k < J_.cols(); ++k)
      W_.row(k) = (std::sqrt(inverse_[k]) * X_.col(k).head(m)).transpose();
    W_.bottomRows(m).setZero();
    W_.bottomRows(m).diagonal().setConstant(std::sqrt(damping));
    rank_ = FactorPivoted(least_, W_, order_, norms_);
  }
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
  internal::Scratch<double>& s = internal::Access::scratch(workspace);
  has_bias_ = kernels::CalcMassMatrixAndBias(s, H_, bias_);
  kernels_ = has_bias_ ? s.kernels.kernels() : nullptr;
  plan_ = has_bias_ ? &s.kernels.plan().view() : nullptr;
  UpdateRows(workspace);
  status_ = has_bias_ ? factor_.Compute(H_) : factor_.Compute(workspace);
  if (!status_) {
    J_ = X_.topRows(J_.rows());
    return status_;
  }
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
  if (!has_bias_) CalcBiasForces(model_, workspace, bias_);
  has_bias_ = true;
  if (forces.empty()) {
    force_ = tau - bias_;
  } else {
    CalcGeneralizedForces(model_, forces, workspace, force_);
    force_ += tau - bias_;
  }
  ProjectForce(force_);
  double scale = 0;
  if (rank_ < num_rows()) {
    b_.setZero();
    free_ = force_;
    ReleaseForce(free_);  // v̇ without constraints
    scale = slow_.norm() + Jv_.norm() + J_.norm() * free_.norm();
  }
  b_ = slow_ - Jv_ - products_.head(num_rows());
  Status status = status_;
  status.residual = Solve(scale, b_);
  ReleaseForce(force_);
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
  force_.setZero();
  ReleaseForce(force_);
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
