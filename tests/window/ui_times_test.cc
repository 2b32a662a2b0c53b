// The Times tab: how long control steps take.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "app/window/model/part_times.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_times_test {

using testing::HasSubstr;

TEST(TimeHistogram, HasPercentilesOfWhatWasAdded) {
  TimeHistogram times;
  std::mt19937 engine(3);
  std::lognormal_distribution<double> distribution(2, 1);
  std::vector<double> all;
  for (int i = 0; i < 20'000; ++i) {
    all.push_back(distribution(engine));
    times.Add(all.back());
  }
  std::ranges::sort(all);
  for (const double share : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
    const double exact = all[static_cast<std::size_t>(share * 19'999)];
    EXPECT_NEAR(times.Percentile(share), exact, 0.004 * exact) << share;
  }
  EXPECT_EQ(times.max(), all.back());
  EXPECT_EQ(times.count(), 20'000);
  const auto in = std::ranges::count_if(all, [](double x) { return x >= 5 && x < 20; });
  EXPECT_NEAR(static_cast<double>(times.CountIn(5, 20)), static_cast<double>(in), 120);
  EXPECT_EQ(times.CountIn(0, HUGE_VAL), 20'000);
}

TEST(TimeHistogram, LeavesOutWhatIsNoTime) {
  TimeHistogram times;
  times.Add(std::nan(""));
  times.Add(-1);
  EXPECT_EQ(times.count(), 0);
  EXPECT_TRUE(std::isnan(times.Percentile(0.5)));
  times.Add(0);
  times.Add(1e12);
  EXPECT_EQ(times.count(), 2);
  EXPECT_EQ(times.max(), 1e12);
}

class TimesTab : public WindowFrames {
 protected:
  void Run(long steps) {
    Post(&state_, command::StepOnce{steps});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == steps; }));
    Frame();
  }
  double Exact(const char* signal, double share) const {
    const Traces& traces = state_.scene->traces;
    std::vector<double> all;
    for (int64_t i = 0; i < traces.buffer().end_index(); ++i) {
      all.push_back(
          static_cast<double>(traces.buffer().value(i, traces.channel(Slot::kA, signal))));
    }
    std::ranges::sort(all);
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  }
};

TEST_F(TimesTab, HasTheTimesOfAllPartsOfBothRuns) {
  Open("arm7", {}, true, {}, {"controller.factorization=plain"});
  state_.tab = "Times";
  Run(400);
  const PartTimes& times = state_.times;
  for (std::size_t part = 0; part < kTimedParts.size(); ++part) {
    const bool has_it = kTimedParts[part].signal != "/qp_us";
    for (const Slot slot : {Slot::kA, Slot::kB}) {
      const TimeHistogram* found = times.Find(slot, part);
      ASSERT_EQ(found != nullptr, has_it) << kTimedParts[part].name;
      if (found != nullptr) {
        EXPECT_EQ(found->count(), 400);
      }
    }
  }
  EXPECT_NEAR(times.Find(Slot::kA, 0)->Percentile(0.5), Exact("/control_us", 0.5),
              0.01 * Exact("/control_us", 0.5));
  EXPECT_EQ(times.Find(Slot::kA, 0)->max(), Exact("/control_us", 1));
  double parts = times.Find(Slot::kA, kRestOfStep)->Percentile(0.5);
  EXPECT_GT(parts, 0);
  for (std::size_t part = kFirstOfLaw; part <= kLastOfLaw; ++part) {
    parts += times.Find(Slot::kA, part)->Percentile(0.5);
  }
  EXPECT_NEAR(parts, Exact("/control_us", 0.5), 0.2 * Exact("/control_us", 0.5))
      << "the rows say where the time of a step goes";
  Post(&state_, command::StepOnce{100});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 500; }));
  Frame();
  EXPECT_EQ(times.Find(Slot::kB, 0)->count(), 500) << "they are counted as they come";
}

TEST_F(TimesTab, FollowsASelectedStretchAndAReset) {
  Open("arm7", {}, true);
  state_.tab = "Times";
  Run(300);
  state_.selected_span = {0.1, 0.2};
  Frame();
  EXPECT_EQ(state_.times.Find(Slot::kA, 0)->count(), 100);
  state_.selected_span.reset();
  Frame();
  EXPECT_EQ(state_.times.Find(Slot::kA, 0)->count(), 300);
  ResetRun(&state_);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 0; }));
  Post(&state_, command::StepOnce{20});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 20; }));
  Frame();
  EXPECT_EQ(state_.times.Find(Slot::kA, 0)->count(), 20);
}

TEST_F(TimesTab, ARowChoosesTheHistogram) {
  Open("arm7", {}, true);
  state_.tab = "Times";
  Run(100);
  EXPECT_EQ(state_.timed_part, 0u);
  Click(Find({4, "part"}, layout().side));
  EXPECT_EQ(kTimedParts[state_.timed_part].name, "Matrices");
  MoveTo(layout().side.middle_x(), layout().side.y + 120);
  Frame();
}

TEST_F(TimesTab, IsTheFirstOneOfScenesForTimes) {
  Open("tree20", {}, true);
  state_.wanted_tab = state_.opened_config->list.tab;
  Frame();
  EXPECT_EQ(state_.tab, "Times");
  state_.wanted_tab = "Tmies";
  Frame();
  EXPECT_EQ(state_.tab, "Times");
  EXPECT_THAT(LastLine(LogLine::Kind::kWarning), HasSubstr("list.tab: "));
}

TEST_F(TimesTab, IsInAListWhereTheTabsDoNotFit) {
  Open("quadruped", {}, true, {}, {"gains.K_D=20"});
  state_.tab = kTuneTab;
  state_.panels.side_width = 1;  // as narrow as it gets
  Frame();
  Click(Find({"side tabs", "more tabs"}, layout().side));
  Frame();
  Press(ImGuiKey_DownArrow);
  Press(ImGuiKey_Enter);
  Frame();
  EXPECT_THAT(std::string(state_.tab), testing::AnyOf("Times", "Log", "Push"));
}

}  // namespace ui_times_test
}  // namespace civita
