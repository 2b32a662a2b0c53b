#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {

/// An arm of two hinges; `more` is added to the model.
inline std::string Arm(const std::string& more = "", const std::string& joint2 = "") {
  return R"(<mujoco><compiler angle="radian"/><worldbody><body name="upper"><joint name="a" axis="0 1 0" range="-2 1"/>
    <geom name="g" size=".02" fromto="0 0 0 0 0 .3" type="capsule"/>
    <body name="lower" pos="0 0 .3"><joint name="b" axis="0 1 0" )" +
         joint2 + R"(/><geom size=".02" fromto="0 0 0 0 0 .3" type="capsule"/></body></body>
    </worldbody>)" +
         more + "</mujoco>";
}

/// Fixture for scenes from temporary files.
class SceneTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& xml, const std::vector<std::string>& sets = {}) {
    return LoadScene(ReadConfig(folder_.Write("m.xml", xml), sets));
  }
  std::unique_ptr<Scene> LoadUrdf(const std::string& urdf,
                                  const std::vector<std::string>& sets = {}) {
    return LoadScene(ReadConfig(folder_.Write("robot/urdf/m.urdf", urdf), sets));
  }
  std::string ErrorOf(const std::string& xml, const std::vector<std::string>& sets = {}) {
    try {
      Load(xml, sets);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  std::string ErrorOfYaml(const std::string& yaml) {
    folder_.Write("m.xml", Arm());
    try {
      LoadScene(ReadConfig(folder_.Write("c.yaml", "model: m.xml\n" + yaml)));
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }

  TemporaryFolder folder_;
};

}  // namespace civita
