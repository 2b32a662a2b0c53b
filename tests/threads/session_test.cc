#include "civita/sim/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "civita/factorization_text.h"
#include "civita/sim/recorder.h"
#include "tests/sim/sim_fixtures.h"
#include "tests/sim/throwing_law.h"
#include "tests/threads/session_waits.h"

namespace civita {
namespace session_test {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

TEST(Session, ShowsTheStartAndStaysThereWhenPaused) {
  Session session(Load("planar_2r"), true);
  const Snapshot& snapshot = session.Latest();
  EXPECT_EQ(snapshot.state, RunState::kPaused);
  EXPECT_EQ(snapshot.t, 0);
  EXPECT_EQ(snapshot.qpos.size(), 2u);
  EXPECT_EQ(snapshot.gains.size(), 3u);  // Λ, K_D and a G that is not there
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(session.Latest().step, 0);
}

TEST(Session, StepsExactlyAsOften) {
  Session session(Load("planar_2r"), true);
  ASSERT_TRUE(session.Post(command::StepOnce{}));
  ASSERT_TRUE(session.Post(command::StepOnce{249}));
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 250; }));
  EXPECT_EQ(session.Latest().t, 0.25);
  EXPECT_EQ(session.Latest().state, RunState::kPaused);
  TraceRow row;
  for (int k = 0; k < 250; ++k) {
    ASSERT_TRUE(session.PopTrace(&row));
    EXPECT_EQ(row.t, k / 1000.0);
    EXPECT_EQ(row.values.size(), session.signals().width());
  }
  EXPECT_FALSE(session.PopTrace(&row));
  EXPECT_EQ(session.dropped_rows(), 0);
}

// A row's storage must not enter the ring, where the simulation's thread might have to enlarge it.
TEST(Session, RowsOfTracesStayTheReaders) {
  Session session(Load("planar_2r"), true);
  session.Post(command::StepOnce{3});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 3; }));
  TraceRow row;
  row.values.reserve(session.signals().width());
  const float* const storage = row.values.data();
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(session.PopTrace(&row));
    EXPECT_EQ(row.values.data(), storage);
  }
}

TEST(Session, GivesTheBitsOfAHeadlessRun) {
  Simulation simulation = MakeSimulation("arm7");
  ASSERT_EQ(simulation.RunFor(300), 300);
  Session session(Load("arm7"), true);
  session.Post(command::StepOnce{300});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 300; }));
  for (int i = 0; i < simulation.mj()->nq; ++i) {
    EXPECT_EQ(session.Latest().qpos[static_cast<std::size_t>(i)], simulation.data()->qpos[i]);
  }
}

// A loaded machine may be slower than requested, never faster.
TEST(Session, KeepsTheSpeed) {
  for (const double speed : {0.1, 1.0, 4.0}) {
    Session session(Load("planar_2r"), true);
    session.Post(command::SetSpeed{speed});
    session.Post(command::Play{});
    const Clock::time_point start = Clock::now();
    ASSERT_TRUE(WaitUntil(&session, [&](const Snapshot& s) { return s.t > 0.1 * speed; }));
    session.Post(command::Pause{});
    ASSERT_TRUE(WaitForCommands(&session, 3));
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    EXPECT_LE(session.Latest().t, speed * elapsed + 0.002);
    EXPECT_EQ(session.target_speed(), speed);
  }
}

TEST(Session, TellsTheSpeedThatWasAskedForLast) {
  Session session(Load("planar_2r"), true);
  EXPECT_EQ(session.target_speed(), 1);
  for (const auto& [asked, held] : {std::pair{0.5, 0.5}, {100.0, 8.0}, {-1.0, 0.0}}) {
    session.Post(command::SetSpeed{asked});
    EXPECT_EQ(session.target_speed(), held) << "whether or not the thread has seen it";
  }
}

