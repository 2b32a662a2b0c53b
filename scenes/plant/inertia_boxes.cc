#include "civita/scenes/plant/inertia_boxes.h"

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "civita/scenes/plant/model_assets.h"

namespace civita::internal {
namespace {

constexpr double kThinnest = 0.003;  // m, half of an edge

// Half edges of the box of this mass and these principal moments; where none has them, of the
// nearest.
Eigen::Vector3d HalfEdges(double mass, const Eigen::Vector3d& moments) {
  const Eigen::Vector3d squares =
      1.5 / mass * (Eigen::Vector3d::Constant(moments.sum()) - 2 * moments);
  return squares.cwiseMax(0).cwiseSqrt().cwiseMax(kThinnest);
}

bool IsSeen(const mjModel& m, int geom) {
  constexpr int kShownGroups = 3;  // MuJoCo hides the others at first
  return m.geom_group[geom] < kShownGroups && m.geom_rgba[4 * geom + 3] > 0;
}

bool HasShape(const mjModel& m, int body) {
  for (int i = 0; i < m.body_geomnum[body]; ++i) {
    if (IsSeen(m, m.body_geomadr[body] + i)) return true;
  }
  return false;
}

void AddInertiaBox(const mjModel& m, int body, mjsBody* to) {
  mjsGeom* box = mjs_addGeom(to, nullptr);
  box->type = mjGEOM_BOX;
  std::copy_n(m.body_ipos + 3 * body, 3, box->pos);
  std::copy_n(m.body_iquat + 4 * body, 4, box->quat);
  const Eigen::Vector3d half =
      HalfEdges(m.body_mass[body], Eigen::Map<const Eigen::Vector3d>(m.body_inertia + 3 * body));
  std::copy_n(half.data(), 3, box->size);
  box->mass = 0;
  box->contype = box->conaffinity = 0;
  box->group = 0;
}

}  // namespace

InertiaBoxes::InertiaBoxes(mjSpec* spec) {
  for (mjsElement* e : ElementsOf(spec, mjOBJ_BODY)) {
    if (mjs_firstChild(mjs_asBody(e), mjOBJ_GEOM, 0) == nullptr) continue;
    drawn_.emplace_back(mjs_getString(mjs_getName(e)));
  }
}

bool InertiaBoxes::AddTo(const mjModel& m, mjSpec* spec, std::vector<std::string>* notices) const {
  bool any = false;
  for (int body = 1; body < m.nbody; ++body) {
    any = any || (m.body_weldid[body] != 0 && HasShape(m, body));
  }
  std::vector<std::string> names;
  std::vector<std::pair<int, mjsBody*>> bare;  // ids count until something is added
  for (mjsElement* e : ElementsOf(spec, mjOBJ_BODY)) {
    const int body = mjs_getId(e);
    if (m.body_weldid[body] == 0 || m.body_geomnum[body] > 0 || m.body_mass[body] <= 0) continue;
    const std::string name = mjs_getString(mjs_getName(e));
    if (any && std::ranges::find(drawn_, name) == drawn_.end()) continue;
    bare.emplace_back(body, mjs_asBody(e));
    names.push_back(name.empty() ? "body " + std::to_string(body) : name);
  }
  for (const auto& [body, to] : bare) AddInertiaBox(m, body, to);
  if (names.empty()) return false;
  notices->push_back("bodies without shapes are drawn as boxes of their inertia: " + List(names));
  return true;
}

}  // namespace civita::internal
