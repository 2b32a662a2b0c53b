#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/window/render/video.h"
#include "civita/error.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_to_end.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_timeline_test {

class TimelineFrames : public WindowFrames {
 protected:
  // Runs to 0.5 s with a push at 0.3 s; paused.
  void OpenAndRun() {
    Open("arm7", {}, true);
    RunTo(300);
    PushNow(&state_);
    RunTo(500);
  }
  void RunTo(long step) {
    Post(&state_, command::StepOnce{step - snapshot().step});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == step; }));
  }
  void Answer() {
    ASSERT_TRUE(FramesUntil(
        [&] { return state_.scene->session.HasAnswered(snapshot()) && !state_.scene->scrub_to; }));
    Frame();
  }
  const TraceBuffer& rows() { return state_.scene->traces.buffer(); }
  const TraceBuffer& aside() { return state_.scene->traces.aside(); }
  // Marks and pushes that are not the scene's.
  long CountMarks() const {
    const auto& marks = state_.scene->log.marks();
    return std::count_if(marks.begin(), marks.end(),
                         [](const RunLog::EventMark& mark) { return !mark.is_planned; });
  }
  long CountPushes() const {
    const auto& pushes = state_.scene->pushes;
    return std::count_if(pushes.begin(), pushes.end(),
                         [](const PushEvent& event) { return !event.is_planned; });
  }
};

TEST_F(TimelineFrames, ArrowsStepForthAndBack) {
  OpenAndRun();
  const std::vector<double> end = snapshot().qpos;
  for (int k = 0; k < 4; ++k) Press(ImGuiKey_LeftArrow);
  Answer();
  EXPECT_EQ(snapshot().step, 496);
  EXPECT_NE(snapshot().qpos, end);
  EXPECT_EQ(state_.time_axis.shown, snapshot().t);
  for (int k = 0; k < 4; ++k) Press(ImGuiKey_RightArrow);
  Answer();
  EXPECT_EQ(snapshot().step, 500);
  EXPECT_EQ(snapshot().qpos, end);
  EXPECT_TRUE(std::isnan(state_.time_axis.shown));
  EXPECT_EQ(rows().size(), 500);
}

TEST_F(TimelineFrames, TheThumbStaysUnderThePointer) {
  OpenAndRun();
  const Rect bar = Find({"scrub"}, layout().view);
  for (const float share : {0.2f, 0.35f, 0.1f}) {
    Drag(bar.x + 0.3f * bar.w, bar.x + share * bar.w, bar.middle_y());
    Answer();
    // The bar spans a second at least.
    EXPECT_NEAR(snapshot().t, static_cast<double>(share), 0.004);
    EXPECT_EQ(snapshot().newest_t, 0.5) << "the future is kept";
    EXPECT_EQ(rows().size(), 500);
  }
  Drag(bar.x + 0.2f * bar.w, bar.right(), bar.middle_y());
  Answer();
  EXPECT_EQ(snapshot().t, 0.5);
}

TEST_F(TimelineFrames, ScrubbingPausesAndKeepsTheFuture) {
  Open("arm7");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.3; }));
  const Rect bar = Find({"scrub"}, layout().view);
  Click(bar.x + 0.1f * bar.w, bar.middle_y());
  Answer();
  EXPECT_EQ(snapshot().state, RunState::kPaused);
  EXPECT_LT(snapshot().t, 0.5 * snapshot().newest_t);
  EXPECT_GT(snapshot().newest_t, 0.3);
}

TEST_F(TimelineFrames, AClickOnAPlotGoesThereAtOnceAndADoubleClickDoesNot) {
  OpenAndRun();
  const Rect plot = Find({"Tracking error", "area"}, layout().plots);
  const auto at = [&](double t) {
    const TimeAxis& axis = state_.time_axis;
    return plot.x + static_cast<float>((t - axis.t0()) / (axis.t1() - axis.t0())) * plot.w;
  };
  const float x = at(0.3);
  Click(x, plot.middle_y());
  Answer();  // in less time than a double click takes
  EXPECT_NEAR(snapshot().t, 0.3, 0.1);
  const double there = snapshot().t;
  const double clicked = ImGui::GetTime();  // s
  ASSERT_TRUE(FramesUntil(
      [&] { return ImGui::GetTime() > clicked + 1; }));  // no double click with the last one
  MoveTo(at(0.1), plot.middle_y());
  for (const bool down : {true, false, true, false}) {
    Hold(down);
    Frame();
    Answer();
  }
  EXPECT_EQ(snapshot().t, there);
}

