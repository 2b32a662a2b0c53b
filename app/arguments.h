#pragma once

#include <string>
#include <vector>

namespace civita {

/// What the program prints and writes of its arguments is UTF-8.
/// @throws UserError for the first of the words after the program's name that is none, with its
/// number and the column.
void CheckArguments(const std::vector<std::string>& argv);

}  // namespace civita
