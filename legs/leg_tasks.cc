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
      damping_(legs.feet.front().flat() ? kDampingFlat : kDampingPoints) {
  const Eigen::Index nv = model.nv();
  const Eigen::Index rows = posture_row_ + posture_.rows() + (momentum_weight_ > 0 ? 3 : 0);
  J_ = Jdot_ = Eigen::MatrixXd::Zero(rows, nv);
  J_.block<3, 3>(kAngular, 3).setIdentity();
  J_.block(posture_row_, 6, posture_.rows(), nv - 6) = posture_;
  normal_ = Eigen::MatrixXd::Identity(nv, nv);
  llt_.compute(normal_);
  missed_ = Eigen::VectorXd::Zero(rows);
  trunk_ = Eigen::Matrix<double, Eigen::Dynamic, 6>::Zero(nv, 6);
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
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    const FootKinematics& foot = legs.feet[i];
    const int row = foot_row(i);
    J_.middleRows<3>(row) = foot.J.bottomRows<3>();
    Jdot_.middleRows<3>(row) = foot.Jdot.bottomRows<3>();
    if (foot_rows_ == 3) continue;
    J_.middleRows<3>(row + 3) = foot.J.topRows<3>();
    Jdot_.middleRows<3>(row + 3) = foot.Jdot.topRows<3>();
  }
  if (momentum_weight_ > 0) {
    const double weight = momentum ? momentum_weight_ : 0;
    J_.bottomRows<3>() = weight * legs.A_G.topRows<3>();
    Jdot_.bottomRows<3>() = weight * legs.Adot_G.topRows<3>();
  }
  normal_.setZero();
  normal_.selfadjointView<Eigen::Lower>().rankUpdate(J_.transpose());
  normal_.diagonal().array() += damping_;
  llt_.compute(normal_);
}

void LegTasks::SolveVelocity(const Eigen::VectorXd& xdot_r, Eigen::VectorXd& v_r) {
  v_r.noalias() = J_.transpose() * xdot_r;
  llt_.solveInPlace(v_r);
}

void LegTasks::SolveAcceleration(const Eigen::VectorXd& xdot_r, const Eigen::VectorXd& xddot_r,
                                 const Eigen::VectorXd& v_r, Eigen::VectorXd& vdot_r) {
  missed_ = xddot_r;
  missed_.noalias() -= Jdot_ * v_r;
  vdot_r.noalias() = J_.transpose() * missed_;
  missed_ = xdot_r;
  missed_.noalias() -= J_ * v_r;
  vdot_r.noalias() += Jdot_.transpose() * missed_;
  llt_.solveInPlace(vdot_r);
}

void LegTasks::CalcTrunkResponse(const Eigen::MatrixXd& H,
                                 Eigen::Matrix<double, Eigen::Dynamic, 6>& HJ) {
  trunk_ = J_.topRows<6>().transpose();
  llt_.solveInPlace(trunk_);
  HJ.noalias() = H * trunk_;
}

}  // namespace civita
