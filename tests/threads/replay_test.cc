#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "civita/error.h"
#include "civita/sim/recorder.h"
#include "civita/sim/session.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace replay_test {

using testing::HasSubstr;

class Replay : public testing::Test {
 protected:
  /// Records `steps` steps to a folder. Returns the motion, step by step.
  std::vector<std::vector<double>> Record(const std::string& name, long steps,
                                          const std::vector<std::string>& overrides = {},
                                          const std::string& scene = "arm7") {
    Simulation simulation = MakeSimulation(scene, overrides);
    Recorder recorder(simulation, Path(name));
    std::vector<std::vector<double>> motion;
    for (long k = 0; k < steps; ++k) {
      motion.emplace_back(simulation.data()->qpos, simulation.data()->qpos + simulation.mj()->nq);
      EXPECT_TRUE(simulation.Step());
      recorder.Add(simulation.record());
    }
    fall_ = simulation.fall();
    recorder.Finish(simulation, 1, false);
    return motion;
  }
  std::filesystem::path Path(const std::string& name) const { return folder_.path() / name; }
  std::unique_ptr<RunRecord> Read(const std::string& name) const {
    return std::make_unique<RunRecord>(Path(name));
  }
  static std::unique_ptr<Scene> SceneOf(const RunRecord& record) {
    return LoadScene(record.config());
  }
  static const Snapshot& Do(Session* session, Command command) {
    EXPECT_TRUE(session->Post(std::move(command)));
    return WaitUntil(session, [&](const Snapshot& s) { return session->HasAnswered(s); });
  }
  template <typename Condition>
  static const Snapshot& WaitUntil(Session* session, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(600);
    while (!condition(session->Latest()) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    EXPECT_TRUE(condition(session->Latest()));
    return session->Latest();
  }

  TemporaryFolder folder_;
  Fall fall_;  ///< of the run recorded last
};

TEST_F(Replay, ShowsEveryStepWithTheBitsThatWereRecorded) {
  const std::vector<std::vector<double>> motion = Record("run", 400);
  auto record = Read("run");
  ASSERT_EQ(record->size(), 400u);
  auto scene = SceneOf(*record);
  Session session(std::move(scene), std::move(record), true);
  EXPECT_TRUE(session.is_replay());
  EXPECT_EQ(session.Latest().qpos, motion[0]);
  EXPECT_EQ(session.Latest().newest_t, 0.399);
  EXPECT_EQ(Do(&session, command::Rewind{0.123}).qpos, motion[123]);
  EXPECT_EQ(Do(&session, command::StepOnce{-1}).qpos, motion[122]);
  Do(&session, command::SetSpeed{0});
  Do(&session, command::Play{});
  const Snapshot& end =
      WaitUntil(&session, [](const Snapshot& s) { return s.state == RunState::kPaused; });
  EXPECT_EQ(end.step, 399) << "it pauses at the end";
  EXPECT_EQ(end.qpos, motion[399]);
  TraceRow row;
  const std::size_t q = session.signals().Find("/q")->column;
  for (std::size_t k = 0; k < 400; ++k) {
    ASSERT_TRUE(session.PopTrace(&row));
    ASSERT_EQ(row.values[q], static_cast<float>(motion[k][0]));
  }
  EXPECT_FALSE(session.PopTrace(&row));
}

TEST_F(Replay, TakesNoInput) {
  Record("run", 50);
  auto record = Read("run");
  auto scene = SceneOf(*record);
  Session session(std::move(scene), std::move(record), true);
  const Snapshot& s = Do(&session, command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 1)});
  EXPECT_THAT(s.last_command_error, HasSubstr("takes no input"));
  Do(&session, command::Rewind{0.03});
  EXPECT_EQ(Do(&session, command::Reset{}).t, 0);
  EXPECT_EQ(session.Latest().newest_t, 0.049);
}

TEST_F(Replay, TwoRunsStandSideBySide) {
  const auto a = Record("a", 100);
  const auto b = Record("b", 80, {"controller.factorization=t:3"});
  auto record = Read("a"), other_record = Read("b");
  auto scene = SceneOf(*record), other = SceneOf(*other_record);
  Session session(std::move(scene), std::move(record), true, std::move(other),
                  std::move(other_record));
  const Snapshot& s = Do(&session, command::Rewind{0.07});
  EXPECT_EQ(s.qpos, a[70]);
  EXPECT_EQ(s.other.qpos, b[70]);
  EXPECT_EQ(Do(&session, command::Rewind{0.095}).other.qpos, b[79]) << "at its end it stays";
  TraceRow row;
  for (std::size_t k = 0; k < 100; ++k) {
    ASSERT_TRUE(session.PopTrace(&row));
    EXPECT_EQ(std::isnan(row.values[session.signals().width()]), k >= 80);
  }
  EXPECT_FALSE(session.Latest().figures.values.empty());
}

