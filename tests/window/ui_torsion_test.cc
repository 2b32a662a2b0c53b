// That what the window says of torsion is of one state and one run, and that a throw shows it.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/window/actions/kept.h"
#include "app/window/panels/panels.h"
#include "civita/factorization_text.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_torsion_test {

std::unique_ptr<Scene> Load(const std::string& name, const std::vector<std::string>& set = {}) {
  return LoadScene(ReadConfig(name, set));
}

/// Two runs of a scene as the window holds them, without a picture.
class TwoRuns {
 public:
  TwoRuns(const std::string& name, const std::string& factorization_b)
      : scene_(LoadedScenes{Load(name), Load(name)}, true) {
    const Model& model = scene_.session.scene().control_model;
    for (const Slot slot : {Slot::kA, Slot::kB}) {
      const Factorization form =
          ParseFactorization(slot == Slot::kA ? "christoffel" : factorization_b, model);
      Do(command::SetFactorization{form, slot});
      scene_.slots[static_cast<std::size_t>(slot)].posted.factorization = form;
    }
  }

  void Do(const Command& command) {
    const int before = scene_.session.Latest().commands_applied;
    scene_.session.Post(command);
    Wait([&] { return snapshot().commands_applied > before; });
  }
  void Step(long steps) {
    const long until = snapshot().step + steps;
    scene_.session.Post(command::StepOnce{steps});
    Wait([&] { return snapshot().step >= until || snapshot().state == RunState::kFailed; });
  }
  const Snapshot& snapshot() { return *(scene_.snapshot = &scene_.session.Latest()); }
  void Wait(const std::function<bool()>& done) {
    for (int tries = 0; tries < 20000 && !done(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(done());
  }

  /// max |ΔC| over max |C| of a run, in the Matrix tab and as it is measured.
  void ExpectNoTorsion(Slot slot) {
    const Measured& measured = MeasuredOf(snapshot(), slot);
    MatrixView& view = scene_.matrices[static_cast<std::size_t>(slot)];
    const Factorization& form = scene_.slots[static_cast<std::size_t>(slot)].posted.factorization;
    if (!view.Update(measured, form, MatrixChoice::kTorsion)) return;  // singular
    EXPECT_LE(view.shown().cwiseAbs().maxCoeff(), 1e-12 * view.coriolis());
    EXPECT_LE(measured.residuals.contorsion * measured.v.norm(),
              1e-12 * measured.residuals.coriolis);
  }
  ActiveScene& scene() { return scene_; }

 private:
  ActiveScene scene_;
};

TEST(WhatIsMeasured, HasNoTorsionOfChristoffelInAnyScene) {
  for (const SceneInfo& info : Scenes()) {
    if (!info.is_here || !FindLaw(ReadConfig(std::string(info.name)).controller).uses_factorization)
      continue;
    SCOPED_TRACE(info.name);
    TwoRuns runs(std::string(info.name), "christoffel");
    runs.Step(15);
    for (const Slot slot : {Slot::kA, Slot::kB}) runs.ExpectNoTorsion(slot);  // paused
    runs.Do(command::Rewind{runs.snapshot().t / 2});
    for (const Slot slot : {Slot::kA, Slot::kB}) runs.ExpectNoTorsion(slot);
    runs.Do(command::SetSpeed{0});
    runs.Do(command::Play{});
    const double t = runs.snapshot().t;
    runs.Wait([&] { return runs.snapshot().t > t; });
    for (const Slot slot : {Slot::kA, Slot::kB}) runs.ExpectNoTorsion(slot);  // running
  }
}

TEST(WhatIsMeasured, IsOfTheRunThatIsAskedFor) {
  TwoRuns runs("arm7", "t:2");
  runs.Step(300);
  runs.ExpectNoTorsion(Slot::kA);
  const Measured& b = runs.snapshot().other.measured;
  EXPECT_GT(b.residuals.contorsion, 1e-3);
  EXPECT_EQ(runs.snapshot().measured.residuals.contorsion, 0);
  MatrixView& view = runs.scene().matrices[1];
  const Factorization& form = runs.scene().slots[1].posted.factorization;
  ASSERT_TRUE(view.Update(b, form, MatrixChoice::kTorsion));
  // The law's model is the plant here, so that both are of the same C if of the same state.
  EXPECT_NEAR(view.shown().cwiseAbs().maxCoeff(), b.residuals.contorsion * b.v.norm(), 1e-12);
  EXPECT_NEAR(view.coriolis(), b.residuals.coriolis, 1e-12);
}

TEST_F(WindowFrames, TheMatrixTabLetsOneChooseTheRun) {
  Open("arm7");
  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->is_comparing() && snapshot().t > 0.1; }));
  state_.tab = "Matrix";
  state_.matrix = MatrixChoice::kTorsion;
  Frame();
  EXPECT_EQ(state_.scene->matrices[0].shown().cwiseAbs().maxCoeff(), 0);
  EXPECT_LT(state_.scene->geometry.connection.residuals().torsion, 1e-12);
  Post(&state_, command::Pause{});
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.HasAnswered(snapshot()); }));
  Click(Find({"matrix run", 1, "cell"}, layout().side));
  EXPECT_EQ(state_.scene->matrix_slot, Slot::kB);
  Frame();
  EXPECT_GT(state_.scene->matrices[1].shown().cwiseAbs().maxCoeff(), 0);
  EXPECT_GT(state_.scene->geometry.connection.residuals().torsion, 1e-3);
  EXPECT_EQ(state_.scene->geometry.Vdot, snapshot().other.measured.residuals.Vdot);
}

