#include "civita/mujoco/loop_closures.h"

#include <algorithm>
#include <string>

#include "civita/error.h"
#include "civita/manifold.h"

namespace civita {

namespace {

using Vector3Map = Eigen::Map<const Eigen::Vector3d>;
using Vector4Map = Eigen::Map<const Eigen::Vector4d>;

std::string NameOf(const mjModel& mj, int equality) {
  const char* name = mj_id2name(&mj, mjOBJ_EQUALITY, equality);
  return name != nullptr && *name != '\0' ? name : "equality" + std::to_string(equality);
}

FrameClosure::Side SideOfSite(const mjModel& mj, int site) {
  return {.frame = mj.site_bodyid[site] - 1,
          .point = Vector3Map(mj.site_pos + 3 * site),
          .axes = QuaternionToMatrix<double>(Vector4Map(mj.site_quat + 4 * site))};
}

/// eq_data of bodies. connect: anchor in body 1, in body 2. weld: anchor in body 2, in body 1,
/// orientation of body 2 in body 1.
FrameClosure ReadFrameClosure(const mjModel& mj, int equality) {
  FrameClosure closure;
  closure.name = NameOf(mj, equality);
  closure.fixes_rotation = mj.eq_type[equality] == mjEQ_WELD;
  const int first = mj.eq_obj1id[equality], second = mj.eq_obj2id[equality];
  if (mj.eq_objtype[equality] == mjOBJ_SITE) {
    closure.a = SideOfSite(mj, first);
    closure.b = SideOfSite(mj, second);
    return closure;
  }
  const mjtNum* data = mj.eq_data + mjNEQDATA * equality;
  closure.a.frame = first - 1;  // MuJoCo's body 0 is the world
  closure.b.frame = second - 1;
  closure.a.point = Vector3Map(data + (closure.fixes_rotation ? 3 : 0));
  closure.b.point = Vector3Map(data + (closure.fixes_rotation ? 0 : 3));
  if (closure.fixes_rotation) closure.a.axes = QuaternionToMatrix<double>(Vector4Map(data + 6));
  return closure;
}

void CheckScalar(const mjModel& mj, int equality, int joint) {
  if (mj.jnt_type[joint] == mjJNT_HINGE || mj.jnt_type[joint] == mjJNT_SLIDE) return;
  throw UserError("equality '" + NameOf(mj, equality) + "' couples joint " + std::to_string(joint) +
                  ", which is neither a hinge nor a slide");
}

JointClosure ReadJointClosure(const mjModel& mj, int equality) {
  JointClosure closure;
  closure.name = NameOf(mj, equality);
  closure.joint = mj.eq_obj1id[equality];
  closure.leader = mj.eq_obj2id[equality];
  CheckScalar(mj, equality, closure.joint);
  closure.reference = mj.qpos0[mj.jnt_qposadr[closure.joint]];
  const mjtNum* data = mj.eq_data + mjNEQDATA * equality;
  if (closure.leader < 0) {
    closure.polynomial[0] = data[0];
    return closure;
  }
  CheckScalar(mj, equality, closure.leader);
  std::copy_n(data, closure.polynomial.size(), closure.polynomial.begin());
  closure.leader_reference = mj.qpos0[mj.jnt_qposadr[closure.leader]];
  return closure;
}

}  // namespace

bool ActsFromStart(const mjModel& mj, int equality) {
  return mj.eq_active0[equality] &&
         (mj.opt.disableflags & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT)) == 0;
}

LoopClosures ReadLoopClosures(const mjModel* mj) {
  CIVITA_CHECK(mj != nullptr);
  LoopClosures closures;
  for (int i = 0; i < mj->neq; ++i) {
    if (!ActsFromStart(*mj, i)) continue;
    switch (mj->eq_type[i]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        closures.frames.push_back(ReadFrameClosure(*mj, i));
        break;
      case mjEQ_JOINT:
        closures.joints.push_back(ReadJointClosure(*mj, i));
        break;
      default:
        throw UserError("equality '" + NameOf(*mj, i) +
                        "' closes no loop of joints: only connect, weld and joint can be read");
    }
  }
  return closures;
}

}  // namespace civita
