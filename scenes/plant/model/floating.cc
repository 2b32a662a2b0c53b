#include "civita/scenes/plant/floating.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/model_assets.h"

namespace civita {
namespace {

// Sets of trees of bodies, joined where an equality or a tendon ties them together.
class TreeGroups {
 public:
  explicit TreeGroups(const mjModel& m)
      : m_(m), parent_(static_cast<size_t>(m.ntree)), tied_(parent_.size(), false) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (int i = 0; i < m.neq; ++i) {
      if (m.eq_active0[i]) TieEquality(i);
    }
    for (int i = 0; i < m.ntendon; ++i) TieTendon(i);
  }

  /// For a body that moves.
  int Of(int body) const { return Root(m_.body_treeid[body]); }
  /// Whether something ties the body's tree itself to the world.
  bool IsTied(int body) const { return tied_[static_cast<size_t>(m_.body_treeid[body])]; }

 private:
  int Root(int tree) const {
    while (parent_[static_cast<size_t>(tree)] != tree) tree = parent_[static_cast<size_t>(tree)];
    return tree;
  }
  void Tie(int body, int other) {
    const int a = m_.body_treeid[body], b = m_.body_treeid[other];
    if (a >= 0 && b >= 0) {
      parent_[static_cast<size_t>(Root(b))] = Root(a);
    } else if (a >= 0 || b >= 0) {
      tied_[static_cast<size_t>(std::max(a, b))] = true;
    }
  }
  int BodyOfJoint(int joint) const { return m_.jnt_bodyid[joint]; }

  void TieEquality(int i) {
    const int a = m_.eq_obj1id[i], b = m_.eq_obj2id[i];
    switch (m_.eq_type[i]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        if (m_.eq_objtype[i] == mjOBJ_SITE) {
          Tie(m_.site_bodyid[a], m_.site_bodyid[b]);
        } else {
          Tie(a, b);
        }
        break;
      case mjEQ_JOINT:
        if (b >= 0) Tie(BodyOfJoint(a), BodyOfJoint(b));
        break;
      case mjEQ_TENDON:
        if (b >= 0) Tie(FirstBody(a), FirstBody(b));
        break;
      default:
        break;
    }
  }

  // The body of a wrap object; −1: a pulley.
  int BodyOfWrap(int wrap) const {
    const int object = m_.wrap_objid[wrap];
    switch (m_.wrap_type[wrap]) {
      case mjWRAP_JOINT:
        return BodyOfJoint(object);
      case mjWRAP_SITE:
        return m_.site_bodyid[object];
      case mjWRAP_SPHERE:
      case mjWRAP_CYLINDER:
        return m_.geom_bodyid[object];
      default:
        return -1;
    }
  }
  int FirstBody(int tendon) const { return BodyOfWrap(m_.tendon_adr[tendon]); }
  void TieTendon(int tendon) {
    const int first = m_.tendon_adr[tendon];
    for (int wrap = first + 1; wrap < first + m_.tendon_num[tendon]; ++wrap) {
      const int body = BodyOfWrap(wrap);
      if (body >= 0) Tie(BodyOfWrap(first), body);
    }
  }

