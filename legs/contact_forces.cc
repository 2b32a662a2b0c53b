#include "civita/controllers/legs/contact_forces.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "civita/centroidal.h"
#include "civita/spatial.h"

namespace civita {
namespace {

using Wrench = Eigen::Matrix<double, 6, 1>;

/// Q: horizontal forces, vertical force, moments (1/m²); and ε. Larger ε leaves a steady error.
constexpr double kWeight[6] = {1, 1, 5, 50, 50, 50};
constexpr double kRegularization = 1e-4;
/// Shares of the coefficient of friction: that of a force along x or y, and that of one between
/// them. The corners of the square alone would touch the cone, where a foot slides if the ground is
/// a little smoother than the law assumes.
constexpr double kInnerPyramid = 0.7, kDiagonal = 0.8;
/// Maximum load of a foot, in units of the robot's weight.
constexpr double kMaxLoad = 4;
constexpr int kRowsPerContact = 10;

bool OnTheWay(const Model& model, const Foot& foot, int iv) {
  for (int b = foot.frame.body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent) {
    const Model::Body& body = model.bodies()[static_cast<size_t>(b)];
    if (iv >= body.iv && iv < body.iv + body.nv) return true;
  }
  return false;
}

}  // namespace

ContactForces::ContactForces(const Model& model, const LegOptions& legs)
    : mu_(kInnerPyramid * legs.friction),
      mu_sum_(std::numbers::sqrt2 * kDiagonal * legs.friction),
      f_max_(kMaxLoad * CalcTotalMass(model) * model.gravity().norm()),
      tau_max_(legs.tau_max),
      joint_forces_(Eigen::VectorXd::Zero(model.nv())),
      foot_wrenches_(6, static_cast<Eigen::Index>(legs.feet.size())) {
  for (int iv = 6; iv < model.nv(); ++iv) {
    const bool on_the_way = std::any_of(legs.feet.begin(), legs.feet.end(), [&](const Foot& foot) {
      return OnTheWay(model, foot, iv);
    });
    if (on_the_way && std::isfinite(tau_max_[iv])) limited_.push_back(iv);
  }
  int balls = 0;
  for (const Foot& foot : legs.feet) balls += static_cast<int>(foot.points.size());
  const int torque_rows = 2 * static_cast<int>(limited_.size());
  for (int n = 1; n <= balls; ++n) {
    plain_.emplace_back(3 * n, kRowsPerContact * n);
    limited_programs_.emplace_back(3 * n, kRowsPerContact * n + torque_rows);
  }
  contacts_.reserve(static_cast<size_t>(balls));
  A_ = QA_ = Eigen::MatrixXd::Zero(6, 3 * balls);
  foot_wrenches_.setZero();
}

// With y of (A Aᵀ + ε Q⁻¹) y = b the minimum is at f = Aᵀy, where A f − b = −ε Q⁻¹y.
bool ContactForces::SolveFree(const Eigen::Vector3d& c, const Wrench& wrench, Eigen::VectorXd& f) {
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();  // its lower triangle
  for (const Contact& contact : contacts_) {
    const Eigen::Vector3d r = contact.p - c;
    M.topLeftCorner<3, 3>().diagonal().array() += 1;
    M.bottomLeftCorner<3, 3>() += Skew<double>(r);
    M.bottomRightCorner<3, 3>() -= r * r.transpose();
    M.bottomRightCorner<3, 3>().diagonal().array() += r.squaredNorm();
  }
  const Wrench weakness = kRegularization * Eigen::Map<const Wrench>(kWeight).cwiseInverse();
  M.diagonal() += weakness;
  const Wrench y = M.llt().solve(wrench);
  bool meets_limits = true;
  for (size_t k = 0; k < contacts_.size(); ++k) {
    const Eigen::Vector3d f_k = y.head<3>() - (contacts_[k].p - c).cross(y.tail<3>());
    f.segment<3>(3 * static_cast<Eigen::Index>(k)) = f_k;
    meets_limits =
        meets_limits && std::abs(f_k.x()) <= mu_ * f_k.z() && std::abs(f_k.y()) <= mu_ * f_k.z() &&
        std::abs(f_k.x()) + std::abs(f_k.y()) <= mu_sum_ * f_k.z() && f_k.z() <= contacts_[k].f_max;
  }
  unmet_ = -weakness.cwiseProduct(y);
  return meets_limits;
}

// Scratch A_, QA_ are sized for all contacts: the first 3n columns are in use.
void ContactForces::FillProgram(const Eigen::Vector3d& c, const Wrench& wrench,
                                QuadraticProgram& program) {
  const Eigen::Index n = 3 * static_cast<Eigen::Index>(contacts_.size());
  program.B.setZero();
  program.b.setZero();
  for (size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& contact = contacts_[k];
    const auto x = 3 * static_cast<Eigen::Index>(k);
    A_.block<3, 3>(0, x).setIdentity();
    A_.block<3, 3>(3, x) = Skew<double>(contact.p - c);
    const auto row = kRowsPerContact * static_cast<Eigen::Index>(k);
    for (int axis = 0; axis < 2; ++axis) {  // μ f_z ± f ≥ 0
      program.B.block<2, 1>(row + 2 * axis, x + axis) << 1, -1;
      program.B.block<2, 1>(row + 2 * axis, x + 2).setConstant(mu_);
    }
    program.B.block<4, 3>(row + 4, x) << 1, 1, mu_sum_, 1, -1, mu_sum_, -1, 1, mu_sum_, -1, -1,
        mu_sum_;
    program.B(row + 8, x + 2) = 1;
    program.B(row + 9, x + 2) = -1;
    program.b[row + 9] = contact.f_max;
  }
  const Eigen::Map<const Wrench> Q(kWeight);
  QA_.leftCols(n) = Q.asDiagonal() * A_.leftCols(n);
  program.G.noalias() = A_.leftCols(n).transpose() * QA_.leftCols(n);
  program.G.diagonal().array() += kRegularization;
  program.g.noalias() = -QA_.leftCols(n).transpose() * wrench;
}

bool ContactForces::Carries(const LegKinematics& legs, int iv) const {
  return std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& contact) {
    return !legs.feet[contact.foot].J.col(iv).isZero(0);
  });
}

