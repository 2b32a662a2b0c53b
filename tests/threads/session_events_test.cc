// What a session keeps apart: throws and pushes, branches of time, disks that are full.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "civita/sim/session.h"
#include "tests/sim/sim_fixtures.h"
#include "tests/sim/size_limit.h"
#include "tests/threads/session_waits.h"

namespace civita {
namespace session_events_test {

using std::chrono::milliseconds;
using testing::HasSubstr;

// The next push is not the throw's.
TEST(SessionEvents, WhatAThrowShowsEndsWithTheNextPush) {
  const std::vector<std::string> pushed = {
      "pushes=[{body: link2, start_s: 0.2, duration_s: 0.05, force_N: [30, 0, 0]}]"};
  Session session(Load("planar_2r", pushed), true, {}, Load("planar_2r", pushed));
  session.Post(command::StepOnce{100});
  const auto go = [&session](long step) {
    session.Post(command::StepOnce{step - session.Latest().step});
    return WaitUntil(&session, [step](const Snapshot& s) { return s.step == step; });
  };
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 100; }));
  session.Post(command::ThrowOff{{0.5, 2}});
  ASSERT_TRUE(go(200));
  EXPECT_TRUE(std::isnan(session.Latest().figures.until_t));
  const std::vector<double> before = session.Latest().figures.values;
  ASSERT_TRUE(go(300));
  EXPECT_EQ(session.Latest().figures.since_t, 0.1);
  EXPECT_EQ(session.Latest().figures.until_t, 0.2);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::isnan(before[i])) continue;
    EXPECT_EQ(session.Latest().figures.values[i], before[i]);
  }
  session.Post(command::ThrowOff{{0.5, 2}});
  ASSERT_TRUE(go(400));
  EXPECT_EQ(session.Latest().figures.since_t, 0.3);
  EXPECT_TRUE(std::isnan(session.Latest().figures.until_t)) << "a new one begins anew";
}

TEST(SessionEvents, DeadlineMissesAreThoseUpToTheTimeShown) {
  // No machine computes a step within 0.1 µs.
  Session session(Load("planar_2r", {"control.rate_hz=1e7", "physics.timestep_s=1e-7"}), true);
  session.Post(command::SetSpeed{0});
  session.Post(command::Play{});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step > 200; }));
  session.Post(command::Pause{});
  ASSERT_TRUE(WaitForCommands(&session, 3));
  const long steps = session.Latest().step;
  EXPECT_EQ(session.Latest().deadline_misses, steps);
  EXPECT_EQ(session.Latest().judged_steps, steps);
  EXPECT_EQ(session.Latest().first_miss_t, 0);
  session.Post(command::StepOnce{-steps});
  ASSERT_TRUE(WaitForCommands(&session, 4));
  EXPECT_EQ(session.Latest().deadline_misses, 0);
  EXPECT_EQ(session.Latest().judged_steps, 0);
  EXPECT_TRUE(std::isnan(session.Latest().first_miss_t));
  session.Post(command::StepOnce{7});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 7; }));
  EXPECT_EQ(session.Latest().deadline_misses, 7);
  // Another branch has misses of its own; steps one by one are none.
  session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 7)});
  session.Post(command::StepOnce{5});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step == 12; }));
  EXPECT_EQ(session.Latest().deadline_misses, 7);
  session.Post(command::SwitchBranch{});
  ASSERT_TRUE(WaitForCommands(&session, 8));
  session.Post(command::StepOnce{steps - session.Latest().step});
  ASSERT_TRUE(WaitUntil(&session, [steps](const Snapshot& s) { return s.step == steps; }));
  EXPECT_EQ(session.Latest().deadline_misses, steps);
}

