#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace skew_gain_config_test {

using Eigen::MatrixXd;
using testing::HasSubstr;

using Sets = std::vector<std::string>;

class SkewGainConfig : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& gains, const Sets& sets = {}) {
    folder_.Write("m.xml", R"(<mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="one" axis="0 1 0"/><geom size=".1"/>
      <body name="b" pos="0 0 .3"><joint name="two" axis="1 0 0"/><geom size=".1"/>
      <body name="c" pos="0 0 .3"><joint name="three" axis="0 0 1"/><geom size=".1" pos=".2 0 0"/>
      </body></body></body></worldbody></mujoco>)");
    return LoadScene(ReadConfig(folder_.Write("c.yaml", "model: m.xml\n" + gains), sets));
  }
  MatrixXd GainOf(const Scene& scene) {
    const Eigen::VectorXd& G = scene.controller->gain(2);
    if (G.size() == 0) return MatrixXd::Zero(3, 3);
    return G.reshaped(3, 3).transpose();
  }
  std::string ErrorOf(const std::string& gains, const Sets& sets = {}) {
    try {
      Load(gains, sets);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  TemporaryFolder folder_;
};

const MatrixXd kG{{0, 2, -1.5}, {-2, 0, 0}, {1.5, 0, 0}};

TEST_F(SkewGainConfig, IsGivenByRowsOrByEntries) {
  for (const std::string gains :
       {"gains: {G: [[0, 2, -1.5], [-2, 0, 0], [1.5, 0, 0]]}\n",
        "gains: {G: {0: {1: 2, 2: -1.5}}}\n", "gains: {G: {1: {0: -2}, 0: {1: 2, 2: -1.5}}}\n",
        "gains:\n  G:\n    2: {0: 1.5}\n    1: {0: -2}\n"}) {
    SCOPED_TRACE(gains);
    const auto scene = Load(gains);
    EXPECT_EQ(GainOf(*scene), kG);
    const std::string resolved = ToYaml(scene->config);
    EXPECT_THAT(resolved, HasSubstr("  G: {0: {1: 2, 2: -1.5}}\n"));
    const auto again = LoadScene(ReadConfig(folder_.Write("again.yaml", resolved)));
    EXPECT_EQ(GainOf(*again), kG);
    EXPECT_EQ(ToYaml(again->config), resolved);
  }
  EXPECT_EQ(GainOf(*Load("")), MatrixXd::Zero(3, 3));
  EXPECT_EQ(GainOf(*Load("gains: {G: 0}\n")), MatrixXd::Zero(3, 3));
  EXPECT_THAT(ToYaml(Load("gains: {G: 0}\n")->config), testing::Not(HasSubstr(" G:")));
}

TEST_F(SkewGainConfig, APathReachesItsEntries) {
  EXPECT_EQ(GainOf(*Load("", {"gains.G.0.1=2", "gains.G.0.2=-1.5"})), kG);
  EXPECT_EQ(GainOf(*Load("gains: {G: {0: {1: 7, 2: -1.5}}}\n", {"gains.G.0.1=2"})), kG);
  EXPECT_EQ(GainOf(*Load("", {"gains.G=[[0,2,-1.5],[-2,0,0],[1.5,0,0]]"})), kG);
}

TEST_F(SkewGainConfig, WhatIsNotSkewIsOneLineWithThePlace) {
  EXPECT_EQ(ErrorOf("gains:\n  G: [[0, 2], [2, 0]]\n"),
            "c.yaml:3:16: gains.G is not skew: entry 1, 0 is 2 and entry 0, 1 is 2 (counted from "
            "0)");
  EXPECT_EQ(ErrorOf("gains:\n  G: [[1]]\n"),
            "c.yaml:3:8: gains.G is not skew: entry 0, 0 is 1 (counted from 0)");
  EXPECT_EQ(ErrorOf("gains:\n  G: [[0, 2], [-2]]\n"),
            "c.yaml:3:15: gains.G[1] has 1 numbers; a skew matrix of 2 rows has 2 in each");
  EXPECT_EQ(ErrorOf("gains:\n  G: [[0, 2], [-2, 0]]\n"),
            "c.yaml:3:6: gains.G is 2 × 2, the model has nv = 3");
  EXPECT_EQ(ErrorOf("gains:\n  G: {0: {3: 2}}\n"),
            "c.yaml:3:6: gains.G has an entry of coordinate 3; those of the model are 0 to 2");
  EXPECT_EQ(ErrorOf("gains:\n  G: {0: {1: 2}, 1: {0: 2}}\n"),
            "c.yaml:3:25: gains.G is not skew: entry 1, 0 is 2 and entry 0, 1 is 2 (counted from "
            "0)");
  EXPECT_EQ(ErrorOf("gains:\n  G: {0: {0: 2}}\n"),
            "c.yaml:3:14: gains.G is not skew: entry 0, 0 is 2 (counted from 0)");
  EXPECT_THAT(ErrorOf("gains:\n  G: {one: {two: 2}}\n"), HasSubstr("c.yaml:3:7: gains.G has "
                                                                   "entries {i: {j: G_ij}}"));
  EXPECT_THAT(ErrorOf("gains:\n  G: {0: 2}\n"),
              HasSubstr("c.yaml:3:10: gains.G.0 must be entries {j: G_ij} of row 0"));
  EXPECT_THAT(ErrorOf("", {"gains.G=5"}), HasSubstr("--set gains.G: gains.G must be the rows"));
  EXPECT_THAT(ErrorOf("", {"gains.G.0.1=x"}), HasSubstr("--set gains.G.0.1: gains.G.0.1 must be "
                                                        "a number"));
  EXPECT_THAT(ErrorOf("controller: {type: pd_gravity}\ngains: {G: {0: {1: 2}}}\n"),
              HasSubstr("c.yaml:3:9: unknown key 'G'; valid: K_P, K_D"));
}

}  // namespace skew_gain_config_test
}  // namespace civita
