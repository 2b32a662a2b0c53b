#include "civita/mujoco/loop_closures.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"

namespace civita {

namespace {

using Vector3Map = Eigen::Map<const Eigen::Vector3d>;
using Vector4Map = Eigen::Map<const Eigen::Vector4d>;

FrameClosure::Side SideOfSite(const mjModel& mj, int site) {
  return {.frame = mj.site_bodyid[site] - 1,
          .point = Vector3Map(mj.site_pos + 3 * site),
          .axes = QuaternionToMatrix<double>(Vector4Map(mj.site_quat + 4 * site))};
}

/// eq_data of bodies. connect: anchor in body 1, in body 2. weld: anchor in body 2, in body 1,
/// orientation of body 2 in body 1.
FrameClosure ReadFrameClosure(const mjModel& mj, int equality) {
  FrameClosure closure;
  closure.name = ElementName(mj, mjOBJ_EQUALITY, equality, "equality");
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
  if (IsScalarJoint(mj, joint)) return;
  throw UserError("equality '" + ElementName(mj, mjOBJ_EQUALITY, equality, "equality") +
                  "' couples joint " + std::to_string(joint) +
                  ", which is neither a hinge nor a slide");
}

JointClosure ReadJointClosure(const mjModel& mj, int equality) {
  JointClosure closure;
  closure.name = ElementName(mj, mjOBJ_EQUALITY, equality, "equality");
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

/// The joints of a fixed tendon and their coefficients; none of a spatial one.
std::vector<std::pair<int, double>> JointsOf(const mjModel& mj, int tendon) {
  std::vector<std::pair<int, double>> joints;
  for (int k = 0; k < mj.tendon_num[tendon]; ++k) {
    const int wrap = mj.tendon_adr[tendon] + k;
    if (mj.wrap_type[wrap] != mjWRAP_JOINT) return {};
    const int joint = mj.wrap_objid[wrap];
    const auto same = std::find_if(joints.begin(), joints.end(),
                                   [joint](const auto& other) { return other.first == joint; });
    if (same == joints.end()) {
      joints.emplace_back(joint, mj.wrap_prm[wrap]);
    } else {
      same->second += mj.wrap_prm[wrap];
    }
  }
  std::erase_if(joints, [](const auto& joint) { return joint.second == 0; });
  return joints;
}

/// c (q − reference) + d (q_leader − leader_reference) = data[0], or c (q − reference) = Σ_n
/// data[n] (d (q_leader − leader_reference))ⁿ.
std::optional<JointClosure> ReadTendonClosure(const mjModel& mj, int equality) {
  const int first = mj.eq_obj1id[equality], second = mj.eq_obj2id[equality];
  const mjtNum* data = mj.eq_data + mjNEQDATA * equality;
  std::vector<std::pair<int, double>> joints = JointsOf(mj, first), led;
  if (second >= 0) led = JointsOf(mj, second);
  JointClosure closure{.name = ElementName(mj, mjOBJ_EQUALITY, equality, "equality")};
  const auto lead_by = [&](int joint) {
    closure.leader = joint;
    closure.leader_reference = mj.qpos0[mj.jnt_qposadr[joint]];
  };
  if (second < 0 && joints.size() == 2) {
    if (std::abs(joints[0].second) > std::abs(joints[1].second)) std::swap(joints[0], joints[1]);
    lead_by(joints[1].first);
    closure.polynomial[1] = -joints[1].second / joints[0].second;
  } else if (second >= 0 && joints.size() == 1 && led.size() == 1 &&
             joints[0].first != led[0].first) {
    lead_by(led[0].first);
    double power = 1;
    for (size_t n = 1; n < closure.polynomial.size(); ++n) {
      power *= led[0].second;
      closure.polynomial[n] = data[n] * power / joints[0].second;
    }
  } else if (second >= 0 || joints.size() != 1) {
    return std::nullopt;
  }
  closure.joint = joints[0].first;
  closure.reference = mj.qpos0[mj.jnt_qposadr[closure.joint]];
  closure.polynomial[0] = data[0] / joints[0].second;
  return closure;
}

}  // namespace

std::optional<JointClosure> ReadCoupling(const mjModel& mj, int equality) {
  if (mj.eq_type[equality] == mjEQ_JOINT) return ReadJointClosure(mj, equality);
  if (mj.eq_type[equality] == mjEQ_TENDON) return ReadTendonClosure(mj, equality);
  return std::nullopt;
}

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
      default:
        const std::optional<JointClosure> coupling = ReadCoupling(*mj, i);
        if (!coupling) {
          throw UserError("equality '" + ElementName(*mj, mjOBJ_EQUALITY, i, "equality") +
                          "' closes no loop of joints: only connect, weld, joint and tendons over "
                          "two joints can be read");
        }
        closures.joints.push_back(*coupling);
    }
  }
  return closures;
}

}  // namespace civita
