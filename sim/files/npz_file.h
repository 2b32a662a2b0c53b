#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "civita/sim/output_file.h"

namespace civita {

/// An archive that numpy.load opens: named float64 arrays, stored uncompressed (.npy files in a
/// ZIP64 archive; APPNOTE 6.3, NPY format 1.0). The same arrays give the same bytes.
class NpzFile {
 public:
  /// Gets its name when it is finished. `label` stands for the path in messages.
  explicit NpzFile(std::filesystem::path path, std::string label = {},
                   OutputFile::Kind kind = OutputFile::Kind::kWhole);

  void Add(const std::string& name, std::span<const double> values);
  /// Reads rows from number `first` on.
  using ReadRows = std::function<void(std::size_t first, std::span<double> rows)>;
  /// Adds the first columns of a table of `num_rows` rows, `width` numbers each, in one pass and in
  /// memory that does not depend on the number of rows.
  void AddColumns(std::span<const std::string> names, std::size_t num_rows, std::size_t width,
                  const ReadRows& read);
  /// Adds an array of any shape, row-major, whose values are the content of a scratch file.
  void Add(const std::string& name, std::span<const std::size_t> shape, OutputFile* values);
  /// Adds a file that is not an array; numpy returns its bytes.
  void AddText(const std::string& file, const std::string& text);
  /// Writes the directory; without it there is no file.
  void Finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };
  static std::string LocalHeader(const Entry& entry);
  void Begin(const std::string& file, std::uint32_t crc, std::uint64_t size);

  OutputFile file_;
  std::vector<Entry> entries_;
};

/// Numbers of an archive, one column after the other.
struct NpzArray {
  std::size_t rows = 1, columns = 1;
  std::vector<double> values;
};

/// The arrays of an archive of NpzFile or numpy.savez by name, without ".npy": real numbers with up
/// to two dimensions; others are left out. @throws UserError for a file that is none, or is damaged
/// or compressed.
std::map<std::string, NpzArray> ReadNpz(const std::filesystem::path& path);

}  // namespace civita
