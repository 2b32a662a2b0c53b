#include "civita/scenes/plant/ground.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/key_error.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace ground_test {

using testing::HasSubstr;

class GroundTest : public testing::Test {
 protected:
  MjModelPtr Load(const std::string& ground, const std::string& floor = kFloor) {
    folder_.Write(
        "m.xml",
        "<mujoco><worldbody>" + floor +
            "<body name='foot' pos='0 0 0.1'><freejoint/>"
            "<geom name='foot' type='box' size='.02 .02 .02' mass='3' priority='2' friction='3' "
            "condim='4' conaffinity='0'/></body></worldbody></mujoco>");
    const SceneConfig config =
        ReadConfig(folder_.Write("c.yaml", "model: m.xml\nground: {" + ground + "}\n"));
    std::vector<std::string> notices;
    ModelReading reading;
    reading.edit = MakeGround(config.ground, config.seed);
    try {
      return LoadModelFile(config.model, reading, &notices);
    } catch (const KeyError& error) {
      throw UserError(config.Where(error.key()) + ": " + error.what());
    }
  }
  std::string ErrorOf(const std::string& ground, const std::string& floor = kFloor) {
    try {
      Load(ground, floor);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  // Height of the ground at (x, y).
  static double HeightAt(const mjModel& m, double x, double y) {
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(&m));
    mj_kinematics(&m, d.get());
    const mjtNum from[3] = {x, y, 5}, down[3] = {0, 0, -1};
    int geom = -1;
    return 5 - mj_ray(&m, d.get(), from, down, nullptr, 1, mj_name2id(&m, mjOBJ_BODY, "foot"),
                      &geom, nullptr);
  }

  static constexpr const char* kFloor = "<geom name='floor' type='plane' size='0 0 .1'/>";
  TemporaryFolder folder_;
};

TEST_F(GroundTest, ASlopeRisesToATerraceAndFallsAgain) {
  const MjModelPtr m = Load("type: slope, slope_deg: 15, start_m: 0.5");
  const double slope = std::tan(15 * M_PI / 180), run = 2.5 * std::cos(15 * M_PI / 180);
  EXPECT_NEAR(HeightAt(*m, -1, 0), 0, 1e-9);
  EXPECT_NEAR(HeightAt(*m, 0.49, 0.1), 0, 1e-9);
  for (const double x : {0.01, 0.5, 1.0, 2.0, 2.4}) {
    EXPECT_NEAR(HeightAt(*m, 0.5 + x, 0.2), slope * x, 1e-9) << x;
  }
  const double top = slope * run;
  EXPECT_NEAR(HeightAt(*m, 0.5 + run + 0.6, 0), top, 1e-9);
  EXPECT_NEAR(HeightAt(*m, 0.5 + run + 1.2 + 1, 0), top - slope, 1e-9);
  EXPECT_NEAR(HeightAt(*m, 0.5 + 2 * run + 1.2 + 0.1, 0), 0, 1e-9);
}

TEST_F(GroundTest, BlocksAreFlatAtTheStartAndUniformBeyond) {
  const MjModelPtr m = Load("type: blocks, height_m: 0.05, block_m: 0.25, start_m: 0.6");
  for (const double x : {-0.7, -0.1, 0.0, 0.4, 0.74}) EXPECT_NEAR(HeightAt(*m, x, -x), 0, 1e-9);
  double sum = 0, squares = 0;
  std::set<double> tops;
  for (double x = -2.875; x < 3; x += 0.25) {
    for (double y = -2.875; y < 3; y += 0.25) {
      if (std::max(std::abs(x), std::abs(y)) < 0.75) continue;
      const double z = HeightAt(*m, x, y);
      EXPECT_LE(std::abs(z), 0.05 + 1e-9);
      tops.insert(z);
      sum += z;
      squares += z * z;
    }
  }
  const auto n = static_cast<double>(tops.size());
  EXPECT_EQ(tops.size(), 24u * 24 - 36);
  EXPECT_LT(std::abs(sum / n), 4 * 0.05 / std::sqrt(3 * n));  // four standard errors
  EXPECT_NEAR(std::sqrt(squares / n), 0.05 / std::sqrt(3.0), 0.002);
}

TEST_F(GroundTest, ASeedGivesOneFieldAndAnotherSeedAnother) {
  const double z = HeightAt(*Load("type: blocks"), 1.1, 0.4);
  EXPECT_EQ(HeightAt(*Load("type: blocks"), 1.1, 0.4), z);
  EXPECT_NE(HeightAt(*Load("type: blocks}\nseed: 5\nphysics: {"), 1.1, 0.4), z);
}

// A foot pushed horizontally sticks below the ground's coefficient of friction and slips above,
// whatever its own geom says.
TEST_F(GroundTest, FrictionIsTheGrounds) {
  for (const char* ground : {"friction: 0.4", "type: blocks, friction: 0.4"}) {
    const MjModelPtr m = Load(ground);
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m.get()));
    d->qpos[2] = 0.02;
    for (const double share : {0.9, 1.1}) {
      for (int k = 0; k < 500; ++k) {
        d->xfrc_applied[6] = k < 250 ? 0 : share * 0.4 * 3 * 9.81;
        mj_step(m.get(), d.get());
        if (k != 249) continue;
        ASSERT_GT(d->ncon, 0);
        EXPECT_EQ(d->contact[0].friction[0], 0.4);
        EXPECT_EQ(d->contact[0].dim, 4);
      }
      const bool slips = share > 1;
      EXPECT_EQ(d->qvel[0] > 0.05, slips) << ground << ' ' << d->qvel[0];
    }
  }
}

