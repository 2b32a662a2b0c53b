// Numbers as text, the same in every locale of the program that this is part of.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace civita::internal {

inline std::string NumberText(double x, std::chars_format format, int precision) {
  std::array<char, 400> text;  // room for the largest double in fixed notation
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x, format, precision).ptr;
  return {text.data(), end};
}

/// Appends the shortest text that reads back to the same bits; nan, inf, -inf.
inline void AppendNumber(double x, std::string* text) {
  std::array<char, 32> digits;
  text->append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr);
}
/// That text.
inline std::string ExactNumber(double x) {
  std::string text;
  AppendNumber(x, &text);
  return text;
}

/// As printf's "%.<digits>g" in the C locale: "0.25", "1e-07", "nan".
inline std::string General(double x, int digits = 6) {
  return NumberText(x, std::chars_format::general, digits);
}
/// As printf's "%.<decimals>f" in the C locale.
inline std::string WithDecimals(double x, int decimals) {
  return NumberText(x, std::chars_format::fixed, decimals);
}
/// As printf's "%.<decimals>e" in the C locale.
inline std::string WithExponent(double x, int decimals) {
  return NumberText(x, std::chars_format::scientific, decimals);
}

}  // namespace civita::internal
