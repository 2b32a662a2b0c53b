#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// A mechanism as data, from which everything that is compared is built: a Model by ModelBuilder,
/// an mjModel by way of MJCF, and the slow oracle. Bodies may come in any order with parents first;
/// joints number q and v in the order in which they are listed, body by body.
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
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);
  int nq = 0;
  int nv = 0;

  /// @returns the new body's index.
  int AddBody(const std::string& name, int parent, const Pose& X_PB, const MassProperties& mass);
  void AddJoint(int body, JointType type, JointProperties properties);
};

Model BuildTree(const TreeSpec& spec);

/// The mechanism as MJCF, numbers to 17 digits; universal and planar joints as several. MuJoCo has
/// no helical joint.
std::string ToMjcf(const TreeSpec& spec);

struct MujocoDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
  void operator()(mjSpec* s) const { mj_deleteSpec(s); }
};

/// The mechanism in MuJoCo, which numbers bodies depth-first and thus has its own order of q and v:
/// row i of the spec's q is row q_of[i] of qpos, likewise v.
struct MujocoTree {
  std::unique_ptr<mjModel, MujocoDeleter> model;
  std::unique_ptr<mjData, MujocoDeleter> data;
  std::vector<int> q_of, v_of;

  Eigen::VectorXd ToQpos(const Eigen::VectorXd& q) const;
  Eigen::VectorXd ToQvel(const Eigen::VectorXd& v) const;
  Eigen::VectorXd FromQvel(const Eigen::VectorXd& qvel) const;
  Eigen::MatrixXd FromQvel(const Eigen::MatrixXd& qvel_by_qvel) const;
};

/// Compiles ToMjcf(spec). @throws std::runtime_error with MuJoCo's message, as for helical joints.
MujocoTree LoadInMujoco(const TreeSpec& spec);

/// mj_fullM and qfrc_bias at a state, in the spec's order; leaves the data at mj_forward's results.
struct MujocoDynamics {
  Eigen::MatrixXd H;
  Eigen::VectorXd bias;
};
MujocoDynamics CalcMujocoDynamics(const MujocoTree& tree, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v);

}  // namespace civita