TEST(SessionEvents, StepsOneByOneAreNotJudgedByTheDeadline) {
  Session session(Load("planar_2r", {"control.rate_hz=1e7", "physics.timestep_s=1e-7"}), true);
  const auto step_to = [&](long step) {
    session.Post(command::StepOnce{step - session.Latest().step});
    return WaitUntil(&session, [step](const Snapshot& s) { return s.step == step; });
  };
  ASSERT_TRUE(step_to(50));
  EXPECT_GT(session.Latest().step_p99_us, 0.1);
  EXPECT_EQ(session.Latest().judged_steps, 0);
  session.Post(command::SetSpeed{0});
  session.Post(command::Play{});
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return s.step > 200; }));
  session.Post(command::Pause{});
  ASSERT_TRUE(WaitForCommands(&session, 4));
  const long judged = session.Latest().step - 50;
  EXPECT_EQ(session.Latest().judged_steps, judged);
  EXPECT_EQ(session.Latest().deadline_misses, judged);
  // Another branch begins before.
  ASSERT_TRUE(step_to(20));
  session.Post(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 7)});
  ASSERT_TRUE(step_to(60));
  EXPECT_EQ(session.Latest().judged_steps, 0);
  session.Post(command::SwitchBranch{});
  ASSERT_TRUE(step_to(50 + judged));
  EXPECT_EQ(session.Latest().judged_steps, judged);
}

TEST(SessionEvents, ADiskThatIsFullEndsTheRecordingAndNotTheRun) {
  const TemporaryFolder folder;
  Session session(Load("planar_2r"), true);
  const SizeLimit limit(50'000);
  session.Post(command::StartRecording{folder.path() / "run"});
  session.Post(command::SetSpeed{0});
  session.Post(command::Play{});
  // The archive of states grows once those of the last minute do not fit into memory.
  ASSERT_TRUE(WaitUntil(
      &session, [](const Snapshot& s) { return s.t > 80 || s.state == RunState::kFailed; }));
  EXPECT_EQ(session.Latest().state, RunState::kRunning) << session.Latest().failure.reason;
  EXPECT_THAT(session.Latest().recording_error, HasSubstr("cannot be written"));
  EXPECT_FALSE(session.Latest().is_recording);
}

TEST(SessionEvents, ARecordingBeginsWhileTheOneBeforeIsWritten) {
  const TemporaryFolder folder;
  Session session(Load("planar_2r"), true);
  long until = 0;
  for (const char* name : {"a", "b", "c"}) {
    session.Post(command::StartRecording{folder.path() / name});
    session.Post(command::StepOnce{300});
    until += 300;
    ASSERT_TRUE(WaitUntil(&session, [&](const Snapshot& s) { return s.step == until; }));
    session.Post(command::StopRecording{});
  }
  ASSERT_TRUE(WaitForCommands(&session, 9));
  ASSERT_TRUE(WaitUntil(&session, [](const Snapshot& s) { return !s.is_saving; }));
  EXPECT_EQ(session.Latest().recording_error, "");
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name / "signals.npz")) << name;
  }
}

TEST(SessionEvents, ARecordingWithoutRoomForItsFilesLeavesNothing) {
  const TemporaryFolder folder;
  Session session(Load("planar_2r"), true);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  int refused = 0, commands = 0;
  for (rlim_t free_files = 1; free_files < 12; ++free_files) {
    const int next = dup(0);
    close(next);
    const rlimit limit{static_cast<rlim_t>(next) + free_files, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
    const std::filesystem::path path = folder.path() / std::to_string(free_files);
    session.Post(command::StartRecording{path});
    ASSERT_TRUE(WaitForCommands(&session, ++commands));
    setrlimit(RLIMIT_NOFILE, &before);
    if (session.Latest().is_recording) break;
    ++refused;
    EXPECT_THAT(session.Latest().last_command_error, testing::Not(testing::IsEmpty()));
    EXPECT_FALSE(std::filesystem::exists(path / "signals.csv")) << free_files;
  }
  EXPECT_GT(refused, 3);
  EXPECT_TRUE(session.Latest().is_recording) << "with room for all";
}

}  // namespace session_events_test
}  // namespace civita
