// Faults of the world around the program: two at once, signals, kills, full disks, hostile names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "civita/sim/saved_state.h"
#include "tests/app/child_program.h"
#include "tests/app/eval_shell.h"
#include "tests/sanitizers.h"

namespace civita {
namespace faults_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

json ReadJson(const fs::path& path) { return json::parse(ReadAll(path), nullptr, false); }

/// Shell code after the start of a program in the background, whose number is in $pid: lets it run
/// in slices of processor time until `file` is there, so that it is far from its end on the
/// quickest machine, and leaves it halted.
std::string HaltOnce(const std::string& file) {
  return "for i in $(seq 1000); do\n"
         "  kill -STOP $pid; if [ -e " +
         file +
         " ]; then break; fi\n"
         "  sleep 0.1; kill -CONT $pid; sleep 0.01\n"
         "done\n";
}

/// Shell code after that of HaltOnce: ends the program by a signal.
std::string EndBy(const std::string& signal) {
  return "kill -" + signal + " $pid; kill -CONT $pid; wait $pid";
}

TEST(Faults, TheSecondRunInAFolderIsRefusedAndTheFirstIsWhole) {
  const Shell shell;
  const ShellResult result = shell.Run(
      "'" CIVITA_PROGRAM "' run chain20 --headless --duration 1 --out run > first.txt & pid=$!\n" +
      HaltOnce("run/run.json") +
      "civita run planar_2r --headless --duration 0.1 --out run; code=$?\n"
      "echo $pid; kill -CONT $pid; wait $pid || exit 99; exit $code");
  EXPECT_EQ(result.code, kExitBadInput);
  const std::string pid = result.out.substr(0, result.out.find('\n'));
  EXPECT_THAT(result.err, MatchesRegex("civita: --out run: is being written by process " + pid +
                                       " on .* since [-0-9T:]+Z\n"));
  EXPECT_EQ(ReadJson(shell.path() / "run/run.json")["scene"], "chain20");
  EXPECT_THAT(ReadAll(shell.path() / "first.txt"), EndsWith("done\n"));
  EXPECT_FALSE(fs::exists(shell.path() / "run/.lock"));
}

TEST(Faults, TwoEvaluationsIntoOneFileLeaveAWholeOne) {
  const Shell shell;
  json states = {{"states", json::array()}};
  for (int i = 0; i < 2000; ++i) states["states"].push_back(json::object());
  shell.Write("s.json", states.dump());
  const ShellResult result =
      shell.Run("for i in 1 2 3; do '" CIVITA_PROGRAM
                "' eval arm7 --quantities H,C --states s.json --out x.json & done; wait");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(ReadJson(shell.path() / "x.json")["states"].size(), 2000u);
  EXPECT_EQ(shell.CountFiles(), 2u);
}

/// Kills a command after a while, many times; each time what has its final name must be whole.
TEST(Faults, AKillLeavesWholeFilesOrNone) {
  const Shell shell;
  const ShellResult result = shell.Run(
      "for i in $(seq 40); do\n"
      "  '" CIVITA_PROGRAM
      "' run planar_2r --headless --duration 3 --out run > /dev/null 2>&1 & run=$!\n"
      "  '" CIVITA_PROGRAM
      "' compare planar_2r --vary seed=1,2 --duration 0.5 --out cmp > /dev/null 2>&1 & cmp=$!\n"
      "  sleep 0.0$((i % 10))$((i / 4)); kill -9 $run $cmp; wait $run $cmp 2> /dev/null\n"
      "  for f in run/run.json cmp/compare.json; do\n"
      "    if [ -e $f ]; then python3 -c 'import json, sys; json.load(open(sys.argv[1]))' $f || "
      "exit 1; fi\n"
      "  done\n"
      "  if [ -e run/signals.npz ]; then\n"
      "    python3 -c 'import zipfile; assert zipfile.ZipFile(\"run/signals.npz\").testzip() is "
      "None' || exit 2\n"
      "  fi\n"
      "  if [ -e cmp/report.html ]; then tail -c 20 cmp/report.html | grep -q '</html>' || exit 3; "
      "fi\n"
      "done");
  EXPECT_EQ(result.code, 0) << result.err;
  const ShellResult again = shell.Run(
      "civita run planar_2r --headless --duration 0.1 --out run > /dev/null && "
      "civita compare planar_2r --vary seed=1,2 --duration 0.1 --out cmp > /dev/null");
  EXPECT_EQ(again.code, kExitDone) << again.err;
  for (const auto& entry : fs::recursive_directory_iterator(shell.path())) {
    EXPECT_THAT(entry.path().string(), Not(EndsWith(".tmp")));
  }
}

TEST(Faults, ARunGoesOnWithTheBitsOfOneThatWasNotStopped) {
  const Shell shell;
  const std::string scene =
      "arm7_payload_adaptive --set noise.joint_position=1e-4 --set control.actuation_delay_s=0.003 "
      "--set observer.gain=5 --duration 60";
  ASSERT_EQ(shell.Run("civita run " + scene + " --headless --out whole").code, kExitDone);
  const std::string hash = ReadJson(shell.path() / "whole/run.json")["hash"];
  for (const char* signal : {"KILL", "INT"}) {
    const ShellResult stopped = shell.Run("'" CIVITA_PROGRAM "' run " + scene +
                                          " --headless --out run > /dev/null & pid=$!\n" +
                                          HaltOnce("run/state.bin") + EndBy(signal));
    ASSERT_NE(stopped.code, kExitDone) << "was too fast to be stopped";
    const ShellResult resumed = shell.Run("civita run --resume run");
    EXPECT_EQ(resumed.code, kExitDone) << resumed.err;
    const json run = ReadJson(shell.path() / "run/run.json");
    EXPECT_EQ(run["hash"], hash) << signal;
    EXPECT_EQ(run["status"], "done");
    EXPECT_GT(run["resumed_from_row"], 0);
    const double rest_s = 60 - 0.001 * (run["resumed_from_row"].get<double>() - 1);
    const json& figures = run["summary"];
    EXPECT_NEAR(figures["real_time_factor"].get<double>() * figures["wall_s"].get<double>(), rest_s,
                1e-6);
    EXPECT_TRUE(ReadAll(shell.path() / "run/signals.csv") ==
                ReadAll(shell.path() / "whole/signals.csv"));
    EXPECT_TRUE(ReadAll(shell.path() / "run/signals.npz") ==
                ReadAll(shell.path() / "whole/signals.npz"));
    EXPECT_FALSE(fs::exists(shell.path() / "run/state.bin"));
    fs::remove_all(shell.path() / "run");
  }
  EXPECT_THAT(shell.Run("civita run --resume whole").err,
              HasSubstr("whole: holds no state to go on from"));
  EXPECT_THAT(shell.Run("civita run arm7 --resume whole").err,
              HasSubstr("--resume: takes all else from the folder, thus not scene"));
}

/// A run of a model of its own that was stopped and can go on.
class StoppedRun : public testing::Test {
 protected:
  StoppedRun() {
    shell_.Write("robot.xml", R"(<mujoco><option timestep="0.001"/><worldbody>
      <body><joint name="a" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3" mass="2"/>
      <body pos="0 0 0.3"><joint name="b" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3" mass="1"/></body></body></worldbody>
      <actuator><motor joint="a"/><motor joint="b"/></actuator></mujoco>)");
    shell_.Write("motion.csv", "0, 0.1, 0.2\n2000, 0.3, -0.1\n");
    std::ofstream(shell_.path() / "own.yaml")
        << "model: robot.xml\nduration_s: 1000\ncontrol: {delay_s: 0.02}\n"
           "reference: {type: file, file: motion.csv}\n"
           "noise: {joint_position: 1e-5}\n";
    shell_.Run("'" CIVITA_PROGRAM "' run own.yaml --headless --out run > /dev/null & pid=$!\n" +
               HaltOnce("run/state.bin") + EndBy("INT"));
  }
  fs::path Path(const std::string& name) const { return shell_.path() / name; }
  void Replace(const std::string& name, const std::string& what, const std::string& by) {
    std::string text = ReadAll(Path(name));
    ASSERT_NE(text.find(what), std::string::npos) << text;
    text.replace(text.find(what), what.size(), by);
    std::ofstream(Path(name)) << text;
  }
  /// Resumes, and goes on until it is stopped if it can.
  ShellResult Resume() const {
    return shell_.Run("timeout --preserve-status -s INT 3 '" CIVITA_PROGRAM "' run --resume run");
  }

