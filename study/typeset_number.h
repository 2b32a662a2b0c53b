#pragma once

#include <string>
#include <string_view>

namespace civita {

/// Numbers as the window shows them: true minus (U+2212), figure spaces (U+2007) as padding so
/// that digits do not move, a dash for NaN and ∞ for infinity.

enum class Sign { kNegativeOnly, kAlways };

/// With fixed decimals, padded to `width` characters.
std::string Fixed(double value, int decimals, int width = 0, Sign sign = Sign::kNegativeOnly);

/// With two decimals from 0.1 to 1000, else as 3.4·10⁻¹⁵ with `decimals`; "0" for zero.
std::string Scientific(double value, int decimals = 1);

/// 10ⁿ with superscript digits, 10⁻³.
std::string PowerOfTen(int exponent);

/// With thin spaces between thousands: 12 480.
std::string Grouped(long long value);

/// With the fewest digits that represent `value` to `digits` significant ones: 0.25, 5, 1.2·10⁻⁴.
/// For sliders without fixed decimals and for the log.
std::string Short(double value, int digits = 3);

/// For tables: four digits, 0.1875, 12 480, 3.51·10⁻⁷; whole numbers in full.
std::string Tabular(double value);

/// A text with its numbers, words such as "-1.2e+05;", as Tabular has them.
std::string TypesetNumbers(std::string_view text);

}  // namespace civita
