#pragma once

#include <string>
#include <vector>

namespace civita {

/// An MJCF of a robot that stands on two flat feet with legs of six hinges, its text made from
/// parts that tests change.
struct Biped {
  std::string base_quat = "1 0 0 0";                            ///< of the trunk's axes at home
  std::string base_back = "1 0 0 0";                            ///< its inverse
  std::vector<std::string> sole_quat = {"1 0 0 0", "1 0 0 0"};  ///< of the foot bodies' axes
  std::vector<std::string> sole_back = {"1 0 0 0", "1 0 0 0"};  ///< their inverses
  double height = 0.598637;                                     ///< of the trunk in the keyframe, m
  double effort = 120;                                          ///< N·m
  double radius = 0.006;                                        ///< of the soles' balls, m
  bool balls = true;                                            ///< whether the file has them
  double knee = 0.8;                                            ///< of the keyframe, rad
};

inline std::string ToMjcf(const Biped& biped) {
  std::string legs, motors;
  for (int side = 0; side < 2; ++side) {
    const std::string s = side == 0 ? "l_" : "r_";
    const auto i = static_cast<size_t>(side);
    const auto body = [&s](const char* name, const char* pos, const char* axis, const char* mass) {
      return "<body name='" + s + name + "' pos='" + pos + "'><joint name='" + s + name +
             "' axis='" + axis + "' range='-2.5 2.5'/><inertial mass='" + mass +
             "' pos='0 0 -.05' diaginertia='.01 .01 .01'/>";
    };
    legs += body("roll", side == 0 ? "0 .1 0" : "0 -.1 0", "1 0 0", "1") +
            body("yaw", "0 0 0", "0 0 1", "1") + body("pitch", "0 0 0", "0 1 0", "2") +
            body("knee", "0 0 -.3", "0 1 0", "1.5") + body("ankle", "0 0 -.3", "0 1 0", ".3");
    legs += "<body name='" + s + "foot' quat='" + biped.sole_quat[i] + "'><frame quat='" +
            biped.sole_back[i] + "'><joint name='" + s +
            "turn' axis='1 0 0' range='-1 1'/><inertial mass='.6' pos='0 0 -.03' "
            "diaginertia='.003 .003 .003'/>";
    for (const char* corner : {".12 .03", ".12 -.03", "-.08 .03", "-.08 -.03"}) {
      if (!biped.balls) break;
      legs += "<geom size='" + std::to_string(biped.radius) + "' pos='" + corner +
              " -.04' contype='0' conaffinity='1'/>";
    }
    legs += "</frame></body></body></body></body></body></body>";
    for (const char* joint : {"roll", "yaw", "pitch", "knee", "ankle", "turn"}) {
      motors += "<motor joint='" + s + joint + "' ctrlrange='-" + std::to_string(biped.effort) +
                " " + std::to_string(biped.effort) + "'/>";
    }
  }
  const std::string half = std::to_string(-biped.knee / 2);
  const std::string leg = " 0 0 " + half + " " + std::to_string(biped.knee) + " " + half + " 0";
  return R"(<mujoco><option timestep=".001" cone="elliptic" impratio="10"/>
    <compiler angle="radian" autolimits="true"/>
    <worldbody><geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0"/>
    <body name="trunk" quat=")" +
         biped.base_quat + R"("><freejoint/><frame quat=")" + biped.base_back +
         R"("><inertial mass="15" pos=".015 0 .15" diaginertia=".3 .3 .15"/>)" + legs +
         R"(</frame></body></worldbody><actuator>)" + motors +
         R"(</actuator><keyframe><key name="home" qpos="0 0 )" + std::to_string(biped.height) +
         " " + biped.base_quat + leg + leg + R"("/></keyframe></mujoco>)";
}

}  // namespace civita