  const mjModel& m_;
  std::vector<int> parent_;
  std::vector<bool> tied_;  ///< by tree
};

// Whether a shape of the tree can touch one that is fixed to the world.
bool MeetsFloor(const mjModel& m, int tree) {
  const auto of_tree = [&](int geom) { return m.body_treeid[m.geom_bodyid[geom]] == tree; };
  const auto fixed = [&](int geom) { return m.body_weldid[m.geom_bodyid[geom]] == 0; };
  for (int i = 0; i < m.npair; ++i) {
    const int a = m.pair_geom1[i], b = m.pair_geom2[i];
    if ((of_tree(a) && fixed(b)) || (of_tree(b) && fixed(a))) return true;
  }
  for (int a = 0; a < m.ngeom; ++a) {
    if (!of_tree(a)) continue;
    for (int b = 0; b < m.ngeom; ++b) {
      if (fixed(b) && CanTouch(m, a, b)) return true;
    }
  }
  return false;
}

// Whether no motor moves the joints of this root, and one of them lets it sink.
bool CanSink(const mjModel& m, const Actuation& actuation, int body) {
  bool sinks = false;
  const mjtNum* const down = m.opt.gravity;
  for (int i = 0; i < m.body_jntnum[body]; ++i) {
    const int joint = m.body_jntadr[body] + i;
    const bool is_free = m.jnt_type[joint] == mjJNT_FREE;
    const double along = mju_dot3(m.jnt_axis + 3 * joint, down);
    const bool is_level = std::abs(along) <= 1e-3 * mju_norm3(down);
    sinks = sinks || is_free || (m.jnt_type[joint] == mjJNT_SLIDE && !is_level);
  }
  for (int i = 0; i < m.body_dofnum[body]; ++i) {
    if (!actuation.is_passive(m.body_dofadr[body] + i)) return false;
  }
  return sinks;
}

bool HasGravity(const mjModel& m) {
  return (m.opt.disableflags & mjDSBL_GRAVITY) == 0 && mju_norm3(m.opt.gravity) > 0;
}

std::string DescribeFall(const FloatingBase& base, const mjModel& m, bool every_stage) {
  const std::string name = ElementName(m, mjOBJ_BODY, base.body, "body ");
  const bool contacts = (m.opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) == 0;
  const std::string legs = "controller.type=whole_body holds a robot on its feet (docs/legs.md)";
  if (base.meets_floor && contacts && !every_stage) {
    return name + " floats and no motor moves it: the law does not balance the robot; " + legs;
  }
  std::vector<std::string> why;
  if (!base.meets_floor) why.emplace_back("there is no floor that it can touch");
  if (every_stage) {
    why.emplace_back("control.mode=every_stage has no contacts");
  } else if (!contacts) {
    why.emplace_back("contacts are off (physics.contacts=true)");
  }
  return name + " floats and nothing holds it, so the robot falls freely: " +
         internal::Join(why, ", and ") + "; with a floor, " + legs;
}

// The bodies of the spec by their number in the model that it was compiled to, each with a name,
// as contacts are left out by names. Empty if the spec's order is another.
std::vector<std::string> NameBodies(const mjModel& m, mjSpec* spec) {
  std::vector<std::string> names;
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_BODY)) {
    const int body = static_cast<int>(names.size());
    if (body >= m.nbody) return {};
    const char* compiled = mj_id2name(&m, mjOBJ_BODY, body);
    std::string name = internal::NameOf(e);
    if (name != (compiled != nullptr ? compiled : "")) return {};
    if (name.empty()) {
      name = "body " + std::to_string(body);
      if (mjs_setName(e, name.c_str()) != 0) return {};
    }
    names.push_back(std::move(name));
  }
  return static_cast<int>(names.size()) == m.nbody ? names : std::vector<std::string>();
}

// Whether the body belongs to a robot, whose contacts are judged: fixed to the world or not.
class Robot {
 public:
  Robot(const mjModel& m, const FreeParts& parts) : m_(m), parts_(parts) {}

  bool Has(int body) const { return !IsFixed(body) && !parts_.is_loose[static_cast<size_t>(body)]; }
  bool IsFixed(int body) const { return m_.body_weldid[body] == 0; }
  bool Floats(int body) const {
    return std::ranges::any_of(parts_.bases, [&](const FloatingBase& base) {
      return m_.body_rootid[base.body] == m_.body_rootid[body];
    });
  }

 private:
  const mjModel& m_;
  const FreeParts& parts_;
};

}  // namespace

