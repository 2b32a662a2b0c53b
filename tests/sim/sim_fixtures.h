#pragma once

#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/simulation.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {

inline Simulation MakeSimulation(const std::string& scene,
                                 const std::vector<std::string>& overrides = {}) {
  return Simulation(LoadScene(ReadConfig(scene, overrides)));
}

/// A ball joint, a hinge with damping and a slide: no limits, no contacts, driven at its joints.
inline std::string WriteBallArm(const TemporaryFolder& folder) {
  return folder.Write("ball_arm.xml", R"(
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" type="ball"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="2"/>
      <body name="lower" pos="0.3 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0" damping="0.3" armature="0.01"/>
        <geom type="capsule" fromto="0 0 0 0.2 0.05 0" size="0.03" mass="1"/>
        <body name="hand" pos="0.2 0.05 0">
          <joint name="reach" type="slide" axis="1 0 0"/>
          <geom type="sphere" size="0.04" mass="0.5"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)");
}

inline const char* const kBallArmThrow = "initial.v=[1, 2, -1, 3, 0.5]";

}  // namespace civita
