#include "civita/sim/ground_surface.h"

#include <algorithm>
#include <limits>

namespace civita {
namespace {

constexpr double kNowhere = -std::numeric_limits<double>::infinity();

Eigen::Map<const Eigen::Vector3d> PointAt(const mjtNum* x) {
  return Eigen::Map<const Eigen::Vector3d>(x);
}

// Height of the geom's surface above `point` along the vertical; −∞ where there is none.
double SurfaceAbove(const mjModel& m, const mjData& d, int geom, const Eigen::Vector3d& point) {
  const mjtNum down[3] = {0, 0, -1};
  const mjtNum* const position = d.geom_xpos + 3 * geom;
  const mjtNum* const R = d.geom_xmat + 9 * geom;
  const int type = m.geom_type[geom];
  if (type == mjGEOM_PLANE) {  // infinite, whatever size is drawn
    const Eigen::Vector3d normal(R[2], R[5], R[8]);
    if (normal.z() < 1e-6) return kNowhere;
    return -normal.dot(point - PointAt(position)) / normal.z();
  }
  const double reach = m.geom_rbound[geom];
  if ((point - PointAt(position)).head<2>().squaredNorm() > reach * reach) return kNowhere;
  double distance = 0;
  if (type == mjGEOM_HFIELD) {
    distance = mj_rayHfield(&m, &d, geom, point.data(), down, nullptr);
  } else if (type == mjGEOM_MESH) {
    distance = mj_rayMesh(&m, &d, geom, point.data(), down, nullptr);
  } else {
    distance = mju_rayGeom(position, R, m.geom_size + 3 * geom, point.data(), down, type, nullptr);
  }
  return distance >= 0 ? -distance : kNowhere;
}

}  // namespace

GroundSurface::GroundSurface(const mjModel& m) {
  for (int geom = 0; geom < m.ngeom; ++geom) {
    const bool collides = m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0;
    if (m.body_weldid[m.geom_bodyid[geom]] == 0 && collides) geoms_.push_back(geom);
  }
}

double GroundSurface::HeightOf(const mjModel& m, const mjData& d,
                               const Eigen::Vector3d& point) const {
  double surface = kNowhere;
  for (const int geom : geoms_) surface = std::max(surface, SurfaceAbove(m, d, geom, point));
  return -surface;
}

}  // namespace civita
