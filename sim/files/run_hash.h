#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "civita/sim/signals.h"

namespace civita {

/// A hash of the signals of a run, timings left out: two runs have the same one if all their
/// numbers have the same bits. Not cryptographic.
class RunHash {
 public:
  explicit RunHash(const SignalTable& table) : width_(1 + table.timings_begin()) {
    for (const std::string& column : std::span(table.columns()).first(table.timings_begin())) {
      for (const char c : column) Mix(static_cast<unsigned char>(c));
      Mix(0x100);
    }
  }
  /// Adds a row: t, then the table's numbers. Every NaN counts as the same one.
  void Add(std::span<const double> row) {
    for (const double x : row.first(width_)) {
      Mix(std::isnan(x) ? kNaNBits : std::bit_cast<std::uint64_t>(x));
    }
  }
  /// 16 hexadecimal digits.
  std::string text() const {
    std::string text(16, '0');
    for (std::size_t i = 0; i < 16; ++i) text[i] = "0123456789abcdef"[state_ >> (60 - 4 * i) & 15];
    return text;
  }

 private:
  void Mix(std::uint64_t bits) {
    state_ = (state_ ^ bits) * 0x9E3779B97F4A7C15;
    state_ ^= state_ >> 29;
  }

  static constexpr std::uint64_t kNaNBits = 0x7FF8000000000000;
  std::size_t width_;
  std::uint64_t state_ = 0xCBF29CE484222325;
};

}  // namespace civita
