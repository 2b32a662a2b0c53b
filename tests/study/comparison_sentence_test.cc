#include "civita/study/compare/comparison_sentence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "civita/study/advise/advice.h"

namespace civita {
namespace comparison_sentence_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

enum Row { kTwist, kIdeal, kError, kTorque, kV0, kV1, kFall };

std::vector<MetricInfo> Metrics() {
  return {{"twist_rad", "twist", "rad", ""},
          {"ideal_turning_rad", "ideal turning", "rad", ""},
          {"error_rms", "tracking error, RMS", "rad, m", ""},
          {"torque_rms", "torque, RMS", "N·m", ""},
          {"V_at", "V(0 s)", "J", "", 0.0},
          {"V_at", "V(1 s)", "J", "", 1.0},
          {"fall_s", "time of the fall", "s", ""}};
}

/// Two runs that agree in all.
struct Pair {
  ComparedSide a{.name = "plain", .values = {0.5, 0.5, 0.2, 30, 10, 0.5, NAN}};
  ComparedSide b{.name = "t:5", .values = a.values};
  std::string Text() const { return CompareInWords(Metrics(), a, b); }
};

TEST(ComparisonSentence, NamesTheTorsionWhereItAloneTurns) {
  Pair pair;
  pair.a.values[kTwist] = 3.5e-7;
  pair.a.values[kIdeal] = 0;
  EXPECT_THAT(pair.Text(), StartsWith("With t:5, s turns by 29° on its way to zero, with "
                                      "plain not at all: the torsion of C, and nothing else"));
  pair.a.values[kTwist] = pair.a.values[kIdeal] = 0.1;
  EXPECT_THAT(pair.Text(), HasSubstr("with plain by 6°: the torsion of C"));
}

TEST(ComparisonSentence, DrawsNoConclusionFromAFreeFall) {
  Pair pair;
  pair.b.values[kError] = 20;
  pair.b.values[kFall] = 0.045;
  pair.b.fate = "fell freely: nothing holds the base";
  pair.b.is_whole = false;
  EXPECT_EQ(
      pair.Text(),
      "t:5 fell freely: nothing holds the base. The figures of a run that failed or fell tell "
      "nothing of its law: no conclusion.");
}

TEST(ComparisonSentence, BlamesNoTorsionForWhatItDoesNotExplain) {
  Pair pair;
  pair.a.values[kTwist] = 0.1;
  pair.a.values[kIdeal] = 0.5;  // as that of the other
  EXPECT_THAT(pair.Text(), HasSubstr("the torsion of C does not explain"));
  pair.a.values[kIdeal] = 0.3;
  EXPECT_THAT(pair.Text(), HasSubstr("the torsion of C alone would make 11°"));
  // Torsion may make more than the difference.
  pair.a.values[kTwist] = 0.2;
  pair.a.values[kIdeal] = 0.05;
  EXPECT_THAT(pair.Text(), HasSubstr("a difference of 17°: the torsion of C alone would "
                                     "make 26°, and damping"));
  EXPECT_THAT(pair.Text(), HasSubstr("make the other −9°."));
  pair.a.values[kTwist] = 0.1;
  pair.a.turned_by = {"joint damping"};
  EXPECT_THAT(pair.Text(), HasSubstr("and joint damping makes the other"));
  pair.b.turned_by = {"joint damping", "pushes"};
  EXPECT_THAT(pair.Text(), HasSubstr("and joint damping and pushes make the other"));
  pair.a.turned_by = pair.b.turned_by = {"pushes"};
  EXPECT_THAT(pair.Text(), HasSubstr("and pushes make the other"));
  pair.a.values[kIdeal] = pair.b.values[kIdeal] = NAN;  // a law without C
  EXPECT_THAT(pair.Text(), Not(HasSubstr("torsion")));
}

TEST(ComparisonSentence, SaysHowMuchIsTorsionWhereBothTurnAlike) {
  Pair pair;
  EXPECT_THAT(pair.Text(), Not(HasSubstr("turns"))) << "nor does the reason differ";
  pair.a.values[kIdeal] = 0;
  pair.b.values[kIdeal] = 0.28;
  pair.b.values[kTwist] = 0.5 * (1 + 1e-4);
  EXPECT_THAT(pair.Text(), StartsWith("s turns alike, by 29°, but not for the same reason: "
                                      "the torsion of C alone would make none of it with plain and "
                                      "16° with t:5; "));
  pair.a.values[kTwist] = pair.b.values[kTwist] = 1e-4;
  EXPECT_THAT(pair.Text(), Not(HasSubstr("turns"))) << "too little";
  pair.a.values[kTwist] = NAN;  // a law without C
  EXPECT_THAT(pair.Text(), Not(HasSubstr("turns")));
}

TEST(ComparisonSentence, SaysWhatPassivitySees) {
  Pair pair;
  pair.b.values[kV1] = 0.5 * (1 + 3e-10);
  EXPECT_THAT(pair.Text(), HasSubstr("V falls alike, within 3.0·10⁻¹⁰: passivity does not tell"));
  pair.b.values[kV1] = 0.4;
  EXPECT_THAT(pair.Text(), HasSubstr("V differs by up to 20 %, at t = 1 s."));
  pair.a.values[kV1] = pair.b.values[kV1] = NAN;  // not reached
  EXPECT_THAT(pair.Text(), Not(HasSubstr("V ")));
}

TEST(ComparisonSentence, SaysWhetherItMattersWithValuesAndUnits) {
  Pair pair;
  EXPECT_THAT(pair.Text(), HasSubstr("Here it does not matter: RMS tracking error and RMS torque "
                                     "are the same within 1 %."));
  pair.b.values[kError] = 0.21;
  EXPECT_THAT(pair.Text(), HasSubstr("Here it matters little: RMS tracking error is 5 % higher "
                                     "with t:5 (0.21 rad and m rather than 0.2); RMS torque is the "
                                     "same within 1 %."));
  pair.b.values[kTorque] = 90;
  EXPECT_THAT(pair.Text(), HasSubstr("It matters here: RMS torque is 3 times as high with t:5 (90 "
                                     "N·m rather than 30), RMS tracking error is 5 % higher"));
}

TEST(ComparisonSentence, SaysWhatTheIntervalsOfDifferencesSay) {
  Pair pair;
  pair.b.values[kError] = 0.25;
  std::vector<double> half(pair.a.values.size(), 0);
  const auto text = [&] { return CompareInWords(Metrics(), pair.a, pair.b, half); };
  half[kError] = 0.03;
  EXPECT_THAT(text(), HasSubstr("It matters here: RMS tracking error"));
  half[kError] = 0.06;
  EXPECT_THAT(text(), HasSubstr("So few runs do not tell whether it matters here: of RMS tracking "
                                "error the difference is within its 95 % confidence interval or "
                                "near to it; RMS torque is the same within 1 %."));
  half[kError] = NAN;  // of one pair of several runs
  EXPECT_THAT(text(), HasSubstr("do not tell whether it matters here: of RMS tracking error"));
  pair.b.values[kError] = 0.2005;  // alike, were it not for the interval
  half[kError] = 0.01;
  EXPECT_THAT(text(), HasSubstr("do not tell whether it matters here: of RMS tracking error"));
  half[kError] = 0.001;
  EXPECT_THAT(text(), HasSubstr("does not matter: RMS tracking error and RMS torque are the same"));
  half[kError] = 0.01;
  pair.b.values[kTorque] = 90;
  EXPECT_THAT(text(), HasSubstr("RMS torque is 3 times as high with t:5 (90 N·m rather than 30); "
                                "of RMS tracking error the difference is within"));
}

TEST(ComparisonSentence, TellsSeveralMechanismsApart) {
  Pair pair;
  std::vector<MetricInfo> metrics = Metrics();
  for (const char* label : {"error of cost", "error of gain", "error of planar"}) {
    metrics.push_back({.key = "error_rms_of", .label = label, .unit = "rad", .doc = ""});
    metrics.back().tree = static_cast<int>(metrics.size());
  }
  pair.a.values.insert(pair.a.values.end(), {0.1, 0.2, 0.3});
  pair.b.values.insert(pair.b.values.end(), {0.15, 0.1, 0.3});
  pair.b.values[kError] = 0.18;
  pair.b.values[kTwist] = 7;
  pair.a.predicted_error = pair.b.predicted_error = 0.2;
  const std::string text = CompareInWords(metrics, pair.a, pair.b);
  EXPECT_THAT(text, HasSubstr("error of cost is 50 % higher with t:5 (0.15 rad rather than 0.1)"));
  EXPECT_THAT(text, HasSubstr("error of gain is 50 % lower"));
  EXPECT_THAT(text, HasSubstr("error of planar and RMS torque are the same"));
  EXPECT_THAT(text, Not(testing::AnyOf(HasSubstr("tracking error"), HasSubstr("turns"),
                                       HasSubstr("predicted"))));
  const std::vector<std::string> lines = CompareInShort(metrics, pair.a, pair.b);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1],
            "With t:5: error of cost 50 % higher, error of gain 50 % lower, "
            "error of planar the same within 1 %.");
}

