#include "civita/sim/csv_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

#include "base/utf8.h"
#include "civita/error.h"

namespace civita {
namespace {

std::vector<std::string> Fields(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.emplace_back(line.substr(0, comma));
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// Reads the numbers of a line; false unless there are as many.
bool ReadNumbers(std::string_view line, std::span<double> numbers) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    const bool is_last = i + 1 == numbers.size();
    if (error != std::errc() || (is_last ? next != end : next == end || *next != ',')) return false;
    at = is_last ? next : next + 1;
  }
  return true;
}

}  // namespace

CsvRows::CsvRows(const std::filesystem::path& path) : file_(path, std::ios::binary) {
  if (!std::getline(file_, line_)) return;
  internal::CheckUtf8(line_, path.string());
  columns_ = Fields(line_);
  auto at = static_cast<std::streamoff>(line_.size() + 1);
  std::vector<double> row(columns_.size());
  const auto refuse = [&](const std::string& why) {
    throw UserError(path.string() + ": row " + std::to_string(size() + 1) + why);
  };
  // getline sets eof at a line without its end.
  while (std::getline(file_, line_) && !file_.eof()) {
    if (!ReadNumbers(line_, row)) {
      refuse(" is not a row of " + std::to_string(columns_.size()) + " numbers");
    }
    if (!std::isfinite(row[0])) refuse(" has no finite time");
    if (size() > 0 && row[0] <= times_.back()) refuse(" is not later than the row before it");
    if (size() % kBlock == 0) blocks_.push_back(at);
    times_.push_back(row[0]);
    at += static_cast<std::streamoff>(line_.size() + 1);
  }
  ends_within_row_ = !line_.empty() && file_.eof();
  block_ = blocks_.size();
}

std::span<const double> CsvRows::row(std::size_t index) {
  const std::size_t width = columns_.size();
  if (block_ != index / kBlock) {
    block_ = index / kBlock;
    values_.assign(kBlock * width, std::numeric_limits<double>::quiet_NaN());
    file_.clear();
    file_.seekg(blocks_[block_]);
    const std::size_t rows = std::min(kBlock, size() - block_ * kBlock);
    for (std::size_t k = 0; k < rows && std::getline(file_, line_); ++k) {
      ReadNumbers(line_, std::span(values_).subspan(k * width, width));
    }
  }
  return std::span(values_).subspan(index % kBlock * width, width);
}

}  // namespace civita
