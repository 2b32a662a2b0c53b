#pragma once

#include <string>
#include <vector>

#include "civita/product_of_exponentials.h"
#include "civita/scenes/plant/model_file.h"

namespace civita {

/// The serial chain as a MuJoCo model in the studio: bodies link1 … linkn and tip, whose frames are
/// those of the chain; hinges and slides joint1 … jointn; a stick figure, which has no mass and
/// touches nothing. At home all of qpos is 0. MuJoCo's coordinate of joint i is its angle (rad) or
/// distance (m), thus ‖ω_i‖ θ_i or ‖v_i‖ θ_i; a line in `notices` names the joints where that is
/// not θ_i. @throws poe::ListError for a helical joint, which MuJoCo does not have.
SpecPtr MakePoeSpec(const poe::Robot& robot, std::vector<std::string>* notices);

}  // namespace civita
