#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/window/plot_choices.h"
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
    const std::size_t width = window.session.signals().width();
    EXPECT_EQ(channels.size(), width);
    EXPECT_EQ(*channels.rbegin(), static_cast<int>(width) - 1);
  }
}

TEST(PlotChoices, TheStandardOnesComeFirst) {
  const Window arm(Load("arm7"));
  EXPECT_THAT(arm.StandardTitles(), ElementsAre("Tracking error", "Velocity error s", "Torque",
                                                "Lyapunov V", "Turning of s", "\uE000 and P",
                                                "Energy balance", "Control step", "Physics step"));
  EXPECT_THAT(arm.NamesOf("Tracking error"), ElementsAre("1", "2", "3", "4", "5", "6", "7"));
  EXPECT_EQ(arm.choices.front().unit, "mrad");
  EXPECT_EQ(arm.Find("Torque")->unit, "N·m");
  EXPECT_TRUE(arm.Find("Torque")->marks_saturation);
  EXPECT_TRUE(arm.Find("Lyapunov V")->style.log);

  const Window quadruped(Load("quadruped"));
  EXPECT_THAT(quadruped.StandardTitles(),
              ElementsAre("Velocity error s", "Torque", "Lyapunov V", "Turning of s",
                          "\uE000 and P", "Energy balance", "Control step", "Physics step",
                          "Trunk position", "Trunk orientation", "Contacts", "DCM margin"));
  EXPECT_THAT(quadruped.NamesOf("Torque"), ElementsAre("norm", "largest joint"));
  EXPECT_EQ(quadruped.Find("DCM margin")->unit, "mm");
  const Window baseline(Load("quadruped", {"controller.type=pd_gravity"}));
  EXPECT_EQ(baseline.Find("DCM margin"), nullptr);
  for (const bool legs : {false, true}) {
    for (const std::string_view title : FirstPlots(legs)) {
      EXPECT_NE((legs ? quadruped : arm).Find(std::string(title)), nullptr) << title;
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

}  // namespace ui_plot_choices_test
}  // namespace civita
