#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "app/window/actions/actions.h"
#include "app/window/widgets/draw.h"
#include "app/window/widgets/slider.h"
#include "study/typeset_number.h"

namespace civita {
namespace ui_format_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Format, FixedHasATrueMinusAndNoNegativeZero) {
  EXPECT_EQ(Fixed(-1.5, 2), "\u22121.50");
  EXPECT_EQ(Fixed(1.5, 2), "1.50");
  EXPECT_EQ(Fixed(-0.0, 1), "0.0");
  EXPECT_EQ(Fixed(-0.004, 2), "0.00");
  EXPECT_EQ(Fixed(-0.006, 2), "\u22120.01");
  EXPECT_EQ(Fixed(0.999, 2), "1.00");
  EXPECT_EQ(Fixed(2.4, 0), "2");
  EXPECT_EQ(Fixed(1.5, 1, 0, Sign::kAlways), "+1.5");
  EXPECT_EQ(Fixed(-1e-9, 1, 0, Sign::kAlways), "+0.0");
  EXPECT_EQ(Fixed(1e300, 0).size(), 301u);
}

TEST(Format, FixedPadsByCharactersNotBytes) {
  EXPECT_EQ(Fixed(3.25, 2, 6), "\u2007\u20073.25");
  EXPECT_EQ(Fixed(-3.25, 2, 6), "\u2007\u22123.25");
  EXPECT_EQ(Fixed(123.25, 2, 3), "123.25");
  EXPECT_EQ(Fixed(kNaN, 2, 3), "\u2007\u2007–");
  EXPECT_EQ(Fixed(-kInfinity, 2, 3), "\u2007−∞");
}

TEST(Format, WhatIsNotFiniteIsNotANumber) {
  EXPECT_EQ(Fixed(kNaN, 3), "–");
  EXPECT_EQ(Scientific(kNaN), "–");
  EXPECT_EQ(Short(-kNaN), "–");
  EXPECT_EQ(Fixed(kInfinity, 3), "∞");
  EXPECT_EQ(Scientific(-kInfinity), "−∞");
  EXPECT_EQ(Short(kInfinity), "∞");
}

TEST(Format, ScientificRoundsTheMantissaOnce) {
  EXPECT_EQ(Scientific(0), "0");
  EXPECT_EQ(Scientific(0.1), "0.10");
  EXPECT_EQ(Scientific(-999.99), "−999.99");
  EXPECT_EQ(Scientific(1000), "1.0·10³");
  EXPECT_EQ(Scientific(0.0999), "1.0·10⁻¹");
  EXPECT_EQ(Scientific(0.0994), "9.9·10⁻²");
  EXPECT_EQ(Scientific(9960), "1.0·10⁴");
  EXPECT_EQ(Scientific(3.4e-15), "3.4·10⁻¹⁵");
  EXPECT_EQ(Scientific(-1.2e5), "−1.2·10⁵");
  EXPECT_EQ(Scientific(1.7976931348623157e308), "1.8·10³⁰⁸");
  EXPECT_EQ(Scientific(std::numeric_limits<double>::denorm_min()), "4.9·10⁻³²⁴");
}

TEST(Format, PowersOfTenAreSuperscripts) {
  EXPECT_EQ(PowerOfTen(0), "10⁰");
  EXPECT_EQ(PowerOfTen(12), "10¹²");
  EXPECT_EQ(PowerOfTen(-307), "10⁻³⁰⁷");
}

TEST(Format, ThousandsHaveAThinGap) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1\u2009000");
  EXPECT_EQ(Grouped(12480), "12\u2009480");
  EXPECT_EQ(Grouped(-123456), "−123\u2009456");
  EXPECT_EQ(Grouped(1234567), "1\u2009234\u2009567");
  EXPECT_EQ(Grouped(std::numeric_limits<long long>::min()),
            "−9\u2009223\u2009372\u2009036\u2009854\u2009775\u2009808");
}

TEST(Format, ShortKeepsNoMoreDigitsThanItNeeds) {
  EXPECT_EQ(Short(0), "0");
  EXPECT_EQ(Short(5), "5");
  EXPECT_EQ(Short(0.25), "0.25");
  EXPECT_EQ(Short(9.999), "10");
  EXPECT_EQ(Short(100), "100");
  EXPECT_EQ(Short(12345), "12345");
  EXPECT_EQ(Short(-0.1234), "−0.123");
  EXPECT_EQ(Short(1.2e-4), "1.2·10⁻⁴");
  EXPECT_EQ(Short(1.234e-5), "1.23·10⁻⁵");
  EXPECT_EQ(Short(1.234e-5, 2), "1.2·10⁻⁵");
  EXPECT_EQ(Short(1.234e-5, 1), "1·10⁻⁵");
  EXPECT_EQ(Short(1e5), "1·10⁵");
  EXPECT_EQ(Short(-50, 1), "−50");
}

