#pragma once

#include <string>

#include "civita/error.h"
#include "civita/study/option_names.h"

namespace civita {

/// How the program calls the options of its library.
inline constexpr OptionNames kFlags{.as_flags = true};

/// What `read` returns. @throws UserError that begins with the flag, or its dashes, for what
/// `read` throws.
template <typename Read>
auto ReadFlag(const std::string& flag, Read&& read) {
  try {
    return read();
  } catch (const UserError& error) {
    throw UserError(flag + error.what());
  }
}

}  // namespace civita
