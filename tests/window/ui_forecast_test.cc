// What is predicted, beside what is measured: the verdict of the Tune tab, the errors of Compare.

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <thread>

#include "app/window/actions/forecasts.h"
#include "app/window/panels/panels.h"
#include "civita/study/advise/advice_text.h"
#include "civita/study/watch.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_forecast_test {

using ::testing::HasSubstr;

SceneConfig Config(const std::vector<std::string>& sets) { return ReadConfig("ball_arm", sets); }

TEST(TuneVerdict, IsWhatTheVerbSays) {
  const SceneConfig config = Config({"controller.factorization=t:2"});
  const TuneVerdict verdict = JudgeConfig(config);
  const Advice advice = Advise(*LoadScene(config));
  EXPECT_TRUE(verdict.is_known);
  EXPECT_EQ(verdict.text, DescribeAdvice(advice).verdict);
  EXPECT_EQ(verdict.turning, advice.rates.omega_F / advice.k_mean);
  EXPECT_GT(verdict.turning, 0);
  EXPECT_EQ(verdict.matters, ChoiceMatters(advice));
}

TEST(TuneVerdict, OfTheTorsionFreeCIsThatOfTorsionInItsPlace) {
  const TuneVerdict verdict = JudgeConfig(Config({"controller.factorization=christoffel"}));
  EXPECT_THAT(verdict.text, HasSubstr("in its place the choice of C"));
  EXPECT_EQ(verdict.turning, 0);
  EXPECT_TRUE(verdict.matters);
}

TEST(TuneVerdict, WithoutTorsionToBeHadKeepsItsSymbol) {
  const TuneVerdict verdict = JudgeConfig(ReadConfig("four_bar"));
  EXPECT_THAT(verdict.text, HasSubstr("with t:1 in its place K is zero"));
  EXPECT_FALSE(verdict.matters);
}

TEST(TuneVerdict, TheMarginIsFullWhereErrorsGrow) {
  const Advice held = Advise(*LoadScene(Config({"controller.factorization=t:1"})));
  ASSERT_GT(held.period_s, 0);
  const auto margin = [](double t) {
    return JudgeConfig(Config({"controller.factorization=t:" + std::to_string(t)})).margin;
  };
  EXPECT_LT(margin(0.5 * held.safe_factor), 1);
  EXPECT_GT(margin(2 * held.safe_factor), 1);
}

TEST(TuneVerdict, SaysWhyThereIsNone) {
  const TuneVerdict verdict = JudgeConfig(Config({"controller.factorization=alpha:0.5"}));
  EXPECT_FALSE(verdict.is_known);
  EXPECT_THAT(verdict.text, HasSubstr("not admissible"));
}

TEST(TuneVerdict, IsLeftToTheVerbWhereItTakesLong) {
  const TemporaryFolder folder;
  std::string body = "<geom size='.03' pos='.1 0 0' mass='.1'/>";
  for (int i = 60; i > 0; --i) {
    const char* axis = i % 2 == 0 ? "0 0 1" : "0 1 0";
    body = std::string("<body pos='.1 0 0'><joint axis='") + axis + "'/>" + body + "</body>";
    if (i > 1) body = "<geom size='.03' pos='.1 0 0' mass='.1'/>" + body;
  }
  const auto file = folder.path() / "chain60.xml";
  std::ofstream(file) << "<mujoco><worldbody>" << body << "</worldbody></mujoco>";
  const TuneVerdict verdict = JudgeConfig(ReadConfig(file.string()));
  EXPECT_FALSE(verdict.is_known);
  EXPECT_THAT(verdict.text, HasSubstr("civita advise makes it"));
}