  const Shell shell_;
};

TEST_F(StoppedRun, DoesNotGoOnWithAnotherConfigOrModel) {
  const std::string config = ReadAll(Path("run/config.yaml"));
  Replace("run/config.yaml", "  K_D: ", "  K_D: 1");
  ShellResult result = Resume();
  EXPECT_EQ(result.code, kExitBadInput) << result.out;
  EXPECT_THAT(result.err,
              HasSubstr("run: config.yaml has changed since the run was stopped: gains.K_D"));
  std::ofstream(Path("run/config.yaml")) << config;
  Replace("run/config.yaml", "duration_s: 1000", "duration_s: 900");
  EXPECT_THAT(Resume().err, HasSubstr("was stopped: duration_s; only duration_s may grow"));
  std::ofstream(Path("run/config.yaml")) << config;
  Replace("robot.xml", "mass=\"", "mass=\"1");
  result = Resume();
  EXPECT_EQ(result.code, kExitBadInput) << result.out;
  EXPECT_THAT(result.err, HasSubstr("the model has changed since the run was stopped"));
}

TEST_F(StoppedRun, DoesNotGoOnWithAnotherFileThanTheConfigNames) {
  Replace("motion.csv", "-0.1", "-0.2");
  const ShellResult result = Resume();
  EXPECT_EQ(result.code, kExitBadInput) << result.out;
  EXPECT_THAT(result.err, HasSubstr("run: a file has changed since the run was stopped: " +
                                    Path("motion.csv").string()));
  Replace("motion.csv", "-0.2", "-0.1");
  EXPECT_EQ(Resume().code, kExitInterrupted) << "as it was";
}

TEST_F(StoppedRun, GoesOnThroughNoLink) {
  const auto lead_out = [&](const std::string& name) {
    const fs::path victim = Path("victim_" + name);
    fs::rename(Path("run/" + name), victim);
    fs::create_symlink(victim, Path("run/" + name));
    return ReadAll(victim);
  };
  const std::string told = lead_out("run.json"), state = lead_out("state.bin");
  EXPECT_EQ(Resume().code, kExitInterrupted);
  EXPECT_FALSE(fs::is_symlink(Path("run/run.json")));
  EXPECT_FALSE(fs::is_symlink(Path("run/state.bin")));
  EXPECT_EQ(ReadAll(Path("victim_run.json")), told);
  EXPECT_EQ(ReadAll(Path("victim_state.bin")), state);
  for (const std::string name : {"timing.csv", "signals.csv"}) {
    const std::string rows = lead_out(name);
    const ShellResult result = Resume();
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_THAT(result.err, HasSubstr(name + ": is a link, which is not followed"));
    EXPECT_EQ(ReadAll(Path("victim_" + name)), rows);
    fs::remove(Path("run/" + name));
    fs::rename(Path("victim_" + name), Path("run/" + name));
  }
  EXPECT_EQ(Resume().code, kExitInterrupted) << "as it was";
}

TEST_F(StoppedRun, MayGrowAndBeCalledOtherwise) {
  Replace("run/config.yaml", "duration_s: 1000", "duration_s: 2000");
  Replace("run/config.yaml", "title: ", "title: My ");
  Replace("run/config.yaml", "marks_s: [", "marks_s: [0.5, ");
  const ShellResult result = Resume();
  EXPECT_EQ(result.code, kExitInterrupted) << result.err;
  EXPECT_THAT(result.err, testing::Not(HasSubstr("changed")));
}

TEST_F(StoppedRun, RefusesAForgedState) {
  const std::string whole = ReadAll(Path("run/state.bin"));
  const auto forged = [&](std::size_t at, double value) {
    std::string bytes = whole.substr(0, whole.size() - sizeof(std::uint64_t));
    std::memcpy(bytes.data() + at, &value, sizeof value);
    const std::uint64_t sum = CalcStateSum(bytes);
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    std::ofstream(Path("run/state.bin"), std::ios::binary) << bytes;
    return Resume();
  };
  // The number of measurements is that of the steps, and the ring of samples follows it.
  const std::size_t head = whole.find('\n') + 1;
  long step = 0;
  std::memcpy(&step, whole.data() + head + sizeof(double), sizeof step);
  const auto number = static_cast<double>(step);
  const std::size_t at = whole.find({reinterpret_cast<const char*>(&number), sizeof number});
  ASSERT_NE(at, std::string::npos);
  for (const double value : {-7.0, -1.0, 1e300, static_cast<double>(NAN), number + 22}) {
    const ShellResult result = forged(at, value);
    EXPECT_EQ(result.code, kExitBadInput) << value << result.out;
    EXPECT_THAT(result.err, HasSubstr("state.bin: is not a state of this scene")) << value;
  }
  EXPECT_EQ(forged(at, number).code, kExitInterrupted) << "as it was";
}

TEST(Faults, ALimitOnTheSizeOfFilesFailsTheRunAndKeepsWhatIsThere) {
  const Shell shell;
  const ShellResult result =
      shell.Run("ulimit -f 500; civita run arm7 --headless --duration 20 --out run");
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.out, HasSubstr("tracking error"));
  EXPECT_THAT(result.err, MatchesRegex("civita: stopped at t = .* s: run/signals.csv: cannot be "
                                       "written: File too large\n"));
  EXPECT_EQ(ReadJson(shell.path() / "run/run.json")["status"], "failed");
  EXPECT_THAT(ReadAll(shell.path() / "run/signals.csv"), EndsWith("\n"));
}