TEST_F(TimelineFrames, ABranchTakesRowsAndMarksAsideAndBack) {
  OpenAndRun();
  EXPECT_EQ(CountMarks(), 1);
  const float old_row = rows().value(400, 0);
  RewindTo(&state_, 0.2);
  Answer();
  EXPECT_EQ(rows().size(), 500);
  EXPECT_TRUE(aside().empty());

  SetSpeed(&state_, 0.01);  // the push at 0.3 s is far, however late the pause comes
  Press(ImGuiKey_Space);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.202; }));
  Press(ImGuiKey_Space);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
  Answer();
  EXPECT_EQ(aside().size(), 300);
  EXPECT_EQ(aside().first_time(), 0.2);
  EXPECT_EQ(rows().size(), snapshot().step);
  EXPECT_EQ(CountMarks(), 0) << "the push was later";
  EXPECT_EQ(CountPushes(), 0);

  Click(Find({"branch"}, layout().view));
  Answer();
  EXPECT_EQ(rows().size(), 500);
  EXPECT_EQ(rows().value(400, 0), old_row);
  EXPECT_EQ(snapshot().newest_t, 0.5);
  EXPECT_EQ(CountMarks(), 1);
  EXPECT_EQ(CountPushes(), 1);
  Press(ImGuiKey_B, true);
  Answer();
  EXPECT_EQ(CountMarks(), 0);
  EXPECT_LT(snapshot().newest_t, 0.5);

  Press(ImGuiKey_Backspace);
  Answer();
  EXPECT_TRUE(rows().empty());
  EXPECT_TRUE(aside().empty());
}

TEST_F(TimelineFrames, AnExportEndsAtTheClock) {
  OpenAndRun();
  RewindTo(&state_, 0.2);
  Answer();
  ExportPlots(&state_, PlotFormat::kCsv);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    std::ifstream file(entry.path());
    std::string line, last;
    int lines = 0;
    for (; std::getline(file, line); ++lines) last = line;
    EXPECT_EQ(lines, 202);  // the head, and 0 to 0.2 s
    EXPECT_EQ(last.substr(0, last.find(',')), "0.2");
  }
  EXPECT_EQ(files, 1);
}

TEST_F(TimelineFrames, TheRecordButtonWritesARunThatCanBeReplayed) {
  Open("arm7", {}, true);
  RunTo(20);
  Click(Find({"record"}, layout().top_bar));
  Answer();
  EXPECT_TRUE(snapshot().is_recording);
  ASSERT_TRUE(state_.recording.has_value());
  const std::filesystem::path directory = state_.recording->directory;
  EXPECT_EQ(directory.parent_path(), folder_.path());
  RunTo(60);
  const std::vector<double> end = snapshot().qpos;
  Frame();
  Press(ImGuiKey_F12);
  Answer();
  EXPECT_FALSE(snapshot().is_recording);
  EXPECT_FALSE(state_.recording.has_value());
  ASSERT_TRUE(FramesUntil([&] { return state_.saving.empty(); }));
  EXPECT_NE(state_.toast.text.find(directory.string()), std::string::npos);

  OpenScene(&state_, directory.string());
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.is_replay(); }));
  ASSERT_TRUE(FramesUntil([&] { return rows().size() == 40; }));
  Post(&state_, command::Pause{});
  RewindTo(&state_, 0.059);
  Answer();
  EXPECT_EQ(snapshot().step, 59);
  EXPECT_EQ(snapshot().oldest_saved_t, 0.02);
  EXPECT_NE(snapshot().qpos, end);
  for (const char* tab : {"Tune", "Matrix", "Push", "Log"}) {
    state_.tab = tab;
    Frame();
  }
}

