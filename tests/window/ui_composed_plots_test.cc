// Plots that are put together: sums, one signal over another, spectra.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "app/window/actions/kept.h"
#include "app/window/plot/plot_choices.h"
#include "app/window/plot/plot_content.h"
#include "app/window/plot/spectrum.h"
#include "tests/scenes/read_all.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_composed_plots_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ComposedPlots : public WindowFrames {
 protected:
  void Run(long steps) {
    Post(&state_, command::StepOnce{steps});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == steps; }));
    Frame();
  }
  const PlotChoice* Find(const std::string& title) const {
    return FindChoice(state_.scene->plot_choices, title);
  }
  std::string Add(const std::string& title) {
    return AddComposed(title, &state_.scene->plot_choices);
  }
  std::vector<std::string> LinesOf(const std::string& title) const {
    std::vector<std::string> names;
    const PlotChoice* plot = Find(title);
    if (plot == nullptr) return {"no plot " + title};
    for (const PlotChoice::Line& line : plot->lines) names.push_back(line.name);
    return names;
  }
  // What a plot draws of the newest row.
  double Newest(const PlotLine& line, int channel) const {
    return line.scale *
           static_cast<double>(line.trace->value(line.trace->end_index() - 1, channel));
  }
  PlotContent ContentOf(const std::string& title, PathAxes axes = {}) {
    const PlotChoice& choice = *Find(title);
    const PathView view =
        FindPathView(state_.scene->log, state_.scene->traces, choice, axes, snapshot().t);
    return {state_.scene->traces, choice, state_.ui.theme, view};
  }
  Rect FrameOf(std::size_t index, std::size_t count) const {
    const Rect plots = layout().plots;
    const float header = 44, height = (plots.h - header - 20) / static_cast<float>(count);
    return {plots.x, plots.y + header + static_cast<float>(index) * height, plots.w, height};
  }
};

TEST_F(ComposedPlots, TermsOfTheTorqueSumUp) {
  Open("arm7_twist", {"controller.factorization=t:5"}, true);
  Run(200);
  ASSERT_NE(Find("Terms of τ"), nullptr);
  EXPECT_THAT(LinesOf("Terms of τ"), ElementsAre("K vᵣ", "C vᵣ", "H \uE001ᵣ", "feedback", "g"));
  const Traces& traces = state_.scene->traces;
  for (int joint = 0; joint < 7; ++joint) {
    const PlotContent content = ContentOf("Terms of τ", {joint, joint});
    double sum = 0;
    for (std::size_t i = 1; i < content.lines.size(); ++i) {
      sum += Newest(content.lines[i], content.lines[i].channel);
    }
    const int tau = traces.channel(Slot::kA, "/tau") + joint;
    EXPECT_NEAR(sum, Newest(content.lines[0], tau), 1e-4) << joint;
  }
}

TEST_F(ComposedPlots, TermsAreOfTheJointThatTorsionMovesMost) {
  Open("arm7_twist", {}, true, {}, {"controller.factorization=t:5"});
  Run(300);
  const Traces& traces = state_.scene->traces;
  const int first = traces.channel(Slot::kB, "/terms/K_v_r");
  int most = 0;
  float range = 0;
  for (int joint = 0; joint < 7; ++joint) {
    const ValueRange of = traces.buffer().Range(first + joint, 0, traces.buffer().end_index());
    if (of.hi - of.lo > range) most = joint;
    range = std::max(range, of.hi - of.lo);
  }
  ASSERT_GT(range, 0.01f);
  for (const char* title : {"Terms of τ, A", "Terms of τ, B"}) {
    EXPECT_EQ(ContentOf(title).path.name_y, state_.scene->velocity_names[static_cast<size_t>(most)])
        << title;
  }
  EXPECT_EQ(ContentOf("Terms of τ, B", {2, 2}).path.name_y, state_.scene->velocity_names[2]);
  // The torque of torsion is there of B alone.
  const PlotContent torsion = ContentOf("Torque of torsion");
  ASSERT_EQ(torsion.lines.size(), 2u);
  EXPECT_EQ(Newest(torsion.lines[0], torsion.lines[0].channel), 0);
  EXPECT_GT(Newest(torsion.lines[1], torsion.lines[1].channel), 0);
}

