#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/scenes/schema/formula.h"
#include "civita/sim/session.h"
#include "tests/app/child_program.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace verify_test {

using testing::HasSubstr;

ChildResult Execute(const std::vector<std::string>& arguments) {
  return ChildProgram(arguments).Wait();
}

class VerifyVerb : public testing::Test {
 protected:
  void SetUp() override {
    const ChildResult run = Execute({"run", "arm7", "--headless", "--duration", "0.05", "--set",
                                     "noise.joint_position=1e-4", "--out", directory()});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  std::string directory() const { return (folder_.path() / "run").string(); }

  TemporaryFolder folder_;
};

TEST_F(VerifyVerb, RepeatsARunBitForBit) {
  const ChildResult result = Execute({"verify", directory()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("51 rows, 0 to 0.05 s"));
  const nlohmann::json run = nlohmann::json::parse(ReadAll(directory() + "/run.json"));
  EXPECT_THAT(result.out,
              HasSubstr("repeated bit for bit, hash " + run["hash"].get<std::string>()));
}

TEST_F(VerifyVerb, TellsOfRowsThatTheRunDidNotWrite) {
  const std::string path = directory() + "/signals.csv";
  std::string text = ReadAll(path);
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  std::ofstream(path) << text;
  const ChildResult result = Execute({"verify", directory()});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.err, HasSubstr("signals.csv is not what the run wrote"));
  std::filesystem::remove(directory() + "/run.json");
  const ChildResult untold = Execute({"verify", directory()});
  EXPECT_EQ(untold.code, 0) << "nothing is told of a killed run";
  EXPECT_THAT(untold.err, HasSubstr("run.json is missing: there is no hash to compare"));
}

TEST_F(VerifyVerb, LooksAtAllFiles) {
  const auto verify_with = [this](const std::string& name, const std::string& text) {
    const std::string path = directory() + "/" + name, whole = ReadAll(path);
    std::ofstream(path) << text;
    const ChildResult result = Execute({"verify", directory()});
    std::ofstream(path) << whole;
    return result;
  };
  const std::string timing = ReadAll(directory() + "/timing.csv");
  const ChildResult shorter = verify_with("timing.csv", timing.substr(0, timing.size() / 2));
  EXPECT_EQ(shorter.code, 1);
  EXPECT_THAT(shorter.err, HasSubstr("rows, signals.csv 51"));
  std::string npz = ReadAll(directory() + "/signals.npz");
  const ChildResult cut = verify_with("signals.npz", npz.substr(0, npz.size() - 100));
  EXPECT_EQ(cut.code, 1);
  EXPECT_THAT(cut.err, HasSubstr("signals.npz does not hold the rows of signals.csv"));
  npz[npz.size() / 2] ^= 1;
  EXPECT_EQ(verify_with("signals.npz", npz).code, 1) << "a bit";
  const ChildResult half = verify_with("run.json", "{\"hash\": ");
  EXPECT_EQ(half.code, 0) << half.err;
  EXPECT_THAT(half.err, HasSubstr("run.json is damaged: there is no hash"));
  std::filesystem::remove(directory() + "/signals.npz");
  const ChildResult without = Execute({"verify", directory()});
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_THAT(without.err, HasSubstr("signals.npz is missing"));
}

TEST_F(VerifyVerb, WhatFollowsTheLastRowIsNoneOfTheRuns) {
  for (const char* name : {"signals.csv", "timing.csv"}) {
    const std::string path = directory() + "/" + name, whole = ReadAll(path);
    std::ofstream(path) << whole << "7,8";
    const ChildResult result = Execute({"verify", directory()});
    std::ofstream(path) << whole;
    EXPECT_EQ(result.code, 1) << name;
    EXPECT_THAT(result.err, HasSubstr("ends within a row"));
  }
}

TEST(VerifyRecording, BeginsWhereItDoes) {
  const TemporaryFolder folder;
  const auto record = [&](const std::string& name, bool changed) {
    const std::filesystem::path path = folder.path() / name;
    Session session(LoadScene(ReadConfig("arm7", {"noise.joint_position=1e-4"})), true);
    const auto go = [&session](long step) {
      session.Post(command::StepOnce{step - session.Latest().step});
      while (session.Latest().step < step)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    go(120);
    if (changed) session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 3)});
    go(150);
    session.Post(command::StartRecording{path});
    go(200);
    EXPECT_TRUE(session.Stop().has_value());
    return Execute({"verify", path.string()});
  };
  const ChildResult result = record("as told", false);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("50 rows, 0.15 to 0.199 s"));
  EXPECT_THAT(result.out, HasSubstr("repeated bit for bit"));
  const ChildResult changed = record("changed", true);
  EXPECT_EQ(changed.code, 0) << changed.err;
}