// Of a law that moves a frame, the distance from the posture says nothing.
TEST(ComparisonSentence, TellsTheErrorOfTheTaskInShort) {
  Pair pair;
  std::vector<MetricInfo> metrics = Metrics();
  metrics.push_back({"task_error_rms_m", "task error, RMS", "m", ""});
  pair.a.values.push_back(0.01);
  pair.b.values.push_back(0.03);
  pair.a.predicted_error = pair.b.predicted_error = 0.2;
  const std::vector<std::string> lines = CompareInShort(metrics, pair.a, pair.b);
  EXPECT_THAT(lines.back(), HasSubstr("3 times the error"));
  EXPECT_THAT(lines.back(), Not(HasSubstr("predicted")));
}

TEST(ComparisonSentence, TellsAPredictedChangeOfAnotherSign) {
  Pair pair;
  pair.a.predicted_error = 0.2;
  pair.b.predicted_error = 0.197;
  pair.b.values[kError] = 0.2056;
  EXPECT_THAT(pair.Text(),
              HasSubstr("predicted to be 1.5 % lower, and is 2.8 % higher: the two are "
                        "within 5 %."));
  const auto lines = [&] {
    return testing::PrintToString(CompareInShort(Metrics(), pair.a, pair.b));
  };
  EXPECT_THAT(lines(), HasSubstr("t:5: 2.8 % more error, predicted 1.5 % less error."));
  pair.b.predicted_error = 0.205;
  EXPECT_THAT(pair.Text(), HasSubstr("predicted to be 2.5 % higher, as it is."));
  EXPECT_THAT(lines(), HasSubstr("2.8 % more error, as predicted."));
  pair.b.predicted_error = 0.24;  // as near as the intervals, but not near
  EXPECT_THAT(
      CompareInWords(Metrics(), pair.a, pair.b, std::vector<double>(pair.a.values.size(), 0.04)),
      HasSubstr("predicted to be 20 % higher, and is 2.8 % higher: the difference is within "
                "the confidence interval."));
  pair.b.predicted_error = 0.2019;  // both the same within 1 %
  pair.b.values[kError] = 0.1985;
  EXPECT_THAT(pair.Text(), HasSubstr("predicted to be the same within 1 %, as it is."));
}