TEST_F(ComposedPlots, AddsLinesOfOneUnit) {
  Open("arm7", {}, true);
  EXPECT_THAT(Add("/V + /V_estimation"), IsEmpty());
  EXPECT_THAT(LinesOf("/V + /V_estimation"), ElementsAre("/V", "/V_estimation"));
  EXPECT_THAT(Add("/tau/0 + /tau/6"), IsEmpty());
  EXPECT_THAT(LinesOf("/tau/0 + /tau/6"), ElementsAre("/tau/0", "/tau/6"));
  const int tau = state_.scene->traces.channel(Slot::kA, "/tau");
  EXPECT_EQ(Find("/tau/0 + /tau/6")->lines[1].channel, tau + 6);
  EXPECT_THAT(Add("/tau/0 + /tau/6 + /tau/3"), IsEmpty());
  EXPECT_THAT(LinesOf("/tau/0 + /tau/6 + /tau/3"), ElementsAre("/tau/0", "/tau/6", "/tau/3"));
  EXPECT_THAT(Add("Torque + Lyapunov V"), HasSubstr("Torque is in N·m, Lyapunov V is in J"));
  EXPECT_THAT(Add("Torque + /tau"), HasSubstr("at most 8 lines"));
  EXPECT_THAT(Add("/tau/0 + Path of the error"), HasSubstr("Only plots over time"));
  EXPECT_EQ(Find("Torque + Lyapunov V"), nullptr);
}

TEST_F(ComposedPlots, PutsAnySignalOverAnyOther) {
  Open("arm7", {}, true);
  Run(60);
  EXPECT_THAT(Add("Torque over Velocity error s"), IsEmpty());
  EXPECT_THAT(Add("/tau/3 over /e/1"), IsEmpty());
  const Traces& traces = state_.scene->traces;
  const PlotContent content = ContentOf("/tau/3 over /e/1");
  ASSERT_EQ(content.lines.size(), 1u);
  EXPECT_EQ(content.lines[0].channel, traces.channel(Slot::kA, "/tau") + 3);
  EXPECT_EQ(content.lines[0].channel_x, traces.channel(Slot::kA, "/e") + 1);
  EXPECT_EQ(content.lines[0].scale, 1);
  EXPECT_EQ(content.lines[0].scale_x, 1000) << "mrad";
  EXPECT_EQ(content.path.unit_x, "mrad");
  EXPECT_EQ(content.path.name_y, "/tau/3");
  EXPECT_EQ(Find("Torque over Velocity error s")->lines.size(), 7u);
  EXPECT_THAT(Add("Torque over \uE000 and P"), HasSubstr("has 7 lines"));
  state_.plots.Show(PlotFamily::kJoints, std::vector<std::string>{"/tau/3 over /e/1"});
  Frame();
  Frame();
}

TEST_F(ComposedPlots, OfAComparisonHaveBothRuns) {
  Open("arm7", {}, true, {}, {"controller.factorization=t:5"});
  EXPECT_THAT(Add("/q/2 over /tau/2"), IsEmpty());
  ASSERT_EQ(Find("/q/2 over /tau/2")->lines.size(), 2u);
  EXPECT_THAT(LinesOf("/q/2 over /tau/2"), ElementsAre("A", "B"));
  const Traces& traces = state_.scene->traces;
  EXPECT_EQ(Find("/q/2 over /tau/2")->lines[1].channel, traces.channel(Slot::kB, "/q") + 2);
  EXPECT_EQ(Find("/q/2 over /tau/2")->lines[1].channel_x, traces.channel(Slot::kB, "/tau") + 2);
}

TEST_F(ComposedPlots, ASpectrumIsMadeOfThePlot) {
  Open("arm7", {}, true);
  Run(1500);
  EXPECT_THAT(Add("Spectrum of Torque"), IsEmpty());
  const PlotChoice& spectrum = *Find("Spectrum of Torque");
  EXPECT_TRUE(spectrum.is_spectrum);
  EXPECT_EQ(spectrum.unit, "N·m/√Hz");
  EXPECT_EQ(spectrum.lines.size(), Find("Torque")->lines.size());
  EXPECT_EQ(TitleOfSpectrum(spectrum.title), "Torque");
  EXPECT_THAT(Add("Spectrum of Path of the error"), HasSubstr("plot over time"));
  state_.plots.Show(PlotFamily::kJoints,
                    std::vector<std::string>{"Spectrum of Torque", "Lyapunov V"});
  for (int i = 0; i < 4; ++i) Frame();
  MoveTo(layout().plots.middle_x(), layout().plots.y + 150);
  Frame();
}

