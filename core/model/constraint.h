#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "civita/model.h"

// Constraints on the motion of a tree: conditions on q, and by their rates rows of K(q) v = 0 on
// its velocities. They close the loops of a mechanism (civita/velocity_space.h) and hold contacts
// (civita/constrained_dynamics.h).

namespace civita {

/// Constraint that a point of frame B stays at a point of frame A: three rows. With
/// `fixes_rotation` the axes given in both stay parallel as well: six rows. A contact or a weld
/// where A is the world, the default, and a loop where it is not.
struct RigidConstraint {
  std::string name = {};                                       ///< for messages
  Model::NamedFrame A = {};                                    ///< by default the world
  Model::NamedFrame B = {.name = {}, .body = -2, .X_BF = {}};  ///< is to be set
  Eigen::Vector3d point_A = Eigen::Vector3d::Zero();           ///< given in A, m
  Eigen::Vector3d point_B = Eigen::Vector3d::Zero();           ///< given in B, m
  Eigen::Matrix3d axes_A = Eigen::Matrix3d::Identity();        ///< columns expressed in A
  Eigen::Matrix3d axes_B = Eigen::Matrix3d::Identity();        ///< columns expressed in B
  bool fixes_rotation = false;  ///< a pose, six rows, in place of a point, three
  /// Baumgarte terms, by which ConstrainedDynamics brings an error e back: ë = −damping ė −
  /// stiffness e. A VelocitySpace does without, as its loops stay closed.
  double stiffness = 0;  ///< 1/s²
  double damping = 0;    ///< 1/s

  int num_rows() const { return fixes_rotation ? 6 : 3; }  ///< of this constraint
};

/// Constraint that a joint of one coordinate follows a leader, or is fixed if it has none: one row,
///   q − reference = Σ_n polynomial[n] (q_leader − leader_reference)ⁿ.
struct JointConstraint {
  std::string name = {};  ///< for messages
  int joint = 0;          ///< index in Model::joints()
  int leader = -1;        ///< index in Model::joints(), −1: fixed at reference + polynomial[0]
  std::array<double, 5> polynomial{};  ///< coefficients, from the constant one on
  double reference = 0;                ///< rad or m
  double leader_reference = 0;  ///< position of the leader from which its motion counts, rad or m
  double stiffness = 0, damping = 0;  ///< as of RigidConstraint
};

/// All constraints of a mechanism.
struct Constraints {
  std::vector<RigidConstraint> rigid = {};   ///< of frames
  std::vector<JointConstraint> joints = {};  ///< of joints that follow others

  bool empty() const { return rigid.empty() && joints.empty(); }  ///< whether there are none
};

/// Checks that the frames are set, on bodies of the model and poses, and that numbers are finite,
/// those of Baumgarte not negative. `who` begins the message. @throws UserError.
void CheckConstraint(const Model& model, const RigidConstraint& constraint, const std::string& who);

/// Checks that the joints have one coordinate and differ, and numbers likewise. @throws UserError;
/// ContractError for an index without a joint.
void CheckConstraint(const Model& model, const JointConstraint& constraint, const std::string& who);

/// The constraints of `model`, for model.WithLockedJoints(joints, q). What follows a locked joint
/// is fixed where the constraint has it. @throws UserError for a joint's constraint that q violates
/// by more than 1e-6 rad or m, and for a locked joint that follows, not in proportion, one that is
/// not locked. q: nq numbers.
Constraints LockJoints(const Constraints& constraints, const Model& model,
                       const std::vector<std::string>& joints,
                       const Eigen::Ref<const Eigen::VectorXd>& q);

/// Those of `model` and of `other`, for model.WithModel(other, G, X_GO, prefix).
Constraints JoinConstraints(const Constraints& constraints, const Model& model,
                            const Constraints& of_other, const Model& other,
                            const Model::NamedFrame& G, const Pose& X_GO,
                            const std::string& prefix);

}  // namespace civita
