#pragma once

#include <string>

#include "civita/error.h"
#include "civita/study/option_names.h"

namespace civita {

/// How the program calls the options of its library.
inline constexpr OptionNames kFlags{.as_flags = true};

/// What `read` returns. @throws UserError of what it throws, with the dashes of the flag that this
/// begins with.
template <typename Read>
auto ReadFlag(Read&& read) {
  try {
    return read();
  } catch (const UserError& error) {
    throw UserError("--" + std::string(error.what()));
  }
}

}  // namespace civita
