// Advice in words.

#include "civita/study/advise/advice_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace civita {
namespace advice_text_test {

using ::testing::HasSubstr;
using ::testing::Not;

AdviceText TextOf(const std::string& scene, const std::vector<std::string>& sets) {
  return DescribeAdvice(
      Advise(*LoadScene(ReadConfig(scene, sets)), {.factorization = Factorization::Torsion(1)}));
}

std::string All(const std::vector<AdviceSentence>& sentences) {
  std::string all;
  for (const AdviceSentence& sentence : sentences) all += sentence.text + "\n";
  return all;
}

TEST(AdviceText, SaysForWhichErrorsTheChoiceMatters) {
  const AdviceText thrown = TextOf("arm7_twist", {});
  EXPECT_THAT(thrown.verdict, HasSubstr("matters for the scene's own start, velocity errors"));
  EXPECT_THAT(All(thrown.errors), HasSubstr("own start: × 1.17"));  // 1.170 measured
  // The reference fades in: by the time that it moves the error of the start is gone.
  EXPECT_THAT(All(thrown.assumptions), HasSubstr("‖e(0)‖ = 0 rad, ‖s(0)‖ = 7.94 rad/s"));
  const AdviceText slow = TextOf("arm7", {});
  EXPECT_THAT(slow.verdict, HasSubstr("less than 1 % for the scene's own start"));
}

// The answers hold over the stretches in which errors are followed.
TEST(AdviceText, SaysOverWhichStretchesItHolds) {
  const Advice advice = Advise(*LoadScene(ReadConfig("arm7_twist", {"duration_s=4"})),
                               {.factorization = Factorization::Torsion(1)});
  ASSERT_EQ(advice.decay_s, 1);
  ASSERT_EQ(advice.starts.size(), 4u);
  const std::string text = All(DescribeAdvice(advice).assumptions);
  EXPECT_THAT(text, HasSubstr("Errors are followed until they are gone, from 0 to 1 s, from "));
  for (const char* stretch : {"0.708 to 1.71 s", "1.85 to 2.85 s", "2.56 to 3.56 s"}) {
    EXPECT_THAT(text, HasSubstr(std::string(", from ") + stretch));
  }
  EXPECT_THAT(text, HasSubstr("; errors of wrong masses count from 1 s on; other settings are "
                              "judged from 0 to 1 s"));
  const std::string whole = All(TextOf("arm7_twist", {"duration_s=0.8"}).assumptions);
  EXPECT_THAT(whole, HasSubstr("\nErrors of wrong masses count from 0.4 s on\n"));
  EXPECT_THAT(whole, Not(HasSubstr("until they are gone")));
}

TEST(AdviceText, SaysWhereThereIsNoChoice) {
  const AdviceText text = TextOf("planar_2r", {});
  EXPECT_THAT(text.verdict, HasSubstr("any C may be taken"));
  EXPECT_TRUE(text.costs.empty());
}

TEST(AdviceText, AStartFarFromAReferenceThatRestsMatters) {
  const std::vector<std::string> sets = {"reference.type=hold",
                                         "initial.v_error=[10,10,10,10,10,10,10]"};
  const Advice advice = Advise(*LoadScene(ReadConfig("arm7_twist", sets)),
                               {.factorization = Factorization::Torsion(10)});
  EXPECT_TRUE(ChoiceMatters(advice));
  const AdviceText text = DescribeAdvice(advice);
  EXPECT_THAT(text.verdict, HasSubstr("matters for the scene's own start alone"));
  ASSERT_EQ(text.errors.size(), 1u) << "no other error turns";
  EXPECT_THAT(text.errors[0].text, HasSubstr("own start: × 1.03"));  // 1.028 measured
}

/// A held law of a few numbers.
Advice Held(double largest_factor) {
  Advice advice;
  advice.period_s = 0.002;
  advice.rates = {.omega_F = 1, .omega_2 = 2, .omega_2_max = 3, .eta = 1};
  advice.largest_factor = largest_factor;
  return advice;
}

TEST(AdviceText, ErrorsThatGrowAreNoAdvice) {
  EXPECT_THAT(DescribeAdvice(Held(0)).verdict, HasSubstr("grow at this rate and delay whatever C"));
  EXPECT_THAT(All(DescribeAdvice(Held(0)).costs), HasSubstr("whatever C is"));
  EXPECT_THAT(DescribeAdvice(Held(0.7)).verdict, HasSubstr("With this C errors grow"));
  Advice late = Held(2.5);
  EXPECT_THAT(All(DescribeAdvice(late).costs), HasSubstr("from 2.5 times this torsion on\n"));
  late.delay_s = 0.003;
  EXPECT_THAT(All(DescribeAdvice(late).costs), HasSubstr("torsion on, told within 15 %\n"));
  EXPECT_TRUE(ChoiceMatters(Held(0.7)));
  EXPECT_FALSE(ChoiceMatters(Held(2)));
  Advice advice = Held(2);
  const JudgedSetting now{.name = "as it is",
                          .joint = 1,
                          .joint_torsion_free = 0.9,
                          .energy = 1,
                          .slowest_rate = 5,
                          .feedback = 5,
                          .largest_delay_s = 0.1};
  JudgedSetting other = now;
  other.name = "K_D × 200";
  other.joint_torsion_free = 1;
  other.largest_delay_s = 5e-4;
  advice.settings = {now, other};
  EXPECT_THAT(
      All(DescribeAdvice(advice).instead),
      HasSubstr("mean error unchanged; slowest error 5 1/s as now; feedback unchanged; bears "
                "0.5 ms of delay rather than 100, less than the 1 ms here: errors grow"));
  advice.settings[1].joint_torsion_free = 1.0001;
  EXPECT_THAT(All(DescribeAdvice(advice).instead), HasSubstr("C does not change it"));
}

TEST(AdviceText, HasNoNumberWhereNoneIsKnown) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Advice advice = Held(2);
  advice.parts.resize(1);
  advice.parts[0].name = "all";
  advice.mean_decay.resize(1);
  PartDecay& decay = advice.mean_decay[0];
  decay.joint = {1, 0};
  decay.least = decay.largest = kNaN;
  advice.starts = {
      {.parts = advice.mean_decay, .pushes = {{.body = "hand", .parts = {{kNaN, 1, kNaN}}}}}};
  const std::string errors = All(DescribeAdvice(advice).errors);
  EXPECT_THAT(errors, HasSubstr("Velocity errors alike in all coordinates, mean: not known\n"));
  EXPECT_THAT(errors, HasSubstr("The one that loses most: not known\n"));
  EXPECT_THAT(errors, HasSubstr("A push at hand: not known\n"));
  const std::string table = ToTerminal(ErrorsTable(advice));
  for (const char* sign : {"nan", "inf"}) EXPECT_THAT(errors + table, Not(HasSubstr(sign)));
}

