#include "base/check_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "civita/error.h"

namespace civita {
namespace check_json_test {

std::string Refusal(const std::string& json) {
  try {
    internal::CheckJson(json, "a.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string Nested(std::size_t levels, const std::string& inner) {
  return std::string(levels, '[') + inner + std::string(levels, ']');
}

TEST(CheckJson, DeepListsAndObjectsAreRefused) {
  const std::string told = "a.json: lists and objects are nested more than 100 deep";
  EXPECT_EQ(Refusal(Nested(100, "1")), "");
  EXPECT_EQ(Refusal(Nested(101, "1")), told);
  EXPECT_EQ(Refusal(Nested(100, "{}")), told);
  EXPECT_EQ(Refusal(std::string(1'000'000, '{')), told);
}

TEST(CheckJson, BracketsOfTextsAndOfNeighboursDoNotCount) {
  const std::string text = "\"\\\\\\\"" + std::string(200, '[') + "\"";
  EXPECT_EQ(Refusal(Nested(100, text)), "");
  EXPECT_EQ(Refusal(Nested(99, "[],[],{}")), "");
}

TEST(CheckJson, NulsAreRefusedWhereverTheyAre) {
  const std::string told = ": a NUL character, which no text has";
  EXPECT_EQ(Refusal(std::string("[1]\n\0 2", 7)), "a.json:2:1" + told);
  EXPECT_EQ(Refusal(std::string("[\"a\0b\"]", 7)), "a.json:1:4" + told);
  EXPECT_EQ(Refusal(R"({"é": "x\u0000y"})"), "a.json:1:9" + told);
  // The escape of a backslash, not of a NUL.
  EXPECT_EQ(Refusal(R"(["\\u0000", "\u0001", "u0000"])"), "");
}

}  // namespace check_json_test
}  // namespace civita
