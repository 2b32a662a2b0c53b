// Runs that are kept in the plots beside those of the session.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/window/actions/ghosts.h"
#include "app/window/plot/plot_content.h"
#include "tests/scenes/read_all.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_ghosts_test {

using testing::ElementsAre;
using testing::HasSubstr;

class Ghosts : public WindowFrames {
 protected:
  void Run(long steps) {
    Post(&state_, command::StepOnce{steps - snapshot().step});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == steps; }));
    Frame();
  }
  void Restart() {
    ResetRun(&state_);
    ASSERT_TRUE(FramesUntil(
        [&] { return state_.scene->session.HasAnswered(snapshot()) && snapshot().step == 0; }));
  }
  PlotContent ContentOf(const char* title) const {
    return {state_.scene->traces,
            *FindChoice(state_.scene->plot_choices, title),
            state_.ui.theme,
            {},
            state_.ghosts};
  }
};

TEST_F(Ghosts, AKeptRunStaysInThePlotsWhileTheNextOneIsTuned) {
  Open("planar_2r", {}, true);
  Run(300);
  std::vector<float> V;
  const Traces& traces = state_.scene->traces;
  const int channel = traces.channel(Slot::kA, "/V");
  for (int64_t row = 0; row < 300; ++row) V.push_back(traces.buffer().value(row, channel));
  Choose("keep this run");
  ASSERT_EQ(state_.ghosts.size(), 1u);
  Restart();
  Tuning tuning = state_.scene->tuning().current();
  tuning.gains[0] *= 3;
  state_.scene->tuning().Edit(tuning);
  CommitTuning(&state_);
  Run(200);
  const PlotContent content = ContentOf("Lyapunov V");
  ASSERT_EQ(content.lines.size(), 2u);
  const PlotLine& ghost = content.lines[1];
  EXPECT_EQ(ghost.name, state_.ghosts[0].name) << "in the legend";
  EXPECT_NE(ghost.color, content.lines[0].color);
  ASSERT_EQ(ghost.trace->size(), 300);
  for (int64_t row = 0; row < 300; ++row) {
    EXPECT_EQ(ghost.trace->value(row, ghost.channel), V[static_cast<std::size_t>(row)]);
  }
  EXPECT_NE(traces.buffer().value(150, channel), V[150]);
  KeepShownRun(&state_);
  EXPECT_THAT(state_.ghosts[1].name, HasSubstr("christoffel, Λ "));
  RemoveGhost(&state_, 1);
  // Of a plot with several lines thin ones, which follow those of the run, without names.
  const PlotContent torques = ContentOf("Torque");
  ASSERT_EQ(torques.lines.size(), 4u);
  EXPECT_EQ(torques.lines[2].owner, 0);
  EXPECT_FALSE(torques.lines[2].is_named());
  EXPECT_EQ(torques.lines[2].color, torques.lines[0].color);
  EXPECT_LT(torques.lines[2].alpha, torques.lines[0].alpha);
  PlotState state;
  state.Toggle(0);
  EXPECT_FALSE(state.shown(torques.lines[2], 2)) << "hidden with its owner";
  EXPECT_TRUE(state.shown(torques.lines[3], 3));
  Frame();
  Choose("remove the kept run");
  EXPECT_TRUE(state_.ghosts.empty());
}

TEST_F(Ghosts, FitEverySceneThatHasTheirSignals) {
  Open("planar_2r", {}, true);
  Run(50);
  KeepShownRun(&state_);
  KeepShownRun(&state_);
  EXPECT_THAT(state_.ghosts, ElementsAre(testing::Field(&GhostRun::name, "christoffel"),
                                         testing::Field(&GhostRun::name, "christoffel (2)")));
  Open("arm7", {}, true);
  Run(50);
  EXPECT_EQ(ContentOf("Lyapunov V").lines.size(), 3u);
  EXPECT_EQ(ContentOf("Torque").lines.size(), 7u + 2 * 2) << "of two joints each";
  for (const ShownPlot& plot : state_.plots.plots()) ASSERT_FALSE(plot.title.empty());
  for (int i = 0; i < 3; ++i) Frame();
  for (int i = 0; i < 10; ++i) KeepShownRun(&state_);
  EXPECT_EQ(state_.ghosts.size(), kMostGhosts);
  EXPECT_TRUE(state_.toast.is_error);
}

