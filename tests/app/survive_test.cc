#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/program.h"
#include "civita/sim/trials/survival_trial.h"
#include "civita/study/survive/survival.h"
#include "tests/app/child_program.h"

namespace civita {
namespace survive_test {

using testing::HasSubstr;

ChildResult Execute(const std::vector<std::string>& arguments) {
  return ChildProgram(arguments).Wait();
}

SurvivalTrial PushOnce(const std::string& scene, const PushLevel& push, int seed,
                       const std::vector<std::string>& overrides = {}) {
  const std::atomic<bool> stop = false;
  return RunTrial(ReadConfig(scene, overrides), push, seed, stop).value();
}

TEST(Survival, TheTableCountsWhatBecameOfTheRobots) {
  SurvivalTrial stood, stepped, fell;
  stood.survived = stepped.survived = true;
  stepped.steps = 6;
  stepped.farthest_foot = stepped.moved = 0.3;
  stepped.impulse = 4;
  fell.fell = true;
  fell.farthest_foot = 1;
  fell.qp_fallbacks = 7;
  SurvivalTable table;
  table.trials = 3;
  table.rows.push_back({.scene = "robot",
                        .variant = "as modelled",
                        .push = {false, 1.5},
                        .config = "",
                        .trials = {stood, stepped, fell}});
  table.rows.push_back(table.rows.front());
  table.rows.back().push = {true, 20};
  table.rows.back().trials.clear();
  const std::string text = FormatSurvival(table);
  EXPECT_THAT(text, testing::ContainsRegex(
                        "robot +. as modelled . +150 % . +0.0 … 4.0 . +0.0 . +3 . 2 = 66.7 % "
                        "\\[20.8, 93.9\\] . +1 . +1 . +2.0 . +0.10 ."));
  EXPECT_THAT(text, HasSubstr(" 20 N·s "));
  const auto json = nlohmann::json::parse(FormatSurvivalJson(table));
  EXPECT_EQ(json["rows"][0]["survived"], 2);
  EXPECT_EQ(json["rows"][0]["fell"], 1);
  EXPECT_EQ(json["rows"][0]["trials"][2]["qp_fallbacks"], 7);
  EXPECT_EQ(json["rows"][1]["n"], 0);
}

TEST(Survival, ARobotStandsAGentlePushAndFallsByAHardOne) {
  const SurvivalTrial gentle = PushOnce("quadruped", {false, 0.1}, 3);
  EXPECT_TRUE(gentle.survived) << gentle.verdict;
  EXPECT_EQ(gentle.verdict, "survived");
  EXPECT_LT(gentle.error, kSettledError);
  EXPECT_NEAR(gentle.impulse, 0.1 * gentle.ceiling, 1e-12);
  EXPECT_NEAR(gentle.end_s, gentle.start_s + kPushDuration + kWatch, 2e-3);
  const SurvivalTrial hard = PushOnce("quadruped", {true, 200}, 3);
  EXPECT_TRUE(hard.fell);
  EXPECT_FALSE(hard.survived);
  EXPECT_THAT(hard.verdict, HasSubstr("fell at t = "));
  EXPECT_LT(hard.end_s, gentle.end_s);
  EXPECT_EQ(hard.ceiling, gentle.ceiling) << "the same seed is the same trial";
  EXPECT_EQ(hard.direction, gentle.direction);
  EXPECT_EQ(hard.friction, gentle.friction);
}

// The walk begins 2.4 s before the push, so that its velocity error has been learned by then.
TEST(Survival, AWalkIsSoonAtItsSpeedAfterAPush) {
  const SurvivalTrial trial =
      PushOnce("biped", {true, 5}, 57,
               {"reference.type=body", "reference.motion=walk", "reference.velocity=[0.3, 0]"});
  EXPECT_TRUE(trial.survived) << trial.verdict;
  EXPECT_LT(trial.velocity_error, 0.02);
}

TEST(Survival, AWalkThatTurnsGoesWhereItHeads) {
  const SurvivalTrial trial = PushOnce("biped", {true, 0}, 0,
                                       {"reference.type=body", "reference.motion=walk",
                                        "reference.velocity=[0.3, 0]", "reference.yaw_rate=0.8"});
  EXPECT_LT(trial.velocity_error, 0.02);
}

TEST(Survival, TheCeilingIsThatOfThePendulum) {
  const SurvivalTrial trial = PushOnce("quadruped", {false, 0}, 5);
  const std::unique_ptr<Scene> scene = LoadScene(ReadConfig("quadruped"));
  mjData* d = mj_makeData(scene->mj.get());
  std::copy_n(scene->q_start.data(), scene->q_start.size(), d->qpos);
  mj_forward(scene->mj.get(), d);
  const Eigen::Map<const Eigen::Vector3d> c(d->subtree_com + 3);
  // Four symmetric point feet: the ray along u ends at the edge of a rectangle.
  double x = 0, y = 0;
  for (const Foot& foot : scene->legs->feet) {
    const int site = mj_name2id(scene->mj.get(), mjOBJ_SITE, foot.name.c_str());
    ASSERT_GE(site, 0);
    x = std::max(x, d->site_xpos[3 * site]);
    y = std::max(y, d->site_xpos[3 * site + 1]);
  }
  const double distance = std::min(
      (x - std::copysign(c.x(), std::cos(trial.direction))) / std::abs(std::cos(trial.direction)),
      (y - std::copysign(c.y(), std::sin(trial.direction))) / std::abs(std::sin(trial.direction)));
  const double ceiling = mj_getTotalmass(scene->mj.get()) * std::sqrt(9.81 / c.z()) * distance;
  EXPECT_NEAR(trial.ceiling, ceiling, 0.05 * ceiling);
  mj_deleteData(d);
}

TEST(Survival, TheOutputIsTheSameWhateverTheNumberOfThreads) {
  std::vector<std::string> arguments = {"survive", "quadruped", "--push", "0.5,3",  "--trials",
                                        "2",       "--out",     "r",      "--jobs", "1"};
  ChildProgram one(arguments);
  const ChildResult by_one = one.Wait();
  ASSERT_EQ(by_one.code, kExitDone) << by_one.err;
  arguments.back() = "4";
  ChildProgram four(arguments);
  EXPECT_EQ(four.Wait().out, by_one.out);
  const std::string json = ReadAll(one.folder() / "r/survival.json");
  EXPECT_EQ(ReadAll(four.folder() / "r/survival.json"), json);
  EXPECT_EQ(ReadAll(one.folder() / "r/survival.md"), by_one.out);
  EXPECT_EQ(nlohmann::json::parse(json)["rows"][1]["trials"].size(), 2u);
}

TEST(Survival, AnInterruptedRunKeepsWhatWasDone) {
  ChildProgram program({"survive", "quadruped", "--push", "0.2", "--trials", "100000", "--seed",
                        "7", "--jobs", "1", "--out", "r"});
  // The time is measured, so that it suffices for some trials on any machine.
  const auto start = std::chrono::steady_clock::now();
  const SurvivalTrial first = PushOnce("quadruped", {false, 0.2}, 7);
  std::this_thread::sleep_for(4 * (std::chrono::steady_clock::now() - start));
  program.Interrupt();
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitInterrupted);
  const auto json = nlohmann::json::parse(ReadAll(program.folder() / "r/survival.json"));
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(json["trials"], 100000);
  const auto& row = json["rows"][0];
  const auto n = row["trials"].size();
  ASSERT_GT(n, 0u);
  ASSERT_LT(n, 100000u);
  EXPECT_EQ(row["n"], n);
  EXPECT_THAT(result.err, HasSubstr("interrupted after " + std::to_string(n) + " of 100000 "));
  EXPECT_THAT(result.out, testing::ContainsRegex("quadruped . as modelled . 20 % .* " +
                                                 std::to_string(n) + " . "));
  // Complete trials from the first seed on, without gaps: each equals that trial run alone.
  std::size_t survived = 0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(row["trials"][i]["seed"], 7 + i);
    survived += row["trials"][i]["survived"] == true ? 1 : 0;
  }
  EXPECT_EQ(row["survived"], survived);
  EXPECT_EQ(row["trials"][0]["end_s"], first.end_s);
  EXPECT_EQ(row["trials"][0]["verdict"], first.verdict);
  EXPECT_EQ(row["trials"][0]["peak_tilt_rad"], first.tilt_peak);
}

