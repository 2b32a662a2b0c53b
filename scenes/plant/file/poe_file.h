#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "civita/product_of_exponentials.h"
#include "civita/scenes/plant/model_file.h"

namespace civita {

/// Whether a YAML file has any of the keys M_list, G_list, S_list, thus gives a product of
/// exponentials; it is a config otherwise. @throws UserError for malformed YAML.
bool IsPoeFile(const std::filesystem::path& file);

/// The serial chain of a YAML file with M_list, G_list, S_list (see poe::Lists; matrices row by
/// row, one screw for each joint, a G also as its six diagonal numbers) and gravity (3 numbers,
/// m/s²; default 9.81 along −z). nullopt for a file without any of these lists, which is a config.
/// @throws UserError with file:line:column, key and the valid values.
std::optional<poe::Robot> ReadPoeFile(const std::filesystem::path& file);

/// The serial chain as a MuJoCo model in the studio: bodies link1 … linkn and tip, whose frames are
/// those of the chain; hinges and slides joint1 … jointn; a stick figure, which has no mass and
/// touches nothing. At home all of qpos is 0. MuJoCo's coordinate of joint i is its angle (rad) or
/// distance (m), thus ‖ω_i‖ θ_i or ‖v_i‖ θ_i; a line in `notices` names the joints where that is
/// not θ_i. @throws poe::ListError for a helical joint, which MuJoCo does not have.
SpecPtr MakePoeSpec(const poe::Robot& robot, std::vector<std::string>* notices);

/// The chain of such a file as a MuJoCo model, see MakePoeSpec. @throws UserError, also for a
/// helical joint and for a file without these lists.
SpecPtr ReadPoeSpec(const std::filesystem::path& file, std::vector<std::string>* notices);

}  // namespace civita
