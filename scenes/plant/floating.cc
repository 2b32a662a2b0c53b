#include "civita/scenes/plant/floating.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/text.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/coupling.h"

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
  const std::string legs =
      "controller.type=whole_body with legs.feet holds a robot on its feet (docs/legs.md)";
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

}  // namespace civita
