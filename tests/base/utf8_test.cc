#include "base/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/error.h"

namespace civita {
namespace utf8_test {

using internal::CheckUtf8;
using internal::CountCharacters;
using internal::FindNoUtf8;
using internal::FirstBytes;

std::string ErrorOf(const std::string& text) {
  try {
    CheckUtf8(text, "a.txt");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// Every code point by the definition of UTF-8, and every text of two bytes.
TEST(Utf8, KnowsEveryCharacterAndNothingElse) {
  const auto encode = [](unsigned point) {
    const auto tail = [](unsigned bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
    if (point < 0x80) return std::string{static_cast<char>(point)};
    if (point < 0x800) return std::string{static_cast<char>(0xC0 | point >> 6), tail(point)};
    if (point < 0x10000) {
      return std::string{static_cast<char>(0xE0 | point >> 12), tail(point >> 6), tail(point)};
    }
    return std::string{static_cast<char>(0xF0 | point >> 18), tail(point >> 12), tail(point >> 6),
                       tail(point)};
  };
  for (unsigned point = 0; point < 0x120000; ++point) {
    const bool is_character = point < 0xD800 || (point > 0xDFFF && point < 0x110000);
    const std::string text = encode(point);
    ASSERT_EQ(FindNoUtf8(text), is_character ? text.npos : 0) << std::hex << point;
    if (is_character) {
      ASSERT_EQ(CountCharacters(text), 1u) << std::hex << point;
    }
  }
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      const bool is_pair = first >= 0xC2 && first < 0xE0 && second >= 0x80 && second < 0xC0;
      const std::size_t where = first > 0x7F ? 0 : second > 0x7F ? 1 : text.npos;
      ASSERT_EQ(FindNoUtf8(text), is_pair ? text.npos : where) << first << " " << second;
    }
  }
  for (const char* text : {"\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
                           "\xE2\x82", "\xF0\x9F\x98", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_EQ(FindNoUtf8(text), 0u) << text;
  }
}

TEST(Utf8, FindsAByteWhereverItIs) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      ASSERT_EQ(FindNoUtf8(text), text.npos);
      text[at] = '\xFE';
      ASSERT_EQ(FindNoUtf8(text), at);
    }
  }
}

TEST(Utf8, NamesLineAndColumnInCharacters) {
  EXPECT_EQ(ErrorOf(""), "");
  EXPECT_EQ(ErrorOf("né\n"), "");
  EXPECT_EQ(ErrorOf("\xC0"), "a.txt:1:1: is no UTF-8 text: byte 0xC0");
  EXPECT_EQ(ErrorOf("one\ntwö\xFF"), "a.txt:2:4: is no UTF-8 text: byte 0xFF");
  EXPECT_EQ(ErrorOf("one\r\n\n\xE9t\xE9"), "a.txt:3:1: is no UTF-8 text: byte 0xE9");
}

TEST(Utf8, NulIsNoText) {
  EXPECT_THAT(ErrorOf(std::string("a\nb\0c", 5)),
              testing::StartsWith("a.txt:2:2: a NUL character"));
  EXPECT_THAT(ErrorOf(std::string("\xFF\0", 2)), testing::StartsWith("a.txt:1:1: is no UTF-8"));
}

TEST(Utf8, ShortensAtTheEndOfACharacter) {
  EXPECT_EQ(FirstBytes("aé€", 10), "aé€");
  const std::vector<std::string> parts = {"", "a", "a", "aé", "aé", "aé", "aé€"};
  for (std::size_t most = 0; most < parts.size(); ++most) {
    EXPECT_EQ(FirstBytes("aé€", most), parts[most]) << most;
  }
}

TEST(Utf8, KeepsWholeCharacters) {
  EXPECT_EQ(internal::KeepCharacters("aé€\n"), "aé€\n");
  EXPECT_EQ(internal::KeepCharacters("\xE2\x82\xFF a\xC3"), " a");
}

}  // namespace utf8_test
}  // namespace civita