TEST(Faults, AHangUpEndsARunAsCtrlCDoes) {
  const Shell shell;
  for (const char* signal : {"HUP", "TERM", "INT"}) {
    const ShellResult result =
        shell.Run("'" CIVITA_PROGRAM
                  "' run planar_2r --headless --duration 1000 --out run & pid=$!\n"
                  "while [ ! -e run/run.json ]; do sleep 0.01; done; sleep 0.1\n"
                  "kill -" +
                  std::string(signal) +
                  " $pid; wait $pid; code=$?; cat run/run.json >&2; rm -r run; exit $code");
    EXPECT_EQ(result.code, kExitInterrupted) << signal;
    EXPECT_THAT(result.out, HasSubstr("interrupted at t = ")) << signal;
    EXPECT_THAT(result.err, HasSubstr("\"status\": \"interrupted\"")) << signal;
  }
}

/// Counted in processor time, which a busy machine does not change.
TEST(Faults, CtrlCIsAnsweredWithinHalfASecondInsideAStepThatTakesLonger) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", "arm7", "--headless"},
        std::vector<std::string>{"compare", "arm7", "--vary", "seed=1,2"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--set", "control.rate_hz=0.001", "--duration", "5000"});
    ChildProgram program(words);
    double before = 0;
    while (before < 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      before = program.CpuSeconds();
    }
    program.Interrupt();
    const ChildResult result = program.Wait();
    EXPECT_EQ(result.code, kExitInterrupted);
#ifndef CIVITA_ADDRESS_SANITIZER  // which looks for leaks at the end
    EXPECT_LT(result.cpu_s - before, 0.5) << command[0];
#else
    EXPECT_LT(result.cpu_s - before, 5) << command[0];
#endif
  }
}