// τ_max ± (tau_free − Jᵀf) ≥ 0, J of the point where the ball touches.
void ContactForces::FillTorqueRows(const LegKinematics& legs, const Eigen::VectorXd& tau_free,
                                   QuadraticProgram& program) {
  auto row = kRowsPerContact * static_cast<Eigen::Index>(contacts_.size());
  for (const int iv : limited_) {
    if (!Carries(legs, iv)) {  // no torque acts here: the row reads 0 + 1 ≥ 0
      program.b.segment<2>(row).setOnes();
      row += 2;
      continue;
    }
    for (size_t k = 0; k < contacts_.size(); ++k) {
      const Contact& contact = contacts_[k];
      const FootKinematics& foot = legs.feet[contact.foot];
      const auto column = foot.J.col(iv);
      const Eigen::Vector3d w = column.head<3>();
      const Eigen::Vector3d J = column.tail<3>() + w.cross(contact.p - foot.p);
      const auto x = 3 * static_cast<Eigen::Index>(k);
      program.B.block<1, 3>(row, x) = J.transpose();
      program.B.block<1, 3>(row + 1, x) = -J.transpose();
    }
    program.b[row] = tau_max_[iv] - tau_free[iv];
    program.b[row + 1] = tau_max_[iv] + tau_free[iv];
    row += 2;
  }
}

void ContactForces::TakeForces(const LegKinematics& legs, const Eigen::VectorXd& f) {
  foot_wrenches_.setZero();
  Eigen::Vector3d moment_ground = Eigen::Vector3d::Zero();
  double f_z = 0;
  for (size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& contact = contacts_[k];
    const Eigen::Vector3d f_k = f.segment<3>(3 * static_cast<Eigen::Index>(k));
    auto wrench = foot_wrenches_.col(static_cast<Eigen::Index>(contact.foot));
    wrench.head<3>() += (contact.p - legs.feet[contact.foot].p).cross(f_k);
    wrench.tail<3>() += f_k;
    moment_ground += f_k.z() * contact.p;
    f_z += f_k.z();
  }
  if (f_z > 0) center_of_pressure_ = moment_ground.head<2>() / f_z;
  joint_forces_.setZero();
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    joint_forces_.noalias() += legs.feet[i].J.transpose() * foot_wrench(i);
  }
}

bool ContactForces::BreaksTorque(const LegKinematics& legs, const Eigen::VectorXd& tau_free) const {
  return std::any_of(limited_.begin(), limited_.end(), [&](int iv) {
    return std::abs(tau_free[iv] - joint_forces_[iv]) > tau_max_[iv] && Carries(legs, iv);
  });
}

ContactForces::Status ContactForces::Distribute(const LegKinematics& legs, const Wrench& wrench,
                                                const Eigen::VectorXd& load,
                                                const Eigen::VectorXd& tau_free) {
  contacts_.clear();
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    const std::vector<Eigen::Vector3d>& points = legs.feet[i].contacts;
    const double f_max =
        load[static_cast<Eigen::Index>(i)] * f_max_ / static_cast<double>(points.size());
    if (f_max <= 0) continue;
    for (const Eigen::Vector3d& p : points) contacts_.push_back({i, p, f_max});
  }
  iterations_ = 0;
  foot_wrenches_.setZero();
  joint_forces_.setZero();
  unmet_ = -wrench;
  if (contacts_.empty()) return Status::kNoContact;

  using enum QuadraticProgram::Status;
  Status status = Status::kOptimal;
  QuadraticProgram& plain = plain_[contacts_.size() - 1];
  const bool is_free = SolveFree(legs.c, wrench, plain.x);
  bool solved = is_free;
  iterations_ = 1;
  if (!is_free) {
    FillProgram(legs.c, wrench, plain);
    solved = plain.Solve() == kOptimal;
    iterations_ = plain.iterations();
  }
  if (solved) {
    TakeForces(legs, plain.x);
  } else {
    status = Status::kFallback;
    plain.x.setZero();
    const double each = std::max(0.0, wrench[2]) / static_cast<double>(contacts_.size());
    for (size_t k = 0; k < contacts_.size(); ++k) {
      plain.x[3 * static_cast<Eigen::Index>(k) + 2] = std::min(each, contacts_[k].f_max);
    }
    TakeForces(legs, plain.x);
  }
  const Eigen::VectorXd* f = is_free ? nullptr : &plain.x;
  if (solved && BreaksTorque(legs, tau_free)) {
    QuadraticProgram& limited = limited_programs_[contacts_.size() - 1];
    FillProgram(legs.c, wrench, limited);
    FillTorqueRows(legs, tau_free, limited);
    status = Status::kTorqueDropped;
    if (limited.Solve() == kOptimal) {
      status = Status::kTorqueRows;
      TakeForces(legs, limited.x);
      f = &limited.x;
    }
    iterations_ += limited.iterations();
  }
  if (f == nullptr) return status;
  unmet_ = -wrench;
  unmet_.noalias() += A_.leftCols(f->size()) * *f;
  return status;
}

}  // namespace civita
