#include "base/json_nesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "civita/error.h"

namespace civita {
namespace json_nesting_test {

std::string Refusal(const std::string& json) {
  try {
    internal::CheckNesting(json, "a.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string Nested(std::size_t levels, const std::string& inner) {
  return std::string(levels, '[') + inner + std::string(levels, ']');
}

TEST(JsonNesting, DeepListsAndObjectsAreRefused) {
  const std::string told = "a.json: lists and objects are nested more than 100 deep";
  EXPECT_EQ(Refusal(Nested(100, "1")), "");
  EXPECT_EQ(Refusal(Nested(101, "1")), told);
  EXPECT_EQ(Refusal(Nested(100, "{}")), told);
  EXPECT_EQ(Refusal(std::string(1'000'000, '{')), told);
}

TEST(JsonNesting, BracketsOfTextsAndOfNeighboursDoNotCount) {
  const std::string text = "\"\\\\\\\"" + std::string(200, '[') + "\"";
  EXPECT_EQ(Refusal(Nested(100, text)), "");
  EXPECT_EQ(Refusal(Nested(99, "[],[],{}")), "");
}

}  // namespace json_nesting_test
}  // namespace civita