TEST(ComparisonSentence, NamesTheReasonOfAMissThatWasMeasured) {
  Pair pair;
  std::vector<MetricInfo> metrics = Metrics();
  metrics.push_back({"saturated_steps", "steps at a torque limit", "", ""});
  metrics.push_back({"constrained_steps", "steps at a stop or in contact", "", ""});
  metrics.push_back({"error_peak", "tracking error, peak", "rad", ""});
  for (ComparedSide* side : {&pair.a, &pair.b}) {
    side->values.insert(side->values.end(), {0, 0, 0.05});
    side->predicted_error = 0.2;
    side->left_out = {kTorqueLimits, kContacts, kJointLimits};
  }
  pair.b.values[kError] = 0.3;
  const auto text = [&] { return CompareInWords(metrics, pair.a, pair.b); };
  EXPECT_THAT(text(), HasSubstr("more than 5 % off, for no reason that was measured."));
  pair.b.is_one_of_mean = true;
  EXPECT_THAT(text(), HasSubstr("off, likely as it is a mean over noise, of which this is one"));
  pair.b.left_out.emplace_back("the payload");
  EXPECT_THAT(text(), HasSubstr("off, likely as it leaves out the payload."));
  pair.a.values[kFall + 3] = 0.7;
  EXPECT_THAT(text(), Not(HasSubstr("too large")));  // which a motion that is followed bears
  pair.a.is_predicted_linearly = true;
  EXPECT_THAT(text(), HasSubstr("likely as errors, up to 0.7 rad, are too large for"));
  pair.a.values[kFall + 2] = 3;
  EXPECT_THAT(text(), HasSubstr("off, likely as joint stops or contacts acted."));
  pair.b.values[kFall + 1] = 3;
  EXPECT_THAT(text(), HasSubstr("off, likely as torque limits were reached."));
}