// A ratio without a number is not less than 1 %.
TEST(AdviceText, SaysWhichErrorsAreNotKnown) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Advice advice = Held(2);
  advice.parts.resize(1);
  advice.mean_decay.resize(1);
  PartDecay& decay = advice.mean_decay[0];
  decay.joint = decay.energy = decay.impulse = {1, 1};
  decay.least = decay.largest = kNaN;
  EXPECT_EQ(DescribeAdvice(advice).verdict,
            "The choice of C changes no error that is known by more than 1 %; not known for single "
            "velocity errors");
  decay.least = 0.97;
  decay.largest = 1.04;
  EXPECT_EQ(
      DescribeAdvice(advice).verdict,
      "The choice of C matters for no error on average, for single velocity errors alone: × "
      "0.97 to × 1.04 by their direction; less than 1 % for velocity errors on average, wrong "
      "masses");
  decay.least = decay.largest = kNaN;
  decay.joint = {1.5, 1};
  EXPECT_EQ(DescribeAdvice(advice).verdict,
            "The choice of C matters for velocity errors on average; less than 1 % for wrong "
            "masses; not known for single velocity errors");
}

// A skew gain that lets all errors decay alike may make their mean larger.
TEST(AdviceText, SaysWhichSettingsMakeErrorsLarger) {
  Advice advice = Held(2);
  advice.settings = {{.name = "as it is", .joint = 1},
                     {.name = "a skew gain", .joint = 1.9},
                     {.name = "K_D × 2", .joint = 0.6}};
  const auto instead = DescribeAdvice(advice).instead;
  ASSERT_EQ(instead.size(), 2u);
  EXPECT_THAT(instead[0].text, HasSubstr("mean error × 1.9, more than now"));
  EXPECT_THAT(instead[1].text, Not(HasSubstr("more than now")));
}

