#pragma once

#include <algorithm>
#include <cstdlib>

namespace civita {

/// The number of seeds of a test of random mechanisms: all, or at most the environment variable
/// CIVITA_TEST_SEEDS.
inline unsigned Seeds(unsigned all) {
  const char* const most = std::getenv("CIVITA_TEST_SEEDS");
  return most == nullptr || *most == '\0'
             ? all
             : std::clamp(static_cast<unsigned>(std::strtoul(most, nullptr, 10)), 1U, all);
}

}  // namespace civita
