#include "civita/mujoco/constraints.h"

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

/// MuJoCo's body 0 is the world.
Model::NamedFrame FrameOf(const Model& model, int body) {
  if (body == 0) return {};
  CIVITA_CHECK(body <= static_cast<int>(model.frames().size()), "the model is another");
  return model.frames()[static_cast<size_t>(body - 1)];
}

/// eq_data of bodies. connect: anchor in body 1, in body 2. weld: anchor in body 2, in body 1,
/// orientation of body 2 in body 1.
RigidConstraint ReadRigidConstraint(const mjModel& mj, int equality, const Model& model) {
  RigidConstraint c{.name = ElementName(mj, mjOBJ_EQUALITY, equality, "equality"),
                    .fixes_rotation = mj.eq_type[equality] == mjEQ_WELD};
  const int first = mj.eq_obj1id[equality], second = mj.eq_obj2id[equality];
  if (mj.eq_objtype[equality] == mjOBJ_SITE) {
    c.A = FrameOf(model, mj.site_bodyid[first]);
    c.B = FrameOf(model, mj.site_bodyid[second]);
    c.point_A = Vector3Map(mj.site_pos + 3 * first);
    c.point_B = Vector3Map(mj.site_pos + 3 * second);
    c.axes_A = QuaternionToMatrix<double>(Vector4Map(mj.site_quat + 4 * first));
    c.axes_B = QuaternionToMatrix<double>(Vector4Map(mj.site_quat + 4 * second));
    return c;
  }
  const mjtNum* data = mj.eq_data + mjNEQDATA * equality;
  c.A = FrameOf(model, first);
  c.B = FrameOf(model, second);
  c.point_A = Vector3Map(data + (c.fixes_rotation ? 3 : 0));
  c.point_B = Vector3Map(data + (c.fixes_rotation ? 0 : 3));
  if (c.fixes_rotation) c.axes_A = QuaternionToMatrix<double>(Vector4Map(data + 6));
  return c;
}

void CheckScalar(const mjModel& mj, int equality, int joint) {
  if (IsScalarJoint(mj, joint)) return;
  throw UserError("equality '" + ElementName(mj, mjOBJ_EQUALITY, equality, "equality") +
                  "' couples joint " + std::to_string(joint) +
                  ", which is neither a hinge nor a slide");
}

JointConstraint ReadJointEquality(const mjModel& mj, int equality) {
  JointConstraint constraint;
  constraint.name = ElementName(mj, mjOBJ_EQUALITY, equality, "equality");
  constraint.joint = mj.eq_obj1id[equality];
  constraint.leader = mj.eq_obj2id[equality];
  CheckScalar(mj, equality, constraint.joint);
  constraint.reference = mj.qpos0[mj.jnt_qposadr[constraint.joint]];
  const mjtNum* data = mj.eq_data + mjNEQDATA * equality;
  if (constraint.leader < 0) {
    constraint.polynomial[0] = data[0];
    return constraint;
  }
  CheckScalar(mj, equality, constraint.leader);
  std::copy_n(data, constraint.polynomial.size(), constraint.polynomial.begin());
  constraint.leader_reference = mj.qpos0[mj.jnt_qposadr[constraint.leader]];
  return constraint;
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
std::optional<JointConstraint> ReadTendonEquality(const mjModel& mj, int equality) {
  const int first = mj.eq_obj1id[equality], second = mj.eq_obj2id[equality];
  const mjtNum* data = mj.eq_data + mjNEQDATA * equality;
  std::vector<std::pair<int, double>> joints = JointsOf(mj, first), led;
  if (second >= 0) led = JointsOf(mj, second);
  JointConstraint constraint{.name = ElementName(mj, mjOBJ_EQUALITY, equality, "equality")};
  const auto lead_by = [&](int joint) {
    constraint.leader = joint;
    constraint.leader_reference = mj.qpos0[mj.jnt_qposadr[joint]];
  };
  if (second < 0 && joints.size() == 2) {
    if (std::abs(joints[0].second) > std::abs(joints[1].second)) std::swap(joints[0], joints[1]);
    lead_by(joints[1].first);
    constraint.polynomial[1] = -joints[1].second / joints[0].second;
  } else if (second >= 0 && joints.size() == 1 && led.size() == 1 &&
             joints[0].first != led[0].first) {
    lead_by(led[0].first);
    double power = 1;
    for (size_t n = 1; n < constraint.polynomial.size(); ++n) {
      power *= led[0].second;
      constraint.polynomial[n] = data[n] * power / joints[0].second;
    }
  } else if (second >= 0 || joints.size() != 1) {
    return std::nullopt;
  }
  constraint.joint = joints[0].first;
  constraint.reference = mj.qpos0[mj.jnt_qposadr[constraint.joint]];
  constraint.polynomial[0] = data[0] / joints[0].second;
  return constraint;
}

}  // namespace

std::optional<JointConstraint> ReadJointConstraint(const mjModel& mj, int equality) {
  if (mj.eq_type[equality] == mjEQ_JOINT) return ReadJointEquality(mj, equality);
  if (mj.eq_type[equality] == mjEQ_TENDON) return ReadTendonEquality(mj, equality);
  return std::nullopt;
}

bool ActsFromStart(const mjModel& mj, int equality) {
  return mj.eq_active0[equality] &&
         (mj.opt.disableflags & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT)) == 0;
}

Constraints ReadConstraints(const mjModel& mj, const Model& model) {
  Constraints constraints;
  for (int i = 0; i < mj.neq; ++i) {
    if (!ActsFromStart(mj, i)) continue;
    switch (mj.eq_type[i]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        constraints.rigid.push_back(ReadRigidConstraint(mj, i, model));
        break;
      default:
        const std::optional<JointConstraint> joint = ReadJointConstraint(mj, i);
        if (!joint) {
          throw UserError("equality '" + ElementName(mj, mjOBJ_EQUALITY, i, "equality") +
                          "' closes no loop of joints: only connect, weld, joint and tendons over "
                          "two joints can be read");
        }
        constraints.joints.push_back(*joint);
    }
  }
  return constraints;
}

}  // namespace civita
