#include "civita/controllers/legs/leg_tasks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/decompositions.h"
#include "civita/error.h"
#include "civita/kinematics.h"

namespace civita {
namespace {

constexpr double kDampingPoints = 1e-4, kDampingFlat = 1e-3;

/// Coordinates after the base that move the foot, in order from the base.
std::vector<int> Leg(const Model& model, const Foot& foot) {
  std::vector<int> leg;
  for (int b = foot.frame.body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent) {
    const Model::Body& body = model.bodies()[static_cast<size_t>(b)];
    for (int k = body.iv + body.nv - 1; k >= std::max(6, body.iv); --k) leg.push_back(k);
  }
  std::reverse(leg.begin(), leg.end());
  return leg;
}

/// Orthonormal rows over the leg's joints that span the joint motions which do not move the foot.
Eigen::MatrixXd SelfMotion(const Eigen::MatrixXd& J, const std::vector<int>& leg, int rows) {
  const auto n = static_cast<Eigen::Index>(leg.size());
  Eigen::MatrixXd J_leg(rows, n);
  for (Eigen::Index i = 0; i < n; ++i) J_leg.col(i) = J.col(leg[static_cast<size_t>(i)]).tail(rows);
  return internal::FindSingularVectors(J_leg).V.rightCols(n - rows).transpose();
}

void CheckJoints(const Model& model) {
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.iv < 6 || NumVelocities(joint.type) == 1) continue;
    throw UserError("joint '" + joint.name + "' is " + ToString(joint.type) +
                    "; the joints of a legged robot must be hinges or slides");
  }
}

/// @throws UserError where the foot has fewer joints than rows.
void CheckLeg(const Foot& foot, const std::vector<int>& leg, int rows) {
  if (static_cast<int>(leg.size()) >= rows) return;
  throw UserError("foot '" + foot.name + "' hangs on " + std::to_string(leg.size()) +
                  " joints; a " + (rows == 3 ? "point foot needs 3" : "flat foot needs 6"));
}

}  // namespace

LegTasks::LegTasks(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q)
    : foot_rows_(legs.feet.front().flat() ? 6 : 3),
      posture_row_(6 + foot_rows_ * static_cast<int>(legs.feet.size())),
      posture_(MakePosture(model, legs, q)),
      momentum_weight_(legs.momentum_weight),
      factor_(model.nv()) {
  const Eigen::Index nv = model.nv();
  const Eigen::Index rows = posture_row_ + posture_.rows() + (momentum_weight_ > 0 ? 3 : 0);
  J_ = Jdot_ = RowMatrix::Zero(rows, nv);
  J_.block<3, 3>(kAngular, 3).setIdentity();
  J_.block(posture_row_, 6, posture_.rows(), nv - 6) = posture_;
  constant_ = J_.transpose() * J_;
  constant_.diagonal().array() += legs.feet.front().flat() ? kDampingFlat : kDampingPoints;
  squared_ = Eigen::Matrix3Xd::Zero(3, nv);
  missed_ = Eigen::VectorXd::Zero(rows);
  step_ = Eigen::VectorXd::Zero(nv);
  trunk_ = Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor>::Zero(nv, 12);
  for (const Foot& foot : legs.feet) {
    std::vector<int>& columns = columns_.emplace_back();
    for (int k = 0; k < 6; ++k) columns.push_back(k);
    for (const int k : Leg(model, foot)) columns.push_back(k);
  }
}

Eigen::MatrixXd LegTasks::MakePosture(const Model& model, const LegOptions& legs,
                                      const Eigen::VectorXd& q) const {
  CheckJoints(model);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, Eigen::VectorXd::Zero(model.nv()), workspace);
  LegKinematics now(model, legs);
  UpdateLegKinematics(model, legs, workspace, now);
  const int joints = model.nv() - 6;
  std::vector<bool> in_leg(static_cast<size_t>(model.nv()), false);
  std::vector<Eigen::RowVectorXd> rows;
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    const std::vector<int> leg = Leg(model, legs.feet[i]);
    CheckLeg(legs.feet[i], leg, foot_rows_);
    const Eigen::MatrixXd self = SelfMotion(now.feet[i].J, leg, foot_rows_);
    for (Eigen::Index k = 0; k < self.rows(); ++k) {
      Eigen::RowVectorXd& row = rows.emplace_back(Eigen::RowVectorXd::Zero(joints));
      for (size_t l = 0; l < leg.size(); ++l) {
        row[leg[l] - 6] = self(k, static_cast<Eigen::Index>(l));
      }
    }
    for (const int iv : leg) in_leg[static_cast<size_t>(iv)] = true;
  }
  for (int iv = 6; iv < model.nv(); ++iv) {
    if (!in_leg[static_cast<size_t>(iv)]) rows.push_back(Eigen::RowVectorXd::Unit(joints, iv - 6));
  }
  Eigen::MatrixXd posture(rows.size(), joints);
  for (Eigen::Index i = 0; i < posture.rows(); ++i) posture.row(i) = rows[static_cast<size_t>(i)];
  return posture;
}

