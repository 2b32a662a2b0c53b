#pragma once

#include <filesystem>
#include <optional>

#include "civita/product_of_exponentials.h"

namespace civita {

/// The serial chain of a YAML file with M_list, G_list, S_list (see poe::Lists; matrices row by
/// row, screws one a joint, a G also as its six diagonal numbers) and gravity (3 numbers, m/s²;
/// else 9.81 along −z). Nothing for a file that has none of the lists: a config. @throws UserError
/// with file:line:column, key and what would be valid.
std::optional<poe::Robot> ReadPoeFile(const std::filesystem::path& file);

}  // namespace civita
