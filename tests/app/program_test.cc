#include "app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/interrupt.h"
#include "tests/app/child_program.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace program_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

using Result = ChildResult;
using Program = ChildProgram;

Result Execute(const std::vector<std::string>& arguments) { return Program(arguments).Wait(); }

TEST(Program, HelpsAndNamesItsVersion) {
  const Result help = Execute({"--help"});
  EXPECT_EQ(help.code, kExitDone);
  EXPECT_THAT(help.out,
              AllOf(HasSubstr("Examples:"), HasSubstr("scenes"), HasSubstr("Exit codes")));
  EXPECT_EQ(Execute({"run", "--help"}).code, kExitDone);
  const Result version = Execute({"--version"});
  EXPECT_EQ(version.code, kExitDone);
  EXPECT_THAT(version.out, MatchesRegex("civita [0-9.]+ \\(.*\\), MuJoCo [0-9.]+\n"));
}

TEST(Program, ListsEveryScene) {
  const Result result = Execute({"scenes"});
  EXPECT_EQ(result.code, kExitDone);
  for (const SceneInfo& scene : Scenes()) {
    EXPECT_THAT(result.out, HasSubstr(std::string(scene.name)));
    EXPECT_THAT(result.out, HasSubstr(std::string(scene.line)));
  }
}

TEST(Program, ListsKeys) {
  const Result result = Execute({"keys", "control"});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.out, AllOf(HasSubstr("control.rate_hz"), HasSubstr("held | every_stage")));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("reference.")));
  const Result unknown = Execute({"keys", "contrl.mode"});
  EXPECT_EQ(unknown.code, kExitBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'control.mode'?"));
  EXPECT_THAT(Execute({"schema"}).out, HasSubstr("2020-12"));
}

TEST(Program, RunsTheExampleOfAnOwnScene) {
  const std::string config = (DataDirectory() / "examples/own_scene/config.yaml").string();
  const Result result = Execute({"run", config, "--headless", "--duration", "0.5"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  const auto scene = LoadScene(ReadConfig(config));
  EXPECT_THAT(scene->notices, testing::IsEmpty());
  EXPECT_THAT(scene->config.gains.at("Lambda"), testing::ElementsAre(6)) << "the base's";
  EXPECT_THAT(scene->config.gains.at("K_D"), testing::ElementsAre(10));
}

struct BadInput {
  std::vector<std::string> arguments;
  const char* message;
};

TEST(Program, RefusesBadInputInOneLine) {
  const std::vector<BadInput> cases = {
      {{}, "civita run SCENE --headless"},
      {{"rn"}, "unknown command 'rn' (did you mean 'run'?)"},
      {{"arm7"}, "did you mean 'civita run arm7'?"},
      {{"run", "arm8", "--headless"}, "arm7"},
      {{"run", "arm7", "--headles"},
       "unknown option '--headles' (did you mean '--headless'?); valid: "},
      {{"run", "arm7", "extra", "--headless"}, "one argument too many: 'extra'; civita run --help"},
      {{"eval", "arm7", "--duraton=3"}, "unknown option '--duraton'"},
      {{"advise", "arm7", "--sead", "3"}, "(did you mean '--seed'?)"},
      {{"compare", "arm7", "--headless", "--vary", "K_D=1,2"}, "unknown option '--headless'"},
      {{"scenes", "-x"}, "unknown option '-x'"},
      {{"--versoin"}, "(did you mean '--version'?)"},
      {{"sweep", "study.yaml"}, "python -m civita sweep STUDY.yaml"},
      {{"run", "arm7", "--headless", "--factorization", "t:x"}, "controller.factorization"},
      {{"advise", "arm7", "--duration", "-2"}, "--duration: not a positive number of seconds"},
      {{"advise", "arm7", "--seed", "-2"}, "--seed: not a whole number"},
      {{"run", "arm7", "--headless", "--duration", "nan"}, "--duration: not a positive"},
      {{"run", "arm7", "--headless", "--duration", "inf"}, "--duration: not a positive"},
      {{"run", "arm7", "--headless", "--duration", "-3"}, "--duration: not a positive"},
      {{"run", "arm7", "--headless", "--duration", "0"}, "--duration: not a positive"},
      {{"run", "arm7", "--headless", "--duration", "1e12"}, "--duration: more than"},
      {{"run", "arm7", "--headless", "--duration", "long"}, "--duration"},
      {{"run", "arm7", "--headless", "--duration"}, "--duration"},
      {{"run", "arm7", "--headless", "--seed", "1.5"}, "--seed"},
      {{"run", "arm7", "--headless", "--seed", "-1"}, "--seed: not a whole number"},
      {{"run", "arm7", "--headless", "--out", ""}, "--out"},
      {{"run", "arm7", "--headless", "--out", "/proc/none"}, "--out /proc/none"},
      {{"run", "arm7", "--headless", "--set", "gains.K_D=-1"}, "gains.K_D"},
      {{"run", "arm7", "--headless", "--set", "gains.K_D=nan"}, "gains.K_D"},
      {{"run", "arm7", "--headless", "--set", "gains.Lamda=1"}, "did you mean 'Lambda'?"},
      {{"run", "arm7", "--headless", "--set", "gains.Lambda=[1, 2]"}, "gains.Lambda"},
      {{"run", "arm7", "--headless", "--set", "gains"}, "gains"},
      {{"run", "missing.yaml", "--headless"}, "missing.yaml"},
      {{"run", "missing.xml", "--headless"}, "missing.xml"},
      {{"run", "arm7", "--after", "3"}, "--screenshot"},
      {{"run", "arm7", "--headless", "--screenshot", "a.png"}, "--screenshot"},
      {{"run", "arm7", "--width", "3"}, "--width"},
      {{"run", "arm7", "--at", "-1"}, "--at"},
      {{"run", "arm7"}, "civita run SCENE --headless"},
  };
  for (const BadInput& bad : cases) {
    std::string line = "civita";
    for (const std::string& argument : bad.arguments) line += " '" + argument + "'";
    SCOPED_TRACE(line);
    Program program(bad.arguments);
    const Result result = program.Wait();
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(bad.message));
    EXPECT_THAT(result.err, MatchesRegex("civita: [^\n]+\n"));
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(program.folder())) {
      files += entry.exists() ? 1 : 0;
    }
    EXPECT_EQ(files, 2) << "more than the two that hold the output";
  }
}

