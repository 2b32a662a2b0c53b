#include "civita/scenes/plant/coordinates_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "civita/kinematics.h"
#include "civita/mujoco/convert.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace coordinates_text_test {

using testing::AllOf;
using testing::HasSubstr;

class CoordinatesText : public SceneTest {
 protected:
  CoordinatesText() : scene_(Load(Arm())) {}

  Coordinates Read(const std::string& text) {
    return ReadCoordinates(text, scene_->plant, Eigen::Vector2d(0.1, 0.2), folder_.path());
  }
  std::string ErrorOf(const std::string& text) {
    try {
      Read(text);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  VelocityMap<double> At(const Coordinates& coordinates) {
    Workspace<double> workspace(scene_->plant);
    UpdateKinematics<double>(scene_->plant, q_, v_, workspace);
    VelocityMap<double> change(2, coordinates.nw());
    full_rank_ = coordinates.update(workspace, change).ok();
    return change;
  }

  std::unique_ptr<Scene> scene_;
  Eigen::VectorXd q_ = Eigen::Vector2d(0.3, -0.7), v_ = Eigen::Vector2d(1.1, -0.4);
  bool full_rank_ = false;
};

TEST_F(CoordinatesText, FormulasWithAndWithoutTheirRate) {
  const std::string A = "A: [[cos(b), 0], ['sin(q[0])*b', 2]]\n";
  folder_.Write("without.yaml", A);
  folder_.Write("with.yaml", A + "Adot: [['-sin(b)*v[1]', 0], ['cos(a)*v[0]*b + sin(a)*v[1]', 0]]\n"
                                 "names: [first, second]\n");
  Eigen::Matrix2d wanted, rate;
  wanted << std::cos(-0.7), 0, std::sin(0.3) * -0.7, 2;
  rate << std::sin(0.7) * -0.4, 0, std::cos(0.3) * 1.1 * -0.7 + std::sin(0.3) * -0.4, 0;
  for (const char* file : {"with.yaml", "without.yaml"}) {
    const VelocityMap<double> change = At(Read(file));
    EXPECT_TRUE(full_rank_);
    EXPECT_LE((change.A - wanted).norm(), 1e-15);
    EXPECT_LE((change.Adot - rate).norm(), std::string(file) == "with.yaml" ? 1e-15 : 1e-9);
  }
  EXPECT_THAT(Read("with.yaml").names, testing::ElementsAre("first", "second"));
}

TEST_F(CoordinatesText, AConstantMatrix) {
  folder_.Write("A.csv", "1, 2\n3 4\n");
  const VelocityMap<double> change = At(Read("A.csv"));
  EXPECT_EQ(change.A, (Eigen::Matrix2d() << 1, 2, 3, 4).finished());
  EXPECT_TRUE(change.Adot.isZero(0));
}

TEST_F(CoordinatesText, BreaksDownWhereAIsSingular) {
  folder_.Write("A.yaml", "A: [[a, 0], [0, 1]]\n");
  const Coordinates coordinates = Read("A.yaml");
  At(coordinates);
  EXPECT_TRUE(full_rank_);
  q_[0] = 0;
  At(coordinates);
  EXPECT_FALSE(full_rank_);
}

TEST_F(CoordinatesText, ErrorsSayWhere) {
  EXPECT_THAT(ErrorOf("body_twist"), HasSubstr("did you mean 'body_twists'"));
  EXPECT_THAT(ErrorOf("task:nowhere"), AllOf(HasSubstr("nowhere"), HasSubstr("lower")));
  EXPECT_THAT(ErrorOf("com_decoupled"), HasSubstr("floating base only"));
  folder_.Write("bad.yaml", "A: [[1, 0],\n    [0, cos(c)]]\n");
  EXPECT_THAT(ErrorOf("bad.yaml"), AllOf(HasSubstr("bad.yaml:2:9"), HasSubstr("unknown name 'c'")));
  folder_.Write("rate.yaml", "A: [[a, 0], [0, 1]]\nAdot: [['v[1]', 0], [0, 0]]\n");
  EXPECT_THAT(ErrorOf("rate.yaml"), AllOf(HasSubstr("rate.yaml:2:9"),
                                          HasSubstr("not the rate of A"), HasSubstr("row 0")));
  folder_.Write("shape.yaml", "A: [[a, 0]]\n");
  EXPECT_THAT(ErrorOf("shape.yaml"), AllOf(HasSubstr("A is 1×2"), HasSubstr("nv = 2")));
  folder_.Write("ragged.yaml", "A: [[a, 0], [1]]\n");
  EXPECT_THAT(ErrorOf("ragged.yaml"), HasSubstr("ragged.yaml:1:13: a row of A has 1 entry"));
  folder_.Write("singular.csv", "1 2\n2 4\n");
  EXPECT_THAT(ErrorOf("singular.csv"), HasSubstr("full column rank"));
  folder_.Write("key.yaml", "B: 1\n");
  EXPECT_THAT(ErrorOf("key.yaml"), HasSubstr("key.yaml:1:1: unknown key 'B'"));
  EXPECT_THAT(ErrorOf("none.yaml"), HasSubstr("none.yaml"));
}

TEST_F(CoordinatesText, OfAController) {
  EXPECT_THAT(SceneTest::ErrorOf(Arm(), {"controller.coordinates=task:lower"}),
              HasSubstr("controller.coordinates: "));
  EXPECT_EQ(SceneTest::ErrorOf(
                Arm(), {"controller.type=pd_gravity", "controller.coordinates=body_twists"}),
            "");
  folder_.Write("tall.csv", "1\n2\n");
  EXPECT_THAT(ErrorOfYaml("controller: {coordinates: tall.csv}\n"),
              AllOf(HasSubstr("c.yaml:2:27"), HasSubstr("not square: 1 of nv = 2 columns")));
}

}  // namespace coordinates_text_test
}  // namespace civita
