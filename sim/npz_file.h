#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "civita/sim/output_file.h"

namespace civita {

/// An archive that numpy.load opens: named float64 arrays, stored uncompressed (.npy files in a
/// ZIP64 archive; APPNOTE 6.3, NPY format 1.0). The same arrays give the same bytes.
class NpzFile {
 public:
  explicit NpzFile(std::filesystem::path path);

  void Add(const std::string& name, std::span<const double> values);
  /// Adds an array of any shape, row-major, whose values are the content of a scratch file.
  void Add(const std::string& name, std::span<const std::size_t> shape, OutputFile* values);
  /// Adds a file that is not an array; numpy returns its bytes.
  void AddText(const std::string& file, const std::string& text);
  /// Writes the directory; without it the archive is not readable.
  void Finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };
  void Begin(const std::string& file, std::uint32_t crc, std::uint64_t size);

  OutputFile file_;
  std::vector<Entry> entries_;
};

}  // namespace civita