TEST(Format, TablesHaveFourDigits) {
  EXPECT_EQ(Tabular(0.18754), "0.1875");
  EXPECT_EQ(Tabular(-1.5), "−1.5");
  EXPECT_EQ(Tabular(3.511e-7), "3.51·10⁻⁷");
  EXPECT_EQ(Tabular(-1e-6), "−1·10⁻⁶");
  EXPECT_EQ(Tabular(1.5e-6), "1.5·10⁻⁶");
  EXPECT_EQ(Tabular(999.96), "1\u2009000");
  EXPECT_EQ(Tabular(24137.3), "24\u2009140");
  EXPECT_EQ(Tabular(1.234567e5), "1.23·10⁵");
  EXPECT_EQ(Tabular(123456), "123\u2009456") << "a count";
  EXPECT_EQ(Tabular(0), "0");
  EXPECT_EQ(Tabular(NAN), "–");
}

TEST(Format, NumbersInATextAreTypeset) {
  EXPECT_EQ(TypesetNumbers("the speed of joint4 is -1.23e+07 rad/s at t = 0.25 s (step 3)"),
            "the speed of joint4 is −1.23·10⁷ rad/s at t = 0.25 s (step 3)");
  EXPECT_EQ(TypesetNumbers("≤ 1e-06; 2e5, t:1 "), "≤ 1·10⁻⁶; 2·10⁵, t:1 ");
  EXPECT_EQ(TypesetNumbers(""), "");
}

TEST(Format, SpeedsSayWhatTheyAre) {
  EXPECT_EQ(SpeedLabel(0), "max");
  EXPECT_EQ(SpeedLabel(0.001), "0.001×");
  EXPECT_EQ(SpeedLabel(1), "1×");
  for (size_t i = 1; i + 1 < Speeds().size(); ++i) EXPECT_GT(Speeds()[i], Speeds()[i - 1]);
  EXPECT_EQ(Speeds().back(), 0);
}

TEST(ParseNumber, TakesWhatTheWindowShows) {
  EXPECT_EQ(ParseNumber("5"), 5);
  EXPECT_EQ(ParseNumber("−2.5"), -2.5);
  EXPECT_EQ(ParseNumber("-2.5"), -2.5);
  EXPECT_EQ(ParseNumber(" +1.25 "), 1.25);
  EXPECT_EQ(ParseNumber("1e-3"), 0.001);
  EXPECT_EQ(ParseNumber("1e−3"), 0.001);
  EXPECT_EQ(ParseNumber("1e+3"), 1000);
  EXPECT_EQ(ParseNumber("12 480"), 12480);
  EXPECT_EQ(ParseNumber(".5"), 0.5);
}

TEST(ParseNumber, RefusesWhatIsNoNumber) {
  for (const char* text : {"", " ", "+", "−", "abc", "5x", "5−", "1+2", "++1", "+-1", "1.2.3",
                           "1,5", "nan", "inf", "−inf", "1e999", "0x10", "1e"}) {
    EXPECT_FALSE(ParseNumber(text).has_value()) << "'" << text << "'";
  }
}

TEST(FormatValue, KeepsThreeDigitsOrTheDecimals) {
  SliderSpec spec;
  spec.decimals = -1;
  EXPECT_EQ(FormatValue(spec, 5), "5.00");
  EXPECT_EQ(FormatValue(spec, 1000), "1000");
  EXPECT_EQ(FormatValue(spec, 0), "0.00");
  EXPECT_EQ(FormatValue(spec, 1e6), "1.0·10⁶");
  spec.decimals = 2;
  spec.scale = SliderScale::kSigned;
  EXPECT_EQ(FormatValue(spec, 0.5), "+0.50");
  EXPECT_EQ(FormatValue(spec, -0.5), "−0.50");
}

TEST(Format, TextOfTheDocumentsIsDrawnWithoutBackticks) {
  EXPECT_EQ(ShownText("`error_rms` of V\u0307"), std::string("error_rms of ") + kVDot);
  EXPECT_EQ(ExportText(ShownText("v\u0307, q, `q\u0307`")), "v\u0307, q, q\u0307");
}

}  // namespace ui_format_test
}  // namespace civita
