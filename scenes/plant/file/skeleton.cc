#include "civita/scenes/plant/skeleton.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "civita/scenes/plant/model_assets.h"

namespace civita::internal {
namespace {

constexpr double kThinnest = 0.003;     // m, half of an edge
constexpr double kThickness = 0.09;     // of the mean length of the bones, their radius
constexpr double kShortestBone = 0.02;  // of the longest step, a bone
constexpr double kLeastStep = 1e-6;     // m, a step that rounding makes

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

using Bone = std::pair<Eigen::Vector3d, Eigen::Vector3d>;  // in its body's axes, m

Eigen::Vector3d VectorOf(const mjtNum* x) { return Eigen::Map<const Eigen::Vector3d>(x); }

// Where a body turns, in its own axes.
Eigen::Vector3d Anchor(const mjModel& m, int body) {
  if (m.body_jntnum[body] == 0) return Eigen::Vector3d::Zero();
  return VectorOf(m.jnt_pos + 3 * m.body_jntadr[body]);
}

// The longest step from a body to one that it carries or to its centre of mass, m.
double LongestStep(const mjModel& m) {
  double longest = 0;
  for (int body = 1; body < m.nbody; ++body) {
    if (m.body_parentid[body] > 0) {
      longest = std::max(longest, VectorOf(m.body_pos + 3 * body).norm());
    }
    longest = std::max(longest, VectorOf(m.body_ipos + 3 * body).norm());
  }
  return longest;
}

// Which bodies get bones.
struct Drawn {
  std::vector<bool> bare;   // those that lost their shapes or have none
  std::vector<bool> links;  // those without a shape or mass that lie between others
};

// Whether a body moves, and nothing of it is seen.
bool IsUnseen(const mjModel& m, int body) {
  return m.body_weldid[body] != 0 && m.body_geomnum[body] == 0;
}

// Bodies through which bones lead: unseen ones between a bare body above and one that is seen
// below, or above a bare body.
std::vector<bool> FindLinks(const mjModel& m, const std::vector<bool>& bare) {
  const auto count = static_cast<std::size_t>(m.nbody);
  std::vector<bool> below_bare(count), above_bare(count), above_seen(count), links(count);
  const auto parent = [&](std::size_t body) {
    return static_cast<std::size_t>(m.body_parentid[body]);
  };
  for (std::size_t body = 1; body < count; ++body) {  // parents come first
    const auto above = parent(body);
    below_bare[body] = bare[above] || (below_bare[above] && IsUnseen(m, static_cast<int>(above)));
  }
  for (std::size_t body = count; body-- > 1;) {
    const bool passes = IsUnseen(m, static_cast<int>(body)) && !bare[body];
    if (bare[body] || (passes && above_bare[body])) above_bare[parent(body)] = true;
    if (!passes || above_seen[body]) above_seen[parent(body)] = true;
  }
  for (std::size_t body = 1; body < count; ++body) {
    links[body] = IsUnseen(m, static_cast<int>(body)) && !bare[body] &&
                  (above_bare[body] || (below_bare[body] && above_seen[body]));
  }
  return links;
}

std::vector<Bone> BonesOf(const mjModel& m, int body, double shortest, const Drawn& drawn) {
  const Eigen::Vector3d from = Anchor(m, body);
  std::vector<Bone> bones;
  const auto add = [&](const Eigen::Vector3d& to) {
    if ((to - from).norm() > shortest) bones.emplace_back(from, to);
  };
  bool carries = false;
  for (int child = body + 1; child < m.nbody; ++child) {
    if (m.body_parentid[child] != body) continue;
    const auto id = static_cast<std::size_t>(child);
    carries = carries || drawn.bare[id] || drawn.links[id] || !IsUnseen(m, child);
    const mjtNum* at = m.body_quat + 4 * child;
    const Eigen::Quaterniond turned(at[0], at[1], at[2], at[3]);
    add(VectorOf(m.body_pos + 3 * child) + turned * Anchor(m, child));
  }
  // As if its mass were spread evenly along it.
  if (!carries && bones.empty()) add(2 * VectorOf(m.body_ipos + 3 * body) - from);
  return bones;
}

mjsGeom* AddPicture(mjsBody* to, mjtGeom type) {
  mjsGeom* geom = mjs_addGeom(to, nullptr);
  geom->type = type;
  geom->mass = 0;
  geom->contype = geom->conaffinity = 0;
  geom->group = 0;
  return geom;
}

void AddInertiaBox(const mjModel& m, int body, mjsBody* to) {
  mjsGeom* box = AddPicture(to, mjGEOM_BOX);
  std::copy_n(m.body_ipos + 3 * body, 3, box->pos);
  std::copy_n(m.body_iquat + 4 * body, 4, box->quat);
  const Eigen::Vector3d half = HalfEdges(m.body_mass[body], VectorOf(m.body_inertia + 3 * body));
  std::copy_n(half.data(), 3, box->size);
}

// Bones of this thickness, m, thinner where they are short, and a ball where they turn.
void AddBones(const std::vector<Bone>& bones, bool turns, double thickness, mjsBody* to) {
  double thickest = 0;
  for (const auto& [from, end] : bones) {
    mjsGeom* capsule = AddPicture(to, mjGEOM_CAPSULE);
    std::copy_n(from.data(), 3, capsule->fromto);
    std::copy_n(end.data(), 3, capsule->fromto + 3);
    capsule->size[0] = std::min(thickness, 0.25 * (end - from).norm());
    thickest = std::max(thickest, capsule->size[0]);
  }
  if (!turns) return;
  mjsGeom* ball = AddPicture(to, mjGEOM_SPHERE);
  std::copy_n(bones.front().first.data(), 3, ball->pos);
  ball->size[0] = 1.6 * thickest;
}

}  // namespace

Skeleton::Skeleton(mjSpec* spec) {
  for (mjsElement* e : ElementsOf(spec, mjOBJ_BODY)) {
    if (mjs_firstChild(mjs_asBody(e), mjOBJ_GEOM, 0) == nullptr) continue;
    drawn_.push_back(NameOf(e));
  }
}

bool Skeleton::AddTo(const mjModel& m, mjSpec* spec, std::vector<std::string>* notices) const {
  bool any = false;
  for (int body = 1; body < m.nbody; ++body) {
    any = any || (m.body_weldid[body] != 0 && HasShape(m, body));
  }
  Drawn drawn{std::vector<bool>(static_cast<std::size_t>(m.nbody)), {}};
  std::vector<std::string> names;
  for (mjsElement* e : ElementsOf(spec, mjOBJ_BODY)) {
    const int body = mjs_getId(e);
    if (!IsUnseen(m, body) || m.body_mass[body] <= 0) continue;
    const std::string name = NameOf(e);
    if (any && std::ranges::find(drawn_, name) == drawn_.end()) continue;
    drawn.bare[static_cast<std::size_t>(body)] = true;
    names.push_back(name.empty() ? "body " + std::to_string(body) : name);
  }
  if (names.empty()) return false;
  drawn.links = FindLinks(m, drawn.bare);
  std::vector<std::pair<int, mjsBody*>> bodies;  // ids count until something is added
  for (mjsElement* e : ElementsOf(spec, mjOBJ_BODY)) {
    const auto body = static_cast<std::size_t>(mjs_getId(e));
    if (drawn.bare[body] || drawn.links[body]) bodies.emplace_back(mjs_getId(e), mjs_asBody(e));
  }
  const double shortest = std::max(kLeastStep, kShortestBone * LongestStep(m));
  std::vector<std::vector<Bone>> bones;
  double length = 0, count = 0;
  for (const auto& [body, to] : bodies) {
    for (const auto& [from, end] : bones.emplace_back(BonesOf(m, body, shortest, drawn))) {
      length += (end - from).norm();
      ++count;
    }
  }
  const double thickness = kThickness * length / std::max(1.0, count);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto& [body, to] = bodies[i];
    if (bones[i].empty()) {
      if (drawn.bare[static_cast<std::size_t>(body)]) AddInertiaBox(m, body, to);
    } else {
      const bool turns = m.body_jntnum[body] > 0 && m.jnt_type[m.body_jntadr[body]] != mjJNT_FREE;
      AddBones(bones[i], turns, thickness, to);
    }
  }
  notices->push_back("bodies without shapes are drawn as bones between their joints: " +
                     List(names));
  return true;
}

}  // namespace civita::internal