// Each foot's rows: velocity of its point, then angular velocity.
void LegTasks::Update(const LegKinematics& legs, bool base, bool momentum) {
  if (base) {
    J_.topRows<3>().setZero();
    J_.topLeftCorner<3, 3>().setIdentity();
    Jdot_.topRows<3>().setZero();
  } else {
    J_.topRows<3>() = legs.J_com;
    Jdot_.topRows<3>() = legs.Jdot_com;
  }
  factor_.matrix() = constant_;
  if (base) {
    factor_.matrix().diagonal().head<3>().array() += 1;
  } else {
    AddRows(kLinear);
  }
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    const FootKinematics& foot = legs.feet[i];
    const int row = foot_row(i);
    J_.middleRows<3>(row) = foot.J.bottomRows<3>();
    Jdot_.middleRows<3>(row) = foot.Jdot.bottomRows<3>();
    AddRows(row, columns_[i]);
    if (foot_rows_ == 3) continue;
    J_.middleRows<3>(row + 3) = foot.J.topRows<3>();
    Jdot_.middleRows<3>(row + 3) = foot.Jdot.topRows<3>();
    AddRows(row + 3, columns_[i]);
  }
  if (momentum_weight_ > 0) {
    const double weight = momentum ? momentum_weight_ : 0;
    J_.bottomRows<3>() = weight * legs.A_G.topRows<3>();
    Jdot_.bottomRows<3>() = weight * legs.Adot_G.topRows<3>();
    if (momentum) AddRows(rows() - 3);
  }
  factor_.Compute();
}

void LegTasks::AddRows(Eigen::Index row) {
  const Eigen::Index n = J_.cols();
  const double *x = J_.data() + row * n, *y = x + n, *z = y + n;
  for (Eigen::Index a = 0; a < n; ++a) {
    double* __restrict to = factor_.matrix().data() + a * n;
    for (Eigen::Index b = a; b < n; ++b) to[b] += x[a] * x[b] + y[a] * y[b] + z[a] * z[b];
  }
}

void LegTasks::AddRows(Eigen::Index row, const std::vector<int>& columns) {
  const auto n = static_cast<Eigen::Index>(columns.size());
  for (Eigen::Index a = 0; a < n; ++a) {
    squared_.col(a) = J_.block<3, 1>(row, columns[static_cast<size_t>(a)]);
  }
  for (Eigen::Index a = 0; a < n; ++a) {
    const Eigen::Vector3d x = squared_.col(a);
    auto to = factor_.matrix().col(columns[static_cast<size_t>(a)]);
    for (Eigen::Index b = a; b < n; ++b) {
      to[columns[static_cast<size_t>(b)]] += x.dot(squared_.col(b));
    }
  }
}

void LegTasks::SolveVelocity(const Eigen::VectorXd& xdot_r, Eigen::VectorXd& v_r) {
  v_r.noalias() = J_.transpose() * xdot_r;
  factor_.Solve(v_r);
}

void LegTasks::SolveAcceleration(const Eigen::VectorXd& xdot_r, const Eigen::VectorXd& xddot_r,
                                 const Eigen::VectorXd& v_r, Eigen::VectorXd& vdot_r) {
  missed_ = xddot_r;
  missed_.noalias() -= Jdot_ * v_r;
  vdot_r.noalias() = J_.transpose() * missed_;
  missed_ = xdot_r;
  missed_.noalias() -= J_ * v_r;
  vdot_r.noalias() += Jdot_.transpose() * missed_;
  factor_.Solve(vdot_r);
}

// Of N = L Lᵀ and J₆, the first six rows of J, ∂v̇/∂ẍ is N⁻¹J₆ᵀ = L⁻ᵀ(L⁻¹J₆ᵀ).
const Eigen::Matrix<double, 6, 6>& LegTasks::CalcTrunkResponse(const Eigen::MatrixXd& H) {
  trunk_.leftCols<6>() = J_.topRows<6>().transpose();
  trunk_.rightCols<6>() = H.leftCols<6>();  // symmetric
  factor_.SolveLower(trunk_);
  response_.setZero();
  for (Eigen::Index i = 0; i < trunk_.rows(); ++i) {
    response_ += trunk_.row(i).tail<6>().transpose() * trunk_.row(i).head<6>();
  }
  return response_;
}

void LegTasks::AddTrunkResponse(const Eigen::MatrixXd& H, const Eigen::Matrix<double, 6, 1>& a,
                                Eigen::VectorXd& W) {
  step_.noalias() = trunk_.leftCols<6>() * a;
  factor_.SolveUpper(step_);
  W.noalias() += H * step_;
}

}  // namespace civita
