#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "civita/sim/recorder.h"
#include "civita/sim/session.h"
#include "civita/sim/state_history.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace timeline_test {

using testing::HasSubstr;

/// A paused session, two runs if `other` is given, whose commands are waited for.
class Timeline {
 public:
  explicit Timeline(const std::string& scene, const std::vector<std::string>& overrides = {},
                    const std::filesystem::path& directory = {},
                    std::unique_ptr<Scene> other = nullptr)
      : session(LoadScene(ReadConfig(scene, overrides)), true, directory, std::move(other)) {}

  const Snapshot& Do(Command command) {
    EXPECT_TRUE(session.Post(std::move(command)));
    return WaitUntil([this](const Snapshot& s) { return session.HasAnswered(s); });
  }
  const Snapshot& RunTo(long step) {
    Do(command::StepOnce{step - session.Latest().step});
    return WaitUntil([step](const Snapshot& s) { return s.step == step; });
  }
  const Snapshot& WaitUntil(const std::function<bool(const Snapshot&)>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(600);
    while (!condition(session.Latest()) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    EXPECT_TRUE(condition(session.Latest()));
    return session.Latest();
  }
  /// The rows since the last call, of all signals but the timings, as text that keeps their bits.
  std::vector<std::vector<float>> TakeRows() {
    std::vector<std::vector<float>> rows;
    TraceRow row;
    while (session.PopTrace(&row)) {
      if (row.kind != TraceRow::Kind::kStep) continue;
      std::vector<float> values(1, static_cast<float>(row.t));
      const std::size_t width = session.signals().width();
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        if (i % width < session.signals().timings_begin()) values.push_back(row.values[i]);
      }
      rows.push_back(std::move(values));
    }
    return rows;
  }

  Session session;
};

/// What is compared of the state at the end.
using State = std::vector<std::vector<double>>;
State StateOf(const Snapshot& s) { return {s.qpos, s.qvel, s.other.qpos}; }

struct Case {
  const char* name;
  const char* scene;
  std::vector<std::string> overrides;
  bool compared = false, pushed = false;
};

class GoingOn : public testing::TestWithParam<Case> {};

TEST_P(GoingOn, FromThePastGivesTheSameBits) {
  const Case& c = GetParam();
  std::vector<std::string> other = c.overrides;
  other.emplace_back("controller.factorization=t:2");
  Timeline line(c.scene, c.overrides, {},
                c.compared ? LoadScene(ReadConfig(c.scene, other)) : nullptr);
  const double dt = line.session.control_dt();
  const auto middle = std::lround(1 / dt), end = std::lround(2 / dt), odd = middle + 3;
  if (c.pushed) {
    line.RunTo(middle / 2);
    const int body = static_cast<int>(line.session.mj()->nbody) - 1;
    line.Do(command::AddPush{{.body = body, .duration_s = 0.1, .force = {3, -2, 1}}, 0.2});
  }
  line.RunTo(middle);
  line.TakeRows();
  const State at_middle = StateOf(line.session.Latest());
  line.RunTo(odd);
  const State at_odd = StateOf(line.session.Latest());
  const State at_end = StateOf(line.RunTo(end));
  std::vector<std::vector<float>> first = line.TakeRows();
  ASSERT_EQ(static_cast<long>(first.size()), end - middle);

  // Forth and back within what is known.
  EXPECT_EQ(StateOf(line.Do(command::Rewind{1})), at_middle);
  EXPECT_EQ(line.session.Latest().newest_t, 2);
  EXPECT_EQ(StateOf(line.Do(command::Rewind{2})), at_end);
  EXPECT_EQ(StateOf(line.Do(command::Rewind{static_cast<double>(odd) * dt})), at_odd);
  EXPECT_TRUE(line.TakeRows().empty());

  // A new branch, since an input comes: one that changes nothing.
  line.Do(command::StepOnce{-3});
  line.Do(command::Perturb{});
  EXPECT_EQ(line.session.Latest().branch_t, 1);
  EXPECT_EQ(line.session.Latest().newest_t, 1);
  EXPECT_EQ(StateOf(line.RunTo(end)), at_end);
  EXPECT_TRUE(line.TakeRows() == first) << "not the same rows";
}

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Scenes, GoingOn,
    testing::Values(
        Case{"Arm", "arm7", {}}, Case{"Pushes", "arm7", {}, false, true},
        Case{"Compared", "arm7", {}, true, true}, Case{"Adaptive", "arm7_payload_adaptive", {}},
        Case{
            "Sensors",
            "arm7",
            {"control.delay_s=0.003", "noise.joint_position=0.001", "control.velocity_filter_hz=60",
             "control.encoder_resolution=0.0002", "control.actuation_delay_s=0.004"}},
        Case{"EveryStage", "arm7", {"control.mode=every_stage"}},
        Case{"Legs", "quadruped_trot", {}}, Case{"LegsPushed", "quadruped_trot", {}, false, true},
        Case{"Biped", "biped_walk", {}}, Case{"LegsAdaptive", "quadruped_payload_adaptive", {}},
        Case{"Loops", "four_bar", {}}),
    NameOf);