TEST(Faults, NamesDoNotReachTheTerminalAsControls) {
  const Shell shell;
  const std::string hostile = "\x1b]0;PWN\x07\x1b[31m\xc2\x9b";
  shell.Write("m.xml",
              "<mujoco><worldbody><body name='a'><joint name='&#x9b;j\x7f'/>"
              "<geom size='.1'/></body></worldbody></mujoco>");
  for (const std::string& command :
       {"run arm7 --headless --duration 0.01 --set 'title=" + hostile + "'",
        "eval '" + hostile + "'", "run '" + hostile + ".yaml'", "'" + hostile + "'",
        "compare planar_2r --duration 0.01 --vary 'title=" + hostile + ",b'",
        "eval arm7 --quantities C --factorization '" + hostile + "'",
        std::string("run m.xml --headless --duration 0.1 --set initial.v=[9e9]"),
        std::string("eval m.xml --quantities H")}) {
    const ShellResult result = shell.Run("civita " + command);
    for (const std::string& text : {result.out, result.err}) {
      EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07")),
                              Not(HasSubstr("\x7f")), Not(HasSubstr("\xc2\x9b"))))
          << command;
    }
  }
}

TEST(Faults, MessagesStayShort) {
  const Shell shell;
  const ShellResult result =
      shell.Run("civita eval arm7 --quantities C --factorization $(printf 'x%.0s' $(seq 50000))");
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_LT(result.err.size(), 1500u);
}

TEST(Faults, FilesOfAnEarlierComparisonGoAndOthersStay) {
  const Shell shell;
  const std::string vary = "civita compare planar_2r --duration 0.01 --out cmp --vary ";
  ASSERT_EQ(shell.Run(vary + "seed=1,2,3").code, kExitDone);
  shell.Write("cmp/3_notes.csv", "mine");
  EXPECT_TRUE(fs::exists(shell.path() / "cmp/3_seed_3.csv"));
  const std::string longest(250, 'a');
  ASSERT_EQ(shell.Run(vary + "title=" + longest + ",b").code, kExitDone);
  EXPECT_FALSE(fs::exists(shell.path() / "cmp/3_seed_3.csv"));
  EXPECT_FALSE(fs::exists(shell.path() / "cmp/1_seed_1.yaml"));
  EXPECT_TRUE(fs::exists(shell.path() / "cmp/3_notes.csv"));
  EXPECT_TRUE(fs::exists(shell.path() / "cmp/2_title_b.csv"));
  EXPECT_TRUE(fs::exists(shell.path() / "cmp/report.html"));
}

