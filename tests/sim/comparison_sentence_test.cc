#include "civita/sim/comparison_sentence.h"

#include <gtest/gtest.h>

#include "civita/sim/metrics.h"

namespace civita {
namespace comparison_sentence_test {

const std::vector<MetricInfo> kInfos = {
    {.key = "path", .label = "path", .unit = "", .doc = ""},
    {.key = "twist_rad", .label = "twist", .unit = "rad", .doc = "", .floor = 1e-9},
    {.key = "ideal_turning_rad", .label = "ideal turning", .unit = "rad", .doc = "", .floor = 1e-9},
    {.key = "error_rms", .label = "tracking error, RMS", .unit = "rad", .doc = ""}};

struct Run {
  double twist = 0, ideal = 0, error = 0;
  Failure failure = {};
};

std::string Sentence(const Run& a, const Run& b) {
  const std::vector<double> values_a = {1, a.twist, a.ideal, a.error};
  const std::vector<double> values_b = {1, b.twist, b.ideal, b.error};
  return DescribeComparison({"A (christoffel)", kInfos, values_a, a.failure},
                            {"B (t:1)", kInfos, values_b, b.failure});
}

TEST(ComparisonSentence, TellsTheTwistAndWhatOfItIsTorsion) {
  EXPECT_EQ(Sentence({0.02, 0, 0.1}, {0.85, 0.61, 0.11}),
            "A (christoffel) turned s by 0.02 rad, B (t:1) by 0.85 rad, 0.61 of it torsion; "
            "tracking errors are alike.");
  EXPECT_EQ(Sentence({1e-6, 0, 0.1}, {0.85, 0.9, 0.1}),
            "A (christoffel) turned s by less than 0.01 rad, B (t:1) by 0.85 rad, where torsion "
            "alone turns it by 0.90; tracking errors are alike.");
}

TEST(ComparisonSentence, TellsWhoseErrorIsLarger) {
  EXPECT_EQ(
      Sentence({0, 0, 0.1}, {0, 0, 0.25}),
      "s turned in neither run; B (t:1)'s tracking error is 2.5 times A (christoffel)'s (0.25 "
      "against 0.1 rad).");
  EXPECT_EQ(Sentence({0.5, 0, 0.3}, {0.51, 0, 0.1}),
            "Both runs turned s alike, by 0.50 rad; A (christoffel)'s tracking error is 3 times B "
            "(t:1)'s (0.3 against 0.1 rad).");
}

TEST(ComparisonSentence, RoundingIsNoDifference) {
  EXPECT_EQ(Sentence({1e-12, 0, 1e-14}, {1e-10, 1e-11, 3e-13}),
            "s turned in neither run; tracking errors are alike.");
}

TEST(ComparisonSentence, ALawWithoutAReferenceHasNoError) {
  EXPECT_EQ(Sentence({0.5, kNaN, kNaN}, {0.1, 0.05, kNaN}),
            "A (christoffel) turned s by 0.50 rad, B (t:1) by 0.10 rad, 0.05 of it torsion.");
}

TEST(ComparisonSentence, TellsWhichRunStopped) {
  EXPECT_EQ(Sentence({}, {.failure = {true, 1.25, 1250, "fell"}}),
            "B (t:1) stopped at 1.25 s; A (christoffel) went on.");
  const std::vector<double> none;
  EXPECT_EQ(DescribeComparison({"A", kInfos, none}, {"B", kInfos, none}),
            "Nothing is measured yet.");
}

}  // namespace comparison_sentence_test
}  // namespace civita
