#pragma once

#include <filesystem>
#include <optional>

#include "civita/product_of_exponentials.h"

namespace civita {

/// The serial chain of a YAML file with M_list, G_list, S_list (see poe::Lists; matrices row by
/// row, one screw for each joint, a G also as its six diagonal numbers) and gravity (3 numbers,
/// m/s²; default 9.81 along −z). nullopt for a file without any of these lists, which is a config.
/// @throws UserError with file:line:column, key and the valid values.
std::optional<poe::Robot> ReadPoeFile(const std::filesystem::path& file);

}  // namespace civita