TEST_F(WindowFrames, AFactorizationIsTyped) {
  Open("arm7");
  const Rect field = Find({"##factorization"}, layout().side);
  const auto present = [&] { return ToString(state_.scene->tuning().current().factorization); };
  Click(field);
  Type("body:nowhere:ang:1");
  Frame();
  EXPECT_NE(state_.scene->field.error.find("nowhere"), std::string::npos);
  Press(ImGuiKey_Enter);
  EXPECT_EQ(present(), "christoffel") << "what is wrong changes nothing";
  EXPECT_EQ(state_.scene->field.text, "body:nowhere:ang:1") << "and can be mended";
  Click(field);
  Press(ImGuiKey_A, true);
  Type("t:0.5+body:hand:ang:0.2");
  EXPECT_EQ(state_.scene->field.error, "");
  Press(ImGuiKey_Enter);
  EXPECT_EQ(present(), "t:0.5+body:hand:ang:0.2");
  EXPECT_TRUE(FramesUntil([&] { return snapshot().factorization == present(); }));
}

TEST_F(WindowFrames, TheInjectionIsMovedToABodyAndAPart) {
  Open("arm7", {"controller.factorization=body:hand:ang:0.2"});
  const auto present = [&] { return ToString(state_.scene->tuning().current().factorization); };
  Click(Find({"injection place"}, layout().side));  // unfolded, as there is one
  for (const InjectionPlace& place : InjectionPlaces(state_.scene->session.scene().control_model)) {
    Press(ImGuiKey_DownArrow);
    if (place == InjectionPlace{.frame = "hand", .is_angular = false}) break;
  }
  Press(ImGuiKey_Enter);
  EXPECT_EQ(present(), "body:hand:lin:0.2");
}

TEST_F(WindowFrames, TheInjectionIsFoldedWhereThereIsNone) {
  Open("arm7", {}, true);
  state_.tab = kTuneTab;
  Click(Find({"more"}, layout().side));
  const Rect track = FindTrack("beta");
  Drag(track.x + 0.5f * track.w, track.x + 0.9f * track.w, track.y);
  EXPECT_GT(InjectionBeta(state_.scene->tuning().current().factorization), 0.5);
  EXPECT_EQ(KindOf(state_.scene->tuning().current().factorization), "with torsion");
  Drag(track.x + 0.9f * track.w, track.x + 0.5f * track.w, track.y);
  EXPECT_EQ(KindOf(state_.scene->tuning().current().factorization), "torsion-free");
  FindTrack("beta");  // still unfolded
}

double LargestThrown(const Traces& traces) {
  const TraceBuffer& buffer = traces.buffer();
  const int channel = traces.channel(Slot::kA, "/thrown");
  const ValueRange range = buffer.Range(channel, buffer.begin_index(), buffer.end_index());
  return range.empty() ? 0 : static_cast<double>(range.hi);
}

