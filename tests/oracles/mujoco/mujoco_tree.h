#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "tests/oracles/tree_spec.h"

namespace civita {

/// The mechanism as MJCF, numbers with 17 digits; universal and planar joints become several.
/// MuJoCo has no helical joint.
std::string ToMjcf(const TreeSpec& spec);

struct MujocoDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
  void operator()(mjSpec* s) const { mj_deleteSpec(s); }
};

/// @throws std::runtime_error with MuJoCo's message.
std::unique_ptr<mjModel, MujocoDeleter> CompileMjcf(const std::string& xml);

/// The mechanism in MuJoCo, which numbers bodies depth-first and so has its own order of q and v:
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

/// mj_fullM and qfrc_bias at a state, in the spec's order; the data then hold mj_forward's
/// results.
struct MujocoDynamics {
  Eigen::MatrixXd H;
  Eigen::VectorXd bias;
};
MujocoDynamics CalcMujocoDynamics(const MujocoTree& tree, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v);

}  // namespace civita