TEST(ComparisonSentence, TellsNothingOfRounding) {
  Pair pair;
  std::vector<MetricInfo> metrics = Metrics();
  metrics[kError].floor = 1e-9;
  pair.a.values[kError] = 3e-11;
  pair.b.values[kError] = 4e-11;
  pair.a.predicted_error = pair.b.predicted_error = 1e-12;
  const std::string text = CompareInWords(metrics, pair.a, pair.b);
  EXPECT_THAT(text, HasSubstr("does not matter: RMS tracking error"));
  EXPECT_THAT(text, Not(HasSubstr("predicted")));
  EXPECT_THAT(text, Not(HasSubstr("V ")));
  pair.a.values[kError] = pair.b.values[kError] = 0.2;
  EXPECT_THAT(CompareInWords(metrics, pair.a, pair.b), HasSubstr("V falls alike"));
  pair.a.values[kV1] = 3e-6;  // of 10 J at first
  pair.b.values[kV1] = 5e-6;
  EXPECT_THAT(CompareInWords(metrics, pair.a, pair.b), Not(HasSubstr("V differs")));
}

// V and s of two laws are other quantities, and damping that is no multiple of H turns s itself.
TEST(ComparisonSentence, ComparesNoTurningThatIsNotOfTorsion) {
  Pair pair;
  pair.a.values[kTwist] = pair.a.values[kIdeal] = 0;
  pair.b.values[kV1] = 0.3;
  pair.b.values[kError] = 0.3;
  const auto lines = [&] {
    return testing::PrintToString(CompareInShort(Metrics(), pair.a, pair.b));
  };
  ASSERT_THAT(pair.Text(), HasSubstr("s turns"));
  ASSERT_THAT(lines(), HasSubstr("another way"));
  pair.b.damps_by_inertia = false;
  EXPECT_THAT(pair.Text(), Not(HasSubstr("s turns")));
  EXPECT_THAT(pair.Text(), HasSubstr("V differs"));
  EXPECT_THAT(lines(), Not(HasSubstr("another way")));
  pair.b.damps_by_inertia = true;
  pair.b.law = "pd_gravity";
  EXPECT_THAT(pair.Text(), Not(HasSubstr("s turns")));
  EXPECT_THAT(pair.Text(), Not(HasSubstr("V ")));
  EXPECT_THAT(lines(), Not(HasSubstr("V ")));
  EXPECT_THAT(pair.Text(), HasSubstr("RMS tracking error is 50 % higher"));
}

TEST(ComparisonSentence, IsTwoSentencesForWhoSeesTwoRunsForTheFirstTime) {
  Pair pair;
  const auto lines = [&] { return CompareInShort(Metrics(), pair.a, pair.b); };
  const char* same = "Two controllers with the same energy V.";
  EXPECT_THAT(lines(), ElementsAre(same, "t:5: the same error within 1 %."));
  pair.a.values[kTwist] = pair.a.values[kIdeal] = 0;
  pair.b.values[kError] = 0.356;
  EXPECT_THAT(lines(), ElementsAre(same, "Torsion sends t:5 another way: 78 % more error."));
  pair.a.values[kError] = 1;  // torsion may help
  EXPECT_THAT(lines(), ElementsAre(same, "Torsion sends t:5 another way: 64 % less error."));
  std::swap(pair.a.values, pair.b.values);
  EXPECT_THAT(lines(), ElementsAre(same, "Torsion sends plain another way: 64 % less error."));
  pair.a.values[kError] = 2.5;
  pair.a.predicted_error = 2.5;
  pair.b.predicted_error = 1;
  EXPECT_THAT(lines(), ElementsAre(same,
                                   "Torsion sends plain another way: 2.5 times the error, as "
                                   "predicted."));
  pair.a.values[kIdeal] = 0.05;  // is not seen
  EXPECT_THAT(lines(), ElementsAre(same, "t:5: 60 % less error, as predicted."));
  pair.b.values[kV1] = 0.4;
  EXPECT_THAT(lines().front(), "V differs by up to 20 %.");
}

TEST(ComparisonSentence, BeginsWithFallsAndFailures) {
  Pair pair;
  pair.b.values[kFall] = 1.25;
  pair.b.is_whole = false;
  EXPECT_THAT(pair.Text(), StartsWith("t:5 falls at t = 1.25 s. plain stays on its feet."));
  EXPECT_THAT(pair.Text(), HasSubstr("no conclusion"));
  pair.a.fate = "failed: blew up";
  EXPECT_THAT(pair.Text(), StartsWith("plain failed: blew up. t:5 falls at t = 1.25 s. "));
  EXPECT_THAT(pair.Text(), Not(HasSubstr("on its feet")));
}

TEST(ComparisonSentence, IsEmptyWithoutAnything) {
  EXPECT_THAT(CompareInWords({}, {.name = "a", .values = {}}, {.name = "b", .values = {}}),
              IsEmpty());
}

}  // namespace comparison_sentence_test
}  // namespace civita
