// That a replay in the window takes no input, and tells what was recorded.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "civita/sim/quantile.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_to_end.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_replay_test {

using testing::HasSubstr;

class ReplayFrames : public WindowFrames {
 protected:
  // Records a run, and shows it at its time t.
  void Replay(const std::string& scene, const std::vector<std::string>& overrides, double t) {
    const std::filesystem::path run = folder_.path() / "run";
    Simulation simulation(LoadScene(ReadConfig(scene, overrides)));
    Recorder recorder(simulation, run);
    RunToEnd(&simulation, &recorder, [] { return true; });
    recorder.Finish(simulation, 1, false);
    Open("planar_2r", {}, true);
    OpenScene(&state_, run.string());
    ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.is_replay(); }));
    Post(&state_, command::Pause{});
    ASSERT_TRUE(FramesUntil([&] { return rows().last_time() > t; }));
    GoTo(t);
  }
  void GoTo(double t) {
    RewindTo(&state_, t);
    ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.HasAnswered(snapshot()); }));
  }
  const TraceBuffer& rows() { return state_.scene->traces.buffer(); }
};

TEST_F(ReplayFrames, InputIsRefusedInWordsAndLeavesNoMark) {
  Replay("arm7", {"duration_s=0.3"}, 0.2);
  state_.tab = kTuneTab;
  Frame();
  const std::size_t marks = state_.scene->log.marks().size();
  for (const ImGuiKey key : {ImGuiKey_F3, ImGuiKey_F10}) {
    state_.toast = {};
    Press(key);
    EXPECT_THAT(state_.toast.text, HasSubstr("replay takes no input")) << key;
    EXPECT_FALSE(state_.toast.is_error);
  }
  Click(Find({"throw off"}, layout().side));
  Click(Find({"throw"}, layout().top_bar));
  Click(Find({"runs", 1, "cell"}, layout().top_bar));
  const Rect track = FindFirstTrack();
  Drag(track.x + 0.2f * track.w, track.x + 0.8f * track.w, track.y);
  state_.tab = "Push";
  Frame();
  Click(Find({"push now"}, layout().side));
  FramesUntil([&] { return state_.scene->session.HasAnswered(snapshot()); });
  EXPECT_EQ(state_.scene->log.marks().size(), marks);
  EXPECT_TRUE(state_.time_axis.following()) << "the plots stay";
  EXPECT_TRUE(state_.scene->tuning().is_initial());
  EXPECT_FALSE(state_.loader.is_loading());
  EXPECT_EQ(snapshot().last_command_error, "");
  EXPECT_EQ(CountErrors(), 0);
}

TEST_F(ReplayFrames, TimesOfControlStepsAreThoseOfTheLastSecondThatWasRecorded) {
  Replay("planar_2r", {"duration_s=1.5"}, 1.2);
  const auto median = [&](double from, double to) {
    std::vector<float> times;
    const int channel = state_.scene->traces.channel(Slot::kA, "/control_us");
    for (int64_t row = rows().LowerBound(from); row < rows().LowerBound(to); ++row) {
      times.push_back(rows().value(row, channel));
    }
    std::ranges::sort(times);
    return static_cast<double>(times[QuantileIndex(0.5, times.size())]);
  };
  EXPECT_EQ(snapshot().step, 1200);
  EXPECT_NEAR(snapshot().step_p50_us, median(0.2005, 1.2005), 1e-3);
  EXPECT_GE(snapshot().step_p99_us, snapshot().step_p50_us);
  GoTo(0.1);
  EXPECT_NEAR(snapshot().step_p50_us, median(0, 0.1005), 1e-3);
}

TEST_F(ReplayFrames, MissedDeadlinesAreCountedUpToTheTimeShown) {
  // No machine computes a step within 0.1 µs.
  Replay("planar_2r", {"control.rate_hz=1e7", "physics.timestep_s=1e-7", "duration_s=2e-5"},
         1.2e-5);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().deadline_misses == 121; }))
      << snapshot().deadline_misses;
  EXPECT_EQ(snapshot().first_miss_t, 0);
}

