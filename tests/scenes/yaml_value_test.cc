// The reader of YAML under texts that are malformed, endless or huge; what a config makes of its
// values is tested in config_test.cc.
#include "civita/scenes/schema/yaml_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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