// After Ctrl-C the folder holds some trials; the rest gives the bits of a run at one go.
TEST(Survival, AnInterruptedRunGoesOnToTheSameBits) {
  const std::vector<std::string> arguments = {"survive", "quadruped", "--push", "0.2,3", "--trials",
                                              "4",       "--jobs",    "1",      "--out", "r"};
  ChildProgram whole(arguments);
  const ChildResult at_once = whole.Wait();
  ASSERT_EQ(at_once.code, kExitDone) << at_once.err;
  const TemporaryFolder folder;
  std::vector<std::string> again = arguments;
  again.back() = (folder.path() / "r").string();
  again.emplace_back("--resume");
  ChildProgram broken(again);
  const auto start = std::chrono::steady_clock::now();
  PushOnce("quadruped", {false, 0.2}, 0);
  std::this_thread::sleep_for(2 * (std::chrono::steady_clock::now() - start));
  broken.Interrupt();
  broken.Wait();
  const ChildResult rest = Execute(again);
  EXPECT_EQ(rest.code, kExitDone) << rest.err;
  EXPECT_EQ(rest.out, at_once.out);
  EXPECT_EQ(ReadAll(folder.path() / "r/survival.json"),
            ReadAll(whole.folder() / "r/survival.json"));
  // All are known now; more trials keep those that there are.
  const ChildResult known = Execute(again);
  EXPECT_THAT(known.err, HasSubstr("8 of 8 trials are known"));
  EXPECT_EQ(known.out, at_once.out);
  EXPECT_EQ(ReadAll(folder.path() / "r/survival.json"),
            ReadAll(whole.folder() / "r/survival.json"));
  again[5] = "5";
  EXPECT_THAT(Execute(again).err, HasSubstr("8 of 10 trials are known"));
}

