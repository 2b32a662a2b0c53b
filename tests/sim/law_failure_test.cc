#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "civita/error.h"
#include "civita/sim/recorder.h"
#include "civita/sim/simulation.h"
#include "civita/sim/state_history.h"
#include "tests/sim/sim_fixtures.h"
#include "tests/sim/throwing_law.h"

namespace civita {
namespace law_failure_test {

using testing::HasSubstr;

class LawThatThrows : public testing::TestWithParam<ThrowingLaw::Place> {};

INSTANTIATE_TEST_SUITE_P(Places, LawThatThrows,
                         testing::Values(ThrowingLaw::Place::kControl, ThrowingLaw::Place::kRate,
                                         ThrowingLaw::Place::kStorage));

TEST_P(LawThatThrows, FailsTheRunAndKeepsTheLastGoodState) {
  for (const char* mode : {"held", "every_stage"}) {
    SCOPED_TRACE(mode);
    Simulation simulation(MakeThrowingScene({.place = GetParam(), .from_s = 0.02},
                                            {"control.mode=" + std::string(mode)}));
    const auto last = static_cast<double>(std::lround(0.02 / simulation.control_dt()));
    // The stages of a Runge–Kutta step are evaluated later than its start.
    const long taken = simulation.RunFor(1000);
    EXPECT_LE(std::abs(static_cast<double>(taken) - last), 1);
    ASSERT_TRUE(simulation.failure().failed);
    EXPECT_THAT(simulation.failure().reason, HasSubstr("the law threw: out of ideas at t = "));
    EXPECT_EQ(simulation.failure().cause, FailureCause::kLaw);
    EXPECT_EQ(simulation.step(), taken);
    Simulation other(MakeThrowingScene({}, {"control.mode=" + std::string(mode)}));
    other.RunFor(taken);
    for (int i = 0; i < simulation.mj()->nq; ++i) {
      EXPECT_EQ(simulation.data()->qpos[i], other.data()->qpos[i]);
    }
    EXPECT_EQ(simulation.controller().state(), other.controller().state());
    EXPECT_FALSE(simulation.Step()) << "it moved after its failure";
  }
}

TEST(LawThatThrowsFromTheStart, FailsTheFirstStep) {
  for (const auto place : {ThrowingLaw::Place::kControl, ThrowingLaw::Place::kReset}) {
    Simulation simulation(MakeThrowingScene({.place = place, .from_s = -1}));
    EXPECT_FALSE(simulation.Step());
    EXPECT_THAT(simulation.failure().reason, HasSubstr("the law threw: out of ideas"));
  }
}

TEST(LawThatThrowsFromTheStart, LeavesWholeFiles) {
  const TemporaryFolder folder;
  Simulation simulation(MakeThrowingScene({.place = ThrowingLaw::Place::kControl, .from_s = 0.02}));
  Recorder recorder(simulation, folder.path() / "run");
  while (simulation.Step()) recorder.Add(simulation.record());
  const RunSummary summary = recorder.Finish(simulation, 1, false);
  EXPECT_FALSE(summary.passed);
  EXPECT_THAT(summary.verdict, HasSubstr("failed: the law threw: out of ideas"));
  for (const char* file : {"run.json", "signals.csv", "signals.npz"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "run" / file)) << file;
  }
}

constexpr LawInfo kReadingVdotLaw = {
    .type = "reading_vdot", .title = "", .law = "", .parameters = {}, .make = nullptr};

/// A law whose external power depends on the plant's acceleration.
class ReadingVdot final : public Controller {
 public:
  explicit ReadingVdot(const Model& model) : Controller(model, kReadingVdotLaw, {}) {}
  Status CalcControl(const Measurement& /*measured*/, const ReferenceState& /*reference*/,
                     ControlOutput& output) override {
    output.tau.setZero();
    return Status::kOk;
  }
  StorageState CalcStorage(const PlantState& /*plant*/, const ControlOutput& /*output*/) override {
    return {};
  }
  double CalcExternalPower(const PlantState& plant, const Eigen::VectorXd& tau_ext,
                           const ControlOutput& /*output*/) override {
    return plant.vdot.dot(tau_ext) + plant.H.sum();
  }
};

// Computing residuals for display must not change the simulation.
TEST(Residuals, ChangeNothingOfTheSteps) {
  const auto make = [] {
    auto scene = LoadScene(ReadConfig("planar_2r"));
    scene->controller = std::make_unique<ReadingVdot>(scene->control_model);
    Simulation simulation(std::move(scene));
    simulation.AddPush({.body = static_cast<int>(simulation.mj()->nbody) - 1,
                        .duration_s = 1,
                        .force = {3, 2, 1}});
    return simulation;
  };
  Simulation plain = make(), shown = make();
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(plain.Step());
    ASSERT_TRUE(shown.Step());
    shown.CalcResiduals();
    ASSERT_EQ(plain.record().energy_balance, shown.record().energy_balance) << "step " << k;
  }
  EXPECT_NE(plain.record().energy_balance, 0);
}

// With a delay of a thousand periods each state contains a thousand measurements.
TEST(StateHistory, KeepsToItsMemory) {
  Simulation simulation = MakeSimulation("quadruped", {"control.delay_s=1"});
  Simulation::Saved saved;
  simulation.Save(&saved);
  const double numbers = static_cast<double>(saved.sensors.size());
  ASSERT_GT(numbers, 10000);
  const StateHistory history(simulation);
  EXPECT_LE(static_cast<double>(history.capacity()) * 8 * numbers, 256e6 + 8 * numbers);
  EXPECT_GE(history.capacity(), 2u);
}

TEST(RepeatedPush, IsTheSameAsSinglePushes) {
  Simulation repeated = MakeSimulation("arm7"), single = MakeSimulation("arm7");
  const int hand = mj_name2id(repeated.mj(), mjOBJ_BODY, "hand");
  const Push push{.body = hand, .start_s = 0.01, .duration_s = 0.03, .force = {10, -5, 3}};
  repeated.AddPush(push, 0.1);
  for (int k = 0; k < 3; ++k) {
    Push one = push;
    one.start_s += 0.1 * k;
    single.AddPush(one);
  }
  for (int k = 0; k < 310; ++k) {
    ASSERT_TRUE(repeated.Step());
    ASSERT_TRUE(single.Step());
    if (repeated.step() == 220) repeated.StopPushes();  // in the middle of the third
    for (int i = 0; i < repeated.mj()->nq; ++i) {
      ASSERT_EQ(repeated.data()->qpos[i], single.data()->qpos[i]) << "step " << k;
    }
  }
  // Without a push the arm would be elsewhere.
  Simulation alone = MakeSimulation("arm7");
  alone.RunFor(310);
  EXPECT_NE(alone.data()->qpos[0], repeated.data()->qpos[0]);
  EXPECT_THROW(repeated.AddPush(push, 0.02), UserError);
}

}  // namespace law_failure_test
}  // namespace civita
