#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// A mechanism as data, from which all compared models are built: a Model by ModelBuilder, an
/// mjModel via MJCF (mujoco/mujoco_tree.h), and the slow oracle. Bodies may be in any order with
/// parents first; joints number q and v in the order in which they are listed, body by body.
struct TreeSpec {
  struct Joint {
    JointType type = JointType::kHinge;
    JointProperties properties;
    int iq = 0;
    int iv = 0;
  };
  struct Body {
    std::string name;
    int parent = ModelBuilder::kWorld;
    Pose X_PB;
    MassProperties mass;
    std::vector<Joint> joints;
  };
  std::vector<Body> bodies;
  std::vector<TendonProperties> tendons;
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);
  int nq = 0;
  int nv = 0;

  /// @returns the new body's index.
  int AddBody(const std::string& name, int parent, const Pose& X_PB, const MassProperties& mass);
  void AddJoint(int body, JointType type, JointProperties properties);
};

/// With `any_moments` also of inertias that no body can have.
Model BuildTree(const TreeSpec& spec, bool any_moments = false);

}  // namespace civita