TEST(Session, UnwatchedKeepsTheSpeedAndWakesLess) {
  Session session(Load("planar_2r"));
  const auto steps_per_wake = [&session] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const long wakes = usage.ru_nvcsw, step = session.Latest().step;
    std::this_thread::sleep_for(milliseconds(400));
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(session.Latest().step - step) /
           static_cast<double>(usage.ru_nvcsw - wakes);
  };
  // A loaded machine wakes any session late for a while.
  double watched = 0, unwatched = 0;
  for (int i = 0; i < 20 && unwatched <= 2 * watched; ++i) {
    session.set_watched(true);
    watched = steps_per_wake();
    session.set_watched(false);
    unwatched = steps_per_wake();
  }
  EXPECT_GT(unwatched, 2 * watched);
  EXPECT_GT(session.Latest().t, 0.3);
}

TEST(Session, UnlimitedIsFaster) {
  Session session(Load("planar_2r"), true);
  session.Post(command::SetSpeed{0});
  session.Post(command::Play{});
  EXPECT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.real_time_factor > 1.2; }));
}

TEST(Session, AnswersCommandsAtTheSlowestSpeedAndWhenPaused) {
  Session session(Load("planar_2r"));
  session.Post(command::SetSpeed{0.001});
  ASSERT_TRUE(WaitForCommands(&session, 1));
  double fastest = 1;
  for (int n = 2; n < 12; ++n) {
    const Clock::time_point start = Clock::now();
    session.Post(n < 7 ? Command(command::SetSpeed{0.001}) : Command(command::Pause{}));
    while (session.Latest().commands_applied < n) std::this_thread::yield();
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  EXPECT_LT(fastest, 0.005);
}

// Both runs of a comparison are thrown alike, and compared from the throw on.
TEST(Session, ThrowsBothRunsAndMeasuresFromThere) {
  Session session(Load("arm7"), true, {}, Load("arm7", {"controller.factorization=t:1"}));
  session.Post(command::StepOnce{100});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 100; }));
  const Eigen::VectorXd v_a = session.Latest().measured.v, v_b = session.Latest().other.measured.v;
  session.Post(command::ThrowOff{{0.5, 2}});
  session.Post(command::StepOnce{1});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 101; }));
  const Snapshot& thrown = session.Latest();
  const Eigen::VectorXd by_a = thrown.measured.v - v_a, by_b = thrown.other.measured.v - v_b;
  EXPECT_NEAR(by_a.norm(), 0.5 * std::sqrt(7), 0.05);
  EXPECT_LT((by_a - by_b).norm(), 0.05);
  EXPECT_TRUE(thrown.figures.since_throw);
  EXPECT_EQ(thrown.figures.since_t, 0.1);
  session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 7)});
  ASSERT_TRUE(WaitForCommands(&session, 4));
  EXPECT_FALSE(session.Latest().figures.since_throw);
}

TEST(Session, ChangesGainsAndFactorizationLive) {
  Session session(Load("arm7"), true);
  session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 7)});
  session.Post(
      command::SetFactorization{ParseFactorization("t:0.5", session.scene().control_model)});
  ASSERT_TRUE(WaitForCommands(&session, 2));
  EXPECT_EQ(session.Latest().gains[0], Eigen::VectorXd::Constant(7, 7));
  EXPECT_EQ(session.Latest().factorization, "t:0.5");
  EXPECT_EQ(session.Latest().last_command_error, "");
  session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, -1)});
  ASSERT_TRUE(WaitForCommands(&session, 3));
  EXPECT_THAT(session.Latest().last_command_error, HasSubstr("Lambda"));
  EXPECT_EQ(session.Latest().gains[0], Eigen::VectorXd::Constant(7, 7));
  EXPECT_EQ(session.Latest().commands_refused, 1);
  session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, -1)});
  session.Post(command::SwitchBranch{});
  ASSERT_TRUE(WaitForCommands(&session, 5));
  EXPECT_EQ(session.Latest().commands_refused, 3) << "each, for whatever reason";
}