TEST(Program, WritesNothingWhenTheInputIsBad) {
  Program program({"run", "arm7", "--headless", "--out", "run", "--set", "gains.K_D=-1"});
  EXPECT_EQ(program.Wait().code, kExitBadInput);
  EXPECT_FALSE(std::filesystem::exists(program.folder() / "run"));
}

TEST(Program, RunsWithoutAWindow) {
  Program program({"run", "planar_2r", "--headless", "--duration", "2.5", "--out", "a/run",
                   "--seed", "3", "--set", "gains.Lambda=7", "--set",
                   "controller.factorization=t:0.5", "--set", "marks_s=[1, 2, 5]"});
  const Result result = program.Wait();
  EXPECT_EQ(result.code, kExitDone) << result.err;
  for (const char* text :
       {"planar_2r", "t:0.5", "RMS", "peak", "V(1 s)", "V(2 s)", "control step, median",
        "control step, 99 %", "real time", "a/run", "done"}) {
    EXPECT_THAT(result.out, HasSubstr(text));
  }
  EXPECT_THAT(result.out, testing::Not(HasSubstr("V(5 s)")));
  const std::filesystem::path run = program.folder() / "a" / "run";
  for (const char* file : {"run.json", "config.yaml", "signals.csv", "timing.csv", "signals.npz"}) {
    EXPECT_TRUE(std::filesystem::exists(run / file)) << file;
  }
  const auto json = nlohmann::json::parse(ReadAll(run / "run.json"));
  EXPECT_EQ(json["summary"]["steps"], 2501);
  EXPECT_EQ(json["summary"]["duration_s"], 2.5);
  EXPECT_EQ(json["seed"], 3);
  EXPECT_EQ(json["config"]["controller"]["factorization"], "t:0.5");
}

/// Runs the built program by the shell, with `redirection`. @returns the exit code.
int ExecuteByShell(const std::string& arguments, const std::string& redirection) {
  const std::string command = "'" CIVITA_PROGRAM "' " + arguments + " " + redirection;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Program, FailsWhenItsTableIsLost) {
  const TemporaryFolder folder;
  const std::string error = folder.path() / "err.txt";
  for (const char* verb : {"scenes", "run planar_2r --headless --duration 0.01"}) {
    EXPECT_EQ(ExecuteByShell(verb, ">/dev/full 2>" + error), kExitFailed) << verb;
    EXPECT_THAT(ReadAll(error), MatchesRegex("civita: standard output cannot be written: .*\n"));
    EXPECT_EQ(ExecuteByShell(verb, ">&- 2>" + error), kExitFailed) << verb;
    EXPECT_THAT(ReadAll(error), MatchesRegex("civita: standard output cannot be written: .*\n"));
  }
}

TEST(Program, ErrorsWithoutAStreamStayOutOfTheFiles) {
  const TemporaryFolder folder;
  const std::string run = folder.path() / "run";
  const std::string arguments = "run " + WriteBallArm(folder) + " --headless --out " + run +
                                " --set '" + kBallArmThrow + "' --set gains.K_D=1e6";
  EXPECT_EQ(ExecuteByShell(arguments, "</dev/null >/dev/null 2>&-"), kExitFailed);
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    EXPECT_THAT(ReadAll(entry.path()), testing::Not(HasSubstr("civita: "))) << entry.path();
  }
  EXPECT_THAT(ReadAll(run + "/signals.csv"), testing::StartsWith("t,/q/0"));
}