/// Runs that are changed while they are recorded.
class VerifyChanges : public testing::Test {
 protected:
  static void Wait(Session* session) {
    while (!session->HasAnswered(session->Latest())) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  static void Go(Session* session, long step) {
    session->Post(command::StepOnce{step - session->Latest().step});
    while (session->Latest().step != step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  template <typename Change>
  void Record(const std::string& scene, const Change& change) {
    std::filesystem::remove_all(path());
    Session session(LoadScene(ReadConfig(scene)), true, path());
    change(&session);
    Wait(&session);
    EXPECT_TRUE(session.Stop().has_value());
  }
  ChildResult Verify() const { return Execute({"verify", path().string()}); }
  std::filesystem::path path() const { return folder_.path() / "run"; }

  TemporaryFolder folder_;
};

TEST_F(VerifyChanges, AreRepeated) {
  const auto push = [](double x, PushShape shape) {
    Push made;
    made.body = 3;
    made.start_s = 0.0123;
    made.duration_s = 0.03;
    made.force = {x, 1.0 / 3, 0};
    made.shape = shape;
    return made;
  };
  Record("arm7", [&](Session* session) {
    session->Post(command::SetGain{"Lambda", Eigen::VectorXd::LinSpaced(7, 1, 1.0 / 3)});
    Go(session, 30);
    session->Post(command::AddPush{push(20, PushShape::kHalfSine), 0.07});
    session->Post(command::SetFactorization{Factorization::Torsion(0.3)});
    Go(session, 90);
    session->Post(command::ThrowOff{{0.4, 5}});
    Go(session, 200);
    session->Post(command::StopPushes{});
    Push sine = push(3, PushShape::kSine);
    sine.omega = 20;
    sine.phase = 0.1;
    sine.duration_s = std::numeric_limits<double>::infinity();
    session->Post(command::AddPush{sine});
    Go(session, 300);
  });
  const ChildResult result = Verify();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("300 rows"));
}

TEST_F(VerifyChanges, EveryFormOfCAndPushesAtJointsAreRepeated) {
  const std::string S = folder_.Write("S.csv", "1 0 0 0 0 0 0\n0 1 0 0 0 0 0\n0 0 0 1 0 0 0\n");
  const std::string changed =
      "t:1+body:link7:ang:{0.2*cos(joint1)}+body:hand:lin:0.1+joint:{q[1]}:" + S +
      "+joint:0.5:" + S + "+form:random:3:0.5";
  Push turn;
  turn.body = 3;
  turn.joint = 1;
  turn.force = {2.5, 0, 0};
  Record("arm7", [&](Session* session) {
    Go(session, 30);
    session->Post(
        command::SetFactorization{ReadFactorization(changed, session->scene().control_model)});
    session->Post(command::AddPush{turn, 0});
    Go(session, 60);
  });
  const std::string run = ReadAll((path() / "run.json").string());
  EXPECT_THAT(run, HasSubstr("push at joint2 by 2.5 N·m"));
  EXPECT_THAT(run, HasSubstr("{0.2*cos(joint1)}"));
  const ChildResult result = Verify();
  EXPECT_EQ(result.code, 0) << result.err;
}

// Settings stay when time goes back, and so they are changes there.
TEST_F(VerifyChanges, AreRepeatedAfterTimeWentBack) {
  Record("arm7", [](Session* session) {
    Go(session, 50);
    session->Post(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 7)});
    session->Post(command::ThrowOff{{0.4, 5}});
    Go(session, 80);
    session->Post(command::Rewind{0.02});
    Wait(session);
    Go(session, 20);
    session->Post(command::SetFactorization{Factorization::Torsion(1)});  // a branch
    Go(session, 100);
  });
  EXPECT_EQ(Verify().code, 0) << Verify().err;
  Record("arm7", [](Session* session) {
    Go(session, 50);
    session->Post(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 7)});
    Go(session, 80);
    session->Post(command::Reset{});
    Wait(session);
    Go(session, 100);
  });
  EXPECT_EQ(Verify().code, 0) << Verify().err;
}

