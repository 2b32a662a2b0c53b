// The library as other programs use it: options by their names, stopping, progress, notes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/study/compare/compare.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/evaluate/eval_quantities.h"
#include "civita/study/formulas/formulas.h"
#include "civita/study/model/load_model.h"
#include "civita/study/poe/poe_states.h"
#include "civita/study/survive/survive.h"

namespace civita {
namespace study_test {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

template <typename Action>
std::string ErrorOf(const Action& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

CompareOptions TwoFactorizations() {
  CompareOptions options;
  options.scene = "planar_2r";
  options.variations = {"factorization=christoffel,t:1"};
  options.duration_s = 0.1;
  return options;
}

TEST(OptionNames, AreNamesOrFlags) {
  EXPECT_EQ(OptionNames{}("initial_states"), "initial_states");
  EXPECT_EQ(OptionNames{.as_flags = true}("initial_states"), "--initial-states");
  EXPECT_EQ(OptionNames{.as_flags = true}("F_tip"), "--F-tip");
}

TEST(Study, ComparesFactorizations) {
  CompareOptions options = TwoFactorizations();
  options.scene = "arm7_twist";
  options.duration_s = 1;
  const VariantComparison comparison = CompareVariants(options);
  ASSERT_EQ(comparison.variants.size(), 2u);
  EXPECT_EQ(comparison.variants[1].name, "t:1");
  EXPECT_FALSE(comparison.interrupted);
  EXPECT_THAT(Summarize(comparison), StartsWith("With t:1, s turns by"));
  EXPECT_EQ(comparison.command,
            "civita compare arm7_twist --vary factorization=christoffel,t:1 --duration 1");
}

TEST(Study, StopsTellsAndNotes) {
  CompareOptions options = TwoFactorizations();
  options.duration_s = 1e4;
  std::atomic<bool> stop = false;
  std::vector<double> shares;
  const VariantComparison stopped = CompareVariants(
      options, {.stop = &stop, .progress = [&](const std::string& text, double share) {
                  EXPECT_THAT(text, StartsWith("start 1 of 1, "));
                  shares.push_back(share);
                  stop = true;
                }});
  EXPECT_TRUE(stopped.interrupted);
  ASSERT_FALSE(shares.empty());
  for (const double share : shares) {
    EXPECT_GE(share, 0);
    EXPECT_LT(share, 1);
  }
  options.duration_s = 0.05;
  options.seeds = 2;
  std::vector<std::string> notes;
  const auto note = [&](const std::string& text) { notes.push_back(text); };
  CompareVariants(options, {.note = note});
  EXPECT_THAT(notes,
              Contains("nothing that was measured depends on the seed; initial_states varies "
                       "the start"));
  EXPECT_EQ(std::ranges::count(notes, notes.back()), 1);
  options.called.as_flags = true;
  CompareVariants(options, {.note = note});
  EXPECT_THAT(notes.back(), HasSubstr("; --initial-states varies the start"));
}

/// The error of a comparison with one more setting, with options by their names and as flags.
std::vector<std::string> RefusalsOf(const std::vector<std::string>& variations,
                                    const std::vector<std::string>& overrides) {
  std::vector<std::string> texts;
  for (const bool as_flags : {false, true}) {
    CompareOptions options = TwoFactorizations();
    if (!variations.empty()) options.variations = variations;
    options.overrides = overrides;
    options.called.as_flags = as_flags;
    texts.push_back(ErrorOf([&] { PlanComparison(options); }));
  }
  return texts;
}

TEST(Study, ErrorsNameOptionsWithoutFlagsUnlessAskedTo) {
  const std::vector<std::string> set = RefusalsOf({}, {"K_D=-1"});
  EXPECT_THAT(set[0], StartsWith("gains.K_D: gains.K_D must be"));
  EXPECT_EQ(set[1], "--set " + set[0]);
  const std::vector<std::string> vary = RefusalsOf({"K_D=5,-1"}, {});
  EXPECT_THAT(vary[0], StartsWith("gains.K_D: gains.K_D must be"));
  EXPECT_EQ(vary[1], "--vary " + vary[0]);
  // Found where the scene is loaded.
  const std::vector<std::string> late = RefusalsOf({"K_D=5,[1,2,3]"}, {});
  EXPECT_THAT(late[0], StartsWith("gains.K_D: "));
  EXPECT_EQ(late[1], "--vary " + late[0]);
  EXPECT_THAT(RefusalsOf({"K_D=5"}, {}),
              ElementsAre("vary: nothing to compare; give a key two values or more, as in vary "
                          "factorization=christoffel,t:1",
                          "--vary: nothing to compare; give a key two values or more, as in --vary "
                          "factorization=christoffel,t:1"));
  EXPECT_THAT(RefusalsOf({}, {"Lamda=1"})[0],
              StartsWith("set: unknown key 'Lamda' (did you mean 'Lambda'?)"));
  CompareOptions options = TwoFactorizations();
  options.seeds = 0;
  EXPECT_EQ(ErrorOf([&] { PlanComparison(options); }), "seeds: at least 1");
}

TEST(Study, SurvivesByTheSameTrialsAndStops) {
  SurviveOptions options;
  options.scenes = {"quadruped"};
  options.shares = {0.5};
  options.trials = 2;
  const SurvivalTable table = RunTrials(options);
  ASSERT_EQ(table.rows.size(), 1u);
  const SurvivalRow& row = table.rows.front();
  EXPECT_EQ(row.trials.size(), 2u);
  EXPECT_EQ(row.num_survived() + row.num_fallen(), 2);
  EXPECT_EQ(row.interval().high, WilsonInterval(row.num_survived(), 2).high);
  std::vector<std::string> names;
  for (const auto& [name, value] : FiguresOf(row.trials.front(), row.gait))
    names.emplace_back(name);
  EXPECT_THAT(names,
              AllOf(Contains("impulse_Ns"), Contains("error_m"), Not(Contains("tilt_rms_rad"))));

  const std::atomic<bool> stop = true;
  const SurvivalTable none = RunTrials(options, {.stop = &stop});
  EXPECT_TRUE(none.interrupted);
  EXPECT_TRUE(none.rows.front().trials.empty());

  options.shares = {-1};
  EXPECT_EQ(ErrorOf([&] { RunTrials(options); }),
            "push: not a list of numbers from 0 to 1000, as in push 1,1.5");
  options.scenes.clear();
  EXPECT_EQ(ErrorOf([&] { RunTrials(options); }), "scenes: none is given");
}

TEST(Study, WritesFormulas) {
  const Model model = LoadModel("planar_2r", {.loops = false}).model;
  FormulaOptions options;
  options.name = "two links";
  options.quantities = {"H"};
  options.language = "python";
  const std::optional<std::string> text = WriteFormulas(model, options);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, AllOf(HasSubstr("Formulas of two links by civita"),
                           HasSubstr("def civita_H(q)"), Not(HasSubstr("civita_C"))));
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(WriteFormulas(model, options, {.stop = &stop}));
  options.quantities = {"Gama"};
  EXPECT_THAT(ErrorOf([&] { CheckFormulas(options); }),
              StartsWith("quantities: unknown quantity 'Gama' (did you mean"));
  options = {};
  options.factorization = "t";
  EXPECT_THAT(ErrorOf([&] { WriteFormulas(model, options); }), StartsWith("factorization"));
}

TEST(Study, QuantitiesAndInputsAreNamedWithoutFlags) {
  const Model model = LoadModel("planar_2r", {.loops = false}).model;
  EXPECT_THAT(ErrorOf([&] { FindQuantities({"A"}, model, {}, false); }),
              StartsWith("quantities: A exists with reduced or coordinates only; valid: "));
  EXPECT_EQ(ErrorOf([] { ParsePoeNumbers(PoeInput::kFTip, "1,x", {}); }).find("--"),
            std::string::npos);
  EXPECT_THAT(ErrorOf([] { ParsePoeNumbers(PoeInput::kFTip, "1,x", {.as_flags = true}); }),
              StartsWith("--F-tip: "));
  EXPECT_THAT(ErrorOf([] { LoadModel("space_arm", {.free_base = true, .loops = false}); }),
              StartsWith("base free: "));
}

}  // namespace study_test
}  // namespace civita