TEST(Program, FailsWithTheReasonWhenItBlowsUp) {
  const TemporaryFolder folder;
  Program program({"run", WriteBallArm(folder), "--headless", "--out", "run", "--set",
                   kBallArmThrow, "--set", "gains.K_D=1e6"});
  const Result result = program.Wait();
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.err, testing::ContainsRegex("civita: failed: .* at t = .*step"));
  const auto json = nlohmann::json::parse(ReadAll(program.folder() / "run" / "run.json"));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["passed"], false);
  EXPECT_FALSE(std::filesystem::exists(program.folder() / "MUJOCO_LOG.TXT"));
}

TEST(Program, InterruptedItKeepsItsFiles) {
  Program program({"run", "planar_2r", "--headless", "--duration", "100000", "--out", "run"});
  const std::filesystem::path csv = program.folder() / "run" / "signals.csv";
  std::error_code error;
  for (int tries = 0; tries < 400; ++tries) {
    if (std::filesystem::exists(csv) && std::filesystem::file_size(csv, error) > 10000) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  program.Interrupt();
  const Result result = program.Wait();
  EXPECT_EQ(result.code, kExitInterrupted);
  EXPECT_THAT(result.out, HasSubstr("interrupted at t = "));
  const auto json = nlohmann::json::parse(ReadAll(program.folder() / "run" / "run.json"));
  EXPECT_EQ(json["status"], "interrupted");
  EXPECT_TRUE(std::filesystem::exists(program.folder() / "run" / "signals.npz"));
}

void OnTestSignal(int) {}

TEST(InterruptGuard, LeavesSignalsAsTheyWere) {
  struct sigaction mine {
  }, now{}, before{};
  mine.sa_handler = OnTestSignal;
  ASSERT_EQ(sigaction(SIGTERM, &mine, &before), 0);
  {
    const InterruptGuard outer;
    {
      const InterruptGuard inner;
      raise(SIGTERM);
      EXPECT_TRUE(inner.interrupted());
    }
    raise(SIGTERM);  // handled by the outer guard
    EXPECT_TRUE(outer.interrupted());
    const InterruptGuard next;
    EXPECT_TRUE(next.interrupted()) << "what came between two guards within another is lost";
  }
  EXPECT_FALSE(InterruptGuard().interrupted());
  sigaction(SIGTERM, nullptr, &now);
  EXPECT_EQ(now.sa_handler, OnTestSignal);
  sigaction(SIGTERM, &before, nullptr);
}

/// The environment is wrong, not the config that is read first.
TEST(Program, RefusesAnUnknownInstructionSetInOneLine) {
  const char* before = std::getenv("CIVITA_INSTRUCTION_SET");
  const std::string kept = before == nullptr ? "" : before;
  setenv("CIVITA_INSTRUCTION_SET", "mmx", 1);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "arm7", "--headless"}, {"reproduce", "arm7"}}) {
    const Result result = Execute(arguments);
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_THAT(result.err, MatchesRegex("civita: unknown instruction set of "
                                         "CIVITA_INSTRUCTION_SET 'mmx'[^\n]*\n"));
  }
  if (before == nullptr) {
    unsetenv("CIVITA_INSTRUCTION_SET");
  } else {
    setenv("CIVITA_INSTRUCTION_SET", kept.c_str(), 1);
  }
}

// Of each verb with a law the same flag, and the same C as by the config's key.
TEST(Program, TakesAFactorizationOfEachVerbWithALaw) {
  const std::vector<std::vector<std::string>> commands = {
      {"run", "arm7_twist", "--headless", "--duration", "0.1", "--seed", "3"},
      {"compare", "arm7_twist", "--vary", "K_D=1,2", "--duration", "0.1", "--jobs", "1"}};
  for (const std::vector<std::string>& command : commands) {
    const TemporaryFolder folder;
    const auto figures = [&](const std::vector<std::string>& more, const char* name) {
      std::vector<std::string> all = command;
      const std::string out = (folder.path() / name).string();
      all.insert(all.end(), more.begin(), more.end());
      all.insert(all.end(), {"--out", out});
      const Result result = Execute(all);
      EXPECT_EQ(result.code, 0) << result.err;
      const bool is_run = command.front() == "run";
      std::ifstream file(out + (is_run ? "/run.json" : "/compare.json"));
      const auto json = nlohmann::json::parse(file);
      return (is_run ? json["summary"] : json["variants"][0]["metrics"])["torque_rms"].dump();
    };
    const std::string plain = figures({}, "plain");
    const std::string flag = figures({"--factorization", "t:3"}, "flag");
    EXPECT_EQ(flag, figures({"--set", "controller.factorization=t:3"}, "key"));
    EXPECT_NE(flag, plain);
  }
}

}  // namespace program_test
}  // namespace civita