TEST(AdviceText, SaysWhichSettingsStepsDoNotFollow) {
  Advice advice = Held(2);
  advice.period_s = 0;
  advice.step_s = 0.002;
  advice.settings = {{.name = "as it is", .joint = 1, .fastest_rate = 10},
                     {.name = "K_D × 60", .joint = 0.1, .fastest_rate = 1200},
                     {.name = "K_D × 200", .joint = 0.1, .fastest_rate = 2000}};
  const auto instead = DescribeAdvice(advice).instead;
  ASSERT_EQ(instead.size(), 2u);
  EXPECT_THAT(instead[0].text, Not(HasSubstr("a run fails")));
  EXPECT_THAT(instead[1].text, HasSubstr("steps of 2 ms do not follow 2e+03 1/s: a run fails"));
}

// The exact motion from the start knows no holding.
TEST(AdviceText, SaysThatTheOwnStartIsWithoutHolding) {
  EXPECT_THAT(All(TextOf("arm7_twist", {"control.mode=held"}).errors),
              HasSubstr("own start, were the law to act at every instant: × 1.1"));
}

TEST(AdviceText, HasTheLimitThatRunsFound) {
  Advice advice = Held(2);
  EXPECT_THAT(All(DescribeAdvice(advice).costs), Not(HasSubstr("Measured")));
  advice.measured_limit = {
      .stable = 1.9, .grows = 1.93, .predicted = 2, .duration_s = 1, .runs = 9};
  EXPECT_THAT(
      All(DescribeAdvice(advice).costs),
      HasSubstr("Measured by 9 runs of 1 s: errors grow from 1.93 times this torsion on, and "
                "not at 1.9; predicted from there 2"));
  advice.measured_limit->interrupted = true;
  EXPECT_THAT(All(DescribeAdvice(advice).costs), HasSubstr("interrupted"));
  advice.measured_limit = {.predicted = 2, .runs = 1, .interrupted = true};
  EXPECT_THAT(All(DescribeAdvice(advice).costs),
              HasSubstr("1 run of 0 s: nothing, before it was stopped; predicted from there 2"));
  advice.measured_limit = {.stable = 4.9, .runs = 1};
  EXPECT_THAT(All(DescribeAdvice(advice).costs),
              HasSubstr("1 run of 0 s: errors do not grow up to 4.9 times this torsion\n"));
  advice.measured_limit = {.stable = 0, .grows = 0};
  EXPECT_THAT(All(DescribeAdvice(advice).costs), HasSubstr("V grows without torsion, too"));
}

TEST(AdviceText, WithholdsClosedFormulasAndSaysWhatHasOneRate) {
  const AdviceText text = TextOf("arm7_twist", {"controller.gain_form=diagonal"});
  EXPECT_THAT(All(text.assumptions), HasSubstr("closed formulas are withheld"));
  EXPECT_THAT(All(text.costs), Not(HasSubstr("Feedback torque")));
  EXPECT_THAT(All(text.instead), HasSubstr("controller.gain_form=mass gains.K_D="));
}

}  // namespace advice_text_test
}  // namespace civita