TEST(Timeline, StepsForwardAndBackAreInverse) {
  Timeline line("arm7");
  line.RunTo(57);
  std::vector<std::vector<double>> states;
  for (int k = 57; k >= 20; --k) {
    states.push_back(line.session.Latest().qpos);
    EXPECT_EQ(line.Do(command::StepOnce{-1}).step, k - 1);
  }
  for (int k = 20; k <= 57; ++k) {
    line.RunTo(k);
    EXPECT_EQ(line.session.Latest().qpos, states[static_cast<std::size_t>(57 - k)]);
  }
  EXPECT_TRUE(std::isnan(line.session.Latest().branch_t)) << "no branch";
  EXPECT_EQ(line.Do(command::StepOnce{-1000}).step, 0);
}

TEST(Timeline, ReplaysInputsBetweenSavedStates) {
  Timeline line("arm7");
  const int body = static_cast<int>(line.session.mj()->nbody) - 1;
  line.RunTo(103);
  line.Do(command::Perturb{.body = body, .xfrc = {20, 0, 0, 0, 0, 0}});
  line.RunTo(105);
  line.Do(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 3)});
  line.RunTo(106);
  line.Do(command::AddPush{{.body = body, .duration_s = 0.05, .force = {0, 30, 0}}});
  const std::vector<double> at_108 = line.RunTo(108).qpos;
  const std::vector<double> at_130 = line.RunTo(130).qpos;
  EXPECT_EQ(line.Do(command::Rewind{0.108}).qpos, at_108);
  EXPECT_EQ(line.Do(command::Rewind{0.1}).gains[1][0], 3) << "gains are those of the present";
  EXPECT_EQ(line.Do(command::Rewind{0.13}).qpos, at_130);
}

TEST(Timeline, ABranchCanBeLeftAndComeBackTo) {
  const TemporaryFolder folder;
  Timeline line("arm7", {}, folder.path() / "run");
  const std::vector<double> old_end = line.RunTo(300).qpos;
  line.Do(command::Rewind{0.1});
  line.Do(command::SetGain{"K_D", Eigen::VectorXd::Constant(1, 1)});
  const std::vector<double> new_end = line.RunTo(250).qpos;
  EXPECT_EQ(line.session.Latest().other_branch_end_t, 0.3);

  line.Do(command::SwitchBranch{});
  EXPECT_EQ(line.session.Latest().newest_t, 0.3);
  EXPECT_EQ(line.session.Latest().t, 0.25);
  EXPECT_EQ(line.Do(command::Rewind{0.3}).qpos, old_end);
  line.Do(command::SwitchBranch{});
  EXPECT_EQ(line.session.Latest().t, 0.25) << "the end of the shorter one";
  EXPECT_EQ(line.session.Latest().qpos, new_end);
  line.Do(command::SwitchBranch{});

  std::vector<TraceRow::Kind> marks;
  TraceRow row;
  while (line.session.PopTrace(&row)) {
    if (row.kind == TraceRow::Kind::kStep) continue;
    marks.push_back(row.kind);
    EXPECT_EQ(row.t, 0.1);
  }
  using enum TraceRow::Kind;
  EXPECT_EQ(marks, (std::vector{kBranch, kSwitch, kSwitch, kSwitch}));
  const std::optional<RunSummary> summary = line.session.Stop();
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->steps, 300) << "the rows of the branch that is shown";
}

TEST(Timeline, ThereIsNoOtherBranchAtFirst) {
  Timeline line("planar_2r");
  line.RunTo(50);
  EXPECT_THAT(line.Do(command::SwitchBranch{}).last_command_error, HasSubstr("no other branch"));
  line.Do(command::Rewind{0.02});
  line.Do(command::Reset{});
  EXPECT_EQ(line.session.Latest().newest_t, 0);
}