TEST(Faults, NamesThatNoComparisonGaveAreLeftAlone) {
  const Shell shell;
  shell.Write("cmp/12_own.txt", "mine");
  shell.Write("cmp/_2.csv", "mine");
  shell.Write("cmp/4_old.csv", "of the earlier one");
  json told;
  told["files"] = {"4_" + std::string(300'000, 'b') + ".yaml",
                   std::string(1'000'000, '7'),
                   "12_own.txt",
                   "_2.csv",
                   "../cmp/4_old.csv",
                   "4_old.csv",
                   3};
  shell.Write("cmp/compare.json", told.dump());
  const ShellResult result = shell.Run("'" CIVITA_PROGRAM
                                       "' compare planar_2r --duration 0.01 "
                                       "--out cmp --vary seed=1,2");
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_TRUE(fs::exists(shell.path() / "cmp/12_own.txt"));
  EXPECT_TRUE(fs::exists(shell.path() / "cmp/_2.csv"));
  EXPECT_FALSE(fs::exists(shell.path() / "cmp/4_old.csv"));
  EXPECT_EQ(ReadJson(shell.path() / "cmp/compare.json")["files"].size(), 4u);
}

TEST(Faults, LinksInAFolderOfResultsAreReplaced) {
  const Shell shell;
  shell.Write("victim", "precious");
  for (const char* name : {"compare.csv", "compare.json", "report.html", "1_seed_1.csv"}) {
    fs::create_directories(shell.path() / "cmp");
    fs::create_symlink("../victim", shell.path() / "cmp" / name);
  }
  EXPECT_EQ(shell.Run("civita compare planar_2r --duration 0.01 --out cmp --vary seed=1,2").code,
            kExitDone);
  for (const auto& entry : fs::directory_iterator(shell.path() / "cmp")) {
    EXPECT_FALSE(entry.is_symlink()) << entry.path();
  }
  EXPECT_EQ(ReadAll(shell.path() / "victim"), "precious");
}

TEST(Faults, TooLittleMemoryIsSaidToBeThat) {
#ifdef CIVITA_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizer needs terabytes of addresses";
#endif
  const Shell shell;
  int refused = 0;
  for (const int mib : {110, 130, 150, 170, 200, 240}) {
    const ShellResult result =
        shell.Run("prlimit --as=" + std::to_string(mib << 20) +
                  " '" CIVITA_PROGRAM
                  "' survive quadruped --trials 2 --push 0.1 --jobs 2 --set duration_s=0.1");
    if (result.code == kExitDone || result.err.find("shared libraries") != std::string::npos) {
      continue;
    }
    ++refused;
    EXPECT_EQ(result.code, kExitFailed) << mib << result.err;
    EXPECT_THAT(result.err, EndsWith("there is not enough memory\n")) << mib;
  }
  EXPECT_GT(refused, 0);
  const ShellResult stack =
      shell.Run("prlimit --stack=65536 '" CIVITA_PROGRAM "' eval arm7 --quantities H");
  EXPECT_EQ(stack.code, kExitFailed);
  EXPECT_THAT(stack.err, MatchesRegex("civita: there is not enough memory: the stack [^\n]+\n"));
}

TEST(Faults, WithoutThreadsAMessageComes) {
#ifdef CIVITA_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizer looks for leaks on a thread of its own";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "another user is needed, whose processes can be limited";
  const Shell shell;
  fs::permissions(shell.path(), fs::perms::all);
  for (const char* command :
       {"run arm7 --headless --duration 0.05", "run arm7 --headless --duration 0.05 --out run",
        "eval arm7 --quantities H", "compare arm7 --vary seed=1,2",
        "survive quadruped --trials 1"}) {
    const ShellResult result =
        shell.Run("setpriv --reuid 65534 --clear-groups prlimit --nproc=1:1 '" CIVITA_PROGRAM "' " +
                  std::string(command));
    EXPECT_THAT(result.code, testing::AnyOf(kExitDone, kExitFailed)) << command << result.err;
    if (result.code == kExitFailed) {
      EXPECT_THAT(result.err, MatchesRegex("civita: [^\n]+\n")) << command;
    }
  }
}

}  // namespace faults_test
}  // namespace civita