TEST_F(Ghosts, OfARunFolderAreItsRows) {
  Open("planar_2r", {"gains.Lambda=3"}, true, folder_.path() / "civita-run-x");
  Run(120);
  state_.scene->session.Stop();
  Open("planar_2r", {}, true);
  Run(60);
  ASSERT_EQ(RecordedRuns(state_).size(), 1u);
  Choose("keep the recorded run civita-run-x");
  ASSERT_TRUE(FramesUntil([&] { return state_.ghosts.size() == 1; })) << state_.toast.text;
  const GhostRun& ghost = state_.ghosts[0];
  EXPECT_EQ(ghost.name, "civita-run-x");
  EXPECT_EQ(ghost.rows.size(), 120);
  const std::string csv = ReadAll(folder_.path() / "civita-run-x/signals.csv");
  std::istringstream lines(csv);
  std::string header, row;
  std::getline(lines, header);
  std::size_t column = 0;
  std::istringstream names(header);
  for (std::string name; std::getline(names, name, ',') && name != "/e/1";) ++column;
  for (int64_t i = 0; i < 120; ++i) {
    ASSERT_TRUE(std::getline(lines, row));
    std::istringstream fields(row);
    std::string field;
    for (std::size_t k = 0; k <= column; ++k) std::getline(fields, field, ',');
    EXPECT_EQ(ghost.rows.value(i, ghost.Find("/e/1")), static_cast<float>(std::stod(field))) << i;
  }
  KeepRecordedRun(&state_, folder_.path() / "none");
  ASSERT_TRUE(FramesUntil([&] { return state_.ghost_folder.empty(); }));
  EXPECT_TRUE(state_.toast.is_error);
  EXPECT_EQ(state_.ghosts.size(), 1u);
}

TEST_F(Ghosts, StandInTheTableOfAComparison) {
  size_ = ImVec2(kWidth, 2000);  // nothing scrolls
  Open("planar_2r", {}, true, {}, {"gains.Lambda=9"});
  Run(200);
  Click(Find({"keep"}, layout().side));
  ASSERT_EQ(state_.ghosts.size(), 1u);
  SpanFigures own;
  UpdateSpanFigures(state_.scene->traces, 0.05, 0.15, &own);
  const SpanFigures::Run figures = CalcGhostFigures(state_.ghosts[0], 0.05, 0.15);
  EXPECT_EQ(figures.error.rms, own.runs[0].error.rms);
  EXPECT_EQ(figures.turning, own.runs[0].turning);
  EXPECT_EQ(figures.decay_rate, own.runs[0].decay_rate);
  EXPECT_GT(figures.error.rms, 0);
  EXPECT_NE(figures.error.rms, own.runs[1].error.rms);
  Frame();
  EXPECT_GT(state_.kept_figures.ghosts.at(0).error.rms, 0);
  EXPECT_EQ(state_.kept_figures.ghosts[0].error.rms, state_.kept_figures.own.runs[0].error.rms);
  Frame();
  Click(Find({0, "remove"}, layout().side));
  EXPECT_TRUE(state_.ghosts.empty());
}

TEST_F(Ghosts, AreInExports) {
  Open("planar_2r", {}, true);
  Run(100);
  KeepShownRun(&state_);
  state_.plots.Show(PlotFamily::kJoints, std::vector<std::string>{"Lyapunov V", "Torque"});
  Frame();
  ExportPlots(&state_, PlotFormat::kCsv);
  ASSERT_FALSE(std::filesystem::is_empty(folder_.path()));
  const std::string csv = ReadAll(std::filesystem::directory_iterator(folder_.path())->path());
  const std::string header = csv.substr(0, csv.find('\n'));
  EXPECT_THAT(header, HasSubstr("Lyapunov V V (J)"));
  EXPECT_THAT(header, HasSubstr("Lyapunov V christoffel (J)"));
  EXPECT_THAT(header, HasSubstr("Torque 1 of christoffel (N·m)"));
}

}  // namespace ui_ghosts_test
}  // namespace civita