TEST_F(WindowFrames, AKeyAndAButtonThrowTheRobotOff) {
  Open("arm7");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.1; }));
  EXPECT_EQ(LargestThrown(state_.scene->traces), 0);
  const auto throws = [&] {  // a busy machine has marks of steps that came late, too
    return std::ranges::count(state_.scene->log.marks(), "Thrown off: 0.5 rad/s",
                              &RunLog::EventMark::text);
  };
  EXPECT_EQ(throws(), 0);
  Press(ImGuiKey_F3);
  ASSERT_TRUE(FramesUntil([&] { return LargestThrown(state_.scene->traces) == 1; }));
  EXPECT_EQ(throws(), 1);
  EXPECT_FALSE(state_.time_axis.following()) << "the plots show the transient";
  EXPECT_NEAR(state_.time_axis.length(), 2, 1e-9);

  state_.tab = kTuneTab;
  Frame();
  Click(Find({"throw off"}, layout().side));
  EXPECT_TRUE(FramesUntil([&] { return throws() == 2; }));
}

TEST_F(WindowFrames, PlotsShowWhatFollowsAThrowHoweverSlowTheFramesAre) {
  Open("arm7");
  SetSpeed(&state_, 0);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.1; }));
  const double before = snapshot().t;
  while (state_.scene->session.Latest().t < before + 3) {  // no frame meanwhile
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Press(ImGuiKey_F3);
  const double thrown = state_.scene->log.LastThrow(std::numeric_limits<double>::infinity());
  ASSERT_GT(thrown, before + 2);
  EXPECT_LT(state_.time_axis.t0(), thrown);
  EXPECT_GT(state_.time_axis.t1(), thrown + 1.5);
}

TEST_F(WindowFrames, AComparisonTellsWhatAThrowShows) {
  Open("arm7");
  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->is_comparing() && snapshot().t > 0.1; }));
  state_.scene->edited = Slot::kB;
  Tuning tuning = state_.scene->tuning().current();
  tuning.factorization.t = 5;
  state_.scene->tuning().Edit(tuning);
  CommitTuning(&state_);
  Click(Find({"throw off"}, layout().side));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().figures.since_throw; }));
  EXPECT_GT(snapshot().figures.since_t, 0.1);
  EXPECT_TRUE(FramesUntil([&] {
    const std::vector<std::string>& lines = state_.scene->told.lines;  // as they are drawn
    return lines.size() == 2 && lines[1].starts_with("Torsion sends B another way: ");
  }));
}

TEST_F(WindowFrames, TheTourShowsItsOwnSceneWhereverItBegins) {
  Open("planar_2r");
  EXPECT_FALSE(state_.tour.is_open()) << "nobody asked for it";
  Choose("take the tour");
  ASSERT_TRUE(FramesUntil([&] { return state_.tour.has_thrown; }));
  EXPECT_TRUE(state_.scene->is_comparing());
  for (int step = 0; step < static_cast<int>(TourSteps().size()); ++step) {
    ASSERT_EQ(state_.tour.step, step);
    Frame();
    EXPECT_TRUE(state_.tour.has_thrown);
    Click(Find({"tour", "next"}, layout().view));
  }
  EXPECT_FALSE(state_.tour.is_open());
  EXPECT_TRUE(state_.tour.seen);
}

TEST_F(WindowFrames, EnterGoesOnInTheTourAndEscEndsIt) {
  Open("arm7", {}, true);
  Press(ImGuiKey_Enter);
  EXPECT_FALSE(state_.tour.is_open()) << "nobody asked for it";
  state_.tour.is_offered = true;
  Press(ImGuiKey_Enter);
  EXPECT_EQ(state_.tour.step, 0);
  Press(ImGuiKey_KeypadEnter);
  EXPECT_EQ(state_.tour.step, 1);
  Press(ImGuiKey_Escape);
  EXPECT_FALSE(state_.tour.is_open());
  EXPECT_TRUE(state_.tour.seen);
  state_.tour.is_offered = true;
  Press(ImGuiKey_Escape);
  EXPECT_FALSE(state_.tour.is_offered);
}

TEST_F(WindowFrames, TheTourIsOfferedUntilItIsTakenOrDeclined) {
  Open("arm7", {}, true);
  EXPECT_FALSE(state_.tour.is_offered);
  state_.tour.is_offered = true;
  Frame();
  Click(Find({"tour", "next"}, layout().view));
  EXPECT_TRUE(state_.tour.is_open());
  EXPECT_FALSE(state_.tour.is_offered);
  state_.tour = {};
  state_.tour.is_offered = true;
  Frame();
  Click(Find({"tour", "skip"}, layout().view));
  EXPECT_FALSE(state_.tour.is_open());
  EXPECT_FALSE(state_.tour.is_offered);

  state_.settings = Settings(folder_.path());
  Keep(&state_);
  WindowState next;
  next.settings = Settings(folder_.path());
  RestoreKept(&next);
  EXPECT_TRUE(next.tour.seen);
}