// The mouse gives a pull a frame, which lasts until the next one.
TEST_F(VerifyChanges, PullsOfTheMouseAreRepeated) {
  const auto pull = [](double x) {
    return command::Perturb{.body = 3, .xfrc = {x, 1.0 / 3, 0, 0, 0.1, x}};
  };
  Record("arm7", [&](Session* session) {
    Go(session, 20);
    session->Post(pull(30));
    Go(session, 40);
    session->Post(pull(20));
    session->Post(pull(20));
    Go(session, 60);
    session->Post(command::Perturb{});
    session->Post(command::Perturb{});
    Go(session, 100);
  });
  EXPECT_EQ(Verify().code, 0) << Verify().err;
  EXPECT_EQ(nlohmann::json::parse(ReadAll(path() / "run.json"))["events"].size(), 3u);
}

// A pull ends where time goes back in it, at the newest step too, and where the run starts anew.
TEST_F(VerifyChanges, PullsAreRepeatedAfterTimeWentBack) {
  const command::Perturb pull{.body = 3, .xfrc = {30, 0, 5, 0, 0, 0}};
  Record("arm7", [&](Session* session) {
    Go(session, 20);
    session->Post(pull);
    Go(session, 50);
    session->Post(command::Rewind{0.04});  // within the pull
    Wait(session);
    session->Post(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 7)});  // a branch
    Go(session, 60);
    session->Post(pull);
    Go(session, 80);
    session->Post(command::Rewind{0.07});
    session->Post(command::Rewind{0.08});  // to the newest step
    Wait(session);
    Go(session, 100);
  });
  EXPECT_EQ(Verify().code, 0) << Verify().err;
  Record("arm7", [&](Session* session) {
    Go(session, 20);
    session->Post(pull);
    Go(session, 50);
    session->Post(command::Reset{});
    Wait(session);
    Go(session, 60);
  });
  EXPECT_EQ(Verify().code, 0) << Verify().err;
}

TEST_F(VerifyChanges, OfADrivenRobotAreRepeated) {
  Record("quadruped", [](Session* session) {
    Go(session, 20);
    session->Post(command::SetDrive{DriveCommand{{0.3, 0.1}, 0.2}});
    Go(session, 60);
    session->Post(command::SetDrive{std::nullopt});
    Go(session, 90);
  });
  EXPECT_EQ(Verify().code, 0) << Verify().err;
}