FreeParts FindFreeParts(const mjModel& m, const Actuation& actuation) {
  const TreeGroups groups(m);
  std::vector<bool> driven(static_cast<size_t>(m.ntree), false);
  for (int iv = 0; iv < m.nv; ++iv) {
    if (actuation.is_passive(iv)) continue;
    driven[static_cast<size_t>(groups.Of(m.dof_bodyid[iv]))] = true;
  }
  const bool any = std::ranges::find(driven, true) != driven.end();

  FreeParts parts;
  parts.is_loose.resize(static_cast<size_t>(m.nbody), false);
  for (int body = 1; body < m.nbody; ++body) {
    if (m.body_treeid[body] < 0) continue;
    parts.is_loose[static_cast<size_t>(body)] =
        any && !driven[static_cast<size_t>(groups.Of(body))];
  }
  for (int body = 1; body < m.nbody; ++body) {
    if (m.body_jntnum[body] == 0 || m.body_weldid[m.body_parentid[body]] != 0) continue;
    if (parts.is_loose[static_cast<size_t>(body)]) {
      parts.objects.push_back(ElementName(m, mjOBJ_BODY, body, "body "));
    } else if (CanSink(m, actuation, body)) {
      parts.bases.push_back({body, MeetsFloor(m, m.body_treeid[body]), groups.IsTied(body)});
    }
  }
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (!parts.is_loose[static_cast<size_t>(m.jnt_bodyid[joint])]) continue;
    const int type = m.jnt_type[joint];
    const int nv = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
    parts.loose.push_back({m.jnt_qposadr[joint], nv == 1 ? 1 : nv + 1, m.jnt_dofadr[joint], nv});
  }
  return parts;
}

std::vector<std::string> DescribeFreeParts(const FreeParts& parts, const mjModel& m, bool has_legs,
                                           bool every_stage) {
  std::vector<std::string> notices;
  if (HasGravity(m) && !has_legs) {
    for (const FloatingBase& base : parts.bases) {
      if (!base.tied) notices.push_back(DescribeFall(base, m, every_stage));
    }
  }
  internal::TellNames("objects that no motor moves are no part of the errors: ", parts.objects,
                      &notices);
  return notices;
}

std::vector<BodyOverlap> FindOverlaps(const mjModel& m, const FreeParts& parts,
                                      const Eigen::VectorXd& q, mjData* d) {
  Eigen::VectorXd::Map(d->qpos, m.nq) = q;
  mj_fwdPosition(&m, d);
  const Robot robot(m, parts);
  const double allowed = 1e-3 * m.stat.extent;
  std::map<std::pair<int, int>, double> depths;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    // A margin makes contacts push from a distance on.
    const double depth = contact.includemargin - contact.dist;
    if (depth <= allowed || contact.geom[0] < 0 || contact.geom[1] < 0) continue;
    int a = m.geom_bodyid[contact.geom[0]], b = m.geom_bodyid[contact.geom[1]];
    if (robot.IsFixed(a)) std::swap(a, b);
    const bool counts = robot.Has(a) && (robot.IsFixed(b) ? !robot.Floats(a) : robot.Has(b));
    if (!counts) continue;
    double& deepest = depths[std::minmax(a, b)];
    deepest = std::max(deepest, depth);
  }
  std::vector<BodyOverlap> overlaps;
  for (const auto& [pair, depth] : depths) overlaps.push_back({pair.first, pair.second, depth});
  std::ranges::stable_sort(overlaps, std::greater<>(), &BodyOverlap::depth);
  return overlaps;
}

SpecEdit LeaveOutContacts(const std::vector<BodyOverlap>& overlaps, const mjModel& m,
                          std::vector<std::string>* notices) {
  return [&overlaps, &m, notices](mjSpec* spec, bool) {
    const std::vector<std::string> names = NameBodies(m, spec);
    std::vector<std::string> left_out, acting;
    for (const BodyOverlap& overlap : overlaps) {
      const auto name_of = [&names](int body) {
        return names.empty() ? "body " + std::to_string(body) : names[static_cast<size_t>(body)];
      };
      const std::string a = name_of(overlap.body_a), b = name_of(overlap.body_b);
      std::string text = a;
      text.append(" and ").append(b).append(" (");
      text.append(internal::ShortNumber(overlap.depth)).append(" m)");
      if (names.empty()) {
        acting.push_back(text);
        continue;
      }
      const mjsExclude* exclude = mjs_addExclude(spec);
      mjs_setString(exclude->bodyname1, a.c_str());
      mjs_setString(exclude->bodyname2, b.c_str());
      left_out.push_back(text);
    }
    using internal::TellNames;
    TellNames("bodies overlap at the start, and their contacts are left out: ", left_out, notices);
    TellNames("bodies overlap at the start and push one another away: ", acting, notices);
  };
}

}  // namespace civita
