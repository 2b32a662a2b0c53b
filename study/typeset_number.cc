#include "study/typeset_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "base/number_text.h"

namespace civita {
namespace {

constexpr std::string_view kMinus = "−";
constexpr std::string_view kFigureSpace = "\u2007";
constexpr std::string_view kThinGap = "\u2009";
constexpr std::string_view kNotANumber = "–";
constexpr std::array<std::string_view, 10> kSuperscripts = {"⁰", "¹", "²", "³", "⁴",
                                                            "⁵", "⁶", "⁷", "⁸", "⁹"};

std::string Pad(const std::string& text, int characters, int width) {
  std::string padded;
  for (int i = characters; i < width; ++i) padded += kFigureSpace;
  return padded + text;
}

// Converts an ASCII number to the window's typography; `width` counts characters, not bytes.
std::string Typeset(std::string_view ascii, int width) {
  std::string text;
  for (const char c : ascii) {
    if (c == '-') {
      text += kMinus;
    } else {
      text += c;
    }
  }
  return Pad(text, static_cast<int>(ascii.size()), width);
}

std::string NonFinite(double value, int width) {
  if (std::isnan(value)) return Pad(std::string(kNotANumber), 1, width);
  return value > 0 ? Pad("∞", 1, width) : Pad("−∞", 2, width);
}

constexpr double kTiny = 1e-3, kHuge = 1e5;  // outside of which numbers have an exponent

bool IsAllZeros(std::string_view ascii) { return ascii.find_first_of("123456789") == ascii.npos; }

// Without trailing zeros: 1.5·10⁻⁷.
std::string ShortScientific(double value, int digits = 3) {
  std::string text = Scientific(value, digits - 1);
  const std::size_t dot = text.find("·");
  if (digits == 1) return text;
  std::size_t kept = text.find_last_not_of('0', dot - 1);
  if (text[kept] != '.') ++kept;
  return text.erase(kept, dot - kept);
}

}  // namespace

std::string Fixed(double value, int decimals, int width, Sign sign) {
  if (!std::isfinite(value)) return NonFinite(value, width);
  std::string ascii = internal::WithDecimals(value, decimals);
  if (IsAllZeros(ascii)) ascii = internal::WithDecimals(0, decimals);
  if (sign == Sign::kAlways && !ascii.starts_with('-')) ascii.insert(0, 1, '+');
  return Typeset(ascii, width);
}

std::string PowerOfTen(int exponent) {
  std::string text = "10";
  if (exponent < 0) text += "⁻";
  for (const char c : std::to_string(std::abs(exponent))) {
    text += kSuperscripts[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

std::string Scientific(double value, int decimals) {
  if (!std::isfinite(value)) return NonFinite(value, 0);
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (size >= 0.1 && size < 1000) return Fixed(value, 2);
  const std::string ascii = internal::WithExponent(value, decimals);
  const std::size_t e = ascii.find('e');
  return Typeset(std::string_view(ascii).substr(0, e), 0) + "·" +
         PowerOfTen(std::atoi(ascii.c_str() + e + 1));
}

std::string Grouped(long long value) {
  std::string digits = std::to_string(value);
  std::string text;
  if (value < 0) {
    digits.erase(0, 1);
    text = kMinus;
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += kThinGap;
    text += digits[i];
  }
  return text;
}

std::string Short(double value, int digits) {
  if (!std::isfinite(value)) return NonFinite(value, 0);
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (size < kTiny || size >= kHuge) return ShortScientific(value, digits);
  const int decimals = std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
  std::string text = Fixed(value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string Tabular(double value) {
  if (!std::isfinite(value)) return NonFinite(value, 0);
  const double size = std::fabs(value);
  if (value == std::round(value) && size < 1e9) return Grouped(std::llround(value));
  if (size < kTiny || size >= kHuge) return ShortScientific(value);
  if (size >= 999.95) {
    const double unit = size >= 9999.5 ? 10 : 1;
    return Grouped(std::llround(value / unit) * std::llround(unit));
  }
  return Typeset(internal::General(value, 4), 0);
}

std::string TypesetNumbers(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t size = word.find_last_not_of(",;:.)") + 1;  // 0 for npos
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + size, number);
    const bool whole = error == std::errc() && end == word.data() + size;
    const bool is_short = word.find('e') != word.npos && std::fabs(number) >= kHuge;
    out += !whole     ? std::string(word.substr(0, size))
           : is_short ? ShortScientific(number)  // not 12 300 000 for 1.23e+07
                      : Tabular(number);
    out += word.substr(size);
    text.remove_prefix(word.size());
    if (!text.empty()) {
      out += ' ';
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace civita