TEST_F(VerifyChanges, AreThoseOfRunJson) {
  Record("arm7", [](Session* session) {
    Go(session, 20);
    session->Post(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 7)});
    Go(session, 60);
  });
  const std::filesystem::path file = path() / "run.json";
  const nlohmann::json run = nlohmann::json::parse(ReadAll(file));
  const auto verify_with = [&](const nlohmann::json& event) {
    nlohmann::json changed = run;
    changed["events"][0] = event;
    std::ofstream(file) << changed;
    return Verify();
  };
  ASSERT_EQ(run["events"].size(), 1u);
  nlohmann::json event = run["events"][0];
  EXPECT_EQ(event["input"], nlohmann::json({{"gains.K_D", {7.0}}}));
  event["input"]["gains.K_D"][0] = 7.000001;
  const ChildResult other = verify_with(event);
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("it was changed by hand while it ran"));
  event.erase("input");  // as of an earlier version
  EXPECT_EQ(verify_with(event).code, 1);
  for (const char* input :
       {R"({"gains.K": [1]})", R"({"gains.K_D": [1, 2]})", R"({"gains.K_D": "x"})",
        R"({"push": {"body": 3}})", R"({"factorization": "x"})", R"({"x": 1})", "[]",
        R"({"drive": [1]})", R"({"pull": {"body": 999, "wrench": [1, 2, 3, 4, 5, 6]}})",
        R"({"pull": {"body": 3, "wrench": [1, 2]}})",
        R"({"push": {"body": 999, "start_s": 0, "duration_s": 1, "force": [1, 2, 3],
                               "shape": 0, "of_tree": false, "omega": 0, "phase": 0, "joint": -1,
                               "every_s": 0}})"}) {
    event["input"] = nlohmann::json::parse(input);
    const ChildResult damaged = verify_with(event);
    EXPECT_EQ(damaged.code, 2) << input << damaged.err;
    EXPECT_THAT(damaged.err, HasSubstr("run.json: 'gains.K_D = 7' at 0.02 s cannot be repeated: "));
  }
  EXPECT_EQ(verify_with(3).code, 2);
}

TEST_F(VerifyVerb, TellsWhereARunDiffers) {
  const std::filesystem::path path = std::filesystem::path(directory()) / "config.yaml";
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  text += "\nseed: 7\n";
  if (const std::size_t at = text.find("seed: "); at + 9 < text.size()) {
    text.erase(text.rfind("\nseed: 7\n"));
    text.replace(at, text.find('\n', at) - at, "seed: 7");
  }
  std::ofstream(path) << text;
  const ChildResult result = Execute({"verify", directory()});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.out, HasSubstr("the same bits up to row"));
  EXPECT_THAT(result.err, HasSubstr("the run is not repeated"));
}

TEST_F(VerifyVerb, RefusesWhatIsNoRun) {
  const ChildResult result = Execute({"verify", folder_.path().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("is no run folder"));
}

/// A folder as a kill would leave it.
std::filesystem::path KilledCopy(const std::filesystem::path& run, std::size_t rows) {
  const std::filesystem::path killed = run.parent_path() / "killed";
  std::filesystem::remove_all(killed);
  for (const std::filesystem::path& table : {run / "signals.csv", run / "B/signals.csv"}) {
    const auto is_there = [&] {  // the tables are flushed twice a second
      const std::string text = ReadAll(table);
      return static_cast<std::size_t>(std::ranges::count(text, '\n')) > rows;
    };
    if (!std::filesystem::exists(table)) continue;
    while (!is_there()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::filesystem::copy(run, killed, std::filesystem::copy_options::recursive);
  return killed;
}

TEST_F(VerifyChanges, OfAKilledRecordingAreRepeatedUpToItsLastRow) {
  std::filesystem::path killed;
  {
    Session session(LoadScene(ReadConfig("planar_2r")), true, path());
    Go(&session, 30);
    session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 3)});
    Go(&session, 60);
    session.Post(command::StepOnce{-20});  // a branch takes its events along
    Wait(&session);
    session.Post(command::ThrowOff{{0.4, 9}});
    Go(&session, 300);
    killed = KilledCopy(path(), 300);
    session.Post(command::StopPushes{});
    Wait(&session);
  }
  EXPECT_FALSE(std::filesystem::exists(path() / "events.jsonl")) << "run.json has them";
  const ChildResult result = Execute({"verify", killed.string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("has not ended"));
  EXPECT_THAT(result.out, HasSubstr("300 rows"));
  // A kill within a line.
  const std::string events = ReadAll(killed / "events.jsonl");
  std::ofstream(killed / "events.jsonl") << events << "{\"t\": 0.31, \"what";
  EXPECT_EQ(Execute({"verify", killed.string()}).code, 0);
  std::ofstream(killed / "events.jsonl") << events.substr(0, events.find('\n') + 1);
  EXPECT_EQ(Execute({"verify", killed.string()}).code, 1) << "without the throw";
  std::ofstream(killed / "events.jsonl") << "no JSON\n";
  const ChildResult damaged = Execute({"verify", killed.string()});
  EXPECT_EQ(damaged.code, 2);
  EXPECT_THAT(damaged.err, HasSubstr("events.jsonl are damaged"));
  std::filesystem::remove(killed / "events.jsonl");
  nlohmann::json run = nlohmann::json::parse(ReadAll(killed / "run.json"));
  run.erase("events");  // as an earlier version left it
  std::ofstream(killed / "run.json") << run;
  const ChildResult unknown = Execute({"verify", killed.string()});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("cannot be judged"));
}