TEST(Survival, ItGoesOnWithItsOwnFilesOnly) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"survive", "quadruped", "--resume"};
  const ChildResult nowhere = Execute(arguments);
  EXPECT_EQ(nowhere.code, kExitBadInput);
  EXPECT_THAT(nowhere.err, HasSubstr("--resume: needs --out"));
  arguments.insert(arguments.end(), {"--out", folder.path().string()});
  const auto refuse = [&](const std::string& text) {
    std::ofstream(folder.path() / "survival.json") << text;
    const ChildResult refused = Execute(arguments);
    EXPECT_EQ(refused.code, kExitBadInput);
    return refused.err;
  };
  EXPECT_THAT(refuse("{}"), HasSubstr("is not a survival.json"));
  EXPECT_THAT(refuse(R"({"versions": {"civita": "0.0.1", "source": "x"}})"), HasSubstr("0.0.1"));
}

TEST(Survival, TheHelpNamesAllErrors) {
  const ChildResult help = Execute({"survive", "--help"});
  EXPECT_EQ(help.code, kExitDone);
  for (const char* key : {"noise.joint_position=0.0005", "noise.joint_velocity=0.02",
                          "control.actuation_delay_s=0.004", "plant.mass_error=0.2",
                          "observer.gain=5", "observer.compensate=true;"}) {
    EXPECT_THAT(help.out, HasSubstr(key));
  }
}

TEST(Survival, AllItsSeedsAreSeeds) {
  const ChildResult result =
      Execute({"survive", "quadruped", "--seed", "2147483640", "--trials", "9"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--trials: the last seed is greater than 2147483647"));
}

TEST(Survival, RefusesBadInputInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"survive"}, "scene"},
      {{"survive", "quadrupd"}, "quadruped"},
      {{"survive", "arm7"}, "no legged robot under controller.type whole_body"},
      {{"survive", "quadruped", "--push", "-1"}, "--push"},
      {{"survive", "quadruped", "--push", "fast"}, "--push"},
      {{"survive", "quadruped", "--impulse", "nan"}, "--impulse"},
      {{"survive", "quadruped", "--trials", "0"}, "--trials"},
      {{"survive", "quadruped", "--jobs", "-2"}, "--jobs"},
      {{"survive", "quadruped", "--seed", "-1"}, "--seed"},
      {{"survive", "quadruped", "--set", "frictoin=1"}, "friction"},
      {{"survive", "quadruped", "--vary", "K_D=5"}, "nothing to compare"},
      {{"survive", "quadruped", "--out", "/dev/null/x"}, "--out"},
  };
  for (const auto& [arguments, message] : cases) {
    const ChildResult result = Execute(arguments);
    EXPECT_EQ(result.code, kExitBadInput) << arguments.back();
    EXPECT_EQ(result.out, "") << arguments.back();
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace survive_test
}  // namespace civita
