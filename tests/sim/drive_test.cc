#include "civita/sim/drive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace drive_test {

class DriveTest : public testing::Test {
 protected:
  // An asymmetric robot that floats without gravity.
  Simulation Float(const std::vector<std::string>& overrides) {
    const std::string model = folder_.Write("m.xml", R"(
<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>
  <body name="trunk"><freejoint/><geom size="0.1" mass="3"/>
    <body name="leg" pos="0.2 0.1 -0.3"><joint name="hip" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 -0.3" size="0.03" mass="2"/></body></body>
</worldbody><actuator><motor joint="hip"/></actuator></mujoco>)");
    std::vector<std::string> all = {"reference.type=hold", "controller.type=pd_gravity"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return MakeSimulation(model, all);
  }
  TemporaryFolder folder_;
};

// A push of the whole robot gives its impulse and no rotation; the same push of the trunk rotates
// it.
TEST_F(DriveTest, APushThroughTheCentreOfMassDoesNotTurnTheRobot) {
  const auto momentum = [this](const std::string& body) {
    Simulation simulation =
        Float({"pushes=[{" + body +
               "start_s: 0.01, duration_s: 0.1, shape: half_sine, impulse_Ns: [3, 4, -2]}]"});
    EXPECT_EQ(simulation.RunFor(150), 150);
    const std::unique_ptr<mjData, MjDataDeleter> d(
        mj_copyData(nullptr, simulation.mj(), simulation.data()));
    mj_forward(simulation.mj(), d.get());
    mj_subtreeVel(simulation.mj(), d.get());
    const Eigen::Vector3d linear = 5 * Eigen::Map<const Eigen::Vector3d>(d->subtree_linvel + 3);
    EXPECT_LT((linear - Eigen::Vector3d(3, 4, -2)).norm(), 0.01);
    return Eigen::Map<const Eigen::Vector3d>(d->subtree_angmom + 3).norm();
  };
  EXPECT_LT(momentum(""), 0.002);
  EXPECT_GT(momentum("body: trunk, "), 0.3);
}

TEST_F(DriveTest, CommandsSlewAndGiveWayToTheReference) {
  Simulation simulation = Float({});
  simulation.RunFor(10);
  EXPECT_FALSE(simulation.body_command().walk);
  simulation.SetDrive(DriveCommand{{0.3, -0.4}, 1});
  simulation.RunFor(251);
  const BodyCommand half = simulation.body_command();
  EXPECT_TRUE(half.walk);
  EXPECT_LT((half.velocity - Eigen::Vector2d(0.15, -0.2)).norm(), 1e-12);
  EXPECT_NEAR(half.yaw_rate, 0.5, 1e-12);
  Simulation::Saved saved;
  simulation.Save(&saved);
  simulation.RunFor(400);
  EXPECT_EQ(simulation.body_command().velocity, Eigen::Vector2d(0.3, -0.4));
  EXPECT_EQ(simulation.body_command().yaw_rate, 1);
  simulation.Restore(saved);
  simulation.RunFor(1);
  EXPECT_LT((simulation.body_command().velocity - Eigen::Vector2d(0.1506, -0.2008)).norm(), 1e-12);
  simulation.SetDrive({});
  simulation.RunFor(200);
  EXPECT_TRUE(simulation.body_command().walk);
  simulation.RunFor(100);
  EXPECT_FALSE(simulation.body_command().walk);
  simulation.SetDrive(DriveCommand{});
  simulation.RunFor(1);
  EXPECT_TRUE(simulation.body_command().walk);  // in place
  simulation.Reset();
  simulation.RunFor(1);
  EXPECT_FALSE(simulation.body_command().walk);
}

TEST_F(DriveTest, TakesOverAWalkWithoutAJump) {
  Simulation simulation = Float({"reference.type=body", "reference.motion=walk",
                                 "reference.velocity=[0.5, 0]", "reference.fade_s=0.1"});
  simulation.RunFor(200);
  EXPECT_EQ(simulation.body_command().velocity, Eigen::Vector2d(0.5, 0));
  simulation.SetDrive(DriveCommand{});
  simulation.RunFor(101);
  EXPECT_NEAR(simulation.body_command().velocity[0], 0.4, 1e-12);
  simulation.SetDrive({});
  simulation.RunFor(200);
  EXPECT_EQ(simulation.body_command().velocity, Eigen::Vector2d(0.5, 0));
}

}  // namespace drive_test
}  // namespace civita