TEST_F(VerifyChanges, OfAComparisonBothRunsAreRepeated) {
  const std::vector<std::string> other = {"controller.factorization=t:3"};
  const auto record = [&](bool is_killed) {
    std::filesystem::remove_all(path());
    Session session(LoadScene(ReadConfig("planar_2r")), true, path(),
                    LoadScene(ReadConfig("planar_2r", other)));
    Go(&session, 20);
    session.Post(command::ThrowOff{{0.7, 5}});
    session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 4), Slot::kB});
    Go(&session, 80);
    const std::filesystem::path killed = is_killed ? KilledCopy(path(), 80) : path();
    EXPECT_EQ(session.Stop()->steps, 80);
    return killed;
  };
  for (const bool is_killed : {true, false}) {
    const std::filesystem::path run = record(is_killed);
    const ChildResult result = Execute({"verify", run.string()});
    EXPECT_EQ(result.code, 0) << result.err;
    const std::size_t first = result.out.find("repeated bit for bit");
    EXPECT_NE(result.out.find("repeated bit for bit", first + 1), std::string::npos) << result.out;
  }
  const auto told = [&](const std::filesystem::path& run) {
    return nlohmann::json::parse(ReadAll(run / "run.json"));
  };
  const nlohmann::json a = told(path()), b = told(path() / "B");
  EXPECT_EQ(b["config"]["controller"]["factorization"], "t:3");
  EXPECT_EQ(a["events"].size(), 1u);
  EXPECT_EQ(b["events"].size(), 2u);
  EXPECT_NE(a["hash"], b["hash"]);
  std::string rows = ReadAll(path() / "B/signals.csv");
  rows.replace(rows.rfind("\n0.0") + 1, 3, "0.1");
  std::ofstream(path() / "B/signals.csv") << rows;
  EXPECT_EQ(Verify().code, 1) << "B differs";
  // Another recording there has no second run, and no link leads out.
  std::filesystem::remove_all(path() / "B");
  const TemporaryFolder theirs;
  theirs.Write("run.json", ReadAll(path() / "run.json"));
  std::filesystem::create_directory_symlink(theirs.path(), path() / "B");
  {
    Session session(LoadScene(ReadConfig("planar_2r")), true, path());
    Go(&session, 10);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path() / "B")));
  EXPECT_TRUE(std::filesystem::exists(theirs.path() / "run.json"));
}

TEST_F(VerifyChanges, WithoutAStepNothingIsLeft) {
  Session session(LoadScene(ReadConfig("planar_2r")), true, {}, LoadScene(ReadConfig("planar_2r")));
  session.Post(command::StartRecording{path()});
  session.Post(command::StopRecording{});
  Wait(&session);
  EXPECT_THAT(session.Latest().recording_error, HasSubstr("the run was paused"));
  EXPECT_FALSE(std::filesystem::exists(path()));
  session.Post(command::StartRecording{path()});
  Go(&session, 5);
  session.Post(command::StopRecording{});
  EXPECT_EQ(session.Stop()->steps, 5);
  EXPECT_TRUE(std::filesystem::exists(path() / "B/run.json"));
}

}  // namespace verify_test
}  // namespace civita