TEST_F(WindowFrames, TheTourCanBeSkipped) {
  Open("arm7");
  state_.tour.Go(0);
  Frame();
  Click(Find({"tour", "skip"}, layout().view));
  EXPECT_FALSE(state_.tour.is_open());
  EXPECT_TRUE(state_.tour.seen);
}

TEST(Terms, AllHaveALineAndAFormula) {
  for (const Term& term : Terms()) {
    const std::string text = Explain(term.name);
    const std::size_t end = text.find('\n');
    ASSERT_NE(end, text.npos) << term.name;
    EXPECT_GT(end, 10u) << term.name;
    EXPECT_GT(text.size(), end + 3) << term.name << " has no formula";
  }
  EXPECT_EQ(Explain("no such term"), "");
  EXPECT_NE(FindTermOfMetric("twist_rad"), nullptr);
}

TEST(Terms, AreFoundInATextAsWords) {
  EXPECT_NE(ExplainWordsOf("what the torsion does").find("torsion: "), std::string::npos);
  EXPECT_EQ(ExplainWordsOf("a torsional explainer of DCMs"), "");
}

TEST_F(WindowFrames, FiguresOfAThrowCountFromItAndEnd) {
  Open("arm7", {"pushes=[]", "marks_s=[0, 0.1, 0.5, 9]"}, true);
  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->is_comparing(); }));
  SetSpeed(&state_, 0);
  Post(&state_, command::StepOnce{300});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.29; }));
  ThrowOff(&state_);
  Post(&state_, command::Play{});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().figures.since_throw; }));
  const double thrown = snapshot().figures.since_t;
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > thrown + kThrowShown_s + 0.1; }));
  const Figures& figures = snapshot().figures;
  EXPECT_EQ(figures.until_t, figures.since_t + kThrowShown_s);
  const std::vector<MetricInfo>& metrics = state_.scene->session.metrics();
  const auto value = [&](const char* key, std::optional<double> mark = {}) {
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (metrics[i].key == key && metrics[i].mark_s == mark) return snapshot().figures.values[i];
    }
    return std::numeric_limits<double>::quiet_NaN();
  };
  // V right after the throw is the highest, of which 0.1 s leaves much and 0.5 s little.
  EXPECT_GT(value("V_at", 0), value("V_at", 0.1));
  EXPECT_GT(value("V_at", 0.1), value("V_at", 0.5));
  EXPECT_TRUE(std::isnan(value("V_at", 9)));
  EXPECT_LT(value("error_rms_after_2s"), 0.1 * value("error_rms")) << "from 2 s after the throw on";
  const double rms = value("error_rms");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > thrown + kThrowShown_s + 1.5; }));
  EXPECT_EQ(value("error_rms"), rms) << "however long one waits";
}

TEST_F(WindowFrames, WhereNoTorsionCanBeItsSlidersStay) {
  const std::vector<std::pair<const char*, bool>> scenes = {
      {"planar_2r", false}, {"four_bar", false}, {"arm7", true}};
  for (const auto& [scene, moves] : scenes) {
    Open(scene, {}, true);
    state_.tab = kTuneTab;
    Frame();
    Frame();
    const Rect track = FindTrack("t");
    Drag(track.x + 0.5f * track.w, track.x + 0.9f * track.w, track.y);
    EXPECT_EQ(state_.scene->tuning().current().factorization.t > 1, moves) << scene;
  }
}

TEST_F(WindowFrames, WhatTurnsSBesideTorsionIsToldOnceItHasActed) {
  Open("arm7", {"pushes=[{body: hand, start_s: 0.1, duration_s: 0.05, force_N: [5, 0, 0]}]"}, true);
  const auto told = [&](double from, double to) {
    return TellCausesOfTurning(*state_.scene, from, to);
  };
  EXPECT_EQ(told(0, 1).find("pushes"), std::string::npos) << told(0, 1);
  Post(&state_, command::StepOnce{200});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 200; }));
  EXPECT_NE(told(0, 1).find("pushes"), std::string::npos) << told(0, 1);
  EXPECT_EQ(told(0.15, 1).find("pushes"), std::string::npos) << told(0.15, 1);
  EXPECT_EQ(told(0, 1).rfind("beside torsion: joint damping", 0), 0u) << told(0, 1);
}

}  // namespace ui_torsion_test
}  // namespace civita
