// What is set in the window, taken along as a command, a config or a script, has the bits of the
// window's own run after a restart.

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/window/actions/take_along.h"
#include "civita/sim/input_event.h"
#include "civita/sim/simulation.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_take_along_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The words of a command as a shell reads them, without comments.
std::vector<std::string> WordsOf(const std::string& command) {
  const std::string script = "set -- " + command + "\nprintf '%s\\n' \"$@\"\n";
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "script") << script;
  FILE* out = ::popen(("sh " + (folder.path() / "script").string()).c_str(), "r");
  std::string text;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
  ::pclose(out);
  std::vector<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  return words;
}

/// The values of a repeatable option.
std::vector<std::string> ValuesOf(const std::vector<std::string>& words, const std::string& flag) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == flag) values.push_back(words[i + 1]);
  }
  return values;
}

class TakeAlong : public WindowFrames {
 protected:
  static constexpr long kSteps = 150;

  void Edit(Slot slot, const std::function<void(Tuning*)>& edit) {
    state_.scene->edited = slot;
    Tuning tuning = state_.scene->tuning().current();
    edit(&tuning);
    state_.scene->tuning().Edit(std::move(tuning));
    CommitTuning(&state_);
  }
  /// The window's positions kSteps after a restart.
  std::vector<double> Restarted(Slot slot) {
    Post(&state_, command::Pause{});
    ResetRun(&state_);
    Post(&state_, command::StepOnce{kSteps});
    EXPECT_TRUE(FramesUntil([&] {
      return state_.scene->session.HasAnswered(snapshot()) && snapshot().step == kSteps;
    }));
    return slot == Slot::kA ? snapshot().qpos : snapshot().other.qpos;
  }
  static std::vector<double> Headless(const SceneConfig& config) {
    Simulation simulation(LoadScene(config));
    EXPECT_EQ(simulation.RunFor(kSteps), kSteps);
    return {simulation.data()->qpos, simulation.data()->qpos + simulation.mj()->nq};
  }
  /// Of the command's run, with B's keys if asked for.
  static std::vector<double> OfCommand(const std::string& command, Slot slot) {
    const std::vector<std::string> words = WordsOf(command);
    EXPECT_EQ(words[0], "civita");
    EXPECT_EQ(words[1], "run");
    std::vector<std::string> sets = ValuesOf(words, "--set");
    if (slot == Slot::kB) sets = Joined(sets, ValuesOf(words, "--compare"));
    return Headless(ReadConfig(words[2], sets));
  }
  std::vector<double> OfConfig() {
    const TemporaryFolder folder;
    const SceneConfig config =
        TunedConfigs(*state_.scene)[static_cast<std::size_t>(state_.scene->edited)];
    std::ofstream(folder.path() / "taken.yaml") << FormatConfig(config, {"a note"});
    return Headless(ReadConfig((folder.path() / "taken.yaml").string()));
  }
};

TEST_F(TakeAlong, GainsAndFactorizationAndTheLawHaveTheBitsOfARestart) {
  Open("arm7", {"pushes=[]", "gains.Lambda=5"}, true);
  const std::vector<double> untouched = Restarted(Slot::kA);
  EXPECT_EQ(OfCommand(FormatCommand(TakeRuns(state_)), Slot::kA), untouched);
  Edit(Slot::kA, [](Tuning* tuning) {
    for (Eigen::Index i = 0; i < 7; ++i) tuning->gains[1][i] = 10.0 + static_cast<double>(i) / 3;
    tuning->factorization.t = 0.1 + 1.0 / 3;
  });
  std::vector<double> expected = Restarted(Slot::kA);
  EXPECT_NE(expected, untouched);
  EXPECT_EQ(OfCommand(FormatCommand(TakeRuns(state_)), Slot::kA), expected);
  EXPECT_EQ(OfConfig(), expected);

  ChangeLaw(&state_, "computed_torque");
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->law().type == "computed_torque"; }));
  Edit(Slot::kA, [](Tuning* tuning) { tuning->gains[0] *= 1.1; });
  expected = Restarted(Slot::kA);
  EXPECT_EQ(OfCommand(FormatCommand(TakeRuns(state_)), Slot::kA), expected);
  EXPECT_EQ(OfConfig(), expected);
}

TEST_F(TakeAlong, BothRunsOfAComparison) {
  Open("torsion_gallery", {"duration_s=2"}, true, {}, {"controller.factorization=t:5"});
  Edit(Slot::kB, [](Tuning* tuning) { tuning->gains[0] *= 0.7; });
  Edit(Slot::kA, [](Tuning* tuning) { tuning->factorization.t = -0.3; });
  const std::vector<double> b = Restarted(Slot::kB), a = snapshot().qpos;
  const std::string command = FormatCommand(TakeRuns(state_));
  EXPECT_EQ(OfCommand(command, Slot::kA), a);
  EXPECT_EQ(OfCommand(command, Slot::kB), b);
  EXPECT_THAT(FormatPython(TakeRuns(state_)), HasSubstr("other = civita.run(\"torsion_gallery\""));
}

TEST_F(TakeAlong, WhatWasChangedWhileItRanIsListedWithItsTimes) {
  Open("arm7", {"pushes=[]"}, true);
  EXPECT_THAT(TakeRuns(state_).notes, IsEmpty());
  Post(&state_, command::StepOnce{100});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 100; }));
  ThrowOff(&state_);
  Post(&state_, command::StepOnce{100});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 200; }));
  Edit(Slot::kA, [](Tuning* tuning) { tuning->factorization.t = 2; });
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.HasAnswered(snapshot()); }));
  const std::string command = FormatCommand(TakeRuns(state_));
  EXPECT_THAT(command, HasSubstr("\n# at 0.100 s: thrown off"));
  EXPECT_THAT(command, HasSubstr("\n# at 0.200 s: factorization = t:2\n"));
  ResetRun(&state_);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 0; }));
  EXPECT_THAT(TakeRuns(state_).notes, IsEmpty()) << "a restart does not have them";
}

