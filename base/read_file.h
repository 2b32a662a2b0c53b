#pragma once

#include <cstddef>
#include <string>

namespace civita::internal {

/// What a file may hold at most, in bytes: text that a person or a program wrote, and text that
/// takes long to parse.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 28;
inline constexpr std::size_t kMostYamlBytes = std::size_t{1} << 22;
/// What a model may hold at most: bodies, of whose number MuJoCo's compiler takes the square in
/// time, and all elements.
inline constexpr int kMostBodies = 5'000;
inline constexpr int kMostElements = 200'000;

/// The content of a file. @throws UserError, with the file first, when it is a folder or a device,
/// holds more than `most_bytes`, cannot be read or has a name that is no UTF-8.
std::string ReadFile(const std::string& file, std::size_t most_bytes = kMostBytes);

/// ReadFile of a text. @throws UserError, with line and column, too, if it is no UTF-8.
std::string ReadText(const std::string& file, std::size_t most_bytes = kMostBytes);

/// What remains of an open file, called `name`; as ReadFile.
std::string ReadDescriptor(int fd, const std::string& name, std::size_t most_bytes = kMostBytes);

}  // namespace civita::internal
