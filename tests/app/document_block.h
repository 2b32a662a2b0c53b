#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace civita {

/// The content of the fenced block of a Markdown document whose fence is followed by `start`.
inline std::string Block(const std::string& document, const std::string& start) {
  const size_t at = document.find("```" + start + "\n");
  EXPECT_NE(at, std::string::npos) << start;
  if (at == std::string::npos) return "";
  const size_t begin = document.find('\n', at) + 1;
  return document.substr(begin, document.find("```", begin) - begin);
}

/// Expects the same keys and texts, and numbers equal to 1e-12.
inline void ExpectAlike(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b) {
  ASSERT_EQ(a.is_number(), b.is_number()) << a << " and " << b;
  if (a.is_number()) {
    EXPECT_NEAR(a.get<double>(), b.get<double>(), 1e-12);
  } else if (a.is_structured()) {
    ASSERT_EQ(a.size(), b.size());
    for (auto i = a.begin(), k = b.begin(); i != a.end(); ++i, ++k) {
      if (a.is_object()) {
        EXPECT_EQ(i.key(), k.key());
      }
      ExpectAlike(*i, *k);
    }
  } else {
    EXPECT_EQ(a, b);
  }
}

}  // namespace civita
