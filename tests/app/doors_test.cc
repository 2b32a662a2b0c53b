// What enters the program: seeds and corpus of the campaign as they are, and damaged at random. The
// campaign itself (scripts/campaign) goes on from there with coverage.
#include "tests/campaign/doors.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace civita {
namespace doors_test {

/// Bytes changed, repeated, left out, or exchanged for what readers stumble over.
std::string Damage(std::string text, std::mt19937* random) {
  static const std::vector<std::string> kPieces = {"1e999",      "-0", "nan",  "[",      "}",  "\"",
                                                   "\n",         ",,", "\xff", "1e-320", "&a", "*a",
                                                   "2147483648", ":",  "~",    "#",      "\t"};
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(*random);
  };
  for (std::size_t i = 0, times = 1 + below(4); i < times; ++i) {
    const std::size_t at = below(text.size() + 1), length = below(20);
    const std::string part = text.substr(at, length);
    switch (below(4)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        for (std::size_t k = below(8); k > 0; --k) text.insert(at, part);
        break;
      default:
        text.insert(at, kPieces[below(kPieces.size())]);
    }
  }
  return text;
}

class DoorsOfTheProgram : public testing::TestWithParam<Door> {};

TEST_P(DoorsOfTheProgram, AcceptOrRefuse) {
  constexpr int kTimes = 60;
  const Door& door = GetParam();
  std::mt19937 random(1);
  const std::vector<std::string> inputs = CorpusOf(door);
  EXPECT_FALSE(inputs.empty()) << "no corpus";
  for (const std::string& input : inputs) {
    EXPECT_NO_THROW(Knock(door, input)) << input;
    for (int i = 0; i < kTimes; ++i) {
      const std::string damaged = Damage(input, &random);
      ASSERT_NO_THROW(Knock(door, damaged)) << damaged;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, DoorsOfTheProgram, testing::ValuesIn(Doors().begin(), Doors().end()),
                         [](const auto& test) { return std::string(test.param.name); });

// Otherwise the doors could not be seen to misbehave.
TEST(Knock, TellsWhatIsNotRefusedProperly) {
  const auto knock = [](void (*open)(const std::string&)) { Knock({"door", open}, ""); };
  EXPECT_NO_THROW(knock([](const std::string&) { throw UserError("file.yaml:1:1: key"); }));
  EXPECT_THROW(knock([](const std::string&) { throw UserError(""); }), Misbehaviour);
  EXPECT_THROW(knock([](const std::string&) { throw std::bad_alloc(); }), Misbehaviour);
}

}  // namespace doors_test
}  // namespace civita
