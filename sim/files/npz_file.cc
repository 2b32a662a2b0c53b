#include "civita/sim/npz_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/read_file.h"
#include "civita/error.h"

namespace civita {
namespace {

static_assert(std::endian::native == std::endian::little, "the archive is little-endian");

constexpr std::array<std::uint32_t, 256> MakeCrcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kCrcTable = MakeCrcTable();

/// CRC-32 as ZIP uses it, continued from `crc` (initially 0).
std::uint32_t Crc32(std::uint32_t crc, std::string_view bytes) {
  crc = ~crc;
  for (const char c : bytes) {
    crc = kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ (crc >> 8);
  }
  return ~crc;
}

/// Appends numbers in their sizes.
template <typename... Numbers>
void Append(std::string* out, Numbers... numbers) {
  (out->append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
}

using U16 = std::uint16_t;
using U32 = std::uint32_t;

constexpr U32 kElsewhere32 = 0xFFFFFFFF;  ///< the value is in the ZIP64 extra field
constexpr U16 kElsewhere16 = 0xFFFF;
constexpr U16 kZipVersion = 45;            ///< needs ZIP64
constexpr U32 kMidnight1980 = 0x00210000;  ///< 1980-01-01 00:00, the earliest date
constexpr U16 kUtf8Names = 1 << 11, kStored = 0, kZip64 = 1, kNone = 0;
constexpr U32 kLocalHeader = 0x04034B50;

/// The common part of local and central headers: from "version needed" to the extra field's
/// length.
void AppendCommon(const std::string& name, U32 crc, U16 extra_length, std::string* out) {
  Append(out, kZipVersion, kUtf8Names, kStored, kMidnight1980, crc, kElsewhere32, kElsewhere32,
         static_cast<U16>(name.size()), extra_length);
}

std::string NpyHeader(std::span<const std::size_t> shape) {
  std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += std::to_string(shape[i]);
    text += i + 1 < shape.size() || i == 0 ? "," : "";
  }
  text += "), }";
  // NPY data starts at a multiple of 64 bytes; the preamble has 10 bytes.
  text.append(64 - (10 + text.size() + 1) % 64, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  Append(&header, static_cast<U16>(text.size()));
  return header + text;
}

/// Bytes of a file that are taken from the front, as many as those before say.
class Bytes {
 public:
  Bytes(std::string_view bytes, std::string name) : rest_(bytes), name_(std::move(name)) {}

  std::string_view Take(std::uint64_t count) {
    if (count > rest_.size()) Refuse("is cut off or damaged");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <typename Number>
  Number Take() {
    Number number;
    std::memcpy(&number, Take(sizeof number).data(), sizeof number);
    return number;
  }
  std::size_t size() const { return rest_.size(); }
  const std::string& name() const { return name_; }
  [[noreturn]] void Refuse(const std::string& why) const { throw UserError(name_ + " " + why); }

 private:
  std::string_view rest_;
  std::string name_;
};

/// The array of an NPY file; nullopt if it is of other things.
std::optional<NpzArray> ReadNpy(Bytes data) {
  if (data.Take(6) != "\x93NUMPY") data.Refuse("is no array of NumPy's");
  const int version = data.Take<U16>() & 0xFF;
  const std::string_view header = data.Take(version == 1 ? data.Take<U16>() : data.Take<U32>());
  const auto find = [&](std::string_view key, char end) {
    const std::size_t at = header.find(key);
    const std::string_view rest = at == header.npos ? "" : header.substr(at + key.size());
    return rest.substr(0, rest.find(end));
  };
  const std::string_view type = find("'descr': '", '\''), shape = find("'shape': (", ')');
  const bool by_columns = find("'fortran_order': ", ',') == "True";
  NpzArray array;
  std::size_t* const sizes[] = {&array.rows, &array.columns};
  const char *at = shape.data(), *const end = at + shape.size();
  for (std::size_t i = 0; at < end; ++i) {
    U32 size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || i == std::size(sizes)) return {};
    *sizes[i] = size;
    at = std::find_if_not(next, end, [](char c) { return c == ' ' || c == ','; });
  }
  const auto read = [&]<typename Number>(Number) {
    const std::size_t count = array.rows * array.columns;
    if (data.size() % sizeof(Number) != 0 || data.size() / sizeof(Number) != count)
      data.Refuse("is cut off or damaged");
    array.values.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t place = k / array.columns + k % array.columns * array.rows;
      array.values[by_columns ? k : place] = static_cast<double>(data.Take<Number>());
    }
    return array;
  };
  if (type == "<f8") return read(double{});
  if (type == "<f4") return read(float{});
  if (type == "<i8") return read(std::int64_t{});
  if (type == "<i4") return read(std::int32_t{});
  if (type == "|b1") return read(std::uint8_t{});
  return {};
}

}  // namespace

std::map<std::string, NpzArray> ReadNpz(const std::filesystem::path& path) {
  const std::string content = internal::ReadFile(path.string());
  Bytes file(content, path.string());
  if (!content.starts_with("PK")) file.Refuse("is no NPZ archive");
  std::map<std::string, NpzArray> arrays;
  while (file.Take<U32>() == kLocalHeader) {
    file.Take<U16>();
    const auto flags = file.Take<U16>(), method = file.Take<U16>();
    file.Take<U32>();
    const auto crc = file.Take<U32>();
    file.Take<U32>();
    std::uint64_t size = file.Take<U32>();
    const auto name_length = file.Take<U16>(), extra_length = file.Take<U16>();
    std::string name(file.Take(name_length));
    Bytes extra(file.Take(extra_length), file.name());
    while (extra.size() > 0) {
      const auto kind = extra.Take<U16>(), length = extra.Take<U16>();
      Bytes field(extra.Take(length), file.name());
      if (kind == kZip64 && size == kElsewhere32) size = field.Take<std::uint64_t>();
    }
    constexpr U16 kEncrypted = 1, kSizeBehind = 8;
    if (method != kStored || (flags & (kEncrypted | kSizeBehind)) != 0)
      file.Refuse("is compressed; numpy.savez writes it as it is read");
    const std::string_view data = file.Take(size);
    if (Crc32(0, data) != crc) file.Refuse("is cut off or damaged");
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    if (auto array = ReadNpy(Bytes(data, file.name() + ": " + name)))
      arrays[name] = std::move(*array);
  }
  return arrays;
}

NpzFile::NpzFile(std::filesystem::path path, std::string label, OutputFile::Kind kind)
    : file_(std::move(path), kind, std::move(label)) {}

std::string NpzFile::LocalHeader(const Entry& entry) {
  std::string out;
  Append(&out, kLocalHeader);
  AppendCommon(entry.name, entry.crc, 20, &out);
  out += entry.name;
  Append(&out, kZip64, U16{16}, entry.size, entry.size);
  return out;
}

void NpzFile::Begin(const std::string& file, std::uint32_t crc, std::uint64_t size) {
  entries_.push_back({file, crc, size, file_.size()});
  file_.Write(LocalHeader(entries_.back()));
}

void NpzFile::AddColumns(std::span<const std::string> names, std::size_t num_rows,
                         std::size_t width, const ReadRows& read) {
  constexpr std::size_t kBlockNumbers = 1 << 20;
  const std::string header = NpyHeader({&num_rows, 1});
  std::vector<std::uint64_t> ends;  // of what is written, by column
  for (const std::string& name : names) {
    Begin(name + ".npy", Crc32(0, header), header.size() + num_rows * sizeof(double));
    file_.Write(header);
    ends.push_back(file_.size());
    file_.Resize(file_.size() + num_rows * sizeof(double));
  }
  const std::span<Entry> entries = std::span(entries_).last(names.size());
  const std::size_t block_rows = std::max<std::size_t>(1, kBlockNumbers / width);
  std::vector<double> block, column;
  for (std::size_t first = 0; first < num_rows; first += block_rows) {
    const std::size_t rows = std::min(block_rows, num_rows - first);
    block.resize(rows * width);
    column.resize(rows);
    read(first, block);
    for (std::size_t c = 0; c < names.size(); ++c) {
      for (std::size_t k = 0; k < rows; ++k) column[k] = block[k * width + c];
      const std::string_view bytes(reinterpret_cast<const char*>(column.data()),
                                   rows * sizeof(double));
      entries[c].crc = Crc32(entries[c].crc, bytes);
      file_.WriteAt(ends[c], bytes);
      ends[c] += bytes.size();
    }
  }
  for (const Entry& entry : entries) file_.WriteAt(entry.offset, LocalHeader(entry));
}

void NpzFile::Add(const std::string& name, std::span<const double> values) {
  const std::size_t size = values.size();
  const std::string header = NpyHeader({&size, 1});
  const std::string_view data(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  Begin(name + ".npy", Crc32(Crc32(0, header), data), header.size() + data.size());
  file_.Write(header);
  file_.Write(data);
}

void NpzFile::Add(const std::string& name, std::span<const std::size_t> shape, OutputFile* values) {
  const std::string header = NpyHeader(shape);
  const std::uint64_t size = values->size();
  std::vector<char> block(std::size_t{1} << 20);
  const auto for_each_block = [&](auto&& take) {
    for (std::uint64_t at = 0; at < size; at += block.size()) {
      const std::span<char> part(block.data(), std::min<std::uint64_t>(block.size(), size - at));
      values->Read(at, part);
      take(std::string_view(part.data(), part.size()));
    }
  };
  // The header precedes the data, so the checksum is computed first.
  std::uint32_t crc = Crc32(0, header);
  for_each_block([&](std::string_view data) { crc = Crc32(crc, data); });
  Begin(name + ".npy", crc, header.size() + size);
  file_.Write(header);
  for_each_block([&](std::string_view data) { file_.Write(data); });
}

void NpzFile::AddText(const std::string& file, const std::string& text) {
  Begin(file, Crc32(0, text), text.size());
  file_.Write(text);
}

void NpzFile::Finish() {
  const std::uint64_t directory = file_.size(), count = entries_.size();
  std::string out;
  for (const Entry& entry : entries_) {
    Append(&out, U32{0x02014B50}, kZipVersion);
    AppendCommon(entry.name, entry.crc, 28, &out);
    // Comment, disk, internal and external attributes.
    Append(&out, kNone, kNone, kNone, U32{0}, kElsewhere32);
    out += entry.name;
    Append(&out, kZip64, U16{24}, entry.size, entry.size, entry.offset);
  }
  const std::uint64_t directory_size = out.size(), end_record = directory + directory_size;
  Append(&out, U32{0x06064B50}, std::uint64_t{44}, kZipVersion, kZipVersion, U32{0}, U32{0}, count,
         count, directory_size, directory);
  Append(&out, U32{0x07064B50}, U32{0}, end_record, U32{1});
  Append(&out, U32{0x06054B50}, kNone, kNone, kElsewhere16, kElsewhere16, kElsewhere32,
         kElsewhere32, kNone);
  file_.Write(out);
  file_.Commit();
}

}  // namespace civita
