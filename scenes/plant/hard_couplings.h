#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

namespace civita {

/// Hardens the active couplings of joints (URDF's mimic, MJCF's `joint` and `tendon`) as far as the
/// timestep allows, so that coupled joints stay together: MuJoCo's defaults let a light joint lag
/// its leader by degrees. Likewise equalities that hold bodies to a mocap body, which bear the
/// weight of what hangs on them. An equality whose solref gives a stiffness instead of a time
/// constant is left as it is. `notices` names the joints and equalities.
void HardenCouplings(mjModel* m, std::vector<std::string>* notices);

}  // namespace civita