TEST_F(TakeAlong, TheTimesAreThoseOfTheEventsOfEachRun) {
  Open("planar_2r", {"duration_s=2"}, true, {}, {"controller.factorization=t:5"});
  const auto go = [&](long step) {
    Post(&state_, command::StepOnce{step - snapshot().step});
    return FramesUntil(
        [&] { return state_.scene->session.HasAnswered(snapshot()) && snapshot().step == step; });
  };
  ASSERT_TRUE(go(40));
  Edit(Slot::kB, [](Tuning* tuning) { tuning->factorization.t = 3; });
  ASSERT_TRUE(go(70));
  ThrowOff(&state_);
  command::Perturb pull{1, {0, 1, 0, 0, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    pull.xfrc[1] += 1;
    Post(&state_, pull);
  }
  Post(&state_, command::Perturb{});
  ASSERT_TRUE(go(90));
  const std::vector<InputEvent> of_b = state_.scene->session.Inputs(Slot::kB);
  ASSERT_FALSE(of_b.empty());
  EXPECT_EQ(of_b.front().t, 0.04);
  const std::string command = FormatCommand(TakeRuns(state_));
  EXPECT_THAT(command, HasSubstr("\n# at 0.040 s: B: factorization = t:3\n# at 0.070 s: thrown"));
  const std::size_t first = command.find("pull on");
  ASSERT_NE(first, command.npos);
  EXPECT_EQ(command.find("pull on", first + 1), command.npos) << "its first of many";
  EXPECT_THAT(command, HasSubstr("\n# at 0.070 s: no pull"));
}

TEST(SettingsText, IsPython) {
  const TakenRuns runs{"a \"b\".xml",
                       {{"gains.K_D", "[1, 2.5e-3]"},
                        {"controller.factorization", "t:5"},
                        {"pushes", "[{body: hand, force_N: [0, 3, 0]}]"},
                        {"physics.contacts", "false"},
                        {"payload", "~"}},
                       std::nullopt,
                       {"at 1.000 s: Thrown off"}};
  EXPECT_EQ(FormatPython(runs),
            "# at 1.000 s: Thrown off\n"
            "import civita\n\n"
            "run = civita.run(\"a \\\"b\\\".xml\", set={\n"
            "    \"gains.K_D\": [1, 2.5e-3],\n"
            "    \"controller.factorization\": \"t:5\",\n"
            "    \"pushes\": [{\"body\": \"hand\", \"force_N\": [0, 3, 0]}],\n"
            "    \"physics.contacts\": False,\n"
            "    \"payload\": None,\n"
            "})\n");
}

TEST_F(TakeAlong, AKeyCopiesTheCommand) {
  Open("arm7", {}, true);
  Press(ImGuiKey_C, true);
  EXPECT_THAT(std::string(ImGui::GetClipboardText()), HasSubstr("civita run arm7"));
  EXPECT_THAT(state_.toast.text, HasSubstr("Copied"));
}

/// The values of a quantity in the rows of a file.
std::vector<double> ReadQuantity(const std::filesystem::path& path, const std::string& name) {
  std::ifstream in(path);
  std::vector<double> values;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name + ",")) values.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  }
  return values;
}

TEST_F(TakeAlong, MatricesAreSavedWhereRecordingsGo) {
  for (const char* scene : {"arm7", "four_bar", "planar_2r"}) {
    state_.recordings = folder_.path() / scene;
    std::filesystem::create_directory(state_.recordings);
    Open(scene, {}, true);
    Post(&state_, command::StepOnce{20});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 20; }));
    SaveMatricesCsv(&state_);
    EXPECT_THAT(state_.toast.text, HasSubstr(state_.recordings.string()));
    SaveMatricesNpz(&state_);
    EXPECT_FALSE(state_.toast.is_error) << state_.toast.text;
    std::filesystem::path csv;
    int archives = 0;
    for (const auto& file : std::filesystem::directory_iterator(state_.recordings)) {
      if (file.path().extension() == ".csv") csv = file.path();
      if (file.path().extension() == ".npz") ++archives;
    }
    EXPECT_EQ(archives, 1);
    // Of closed chains it is at the nearest q with closed loops.
    const double near = state_.scene->session.scene().closed ? 1e-5 : 1e-9;
    MatrixView view(state_.scene->session.scene());
    const auto n = view.names().size();
    for (const auto& [name, choice] :
         {std::pair("H", MatrixChoice::kH), std::pair("C", MatrixChoice::kC)}) {
      ASSERT_TRUE(view.Update(snapshot().measured, Factorization::Christoffel(), choice));
      const std::vector<double> saved = ReadQuantity(csv, name);
      ASSERT_EQ(saved.size(), n * n) << scene;
      for (std::size_t i = 0; i < saved.size(); ++i) {
        EXPECT_NEAR(saved[i], view.values()[i], near * (1 + std::abs(saved[i]))) << scene << name;
      }
    }
    EXPECT_EQ(ReadQuantity(csv, "Gamma").size(), n * n * n);
    for (const double each : ReadQuantity(csv, "torsion")) EXPECT_NEAR(each, 0, 1e-9);
  }
}

}  // namespace ui_take_along_test
}  // namespace civita
