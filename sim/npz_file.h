#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "civita/sim/output_file.h"

namespace civita {

/// An archive that numpy.load opens: one float64 array a name, stored uncompressed (.npy files in
/// a ZIP64 archive; APPNOTE 6.3, NPY format 1.0). Same input, same bytes.
class NpzFile {
 public:
  explicit NpzFile(std::filesystem::path path);

  void Add(const std::string& name, std::span<const double> values);
  /// An array of any shape, row-major, that fills a scratch file.
  void Add(const std::string& name, std::span<const std::size_t> shape, OutputFile* values);
  /// A file that is no array; numpy gives its bytes.
  void AddText(const std::string& file, const std::string& text);
  /// Writes the directory; without it the archive cannot be read.
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