TEST_F(TimelineFrames, ARecordingIsWrittenAsideWhenAnotherSceneIsOpened) {
  Open("arm7", {}, true);
  Press(ImGuiKey_F12);
  Answer();
  const std::filesystem::path directory = state_.recording->directory;
  RunTo(40);
  OpenScene(&state_, "planar_2r");
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.mj()->nv == 2; }));
  EXPECT_EQ(state_.endings.size(), 1u) << "the window does not wait for it";
  ASSERT_TRUE(FramesUntil([&] { return state_.endings.empty(); }));
  EXPECT_EQ(state_.toast.text, "Saved " + directory.string());
  EXPECT_EQ(RunRecord(directory).size(), 40u);
  EXPECT_TRUE(std::filesystem::exists(directory / "signals.npz"));
}

TEST_F(TimelineFrames, ARecordedRunAndItsPlotsGoBackBeyondMemory) {
  Open("planar_2r", {}, false, folder_.path() / "run");
  SetSpeed(&state_, 0);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 130; }));
  Press(ImGuiKey_Space);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
  EXPECT_EQ(snapshot().oldest_saved_t, 0);
  const Rect bar = Find({"scrub"}, layout().view);
  Click(bar.x + 0.01f * bar.w, bar.middle_y());
  Answer();
  EXPECT_NEAR(snapshot().t, 0.01 * snapshot().newest_t, 1);  // a pixel and a half
  EXPECT_LT(rows().first_time(), 0.01);
  EXPECT_GT(rows().size(), 129'000);
  for (const char* tab : {"Tune", "Matrix", "Push", "Log"}) {
    state_.tab = tab;
    Frame();
  }
  SetSpeed(&state_, 1);
  const double t = snapshot().t;
  Press(ImGuiKey_Space);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > t + 0.2; }));
  EXPECT_EQ(snapshot().branch_t, t);
  EXPECT_LT(rows().first_time(), 0.01) << "the plots show what is before it";
  EXPECT_GT(aside().last_time(), 130);
  EXPECT_NEAR(aside().first_time(), t, 0.01);
  EXPECT_EQ(CountErrors(), 0);
}

TEST_F(TimelineFrames, AReplayIsPlottedFromItsBeginning) {
  {
    Simulation simulation(LoadScene(ReadConfig("planar_2r", {"duration_s=125"})));
    Recorder recorder(simulation, folder_.path() / "run");
    RunToEnd(&simulation, &recorder, [] { return true; });
    recorder.Finish(simulation, 1, false);
  }
  Open("planar_2r", {}, true);
  OpenScene(&state_, (folder_.path() / "run").string());
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.is_replay(); }));
  ASSERT_TRUE(FramesUntil([&] { return rows().size() == 125'001; }));
  EXPECT_EQ(rows().first_time(), 0);
  EXPECT_NEAR(rows().last_time(), 125, 1e-9);
}

TEST(Video, IsWrittenAsItGoes) {
  const TemporaryFolder folder;
  const Image image{33, 17, std::vector<uint8_t>(std::size_t{3} * 33 * 17, 100)};
  Video video(folder.path() / "video", 33, 17);
  EXPECT_TRUE(video.IsDue(0));
  video.Add(image, 0);
  EXPECT_FALSE(video.IsDue(0.01));
  EXPECT_TRUE(video.IsDue(0.034));
  video.Add(image, 0.5);
  EXPECT_THROW(video.Add(Image{32, 17, {}}, 1), UserError);
  video.Finish();
  EXPECT_TRUE(std::filesystem::exists(video.path()));
  if (!std::filesystem::is_directory(video.path())) return;  // a video
  for (int number = 0; number <= 15; ++number) {  // without gaps, as encoders read a series
    const std::string name = std::string(number < 10 ? "00000" : "0000") + std::to_string(number);
    EXPECT_TRUE(ReadPng((video.path() / (name + ".png")).string()).has_value()) << name;
  }
}

}  // namespace ui_timeline_test
}  // namespace civita
