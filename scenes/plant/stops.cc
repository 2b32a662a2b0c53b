#include "civita/scenes/plant/stops.h"

#include <cstddef>

#include "civita/kinematics.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/space_kinematics.h"
#include "civita/workspace.h"

namespace civita {
namespace {

// Whether the coordinate is at its lower limit (-1), its upper one (1) or at none (0).
int SideOf(const mjModel& m, int joint, const Eigen::VectorXd& q) {
  if (!IsScalarJoint(m, joint) || !IsLimited(m, joint)) return 0;
  const mjtNum* range = m.jnt_range + 2 * joint;
  const double value = q[m.jnt_qposadr[joint]], near = 1e-6 * (range[1] - range[0]);
  if (value < range[0] + near) return -1;
  return value > range[1] - near ? 1 : 0;
}

// Aᵀ(d − g): what moves the independent velocities at rest when motors give nothing.
Eigen::VectorXd CalcForcesAtRest(const VelocitySpace& closed) {
  const Model& tree = closed.tree();
  const Eigen::VectorXd& q = closed.closed_start();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(tree.nv());
  Workspace<double> workspace(tree);
  UpdateKinematics(tree, q, workspace);
  Eigen::VectorXd force(tree.nv());
  CalcGravityForces<double>(tree, workspace, force);
  force = -force;
  AddPassiveForces(tree, q, rest, {.speed = 1}, 1, force);
  SpaceWorkspace<double> reduced(closed);
  Eigen::VectorXd of_w = Eigen::VectorXd::Zero(closed.nw());
  if (!UpdateKinematics<double>(closed, q, of_w, reduced).ok()) return of_w;
  CalcReducedForces<double>(closed, force, reduced, of_w);
  return of_w;
}

}  // namespace

bool IsAtLimit(const mjModel& m, int joint, const Eigen::VectorXd& q) {
  return SideOf(m, joint, q) != 0;
}

std::vector<JointClosure> FindStops(const mjModel& m, const Actuation& actuation,
                                    const Eigen::VectorXd& start, const VelocitySpace& closed) {
  const Eigen::VectorXd force = CalcForcesAtRest(closed);
  const std::vector<Model::NamedJoint>& joints = closed.tree().joints();
  std::vector<JointClosure> stops;
  for (size_t i = 0; i < joints.size(); ++i) {
    const int iv = joints[i].iv;
    const int side = SideOf(m, m.dof_jntid[iv], start);
    if (side == 0 || !actuation.is_passive(iv) || closed.dependent(iv)) continue;
    for (int w = 0; w < closed.nw(); ++w) {
      if (closed.independent()[static_cast<size_t>(w)] != iv || force[w] * side <= 0) continue;
      stops.push_back(
          {.name = joints[i].name, .joint = static_cast<int>(i), .reference = start[joints[i].iq]});
    }
  }
  return stops;
}

}  // namespace civita