TEST(Session, RewindsAndRepeatsTheSameBits) {
  Session session(Load("arm7"), true);
  session.Post(command::StepOnce{500});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 500; }));
  const std::vector<double> first = session.Latest().qpos;
  session.Post(command::Rewind{0.2345});
  ASSERT_TRUE(WaitForCommands(&session, 2));
  EXPECT_EQ(session.Latest().step, 234);
  session.Post(command::StepOnce{266});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 500; }));
  EXPECT_EQ(session.Latest().qpos, first);
  TraceRow row;
  int rows = 0;
  while (session.PopTrace(&row)) rows += row.kind == TraceRow::Kind::kStep ? 1 : 1000;
  EXPECT_EQ(rows, 500) << "what was known is not sent again";
  session.Post(command::Rewind{-1});
  ASSERT_TRUE(WaitForCommands(&session, 4));
  EXPECT_EQ(session.Latest().step, 0);
}

TEST(Session, FailsWithTheReasonAndRecovers) {
  const TemporaryFolder folder;
  Session session(Load(WriteBallArm(folder), {kBallArmThrow, "gains.K_D=1e6"}), true);
  session.Post(command::SetSpeed{0});
  session.Post(command::Play{});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.state == RunState::kFailed; }));
  EXPECT_THAT(session.Latest().failure.reason, HasSubstr(" at t = "));
  session.Post(command::Play{});
  ASSERT_TRUE(WaitForCommands(&session, 3));
  EXPECT_EQ(session.Latest().state, RunState::kFailed);
  EXPECT_THAT(session.Latest().last_command_error, HasSubstr("failed"));
  session.Post(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 20)});
  session.Post(command::Reset{});
  ASSERT_TRUE(WaitForCommands(&session, 5));
  EXPECT_EQ(session.Latest().state, RunState::kPaused);
  EXPECT_FALSE(session.Latest().failure.failed);
  session.Post(command::StepOnce{100});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 100; }));
}

TEST(Session, RecordsWhatWasNotTakenBack) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder.path() / "run";
  Session session(Load("planar_2r"), true, out);
  session.Post(command::StepOnce{300});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 300; }));
  session.Post(command::Rewind{0.1});
  session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 3)});
  session.Post(command::StepOnce{50});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 150; }));
  const std::optional<RunSummary> summary = session.Stop();
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->steps, 150);
  std::ifstream csv(out / "signals.csv");
  int lines = 0;
  for (std::string line; std::getline(csv, line);) ++lines;
  EXPECT_EQ(lines, 151);
  std::ifstream json(out / "run.json");
  const std::string text((std::istreambuf_iterator<char>(json)), std::istreambuf_iterator<char>());
  EXPECT_THAT(text, HasSubstr("gains.Lambda = 3"));
}

TEST(Session, SurvivesALawThatThrows) {
  const TemporaryFolder folder;
  Session session(MakeThrowingScene({.place = ThrowingLaw::Place::kControl, .from_s = 0.02}), true,
                  folder.path() / "run");
  session.Post(command::StepOnce{1000});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.state == RunState::kFailed; }));
  EXPECT_THAT(session.Latest().failure.reason, HasSubstr("the law threw: out of ideas"));
  EXPECT_EQ(session.Latest().failure.cause, FailureCause::kLaw);
  EXPECT_EQ(session.Latest().step, 21);
  session.Post(command::Rewind{0.01});
  session.Post(command::StepOnce{5});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 15; }));
  EXPECT_EQ(session.Latest().state, RunState::kPaused);
  EXPECT_FALSE(session.Latest().failure.failed);
  const std::optional<RunSummary> summary = session.Stop();
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->steps, 21) << "the known future is kept";
}

TEST(Session, RepeatedPushesAreTheSimulationsOwn) {
  Simulation simulation = MakeSimulation("arm7");
  const Push push{.body = mj_name2id(simulation.mj(), mjOBJ_BODY, "hand"),
                  .duration_s = 0.02,
                  .force = {10, 0, 0}};
  simulation.AddPush(push, 0.05);
  ASSERT_EQ(simulation.RunFor(300), 300);
  Session session(Load("arm7"), true);
  session.Post(command::AddPush{push, 0.05});
  session.Post(command::StepOnce{300});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 300; }));
  for (int i = 0; i < simulation.mj()->nq; ++i) {
    EXPECT_EQ(session.Latest().qpos[static_cast<std::size_t>(i)], simulation.data()->qpos[i]);
  }
}

