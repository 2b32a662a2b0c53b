#include "civita/scenes/motion/named_frame.h"

#include <mujoco/mujoco.h>

#include <cstddef>
#include <vector>

#include "civita/scenes/schema/key_error.h"
#include "civita/suggest.h"

namespace civita {
namespace {

std::vector<std::string> NamesOf(const mjModel& m, mjtObj type, mjtSize count) {
  std::vector<std::string> names;
  for (int i = type == mjOBJ_BODY ? 1 : 0; i < count; ++i) {
    const char* name = mj_id2name(&m, type, i);
    if (name != nullptr && *name != '\0') names.emplace_back(name);
  }
  return names;
}

}  // namespace

Model::NamedFrame FindFrameOf(const mjModel& m, const Model& plant, const std::string& name,
                              const Eigen::Vector3d& offset, const std::string& key) {
  const int site = mj_name2id(&m, mjOBJ_SITE, name.c_str());
  const int body = site >= 0 ? m.site_bodyid[site] : mj_name2id(&m, mjOBJ_BODY, name.c_str());
  if (body < 0) {
    std::vector<std::string> names = NamesOf(m, mjOBJ_SITE, m.nsite);
    const std::vector<std::string> bodies = NamesOf(m, mjOBJ_BODY, m.nbody);
    names.insert(names.end(), bodies.begin(), bodies.end());
    throw KeyError(key, UnknownName("site or body", name, names));
  }
  Pose X_BF;
  if (site >= 0) {
    mjtNum R[9];
    mju_quat2Mat(R, m.site_quat + 4 * site);
    X_BF.R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R);
    X_BF.p = Eigen::Map<const Eigen::Vector3d>(m.site_pos + 3 * site);
  }
  X_BF.p += X_BF.R * offset;
  Model::NamedFrame frame;  // of the world, for body 0
  if (body > 0) frame = plant.frames()[static_cast<size_t>(body) - 1];
  return {name, frame.body, frame.X_BF * X_BF};
}

}  // namespace civita
