#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/window/plot/plot_choices.h"
#include "app/window/plot/plot_content.h"
#include "app/window/plot/plot_list.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/sim/telling_law.h"

namespace civita {
namespace ui_plot_choices_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::unique_ptr<Scene> Load(const std::string& scene, const std::vector<std::string>& set = {}) {
  return LoadScene(ReadConfig(scene, set));
}

/// What the window offers.
struct Window {
  explicit Window(std::unique_ptr<Scene> scene, std::unique_ptr<Scene> other = nullptr)
      : session(std::move(scene), true, {}, std::move(other)),
        traces(session),
        choices(MakePlotChoices(session, traces)) {}

  const PlotChoice* Find(const std::string& title) const {
    for (const PlotChoice& choice : choices) {
      if (choice.title == title) return &choice;
    }
    return nullptr;
  }
  std::vector<std::string> NamesOf(const std::string& title) const {
    std::vector<std::string> names;
    const PlotChoice* plot = Find(title);
    if (plot == nullptr) return {"no plot " + title};
    for (const PlotChoice::Line& line : plot->lines) names.push_back(line.name);
    return names;
  }
  std::vector<std::string> StandardTitles() const {
    std::vector<std::string> titles;
    for (const PlotChoice& choice : choices) {
      if (choice.heading.empty()) titles.push_back(choice.title);
    }
    return titles;
  }
  /// Takes one step. @returns the newest sample of a line.
  float Step(const PlotChoice::Line& line) {
    session.Post(command::StepOnce{});
    while (!traces.Drain(&session)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return traces.buffer().value(traces.buffer().end_index() - 1, line.channel);
  }

  Session session;
  Traces traces;
  std::vector<PlotChoice> choices;
};

TEST(PlotChoices, EveryRecordedNumberCanBePlotted) {
  for (const char* name : {"quadruped_payload_adaptive", "chain20", "point_mass"}) {
    SCOPED_TRACE(name);
    const Window window(Load(name, {"observer.gain=5", "observer.threshold=10"}));
    std::set<int> channels;
    std::set<std::string> titles;
    for (const PlotChoice& choice : window.choices) {
      EXPECT_TRUE(titles.insert(choice.title).second) << choice.title;
      EXPECT_THAT(choice.lines, AllOf(Not(IsEmpty()), testing::SizeIs(testing::Le(kMaxLines))))
          << choice.title;
      for (const PlotChoice::Line& line : choice.lines) {
        EXPECT_GE(line.channel, 0) << choice.title;
        if (!choice.heading.empty()) channels.insert(line.channel);
      }
    }
    // Then the curves that are computed from them.
    const std::size_t width = window.session.signals().width();
    const std::size_t derived = window.traces.derived(Slot::kA).width();
    EXPECT_GT(derived, 4u);
    EXPECT_EQ(channels.size(), width + derived);
    EXPECT_EQ(*channels.rbegin(), static_cast<int>(width + derived) - 1);
  }
}

// Two peaks of the torque in each period of 0.1 s are cut off.
TEST(PlotChoices, TorqueLimitsOfALongRunAreNoMoreMarksThanTheyMayBe) {
  const TemporaryFolder folder;
  const std::string wheel = folder.Write("wheel.xml", R"(<mujoco><option timestep=".001"/>
    <worldbody><body name="wheel"><joint name="j" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia=".5 .5 .5"/></body></worldbody>
    <actuator><motor joint="j" ctrlrange="-160 160"/></actuator></mujoco>)");
  Window window(Load(
      wheel, {"reference.type=sinusoid", "reference.frequency_hz=10", "reference.amplitude=0.1"}));
  constexpr int kSteps = 150'000, kAtOnce = 200;  // few enough for none to be dropped
  for (int64_t rows = kAtOnce; rows <= kSteps; rows += kAtOnce) {
    window.session.Post(command::StepOnce{kAtOnce});
    while (window.traces.buffer().end_index() < rows) {
      if (!window.traces.Drain(&window.session)) std::this_thread::yield();
    }
  }
  const std::vector<Traces::Saturation>& all = window.traces.saturations();
  EXPECT_LE(all.size(), Traces::kMostSaturations);
  EXPECT_GT(all.size(), Traces::kMostSaturations / 2);
  EXPECT_LT(all.front().from, 1);
  EXPECT_GT(all.back().to, 149.8);
  double covered = 0, latest = 0;  // s
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double lasts = all[i].to - all[i].from;
    covered += lasts;
    if (all[i].from > 140) latest = std::max(latest, lasts);
    if (i > 0) {
      EXPECT_GT(all[i].from, all[i - 1].to);
    }
  }
  EXPECT_GT(covered, 30);
  EXPECT_LT(latest, 0.05) << "the newest are as they were";
}

TEST(PlotChoices, TheStandardOnesComeFirst) {
  const Window arm(Load("arm7"));
  EXPECT_THAT(arm.StandardTitles(),
              ElementsAre("Tracking error", "Velocity error s", "Torque", "Torque of torsion",
                          "Lyapunov V", "Turning of s", "Path of the error", "\uE000 and P",
                          "Energy balance", "Terms of τ"));
  EXPECT_THAT(arm.NamesOf("Tracking error"), ElementsAre("1", "2", "3", "4", "5", "6", "7"));
  EXPECT_EQ(arm.choices.front().unit, "mrad");
  EXPECT_EQ(arm.Find("Torque")->unit, "N·m");
  EXPECT_TRUE(arm.Find("Torque")->marks_saturation);
  EXPECT_TRUE(arm.Find("Lyapunov V")->style.log);
  const PlotContent turning(arm.traces, *arm.Find("Turning of s"), kDarkTheme);
  EXPECT_GE(turning.spec().min_range, 0.01) << "degrees: what is smaller is rounding";
  EXPECT_THAT(arm.Find("Lyapunov V")->doc, testing::HasSubstr("storage"));

  const Window quadruped(Load("quadruped"));
  EXPECT_THAT(
      quadruped.StandardTitles(),
      ElementsAre("Velocity error s", "Velocity error s, distances", "Torque", "Force",
                  "Lyapunov V", "Turning of s", "\uE000 and P", "Energy balance",
                  "Trunk position error", "Trunk orientation error", "Contacts", "DCM margin"));
  EXPECT_THAT(quadruped.NamesOf("Torque"), ElementsAre("norm", "largest joint"));
  EXPECT_EQ(quadruped.Find("DCM margin")->unit, "mm");
  const Window baseline(Load("quadruped", {"controller.type=pd_gravity"}));
  EXPECT_EQ(baseline.Find("DCM margin"), nullptr);
}

// Numbers in radians and numbers in metres share no axis and no norm.
TEST(PlotChoices, AnglesAndDistancesHaveTheirOwnPlots) {
  const Window window(Load("space_arm"));
  ASSERT_NE(window.Find("Tracking error"), nullptr);
  EXPECT_EQ(window.Find("Tracking error")->unit, "mrad");
  EXPECT_THAT(window.NamesOf("Tracking error, distances"), ElementsAre("1", "2", "3"));
  EXPECT_EQ(window.Find("Tracking error, distances")->unit, "mm");
  EXPECT_EQ(window.Find("Torque")->unit, "N·m");
  EXPECT_EQ(window.Find("Force")->unit, "N");
  for (const PlotChoice& choice : window.choices) {
    EXPECT_EQ(choice.unit.find(','), std::string::npos) << choice.title << " " << choice.unit;
  }
  EXPECT_THAT(window.NamesOf("/v/0 … 2"), ElementsAre("0", "1", "2"));
  EXPECT_EQ(window.Find("/v/0 … 2")->unit, "m/s");

  const Window point(Load("point_mass"));
  EXPECT_EQ(point.Find("Torque"), nullptr);
  EXPECT_EQ(point.Find("Force")->unit, "N");
  EXPECT_EQ(point.Find("Tracking error")->unit, "mm");
}

TEST(PlotChoices, LawsOfTheTaskSpaceShowTheTasksError) {
  const Window window(Load("arm7_circle"));
  ASSERT_NE(window.Find("Task error"), nullptr);
  EXPECT_EQ(window.Find("Task error")->unit, "mm");
  EXPECT_EQ(FamilyOf(window.session), PlotFamily::kTask);
}

TEST(PlotChoices, TwoRunsOnLegsShareTheirPlots) {
  const Window window(Load("biped"), Load("biped"));
  EXPECT_THAT(window.NamesOf("Trunk position error"), ElementsAre("A", "B"));
  EXPECT_THAT(window.NamesOf("Contacts"), ElementsAre("A left", "A right", "B left", "B right"));
  std::set<int> channels;
  for (const PlotChoice::Line& line : window.Find("Contacts")->lines) channels.insert(line.channel);
  EXPECT_EQ(channels.size(), 4u);
}

TEST(PlotChoices, ScenesOfEachFamilyHaveTheirUsualPlots) {
  for (const auto& [scene, family] : {std::pair{"arm7", PlotFamily::kJoints},
                                      {"point_mass", PlotFamily::kJoints},
                                      {"arm7_circle", PlotFamily::kTask},
                                      {"quadruped", PlotFamily::kLegs}}) {
    const Window window(Load(scene));
    EXPECT_EQ(FamilyOf(window.session), family) << scene;
    for (const PlotPreset& preset : PlotPresets(family)) {
      int shown = 0;
      for (const std::string_view title : preset.titles) {
        shown += window.Find(std::string(title)) != nullptr ? 1 : 0;
      }
      EXPECT_GE(shown, preset.name == "Usual" ? 4 : 2) << scene << ": " << preset.name;
    }
  }
}

TEST(PlotChoices, LongListsAreCut) {
  const Window window(Load("chain20"));
  EXPECT_EQ(window.Find("/q"), nullptr);
  EXPECT_THAT(window.NamesOf("/q/8 … 15"),
              ElementsAre("8", "9", "10", "11", "12", "13", "14", "15"));
  EXPECT_THAT(window.NamesOf("/q/16 … 19"), ElementsAre("16", "17", "18", "19"));
}

TEST(PlotChoices, HoldTheSignalsOfALawAndOfATableFromOutside) {
  RegisterTelling();
  Window window(Load("planar_2r", {"controller.type=test_telling", "initial.q=[0.5, 0]"}));
  const PlotChoice *clock = window.Find("/law/clock"), *height = window.Find("/test_height");
  ASSERT_NE(clock, nullptr);
  ASSERT_NE(height, nullptr);
  EXPECT_EQ(clock->heading, "The law's signals");
  EXPECT_EQ(clock->unit, "s");
  EXPECT_THAT(window.NamesOf("/law/clock"), ElementsAre("clock"));
  EXPECT_THAT(window.NamesOf("/law/hands"), ElementsAre("0", "1"));
  EXPECT_EQ(height->unit, "mm");
  EXPECT_EQ(window.Step(height->lines[0]), 0.25f);
  EXPECT_EQ(window.Step(clock->lines[0]), 0.001f);
  EXPECT_EQ(window.Step(window.Find("/law/hands")->lines[1]), 0.006f);
}

// Each of two runs has its own law.
TEST(PlotChoices, TwoRunsHaveALineEachWhereTheyHaveTheSignal) {
  RegisterTelling();
  Window window(Load("planar_2r", {"observer.gain=5"}),
                Load("planar_2r", {"controller.type=test_telling"}));
  EXPECT_THAT(window.NamesOf("/V"), ElementsAre("A", "B"));
  EXPECT_THAT(window.NamesOf("/q"), ElementsAre("A 0", "B 0", "A 1", "B 1"));
  EXPECT_THAT(window.NamesOf("/observer/disturbance"), ElementsAre("A 0", "A 1"));
  EXPECT_THAT(window.NamesOf("/law/clock"), ElementsAre("B"));
  EXPECT_EQ(window.Find("/law/clock")->heading, "Signals of B alone");
  EXPECT_THAT(window.NamesOf("Lyapunov V"), ElementsAre("A", "B"));
  EXPECT_EQ(window.Step(window.Find("/law/hands")->lines[0]), 0);
  EXPECT_EQ(window.Step(window.Find("/law/hands")->lines[0]), 0.002f);
}

// Two links of a millimetre and a milligram.
TEST(PlotChoices, PlotsOfSmallRobotsShowTheirNumbers) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "tiny.urdf").string();
  const auto link = [](const char* name) {
    return "<link name='" + std::string(name) +
           "'><inertial><origin xyz='0.0005 0 0'/><mass value='1e-6'/><inertia ixx='1e-13' "
           "iyy='1e-13' izz='1e-13' ixy='0' ixz='0' iyz='0'/></inertial></link>";
  };
  const auto joint = [](const char* name, const char* parent, const char* child) {
    return "<joint name='" + std::string(name) + "' type='continuous'><parent link='" + parent +
           "'/><child link='" + child + "'/><origin xyz='0.001 0 0'/><axis xyz='0 1 0'/></joint>";
  };
  std::ofstream(file) << "<robot name='tiny'><link name='base'/>" << link("a") << link("b")
                      << joint("1", "base", "a") << joint("2", "a", "b") << "</robot>";
  Window window(Load(file));
  const PlotChoice *torque = window.Find("Torque"), *V = window.Find("Lyapunov V");
  ASSERT_TRUE(torque != nullptr && V != nullptr);
  const float tau = std::abs(window.Step(torque->lines.front()));
  EXPECT_GT(tau, 1e-9f);
  EXPECT_LT(tau, 1e-7f) << "N·m, of gravity";
  const auto spec_of = [&](const PlotChoice& choice) {
    const PlotContent content(window.traces, choice, kDarkTheme);
    return content.spec();
  };
  EXPECT_LT(spec_of(*torque).min_range, 0.1 * static_cast<double>(tau));
  EXPECT_LT(spec_of(*V).log_floor, -18) << "the exponent of V, J, of a turn of some mrad";
  Window usual(Load("arm7"));
  EXPECT_GT(spec_of(*usual.Find("Torque")).min_range, 1e-3) << "a usual robot has its rounding";
}

}  // namespace ui_plot_choices_test
}  // namespace civita
