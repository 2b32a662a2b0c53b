#include "civita/scenes/motion/named_frame.h"

#include <mujoco/mujoco.h>

#include <Eigen/Geometry>

#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/schema/key_error.h"

namespace civita {

Model::NamedFrame FindFrameOf(const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key) {
  const Pose moved{Eigen::Matrix3d::Identity(), offset};
  if (name == "world") return {name, -1, moved};
  try {
    const Model::NamedFrame& frame = plant.FindFrame(name);
    return {name, frame.body, frame.X_BF * moved};
  } catch (const UserError& error) {
    throw KeyError(key, error.what());
  }
}

MujocoFrame FindMujocoFrame(const mjModel& m, const std::string& name) {
  if (const int body = mj_name2id(&m, mjOBJ_BODY, name.c_str()); body >= 0) return {body, {}};
  for (int site = 0; site < m.nsite; ++site) {
    if (NameOfSite(m, site) != name) continue;
    const mjtNum* const quat = m.site_quat + 4 * site;
    return {m.site_bodyid[site],
            {Eigen::Quaterniond(quat[0], quat[1], quat[2], quat[3]).toRotationMatrix(),
             Eigen::Map<const Eigen::Vector3d>(m.site_pos + 3 * site)}};
  }
  return {};
}

}  // namespace civita