TEST_F(ReplayFrames, WhatWasDoneByHandIsMarkedAndTold) {
  const std::filesystem::path run = folder_.path() / "thrown";
  Open("planar_2r", {}, true);
  Post(&state_, command::StartRecording{run});
  Post(&state_, command::StepOnce{100});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 100; }));
  ThrowOff(&state_);
  Post(&state_, command::StepOnce{100});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 200; }));
  Post(&state_, command::StopRecording{});
  ASSERT_TRUE(FramesUntil(
      [&] { return state_.scene->session.HasAnswered(snapshot()) && !snapshot().is_saving; }));
  OpenScene(&state_, run.string());
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.is_replay(); }));
  EXPECT_EQ(state_.scene->log.LastThrow(1), 0.1);
  EXPECT_THAT(LastLine(LogLine::Kind::kAction), HasSubstr("thrown off by"));

  // A program that says what `civita verify` would.
  const auto verifies = [&](const char* script) {
    const std::filesystem::path program = folder_.Write("civita", script);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    state_.jobs.program = {program.string()};
    Choose("verify");
    EXPECT_TRUE(FramesUntil([&] { return !state_.jobs.verification->is_running(); }));
    return state_.toast;
  };
  const Toast same = verifies("#!/bin/sh\ntest $1 = verify && test -f $2/run.json\n");
  EXPECT_EQ(same.text, "Repeated bit for bit: " + run.string());
  EXPECT_FALSE(same.is_error);
  const Toast other = verifies("#!/bin/sh\necho differs >&2\nexit 1\n");
  EXPECT_EQ(other.text, "Not repeated: differs");
  EXPECT_TRUE(other.is_error);
}

class ReplayTwo : public ReplayFrames {
 protected:
  // Of the steps from `first` on.
  std::string Record(const std::string& name, const std::string& scene,
                     const std::vector<std::string>& overrides, long first, long steps) {
    const std::filesystem::path run = folder_.path() / name;
    Simulation simulation(LoadScene(ReadConfig(scene, overrides)));
    simulation.RunFor(first);
    Recorder recorder(simulation, run);
    for (long k = 0; k < steps; ++k) {
      simulation.Step();
      recorder.Add(simulation.record());
    }
    recorder.Finish(simulation, 1, false);
    return run.string();
  }
  static std::string ErrorOf(const std::string& run, const std::string& other) {
    try {
      LoadReplay(run, other);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(ReplayTwo, RunsThatBeganApartAreShownFromWhereBothAre) {
  const std::string late = Record("late", "planar_2r", {}, 50, 60);
  const std::string early = Record("early", "planar_2r", {"gains.Lambda=3"}, 0, 90);
  for (const bool is_late_first : {true, false}) {
    const LoadedScenes loaded = is_late_first ? LoadReplay(late, early) : LoadReplay(early, late);
    EXPECT_EQ(loaded.record->t(0), 0.05);
    EXPECT_EQ(loaded.other_record->t(0), 0.05);
    EXPECT_EQ((is_late_first ? loaded.other_record : loaded.record)->size(), 40u);
    EXPECT_THAT(loaded.scene->notices,
                testing::Contains(HasSubstr("early, 0 to 0.089 s, beside ")));
  }
  Open("planar_2r", {}, true);
  state_.loader.Start("both", [=] { return LoadReplay(late, early); });
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.is_replay(); }));
  EXPECT_TRUE(state_.scene->is_comparing());
  EXPECT_EQ(snapshot().oldest_saved_t, 0.05);
}

TEST_F(ReplayTwo, WhatDoesNotFitIsNamed) {
  const std::string run = Record("run", "planar_2r", {}, 0, 20);
  EXPECT_THAT(ErrorOf(run, Record("arm", "arm7", {}, 0, 20)), HasSubstr("arm: another robot than"));
  EXPECT_THAT(ErrorOf(run, Record("slow", "planar_2r", {"control.rate_hz=500"}, 0, 20)),
              HasSubstr("slow: rows at another rate than those of the run in "));
  EXPECT_THAT(ErrorOf(run, Record("later", "planar_2r", {}, 30, 20)),
              HasSubstr("later, 0.03 to 0.049 s, has no time in common"));
}

TEST_F(ReplayTwo, ARecordedComparisonIsReplayedAsOne) {
  const std::filesystem::path run = folder_.path() / "both";
  {
    Session session(LoadScene(ReadConfig("planar_2r")), true, run,
                    LoadScene(ReadConfig("planar_2r", {"controller.factorization=t:3"})));
    session.Post(command::StepOnce{40});
    while (session.Latest().step < 40) std::this_thread::yield();
    session.Stop();
  }
  Open("arm7", {}, true);
  OpenScene(&state_, run.string());
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.is_replay(); }));
  ASSERT_TRUE(state_.scene->is_comparing());
  EXPECT_EQ(state_.scene->session.scene(Slot::kB).config.factorization, "t:3");
  EXPECT_EQ(state_.opened, run.string());
}

}  // namespace ui_replay_test
}  // namespace civita
