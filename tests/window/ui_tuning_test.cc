#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/window/model/tuning.h"
#include "app/window/plot/run_log.h"
#include "app/window/plot/traces.h"
#include "app/window/plot/units.h"
#include "civita/factorization_text.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/formula.h"

namespace civita {
namespace ui_tuning_test {

Tuning Of(double gain, double t = 0) {
  Tuning tuning;
  tuning.gains = {Eigen::VectorXd::Constant(2, gain), Eigen::VectorXd::Constant(2, 1.0)};
  tuning.factorization.t = t;
  return tuning;
}

TEST(TuningHistory, ADragIsOneStep) {
  TuningHistory history(Of(1));
  EXPECT_FALSE(history.can_undo());
  EXPECT_FALSE(history.Commit());
  for (double gain = 1.1; gain < 2.05; gain += 0.1) history.Edit(Of(gain));
  history.Edit(Of(2));
  EXPECT_TRUE(history.committed() == Of(1));
  EXPECT_TRUE(history.Commit());
  EXPECT_FALSE(history.Commit());
  EXPECT_TRUE(history.committed() == Of(2));
  history.Undo();
  EXPECT_TRUE(history.current() == Of(1));
  EXPECT_TRUE(history.is_initial());
  EXPECT_FALSE(history.can_undo());
  history.Undo();  // no earlier step
  EXPECT_TRUE(history.current() == Of(1));
}

TEST(TuningHistory, RedoLastsUntilTheNextEdit) {
  TuningHistory history(Of(1));
  for (const double gain : {2.0, 3.0, 4.0}) {
    history.Edit(Of(gain));
    history.Commit();
  }
  history.Undo();
  history.Undo();
  EXPECT_TRUE(history.current() == Of(2));
  history.Redo();
  EXPECT_TRUE(history.current() == Of(3));
  EXPECT_TRUE(history.can_redo());
  history.Edit(Of(9));
  history.Commit();
  EXPECT_FALSE(history.can_redo());
  history.Redo();
  EXPECT_TRUE(history.current() == Of(9));
  history.Undo();
  EXPECT_TRUE(history.current() == Of(3));
}

TEST(TuningHistory, RevertIsAStepOfItsOwn) {
  TuningHistory history(Of(1));
  history.Edit(Of(2, 0.5));
  history.Commit();
  history.Edit(Of(3, 0.5));  // still being dragged
  history.Revert();
  EXPECT_TRUE(history.is_initial());
  EXPECT_TRUE(history.current() == history.initial());
  history.Undo();
  EXPECT_TRUE(history.current() == Of(2, 0.5));
  history.Redo();
  EXPECT_TRUE(history.is_initial());
  history.Revert();  // unchanged: no step
  history.Undo();
  EXPECT_TRUE(history.current() == Of(2, 0.5));
}

TEST(Tuning, DiffersByGainByLengthAndByFactorization) {
  EXPECT_TRUE(Of(1) == Of(1));
  EXPECT_FALSE(Of(1) == Of(1.0000001));
  EXPECT_FALSE(Of(1) == Of(1, 0.5));
  Tuning longer = Of(1);
  longer.gains[0] = Eigen::VectorXd::Constant(3, 1.0);
  EXPECT_FALSE(Of(1) == longer);
}

TEST(Tuning, ChangesAreToldInWords) {
  const std::unique_ptr<Scene> scene = LoadScene(ReadConfig("planar_2r"));
  const LawInfo& law = *scene->law;
  ASSERT_EQ(law.parameters[0].symbol, "Λ");
  Tuning from, to;
  std::vector<std::string_view> units;
  for (const ParameterInfo& parameter : law.parameters) {
    from.gains.push_back(Eigen::VectorXd::Constant(2, 5));
    units.push_back(parameter.unit);
  }
  to = from;
  EXPECT_EQ(DescribeChange(from, to, law, units), "");
  to.gains[0].setConstant(8);
  EXPECT_EQ(DescribeChange(from, to, law, units), "Λ 5 → 8 1/s");
  to.gains[0][1] = 9.5;
  to.factorization.t = 1;
  EXPECT_EQ(DescribeChange(from, to, law, units), "Λ 5 → 8…9.5 1/s, C christoffel → plain");
  to.gains[0] = from.gains[0];
  to.gains[1].setConstant(0.25);
  EXPECT_EQ(DescribeChange(from, to, law, units).rfind("KD 5 → 0.25 ", 0), 0u);
}

class InjectionTest : public testing::Test {
 protected:
  const std::unique_ptr<Scene> scene_ = LoadScene(ReadConfig("arm7"));
  const Model& model_ = scene_->control_model;
};

TEST_F(InjectionTest, GoesToTheLastBodyWhereThereIsNone) {
  const InjectionSlot slot = FindInjectionSlot({}, model_);
  EXPECT_FALSE(slot.is_there);
  EXPECT_FALSE(slot.place.is_joint);
  EXPECT_TRUE(slot.place.is_angular);
  EXPECT_FALSE(slot.place.frame.empty());
  EXPECT_EQ(slot.unit, "kg·m²");
  EXPECT_EQ(NameOf(slot.place), slot.place.frame + ", angular");

  const Factorization plain = Factorization::Torsion(1);
  EXPECT_EQ(ToString(WithBeta(plain, slot, 0, model_)), ToString(plain));
  const Factorization injected = WithBeta(plain, slot, -1.5, model_);
  EXPECT_EQ(InjectionBeta(injected), -1.5);
  EXPECT_EQ(injected.t, 1);
  ASSERT_EQ(injected.body_injections.size(), 1u);
  EXPECT_EQ(injected.body_injections[0].body, model_.num_bodies() - 1);
  EXPECT_EQ(ToString(ParseFactorization(ToString(injected), model_)), ToString(injected));
  const Factorization changed = WithBeta(injected, slot, 0.25, model_);
  ASSERT_EQ(changed.body_injections.size(), 1u);
  EXPECT_EQ(InjectionBeta(changed), 0.25);
  EXPECT_EQ(ToString(WithBeta(changed, slot, 0, model_)), ToString(plain));
}

TEST_F(InjectionTest, StaysAtTheOneThatTheFactorizationHas) {
  const auto moving =
      std::find_if(model_.frames().begin(), model_.frames().end(),
                   [](const Model::NamedFrame& candidate) { return candidate.body >= 0; });
  ASSERT_NE(moving, model_.frames().end());
  const std::string frame = moving->name;
  const Factorization given = ParseFactorization("body:" + frame + ":lin:2", model_);
  const InjectionSlot slot = FindInjectionSlot(given, model_);
  EXPECT_EQ(slot.place, (InjectionPlace{.frame = frame, .is_angular = false}));
  EXPECT_EQ(slot.unit, "kg/m");
  const Factorization changed = WithBeta(given, slot, 3, model_);
  ASSERT_EQ(changed.body_injections.size(), 1u);
  EXPECT_EQ(changed.body_injections[0].part, Factorization::Part::kLinear);
  EXPECT_EQ(InjectionBeta(changed), 3);
}

TEST_F(InjectionTest, TorsionFreeIsSaidOfWhatIsAndNothingElse) {
  EXPECT_EQ(KindOf(ReadFactorization("christoffel", model_)), "torsion-free");
  EXPECT_EQ(KindOf(ReadFactorization("body:link3:ang:0", model_)), "torsion-free");
  EXPECT_EQ(KindOf(ReadFactorization("t:-4", model_)), "with torsion");
  EXPECT_EQ(KindOf(ReadFactorization("alpha:1", model_)), "not admissible");
  for (const char* text :
       {"form:random:2:3", "form:[0 2 5 {q[1]}]", "body:link4:lin:{q[2]}",
        "body:link3:ang:0+body:link4:ang:1", "t:1+form:[1 2 3 4]", "alpha:1", "t:0+alpha:0.5",
        "joint:0:[1 0 0 0 0 0 0;0 1 0 0 0 0 0;0 0 1 0 0 0 0]"
        "+joint:1:[1 0 0 0 0 0 0;0 1 0 0 0 0 0;0 0 1 0 0 0 0]"}) {
    const Factorization factorization = ReadFactorization(text, model_);
    EXPECT_FALSE(factorization.torsion_free()) << text;
    EXPECT_NE(KindOf(factorization), "torsion-free") << text;
  }
}

TEST_F(InjectionTest, TheSliderReplacesNoFormulaAndLosesNothingAtZero) {
  const auto after = [&](const std::string& text, double beta) {
    const Factorization given = ReadFactorization(text, model_);
    return ToString(WithBeta(given, FindInjectionSlot(given, model_), beta, model_));
  };
  const std::string formula = "t:2+body:link5:ang:{cos(q[0])}";
  EXPECT_EQ(after(formula, 4), formula);
  EXPECT_EQ(FindInjectionSlot(ReadFactorization(formula, model_), model_).formula, "{cos(q[0])}");
  EXPECT_EQ(after("plain+body:link5:ang:3", 0), "plain");
  const std::string point = "plain+body:link5:lin[1 2 3]:";
  EXPECT_EQ(after(point + "3", 0), ToString(ReadFactorization(point + "0", model_)));
  const std::string two = "+body:link6:lin:{q[1]}";
  EXPECT_EQ(after("body:link5:ang:3" + two, 0), "body:link5:ang:0" + two);
  EXPECT_EQ(after("body:link5:ang:3" + two, 5), "body:link5:ang:5" + two);
  EXPECT_NE(FindInjectionSlot(ReadFactorization("body:link5:ang:3" + two, model_), model_)
                .name.find("first of 2"),
            std::string::npos);
  const std::string S = ":[1 0 0 0 0 0 0; 0 1 0 0 0 0 0; 0 0 0 0 0 2 0]";
  EXPECT_EQ(after("joint:2" + S, 0), "joint:0" + S);
}

TEST(Injection, GoesOverTheJointsWhereThereAreThree) {
  const std::unique_ptr<Scene> scene = LoadScene(ReadConfig("point_mass_5"));
  const Model& model = scene->control_model;
  const InjectionSlot slot = FindInjectionSlot({}, model);
  EXPECT_TRUE(slot.place.is_joint);
  EXPECT_EQ(slot.unit, "kg/m");
  const Factorization injected = WithBeta({}, slot, -5, model);
  EXPECT_EQ(ToString(injected), ToString(scene->controller->factorization()));
  EXPECT_EQ(InjectionBeta(injected), -5);
  EXPECT_TRUE(WithBeta(injected, slot, 0, model).joint_injections.empty());
}

TEST(RollingPercentiles, AgreesWithSortingTheLastSamples) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::uniform_int_distribution<int> pick(0, 20);  // with many equal ones
  constexpr size_t kWindow = 50;
  RollingPercentiles percentiles(kWindow);
  EXPECT_TRUE(std::isnan(percentiles.At(0.5)));
  std::vector<float> all;
  for (int i = 0; i < 400; ++i) {
    all.push_back(static_cast<float>(pick(random)));
    percentiles.Add(all.back());
    std::vector<float> last(all.end() - static_cast<long>(std::min(all.size(), kWindow)),
                            all.end());
    std::sort(last.begin(), last.end());
    ASSERT_EQ(percentiles.size(), static_cast<int>(last.size()));
    ASSERT_EQ(percentiles.At(0), last.front());
    ASSERT_EQ(percentiles.At(1), last.back());
    for (const double fraction : {0.5, 0.9, 0.99}) {
      const double rank = fraction * static_cast<double>(last.size() - 1);
      ASSERT_EQ(percentiles.At(fraction), last[static_cast<size_t>(std::lround(rank))]) << i;
    }
  }
}

TEST(RollingPercentiles, LeavesOutWhatIsNotFiniteAndStartsAnew) {
  RollingPercentiles percentiles(3);
  percentiles.Add(std::numeric_limits<float>::quiet_NaN());
  percentiles.Add(std::numeric_limits<float>::infinity());
  EXPECT_EQ(percentiles.size(), 0);
  for (const float value : {5.0f, 1.0f, 9.0f, 2.0f}) percentiles.Add(value);
  EXPECT_EQ(percentiles.At(0), 1);
  EXPECT_EQ(percentiles.At(0.5), 2);
  percentiles.Clear();
  EXPECT_EQ(percentiles.size(), 0);
  percentiles.Add(4);
  EXPECT_EQ(percentiles.At(1), 4);
}

TEST(RunLog, RewindingTakesMarksBackButNoLines) {
  RunLog log;
  log.Add({0.5, "a push", LogLine::Kind::kAction});
  log.Mark(PlotMark::Kind::kPush, 0.5, "a push");
  log.Mark(PlotMark::Kind::kChange, 1.5, "a gain");
  log.Mark(PlotMark::Kind::kFailure, 2.0, "stopped");
  log.Mark(PlotMark::Kind::kPush, 3.0, "planned", true);
  ASSERT_NE(log.LastAction(2.0), nullptr);
  EXPECT_EQ(log.LastAction(2.0)->text, "a gain");
  EXPECT_EQ(log.LastAction(1.0)->text, "a push");
  EXPECT_EQ(log.LastAction(0.1), nullptr);
  const std::vector<RunLog::EventMark> cut = log.CutMarks(1.0);
  EXPECT_EQ(log.lines().size(), 1u);
  ASSERT_EQ(log.marks().size(), 2u);
  EXPECT_EQ(log.marks()[0].text, "a push");
  EXPECT_EQ(log.marks()[1].text, "planned");
  log.AddMarks(cut);
  log.Mark(PlotMark::Kind::kFailure, 2.0, "stopped");
  ASSERT_EQ(log.marks().size(), 4u) << "met again, it is marked once";
  EXPECT_EQ(log.marks()[2].text, "stopped");
}

TEST(Units, FollowTheJoints) {
  const std::unique_ptr<Scene> slides = LoadScene(ReadConfig("point_mass"));
  const std::unique_ptr<Scene> hinges = LoadScene(ReadConfig("planar_2r"));
  EXPECT_EQ(UnitsOf(slides->plant).torque, "N");
  EXPECT_EQ(UnitsOf(hinges->plant).torque, "N·m");
  EXPECT_EQ(GainUnit("N·m·s/rad", slides->plant), "N·s/m");
  EXPECT_EQ(GainUnit("N·m·s/rad", hinges->plant), "N·m·s/rad");
  EXPECT_EQ(GainUnit("1/s", slides->plant), "1/s");
}

TEST(Injection, MovesWithItsBeta) {
  const std::unique_ptr<Scene> scene = LoadScene(ReadConfig("arm7"));
  const Model& model = scene->control_model;
  const Factorization at_hand = ParseFactorization("t:1+body:hand:ang:0.5", model);
  const InjectionPlace place{.frame = "link4", .is_angular = false};
  EXPECT_EQ(ToString(MoveInjection(at_hand, place, model)),
            ToString(ParseFactorization("t:1+body:link4:lin:0.5", model)));
  // Without one there is nothing to move, and the slider goes to the chosen place.
  const Factorization none = ParseFactorization("t:1", model);
  EXPECT_EQ(ToString(MoveInjection(none, place, model)), ToString(none));
  const InjectionSlot slot = FindInjectionSlot(none, model, place);
  EXPECT_EQ(slot.place, place);
  EXPECT_EQ(ToString(WithBeta(none, slot, 0.5, model)),
            ToString(ParseFactorization("t:1+body:link4:lin:0.5", model)));
  for (const InjectionPlace& each : InjectionPlaces(model)) {
    EXPECT_NO_THROW(MoveInjection(at_hand, each, model)) << NameOf(each);
  }
}

}  // namespace ui_tuning_test
}  // namespace civita