TEST(Timeline, AFailureIsMetAgain) {
  const TemporaryFolder folder;
  Timeline line(WriteBallArm(folder), {kBallArmThrow, "gains.K_D=1e6"});
  line.Do(command::StepOnce{1000});
  const Failure failure =
      line.WaitUntil([](const Snapshot& s) { return s.state == RunState::kFailed; }).failure;
  line.Do(command::StepOnce{-1});
  EXPECT_EQ(line.session.Latest().state, RunState::kPaused);
  line.Do(command::StepOnce{2});
  line.WaitUntil([](const Snapshot& s) { return s.state == RunState::kFailed; });
  EXPECT_EQ(line.session.Latest().failure.reason, failure.reason);
}

// While it records, a session forgets nothing: what leaves memory is on disk.
TEST(LongTimeline, ReachesBackToTheStartOfARecording) {
  const TemporaryFolder folder;
  Timeline line(
      "planar_2r", {"control.rate_hz=200"}, folder.path() / "run",
      LoadScene(ReadConfig("planar_2r", {"control.rate_hz=200", "controller.factorization=t:2"})));
  const double dt = line.session.control_dt();
  const auto step = [dt](double t) { return std::lround(t / dt); };
  line.RunTo(step(2.04));  // between two states that are due
  line.Do(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 3)});
  line.Do(command::AddPush{{.body = 1, .start_s = 1, .duration_s = 0.1, .force = {3, -2, 1}}, 0});
  line.RunTo(step(2.075));
  const State changed = StateOf(line.session.Latest());
  line.RunTo(step(3.035));
  const State early = StateOf(line.session.Latest());
  line.RunTo(step(4));
  const State later = StateOf(line.session.Latest());
  line.RunTo(step(150));
  line.TakeRows();
  const State end = StateOf(line.session.Latest());
  EXPECT_EQ(line.session.Latest().oldest_saved_t, 0);

  EXPECT_EQ(StateOf(line.Do(command::Rewind{3.035})), early);
  EXPECT_EQ(StateOf(line.Do(command::Rewind{150})), end);
  EXPECT_EQ(StateOf(line.Do(command::Rewind{2.075})), changed);
  EXPECT_EQ(StateOf(line.Do(command::Rewind{4})), later);
  // Going on from there makes a branch, whose end has left memory, too; and back.
  line.Do(command::Rewind{3.035});
  line.Do(command::SetGain{"Lambda", Eigen::VectorXd::Constant(1, 6)});
  line.RunTo(step(100));
  EXPECT_NE(StateOf(line.Do(command::Rewind{4})), later);
  EXPECT_EQ(line.session.Latest().newest_t, 100);
  line.Do(command::SwitchBranch{});
  EXPECT_EQ(StateOf(line.session.Latest()), later);
  EXPECT_EQ(StateOf(line.Do(command::Rewind{150})), end);
  line.Do(command::SwitchBranch{});
  EXPECT_EQ(line.session.Latest().newest_t, 100);
  line.Do(command::SwitchBranch{});

  EXPECT_EQ(line.session.Latest().oldest_saved_t, 0);
  line.Do(command::Rewind{150});
  line.Do(command::StopRecording{});
  line.WaitUntil([](const Snapshot& s) { return !s.is_saving; });
  EXPECT_NEAR(line.session.Latest().oldest_saved_t, 90, 0.05) << "memory alone";
  EXPECT_EQ(StateOf(line.Do(command::Rewind{150})), end);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "run")) {
    EXPECT_NE(entry.path().filename(), ".states");
    ++files;
  }
  EXPECT_EQ(files, 6);
}

// Every part of a state comes back from disk.
TEST(LongTimeline, KeepsTheBitsOfEveryKindOfScene) {
  const TemporaryFolder folder;
  for (const auto& [scene, overrides] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"arm7_payload_adaptive", {}},
           {"four_bar", {}},
           {"quadruped", {"control.delay_s=0.004", "noise.joint_position=1e-4"}},
           {"arm7", {"controller.factorization=t:1"}}}) {
    SCOPED_TRACE(scene);
    Simulation simulation(LoadScene(ReadConfig(scene, overrides)));
    StateArchive archive(folder.path(), simulation.control_dt());
    simulation.RunFor(37);
    Simulation::Saved saved;
    simulation.Save(&saved);
    archive.Add(saved);
    simulation.RunFor(500);
    simulation.Save(&saved);
    archive.Add(saved);
    const std::vector<double> end = saved.state;
    const double twist = saved.turning.twist;
    simulation.Repeat(archive.At(40), simulation.step());
    simulation.Save(&saved);
    EXPECT_EQ(saved.state, end);
    EXPECT_EQ(saved.turning.twist, twist);
    EXPECT_EQ(archive.At(100000).step, saved.step);
    EXPECT_EQ(archive.At(0).step, 37);
  }
}

}  // namespace timeline_test
}  // namespace civita