TEST(Session, SleepsWhilePausedUntilACommand) {
  const auto sleeps = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  };
  Session session(Load("planar_2r"), true);
  session.Post(command::StepOnce{3});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 3; }));
  std::this_thread::sleep_for(milliseconds(50));
  const long before = sleeps();
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LT(sleeps() - before, 20);
  session.Post(command::StepOnce{1});
  EXPECT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 4; }));
}

// For the thread sanitizer: rows are dropped while the writing thread is idle and about to flush.
TEST(Recorder, DropsRowsWhileItsThreadWrites) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation("planar_2r");
  Recorder recorder(simulation, folder.path() / "run");
  const Simulation::Saved start = [&] {
    Simulation::Saved saved;
    simulation.Save(&saved);
    return saved;
  }();
  for (int round = 0; round < 100; ++round) {
    for (int k = 0; k < 5; ++k) {
      ASSERT_TRUE(simulation.Step());
      recorder.Add(simulation.record());
    }
    std::this_thread::sleep_for(milliseconds(2));
    if (round == 99) break;
    simulation.Restore(start);
    recorder.DropFrom(0);
  }
  EXPECT_EQ(recorder.Finish(simulation, 1, false).steps, 5);
}

// For the thread sanitizer: all commands while the simulation runs and is read.
TEST(Session, IsFreeOfRacesUnderAllCommands) {
  const TemporaryFolder folder;
  Session session(Load("arm7"), false, folder.path() / "run");
  const int hand = mj_name2id(session.mj(), mjOBJ_BODY, "hand");
  ASSERT_GT(hand, 0);
  const Model& model = session.scene().control_model;
  const Factorization plain = ParseFactorization("plain", model);
  TraceRow row;
  double sum = 0;
  int posted = 0;
  const auto post = [&](Command command) { posted += session.Post(std::move(command)) ? 1 : 0; };
  for (int k = 0; k < 60; ++k) {
    post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(k % 2 == 0 ? 1 : 7, 5 + k % 3)});
    post(command::SetFactorization{k % 2 == 0 ? plain : Factorization()});
    post(command::SetSpeed{k % 3 == 0 ? 0.0 : 1.0 + k % 5});
    post(command::AddPush{{.body = hand, .start_s = 0, .duration_s = 0.01, .force = {1, 2, 3}}});
    if (k % 10 == 1) post(command::AddPush{{.body = hand, .duration_s = 0.01}, 0.02});
    if (k % 10 == 6) post(command::StopPushes{});
    post(command::Perturb{.body = k % 2 == 0 ? hand : 0, .xfrc = {1, 0, 0, 0, 0, 0}});
    if (k % 7 == 3) post(command::Pause{});
    if (k % 7 == 3) post(command::StepOnce{5});
    if (k % 7 == 4) post(command::Play{});
    if (k % 11 == 5) post(command::Rewind{session.Latest().t - 0.05});
    if (k % 20 == 19) post(command::Reset{});
    const Snapshot& snapshot = session.Latest();
    for (const double x : snapshot.qpos) sum += x;
    sum += snapshot.measured.residuals.skew + static_cast<double>(snapshot.factorization.size());
    while (session.PopTrace(&row)) sum += row.values[0];
    std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_TRUE(WaitForCommands(&session, posted));
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_EQ(session.Latest().last_command_error, "");
  EXPECT_TRUE(session.Stop().has_value());
}

