#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace civita {

/// The bytes of a file; none where it cannot be read.
inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace civita
