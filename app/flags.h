#pragma once

#include "civita/study/option_names.h"

namespace civita {

/// How the program calls the options of its library.
inline constexpr OptionNames kFlags{.as_flags = true};

}  // namespace civita