TEST(Session, ASecondRunGoesInStep) {
  const std::vector<std::string> twisted = {"controller.factorization=t:3"};
  Simulation alone = MakeSimulation("arm7", twisted);
  ASSERT_EQ(alone.RunFor(300), 300);
  Session session(Load("arm7"), true, {}, Load("arm7", twisted));
  session.Post(command::StepOnce{300});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 300; }));
  const Snapshot& snapshot = session.Latest();
  EXPECT_EQ(snapshot.other.factorization, "t:3");
  EXPECT_NE(snapshot.other.qpos, snapshot.qpos);
  for (int i = 0; i < alone.mj()->nq; ++i) {
    EXPECT_EQ(snapshot.other.qpos[static_cast<std::size_t>(i)], alone.data()->qpos[i]);
  }
  TraceRow row;
  ASSERT_TRUE(session.PopTrace(&row));
  const std::size_t columns = session.signals().width();
  ASSERT_EQ(row.values.size(), columns + session.signals(Slot::kB).width());
  EXPECT_EQ(row.values[0], row.values[columns]) << "the same start";
  const auto value = [&](Slot slot, const char* key) {
    const std::vector<MetricInfo>& metrics = session.metrics(slot);
    const std::size_t metric =
        FindMetric(metrics, {.key = key, .label = "", .unit = "", .doc = ""});
    return (slot == Slot::kA ? snapshot.figures : snapshot.other.figures).values.at(metric);
  };
  EXPECT_GT(value(Slot::kA, "error_rms"), 0);
  EXPECT_NE(value(Slot::kA, "error_rms"), value(Slot::kB, "error_rms"));
  EXPECT_GT(value(Slot::kB, "ideal_turning_rad"), 0);
  EXPECT_EQ(value(Slot::kA, "ideal_turning_rad"), 0);
}

TEST(Session, CommandsReachTheRunThatTheyName) {
  Session session(Load("planar_2r"), true, {}, Load("planar_2r"));
  session.Post(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 30.0), Slot::kB});
  const Factorization plain = Factorization::Torsion(1);
  session.Post(command::SetFactorization{plain, Slot::kA});
  ASSERT_TRUE(WaitForCommands(&session, 2));
  const Snapshot& snapshot = session.Latest();
  EXPECT_NE(snapshot.gains[1], snapshot.other.gains[1]);
  EXPECT_EQ(snapshot.other.gains[1][0], 30);
  EXPECT_EQ(snapshot.factorization, "plain");
  EXPECT_EQ(snapshot.other.factorization, "christoffel");

  Session single(Load("planar_2r"), true);
  single.Post(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 30.0), Slot::kB});
  ASSERT_TRUE(WaitForCommands(&single, 1));
  EXPECT_THAT(single.Latest().last_command_error, HasSubstr("no second run"));
}

TEST(Session, AFailureOfTheSecondRunStopsItAlone) {
  const TemporaryFolder folder;
  const std::string arm = WriteBallArm(folder);
  Session session(Load(arm, {kBallArmThrow}), true, {},
                  Load(arm, {kBallArmThrow, "gains.K_D=1e6"}));
  session.Post(command::StepOnce{1000});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 1000; }));
  EXPECT_EQ(session.Latest().state, RunState::kPaused);
  EXPECT_FALSE(session.Latest().failure.failed);
  const Failure failure = session.Latest().other.failure;
  ASSERT_TRUE(failure.failed);
  TraceRow row;
  while (session.PopTrace(&row)) {
  }
  EXPECT_TRUE(std::isnan(row.values.back()));

  // After a rewind to later than its end it stays failed; earlier than that it resumes in step.
  session.Post(command::Rewind{0.9});
  ASSERT_TRUE(WaitForCommands(&session, 2));
  EXPECT_TRUE(session.Latest().other.failure.failed);
  session.Post(command::Rewind{0});
  ASSERT_TRUE(WaitForCommands(&session, 3));
  EXPECT_FALSE(session.Latest().other.failure.failed);
  EXPECT_EQ(session.Latest().other.qpos, session.Latest().qpos);
  EXPECT_EQ(session.Latest().figures.since_t, 0);
}

}  // namespace session_test
}  // namespace civita
