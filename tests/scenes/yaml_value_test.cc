// The reader of YAML under texts that are malformed, endless or huge; what a config makes of its
// values is tested in config_test.cc.
#include "civita/scenes/schema/yaml_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"
#include "civita/error.h"

namespace civita {
namespace {

std::string ErrorOf(const std::string& yaml) {
  try {
    ParseYaml(yaml, "c.yaml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

const std::string kTooMany = "too many or too deeply nested values";

TEST(YamlValue, KeepsPlacesQuotesAndOrder) {
  const YamlValue root = ParseYaml("b: 1\na: ['2', ~]\nc:\n", "c.yaml");
  ASSERT_EQ(root.entries.size(), 3u);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_FALSE(root.Find("b")->quoted);
  const YamlValue& list = *root.Find("a");
  EXPECT_EQ(list.where, "c.yaml:2:4");
  EXPECT_TRUE(list.items[0].quoted);
  EXPECT_EQ(list.items[1].kind, YamlValue::Kind::kNull);
  EXPECT_EQ(root.Find("c")->where, "c.yaml:3:1");  // that of its key
}

TEST(YamlValue, AnAliasIsItsAnchorsValueWithItsPlace) {
  const YamlValue root = ParseYaml("a: &x {k: 1}\nb: *x\n", "c.yaml");
  EXPECT_EQ(root.Find("b")->Find("k")->where, "c.yaml:1:11");
}

TEST(YamlValue, TellsTheBracketThatLacksAndNotWhatFollowsFromIt) {
  // As events, the text has an entry without a key before its end.
  EXPECT_EQ(ErrorOf("a: {b: 1,\n: 2\n"), "c.yaml:3:1: malformed YAML: end of map flow not found");
  EXPECT_EQ(ErrorOf("a: {b: 1, : 2}\n"), "c.yaml:1:11: a key must be a word");
}

TEST(YamlValue, MessagesAreUtf8WhateverTheReaderNames) {
  EXPECT_EQ(ErrorOf("a: \"\\ö\"\n"), "c.yaml:1:7: malformed YAML: unknown escape character: ");
  // The reader would take it for UTF-16.
  const std::string text("a: 1\nb: \x08\0\0*=[{bgd y", 20);
  EXPECT_EQ(
      ErrorOf(text),
      "c.yaml:2:5: a NUL character; text is UTF-8, or UTF-16 with its byte order mark in YAML");
  EXPECT_EQ(
      ErrorOf(std::string("1\0", 2)),
      "c.yaml:1:2: a NUL character; text is UTF-8, or UTF-16 with its byte order mark in YAML");
}

// The reader makes UTF-8 of them without a look.
TEST(YamlValue, CharactersThatDoNotExistInWideTextsAreRefused) {
  const auto big_endian = [](const std::u32string& characters) {
    std::string text("\0\0\xFE\xFF", 4);
    for (const char32_t c : characters) {
      for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(c >> shift & 0xFF);
    }
    return text;
  };
  EXPECT_EQ(ParseYaml(big_endian(U"a: [1, €]"), "c.yaml").Find("a")->items[1].text, "€");
  std::u32string beyond = U"a: [1, x]", surrogate = beyond;
  beyond[7] = 0x110000;
  surrogate[7] = 0xD800;
  for (const std::u32string& text : {beyond, surrogate}) {
    const std::string message = ErrorOf(big_endian(text));
    EXPECT_EQ(internal::FindNoUtf8(message), message.npos) << message;
    EXPECT_NE(message, "");
  }
  EXPECT_THAT(ErrorOf(big_endian(beyond)), testing::HasSubstr("characters that do not exist"));
}

TEST(YamlValue, AliasesThatStandForAHugeTreeAreRefused) {
  std::string yaml = "a: &a0 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n";
  for (int i = 1; i < 9; ++i) {
    yaml += "b" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) yaml += (k ? ", *a" : "*a") + std::to_string(i - 1);
    yaml += "]\n";
  }
  EXPECT_THAT(ErrorOf(yaml), testing::HasSubstr(kTooMany));
  EXPECT_EQ(ErrorOf("a: &x [*x]\n"), "c.yaml:1:8: " + kTooMany);
}

TEST(YamlValue, AnchorsWithinAnchorsCountAsTheirCopies) {
  std::string list = "[0";
  for (int i = 1; i < 9000; ++i) list += ", 0";
  list += "]";
  EXPECT_EQ(ErrorOf(list), "");
  for (int i = 0; i < 20; ++i) list = "[&a" + std::to_string(i) + " " + list + "]";
  EXPECT_THAT(ErrorOf(list), testing::HasSubstr(kTooMany));
}

TEST(YamlValue, PathsOfManyDotsAreRefused) {
  YamlValue root;
  const YamlValue value = ParseYamlArgument("1", "--set");
  SetYamlValue(root, "a.b.c", value);
  EXPECT_EQ(root.Find("a")->Find("b")->Find("c")->text, "1");
  std::string path = "a";
  for (int i = 0; i < 100'000; ++i) path += ".a";
  EXPECT_THROW(SetYamlValue(root, path, value), UserError);
}

}  // namespace
}  // namespace civita
