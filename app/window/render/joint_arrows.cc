#include "app/window/render/joint_arrows.h"

namespace civita {
namespace {

Point3 Scaled(const mjtNum* axis, double factor) {
  return {factor * axis[0], factor * axis[1], factor * axis[2]};
}

// The vector of three numbers in the axes of a body, in world axes.
Point3 InWorld(const mjData& data, int body, const double* values, double factor) {
  Point3 way;
  mju_mulMatVec3(way.data(), data.xmat + static_cast<size_t>(9 * body), values);
  return Scaled(way.data(), factor);
}

}  // namespace

std::vector<ColoredArrow> JointArrows(const mjModel& model, const mjData& data,
                                      std::span<const double> values, double largest, double unit,
                                      Rgb color) {
  std::vector<ColoredArrow> arrows;
  if (!(largest > 0) || values.size() != static_cast<size_t>(model.nv)) return arrows;
  const double factor = unit / largest;
  for (int j = 0; j < model.njnt; ++j) {
    const double* value = values.data() + model.jnt_dofadr[j];
    const mjtNum* at = data.xanchor + static_cast<size_t>(3 * j);
    const Point3 point = {at[0], at[1], at[2]};
    const int body = model.jnt_bodyid[j];
    switch (model.jnt_type[j]) {
      case mjJNT_FREE:
        arrows.push_back({point, Scaled(value, factor), color});
        arrows.push_back({point, InWorld(data, body, value + 3, factor), color});
        break;
      case mjJNT_BALL:
        arrows.push_back({point, InWorld(data, body, value, factor), color});
        break;
      default:
        arrows.push_back(
            {point, Scaled(data.xaxis + static_cast<size_t>(3 * j), factor * value[0]), color});
    }
  }
  return arrows;
}

}  // namespace civita