TEST_F(GroundTest, ASoftGroundGivesWay) {
  const auto sinks = [this](const char* ground) {
    const MjModelPtr m = Load(ground);
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m.get()));
    d->qpos[2] = 0.02;
    for (int k = 0; k < 2000; ++k) mj_step(m.get(), d.get());
    return 0.02 - d->qpos[2];
  };
  const double firm = sinks("friction: 0.8"), soft = sinks("type: soft");
  EXPECT_GT(soft, 3 * firm);
  EXPECT_LT(soft, 0.02);
  RecordProperty("soft_mm", std::to_string(1000 * soft));
}

TEST_F(GroundTest, NothingChangesWhereNothingIsSaid) {
  const MjModelPtr m = Load("type: flat");
  const int floor = mj_name2id(m.get(), mjOBJ_GEOM, "floor");
  EXPECT_EQ(m->ngeom, 2);
  EXPECT_EQ(m->geom_priority[floor], 0);
  EXPECT_EQ(m->geom_friction[3 * floor], 1);
}

TEST_F(GroundTest, MistakesGiveOneLineWithThePlace) {
  EXPECT_THAT(ErrorOf("friction: 0"),
              HasSubstr("c.yaml:2:20: ground.friction must be a number > 0, not '0'"));
  EXPECT_THAT(ErrorOf("type: slop"),
              HasSubstr("c.yaml:2:16: unknown ground.type 'slop' (did you mean 'slope'?)"));
  EXPECT_THAT(ErrorOf("type: slope, slope_deg: 80"),
              HasSubstr("c.yaml:2:34: ground.slope_deg is 80; below 45"));
  EXPECT_THAT(ErrorOf("type: blocks, block_m: 0.01"), HasSubstr("ground.block_m is 0.01; from"));
  EXPECT_THAT(ErrorOf("type: soft, solref: [1]"), HasSubstr("ground.solref must be 2 numbers"));
  EXPECT_THAT(ErrorOf("type: slope", ""), HasSubstr("c.yaml:2:16: the model has no floor"));
  EXPECT_THAT(ErrorOf("friction: 1", ""), HasSubstr("the model has no floor"));
}

}  // namespace ground_test
}  // namespace civita
