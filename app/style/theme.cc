#include "app/style/theme.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace civita {
namespace {

constexpr Rgb kBlack = 0x000000;
constexpr Rgb kWhite = 0xFFFFFF;

}  // namespace

std::string Hex(Rgb color) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "#%06X", color);
  return text.data();
}

Rgb Mix(Rgb a, Rgb b, float t) {
  Rgb mixed = 0;
  for (unsigned shift = 0; shift < 24; shift += 8) {
    const auto from = static_cast<float>((a >> shift) & 0xFFu);
    const auto to = static_cast<float>((b >> shift) & 0xFFu);
    mixed |= static_cast<Rgb>(from * (1.0f - t) + to * t + 0.5f) << shift;
  }
  return mixed;
}

float Luminance(Rgb color) {
  const auto linear = [](float c) {
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
  };
  const std::array<float, 3> c = ToFloats(color);
  return 0.2126f * linear(c[0]) + 0.7152f * linear(c[1]) + 0.0722f * linear(c[2]);
}

float Contrast(Rgb a, Rgb b) {
  const float la = Luminance(a);
  const float lb = Luminance(b);
  return (std::max(la, lb) + 0.05f) / (std::min(la, lb) + 0.05f);
}

Rgb ReadableInk(Rgb background) {
  return Contrast(background, kBlack) > Contrast(background, kWhite) ? kBlack : kWhite;
}

Rgb HeatColor(const Theme& theme, float unit) {
  const float strength = std::pow(std::min(1.0f, std::fabs(unit)), 0.8f);
  return Mix(theme.heat_zero, unit < 0.0f ? theme.heat_minus : theme.heat_plus, strength);
}

}  // namespace civita