TEST_F(ComposedPlots, ExportsHaveSpectra) {
  Open("arm7", {}, true);
  Run(1500);
  state_.plots.Show(PlotFamily::kJoints,
                    std::vector<std::string>{"Spectrum of Torque", "Lyapunov V"});
  for (int i = 0; i < 3; ++i) Frame();
  state_.plots.plots()[0].state.Toggle(0);
  state_.selected_span = {0.2, 1.2};
  ExportPlots(&state_, PlotFormat::kCsv);
  ExportPlots(&state_, PlotFormat::kSvg);
  std::string spectra, lines, svg;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    const std::string name = entry.path().filename().string();
    (entry.path().extension() == ".svg"   ? svg
     : name.starts_with("civita-spectra") ? spectra
                                          : lines) = ReadAll(entry.path());
  }
  EXPECT_THAT(lines, StartsWith("t,Lyapunov V V (J)\n"));
  const PlotChoice& choice = *Find("Spectrum of Torque");
  const Spectrum expected =
      CalcSpectrum(state_.scene->traces.buffer(), choice.lines[1].channel, 0.2, 1.2);
  std::istringstream rows(spectra);
  std::string row;
  std::getline(rows, row);
  EXPECT_THAT(
      row, StartsWith("frequency (Hz),Spectrum of Torque " + choice.lines[1].name + " (N·m/√Hz)"));
  EXPECT_THAT(row, Not(HasSubstr(choice.lines[0].name))) << "hidden by the user";
  std::size_t k = 0;
  while (std::getline(rows, row)) {
    ++k;
    double hz = 0, density = 0;
    ASSERT_EQ(std::sscanf(row.c_str(), "%lf,%lf", &hz, &density), 2) << row;
    EXPECT_NEAR(hz, static_cast<double>(k) * expected.step_hz, 1e-6 * hz);
    EXPECT_NEAR(density, expected.density.at(k), 1e-6 * density);
  }
  EXPECT_EQ(k + 1, expected.density.size());
  for (const char* text : {"Spectrum of Torque", "N·m/√Hz", "frequency, Hz", "20 Hz", "time, s"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  state_.plots.Show(PlotFamily::kJoints, std::vector<std::string>{});
  ExportPlots(&state_, PlotFormat::kCsv);
  EXPECT_EQ(state_.toast.text, "No plot is shown");
}

TEST_F(ComposedPlots, TheListAtATitlePutsThemTogether) {
  Open("arm7", {}, true);
  state_.plots.Show(PlotFamily::kJoints, std::vector<std::string>{"Torque", "Lyapunov V"});
  Frame();
  const Rect title = FrameOf(0, 2);
  const auto choose = [&](const char* words) {
    Click(title.x + 30, title.y + 16);
    Frame();
    Type(words);
    Frame();
    Press(ImGuiKey_Enter);
    Frame();
    Frame();
  };
  choose("spectrum");
  EXPECT_THAT(PlotTitles(), ElementsAre("Spectrum of Torque", "Lyapunov V"));
  choose("over time");
  EXPECT_THAT(PlotTitles(), ElementsAre("Torque", "Lyapunov V"));
  choose("over another");
  EXPECT_THAT(PlotTitles(), ElementsAre("Torque", "Lyapunov V"));
  Type("velocity error");
  Frame();
  Press(ImGuiKey_Enter);
  Frame();
  Frame();
  EXPECT_THAT(PlotTitles(), ElementsAre("Torque over Velocity error s", "Lyapunov V"));
  choose("over time");
  EXPECT_THAT(PlotTitles(), ElementsAre("Torque", "Lyapunov V"));
}

TEST_F(ComposedPlots, APlotThatIsDroppedOnAnotherJoinsIt) {
  Open("arm7", {}, true);
  state_.plots.Show(PlotFamily::kJoints, std::vector<std::string>{"/V", "/V_estimation", "/twist"});
  Frame();
  const auto drop = [&](std::size_t from, std::size_t to, float share) {
    const std::size_t count = PlotTitles().size();
    const Rect start = FrameOf(from, count), end = FrameOf(to, count);
    MoveTo(start.x + 24, start.y + 16);
    Hold(true);
    Frame();
    for (int i = 0; i <= 10; ++i) {
      Point(start.x + 24 + 4.0f * static_cast<float>(i),
            start.y + 16 + (end.y + share * end.h - start.y - 16) * static_cast<float>(i) / 10);
      Frame();
    }
    Hold(false);
    Frame();
    Frame();
  };
  drop(1, 0, 0.5f);
  EXPECT_THAT(PlotTitles(), ElementsAre("/V + /V_estimation", "/twist"));
  drop(1, 0, 0.5f);
  EXPECT_THAT(PlotTitles(), ElementsAre("/V + /V_estimation", "/twist")) << "rad";
  EXPECT_THAT(state_.toast.text, HasSubstr("one unit"));
  drop(1, 0, 0.1f);
  EXPECT_THAT(PlotTitles(), ElementsAre("/twist", "/V + /V_estimation")) << "above it";
}

TEST_F(ComposedPlots, AreKeptAndShownWhereTheSceneHasTheirParts) {
  Open("quadruped", {}, true);
  state_.plots.Show(PlotFamily::kLegs,
                    std::vector<std::string>{"/tilt over /base_height", "/tau/99 + /tau/1"});
  Frame();
  Frame();
  EXPECT_NE(Find("/tilt over /base_height"), nullptr);
  EXPECT_EQ(Find("/tau/99 + /tau/1"), nullptr);
}

}  // namespace ui_composed_plots_test
}  // namespace civita
