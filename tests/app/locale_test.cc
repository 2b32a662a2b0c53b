// Texts and numbers are the same whatever the locale of the process is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "civita/scenes/scene_list.h"
#include "tests/app/child_program.h"
#include "tests/app/eval_shell.h"

namespace civita {
namespace locale_test {

using testing::HasSubstr;

/// Commands with the plug-in that sets a German locale, and without it.
class German : public testing::Test {
 protected:
  void SetUp() override {
    const std::string definition = (DataDirectory() / "tests/data/locale").string();
    shell_.Run("localedef --no-archive -c -f '" + definition + "/ascii' -i '" + definition +
               "/de' ./de_XX");
    ASSERT_TRUE(std::filesystem::exists(shell_.path() / "de_XX/LC_NUMERIC"));
  }
  ShellResult Run(const std::string& command) const {
    const std::string plugin = " --plugin '" CIVITA_PLUGIN_DIR "/german.so'";
    return shell_.Run("export LOCPATH=\"$PWD\"; " + command + plugin);
  }
  std::string Read(const std::string& name) const { return ReadAll(shell_.path() / name); }

  const Shell shell_{};
};

TEST_F(German, RunsAreTheSame) {
  for (const std::string scene : {"arm7", "quadruped"}) {
    const std::string run =
        "civita run " + scene + " --headless --duration 0.05 --set gains.K_D=12.5 --out ";
    const ShellResult plain = shell_.Run(run + scene + "_c");
    ASSERT_EQ(plain.code, 0) << plain.err;
    const ShellResult result = Run(run + scene + "_german");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(Read(scene + "_german/signals.csv"), Read(scene + "_c/signals.csv"));
    EXPECT_THAT(Read(scene + "_german/config.yaml"), HasSubstr("K_D: 12.5"));
    EXPECT_THAT(Read(scene + "_german/run.json"), HasSubstr("\"duration_s\": 0.05,"));
    EXPECT_FALSE(std::regex_search(result.out, std::regex("[0-9],[0-9]"))) << result.out;
  }
}

TEST_F(German, UrdfFilesAreReadTheSame) {
  shell_.Write("arm.urdf", R"(<robot name="arm"><link name="base"/><link name="a"><inertial>
    <origin xyz="0.01 0.2 +0.31" rpy="0.1 0 0"/><mass value="1.75"/>
    <inertia ixx="0.02" iyy="0.025" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><parent link="base"/>
    <child link="a"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="87.5"
    velocity="23.7"/></joint></robot>)");
  for (const std::string more : {"", " --set robot.floating_base=true"}) {
    const std::string eval = "civita eval arm.urdf --quantities H,g" + more;
    if (more.empty()) {
      EXPECT_EQ(Run(eval).out, shell_.Run(eval).out);
    }
    const std::string run = "civita run arm.urdf --headless --duration 0.02" + more;
    const ShellResult plain = shell_.Run(run + " --out c"), german = Run(run + " --out german");
    ASSERT_EQ(plain.code, 0) << plain.err;
    ASSERT_EQ(german.code, 0) << german.err;
    EXPECT_EQ(Read("german/signals.csv"), Read("c/signals.csv")) << more;
  }
}

TEST_F(German, ReportsAreTheSame) {
  const std::string compare =
      "civita compare planar_2r --vary K_D=5.5,10 --duration 1.2 --initial-states 2 --out ";
  ASSERT_EQ(shell_.Run(compare + "c").code, 0);
  const ShellResult result = Run(compare + "german");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Read("german/plots.svg"), Read("c/plots.svg"));
  EXPECT_EQ(Read("german/2_K_D_10.csv"), Read("c/2_K_D_10.csv"));
  for (const char* text : {"K_D=5.5", " ± ", "1.2 s"}) EXPECT_THAT(result.out, HasSubstr(text));
  EXPECT_FALSE(std::regex_search(result.out, std::regex("[0-9],[0-9]"))) << result.out;
}

TEST_F(German, MessagesAreTheSame) {
  for (const std::string command :
       {"civita run arm7 --headless --duration 0.02 --set gains.K_D=-1.5",
        "civita run arm7 --headless --duration 0.02 --set gains=1.5",
        "civita survive quadruped --push 0.5 --trials 1 --set seed=1234567",
        "civita formulas planar_2r", "civita bench --models chain3 --seconds 0.001",
        "civita eval planar_2r --quantities C"}) {
    const ShellResult plain = shell_.Run(command), german = Run(command);
    EXPECT_EQ(german.code, plain.code) << command;
    EXPECT_EQ(german.err, plain.err) << command;
    if (command.find("bench") == command.npos) {
      EXPECT_EQ(german.out, plain.out) << command;
    }
    if (command.find("eval") == command.npos && command.find("formulas") == command.npos) {
      EXPECT_FALSE(std::regex_search(german.out, std::regex("[0-9],[0-9]"))) << german.out;
    }
  }
}

}  // namespace locale_test
}  // namespace civita
