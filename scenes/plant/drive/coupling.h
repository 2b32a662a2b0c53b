#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/motion/reference.h"

// What several files ask of a model, and the couplings of its joints.

namespace civita {

/// Whether the contact bits let two geoms touch.
bool CanTouch(const mjModel& m, int a, int b);

/// Whether they let the geom touch any other.
bool CanTouchAny(const mjModel& m, int geom);

/// The names of the bodies but the world, or of the joints, that have names and are `meant`.
std::vector<std::string> NamesOf(const mjModel& m, mjtObj type,
                                 bool (*meant)(const mjModel& m, int id));
std::vector<std::string> BodyNames(const mjModel& m);

/// The frame `name` of the plant (a body, a site, or "world"), displaced by `offset` (m, in its own
/// axes). @throws KeyError of `key`, which lists the names.
Model::NamedFrame FindFrameOf(const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key);

/// The frame `name` of BuildModel(m) as it is fixed in a body of the mjModel; −1: there is none.
struct MujocoFrame {
  int body = -1;
  Pose X_BF;
};
MujocoFrame FindMujocoFrame(const mjModel& m, const std::string& name);

/// Whether the joint has limits and no flag of the model disables them.
bool IsLimited(const mjModel& m, int joint);

/// The model's active couplings of joints (ReadJointConstraint; URDF's mimic), ordered so that a
/// joint comes before those that depend on it. Loops (connect, weld) and equalities that cannot be
/// ordered are reported in `notices`: they are simulated, but unknown to the controller.
std::vector<Coupling> FindCouplings(const mjModel& m, std::vector<std::string>* notices);

/// Whether an active equality closes a loop (connect, weld).
bool HasLoops(const mjModel& m);

/// Hardens the active couplings of joints (URDF's mimic, MJCF's `joint` and `tendon`) as far as the
/// timestep allows, so that coupled joints stay together: MuJoCo's defaults let a light joint lag
/// its leader by degrees. Likewise equalities that hold bodies to a mocap body, which bear the
/// weight of what hangs on them. An equality whose solref gives a stiffness instead of a time
/// constant is left as it is. `notices` names the joints and equalities.
void HardenCouplings(mjModel* m, std::vector<std::string>* notices);

}  // namespace civita