/// Updates until nothing is being computed. @returns how many jobs were started.
int Settle(Lane<int, int>* lane, int key) {
  int made = 0;
  do {
    lane->Update(key, [&](int of) {
      ++made;
      return [of] { return 10 * of; };
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (lane->is_computing());
  return made;
}

TEST(Lanes, StopWhatIsNoLongerWanted) {
  constexpr int kMany = 1'000'000;
  std::atomic<int> steps = 0;
  const auto make = [&](int) {
    return [&]() -> int {
      for (steps = 0; steps < kMany; ++steps) {
        StopScope::Ask();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      return 1;
    };
  };
  const auto begin = [&](Lane<int, int>* lane) {
    for (steps = 0; steps == 0;) {
      lane->Update(1, make);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  {
    Lane<int, int> lane;
    begin(&lane);
    lane.Forget();
    while (!lane.Poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_LT(steps, kMany) << "of another scene";
    begin(&lane);
    EXPECT_TRUE(lane.is_computing()) << "a later one goes on";
  }
  EXPECT_LT(steps, kMany) << "the lane is gone";
}

TEST(Lanes, ComputeOnceForEachKeyAndForget) {
  Lane<int, int> lane;
  EXPECT_EQ(Settle(&lane, 0), 1);
  EXPECT_EQ(Settle(&lane, 3), 1);
  EXPECT_EQ(lane.result(), 30);
  EXPECT_EQ(Settle(&lane, 3), 0);
  lane.Update(4, [](int) { return [] { return 40; }; });
  lane.Forget();  // what is still computed is of another scene
  while (!lane.Poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(lane.result(), 0);
  EXPECT_EQ(Settle(&lane, 4), 1);
}

TEST_F(WindowFrames, TheTuneTabFollowsTheSettings) {
  Open("arm7_twist", {}, true);
  state_.tab = kTuneTab;
  const auto turning = [&] { return state_.verdict.result().turning; };
  ASSERT_TRUE(FramesUntil([&] { return turning() == 0; })) << state_.verdict.result().text;
  Tuning tuning = state_.scene->tuning().current();
  tuning.factorization.t = 5;
  state_.scene->tuning().Edit(tuning);  // a drag that has not ended
  ASSERT_TRUE(FramesUntil([&] { return turning() > 0; }));
  EXPECT_THAT(state_.verdict.result().text, HasSubstr("The choice of C matters for"));
}

TEST_F(WindowFrames, TheFirstPictureComesBeforeAVerdict) {
  Open("planar_2r", {}, true);
  state_.tab = kTuneTab;
  const double opened = state_.now;
  ASSERT_TRUE(FramesUntil([&] { return state_.verdict.is_computing(); }));
  EXPECT_GE(state_.now, opened + 0.5);
}

TEST_F(WindowFrames, ComparePutsThePredictedErrorBesideTheMeasuredOne) {
  Open("torsion_gallery", {}, true, {}, {"controller.factorization=t:5"});
  ASSERT_EQ(state_.scene->trees.size(), 3u);
  Post(&state_, command::StepOnce{700});
  const auto values = [&](const Figures& figures) {
    const auto& metrics = state_.scene->session.metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (metrics[i].key == "error_rms") return figures.values[i];
    }
    return kNaN;
  };
  const auto expect_close = [&] {
    ASSERT_TRUE(FramesUntil([&] { return std::isfinite(PredictedErrors(state_)[1]); }));
    const auto [a, b] = PredictedErrors(state_);
    EXPECT_NEAR(a / values(snapshot().figures), 1, 0.02);
    EXPECT_NEAR(b / values(snapshot().other.figures), 1, 0.02);
  };
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 700; }));
  expect_close();
  for (const ActiveScene::ComparedTree& tree : state_.scene->trees) {
    const auto [a, b] = PredictedErrors(state_, tree.name);
    const double measured =
        snapshot().other.figures.values[tree.metric] / snapshot().figures.values[tree.metric];
    EXPECT_NEAR(b / a / measured, 1, 0.02) << tree.name;
  }
  // After a throw: from the state that it makes.
  ThrowOff(&state_);
  Post(&state_, command::StepOnce{500});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 1200; }));
  ASSERT_TRUE(snapshot().figures.since_throw);
  expect_close();
}

}  // namespace ui_forecast_test
}  // namespace civita