TEST_F(Replay, FallsAreToldFromTheStepOnThatShowsThem) {
  Record("run", 1500, {"pushes=[{start_s: 0.1, duration_s: 0.1, impulse_Ns: [0, 150, 0]}]"},
         "quadruped");
  ASSERT_TRUE(fall_.fallen);
  ASSERT_FALSE(fall_.freely);
  auto record = Read("run");
  auto scene = SceneOf(*record);
  Session session(std::move(scene), std::move(record), true);
  TraceRow row;
  for (std::size_t k = 0; k < 1500; ++k) {
    while (!session.PopTrace(&row)) std::this_thread::yield();
  }
  const Fall shown = Do(&session, command::Rewind{1.4}).fall;
  EXPECT_TRUE(shown.fallen);
  EXPECT_EQ(shown.t, fall_.t);
  EXPECT_EQ(shown.height, fall_.height);
  EXPECT_EQ(Describe(shown), Describe(fall_));
  EXPECT_FALSE(Do(&session, command::Rewind{fall_.t - 0.002}).fall.fallen);
  EXPECT_TRUE(Do(&session, command::Rewind{fall_.t}).fall.fallen);
}

TEST_F(Replay, AKilledRunKeepsItsCompleteRows) {
  Record("run", 50);
  const std::filesystem::path csv = Path("run") / "signals.csv";
  const auto size = std::filesystem::file_size(csv);
  // A row without its end may have lost digits of its last number.
  for (const unsigned lost : {1u, 3u, 40u}) {
    std::filesystem::resize_file(csv, size - lost);
    EXPECT_EQ(Read("run")->size(), 49u) << lost;
  }
}

TEST_F(Replay, RowsComeFromTheFileInAnyOrder) {
  Record("run", 200);
  const std::unique_ptr<RunRecord> record = Read("run");
  record->Arrange(SignalTable(*SceneOf(*record)));
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < record->size(); ++k) {
    const std::span<const double> row = record->row(k);
    rows.emplace_back(row.begin(), row.end());
  }
  for (const std::size_t k : {199u, 0u, 64u, 63u, 128u, 127u, 5u, 199u}) {
    const std::span<const double> row = record->row(k);
    for (std::size_t c = 0; c < row.size(); ++c) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(row[c]), std::bit_cast<std::uint64_t>(rows[k][c]));
    }
  }
  // Rows that the file has lost since are no numbers.
  std::filesystem::resize_file(Path("run") / "signals.csv", 100);
  EXPECT_TRUE(std::isnan(record->row(150)[0]));
}

TEST_F(Replay, WhatIsNoRunIsRefused) {
  EXPECT_FALSE(IsRunFolder(folder_.path()));
  EXPECT_THROW(RunRecord(folder_.path()), UserError);
  Record("run", 5);
  EXPECT_TRUE(IsRunFolder(Path("run")));
  const auto refused = [this](const std::string& rows) {
    std::ofstream(Path("run") / "signals.csv") << "t,/q/0\n" << rows;
    try {
      Read("run");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused("0,1\nrubbish\n1,2\n"), HasSubstr("row 2 is not a row of 2 numbers"));
  EXPECT_THAT(refused("0,1\nnan,1\n"), HasSubstr("row 2 has no finite time"));
  EXPECT_THAT(refused("inf,1\n"), HasSubstr("row 1 has no finite time"));
  EXPECT_THAT(refused("0,1\n1,1\n1,1\n"), HasSubstr("row 3 is not later than the row before"));
  std::ofstream(Path("run") / "signals.csv") << "t,/q/0\n0,1\n";
  RunRecord record(Path("run"));
  EXPECT_THROW(record.Arrange(SignalTable(*SceneOf(record))), UserError);
}

TEST_F(Replay, ARecordingStartsAndStopsWhileTheRunGoesOn) {
  Session session(LoadScene(ReadConfig("arm7")), true);
  Do(&session, command::StepOnce{30});
  WaitUntil(&session, [](const Snapshot& s) { return s.step == 30; });
  EXPECT_TRUE(Do(&session, command::StartRecording{Path("run")}).is_recording);
  EXPECT_THAT(Do(&session, command::StartRecording{Path("b")}).last_command_error,
              HasSubstr("another recording"));
  Do(&session, command::StepOnce{20});
  WaitUntil(&session, [](const Snapshot& s) { return s.step == 50; });
  EXPECT_FALSE(Do(&session, command::StopRecording{}).is_recording);
  WaitUntil(&session, [](const Snapshot& s) { return !s.is_saving; });
  EXPECT_EQ(Read("run")->size(), 20u) << "written, though the session goes on";
  Do(&session, command::StepOnce{10});
  WaitUntil(&session, [](const Snapshot& s) { return s.step == 60; });
  EXPECT_EQ(session.Stop()->steps, 20);
  auto record = Read("run");
  EXPECT_EQ(record->size(), 20u);
  EXPECT_EQ(record->t(0), 0.03);
  auto scene = SceneOf(*record);
  Session shown(std::move(scene), std::move(record), true);
  EXPECT_EQ(shown.Latest().t, 0.03);
  EXPECT_EQ(shown.Latest().oldest_saved_t, 0.03);
}

}  // namespace replay_test
}  // namespace civita
