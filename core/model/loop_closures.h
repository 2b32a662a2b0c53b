#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "civita/model.h"

// Constraints that close the loops of a mechanism whose spanning tree is a Model: conditions on q,
// and by their rates K(q) v = 0 on the velocities of the tree.

namespace civita {

/// Constraint that a point of frame A coincides with a point of frame B: three rows of K. With
/// `fixes_rotation` the axes given in both frames are parallel as well: six rows.
struct FrameClosure {
  struct Side {
    int frame = -1;                                   ///< index in Model::frames(), −1 the world
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< given in the frame, m
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns expressed in the frame
  };
  std::string name = {};
  Side a, b;
  bool fixes_rotation = false;
};

/// Constraint that a joint of one coordinate follows a leader, or is fixed if it has none: one row
/// of K,
///   q − reference = Σ_n polynomial[n] (q_leader − leader_reference)ⁿ.
struct JointClosure {
  std::string name = {};
  int joint = 0;    ///< index in Model::joints()
  int leader = -1;  ///< index in Model::joints(), −1: fixed at reference + polynomial[0]
  std::array<double, 5> polynomial{};
  double reference = 0;  ///< rad or m
  double leader_reference = 0;
};

/// The frame of a side, at its point and axes. @throws UserError where they are no pose;
/// ContractError for an index without a frame.
Model::NamedFrame FrameOfSide(const Model& model, const FrameClosure::Side& side,
                              const std::string& closure);

/// Checks that a coupling is one of joints with one coordinate, which differ, by finite numbers.
/// `who` begins the message. @throws UserError; ContractError for an index without a joint.
void CheckCoupling(const Model& model, const JointClosure& coupling, const std::string& who);

/// All constraints that close the loops of a mechanism.
struct LoopClosures {
  std::vector<FrameClosure> frames;
  std::vector<JointClosure> joints;

  bool empty() const { return frames.empty() && joints.empty(); }
};

/// The closures of `model`, for model.WithLockedJoints(joints, q). What a locked joint is coupled
/// to is fixed where the coupling has it. @throws UserError for a coupling that q violates by more
/// than 1e-6 rad or m, and for a locked joint that follows, not in proportion, one that is not
/// locked. q: nq numbers.
LoopClosures LockJoints(const LoopClosures& closures, const Model& model,
                        const std::vector<std::string>& joints,
                        const Eigen::Ref<const Eigen::VectorXd>& q);

/// Those of `model` and of `other`, for model.WithModel(other, G, X_GO, prefix).
LoopClosures JoinClosures(const LoopClosures& closures, const Model& model,
                          const LoopClosures& of_other, const Model::NamedFrame& G,
                          const Pose& X_GO, const std::string& prefix);

}  // namespace civita
