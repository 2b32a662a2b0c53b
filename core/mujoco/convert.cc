#include "civita/mujoco/convert.h"

#include <set>
#include <string>
#include <utility>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/mujoco/passive_elements.h"

namespace civita {

namespace {

using Vector3Map = Eigen::Map<const Eigen::Vector3d>;
using Vector4Map = Eigen::Map<const Eigen::Vector4d>;

std::string NameOf(const mjModel& mj, mjtObj type, int id, const char* kind) {
  const char* given = mj_id2name(&mj, type, id);
  if (given != nullptr && *given != '\0') return given;
  std::string name = kind + std::to_string(id);
  while (mj_name2id(&mj, type, name.c_str()) >= 0) name += '_';  // another has it
  return name;
}

Pose PoseAt(const mjtNum* position, const mjtNum* quaternion) {
  return {QuaternionToMatrix<double>(Vector4Map(quaternion)), Vector3Map(position)};
}

JointType TypeOf(int type) {
  switch (type) {
    case mjJNT_FREE:
      return JointType::kFree;
    case mjJNT_BALL:
      return JointType::kBall;
    case mjJNT_SLIDE:
      return JointType::kSlide;
    default:
      return JointType::kHinge;
  }
}

void CheckRepresentable(const mjModel& mj) {
  const bool passive_forces = HasPassiveForces(mj);
  for (int i = 1; i < mj.nbody; ++i) {
    if (mj.body_gravcomp[i] != 0 && passive_forces) {
      throw UserError("body '" + NameOf(mj, mjOBJ_BODY, i, "body") +
                      "' has gravcomp, a force that g(q) does not hold");
    }
  }
  for (int i = 0; i < mj.ntendon; ++i) {
    if (mj.tendon_armature[i] != 0) {
      throw UserError("tendon '" + NameOf(mj, mjOBJ_TENDON, i, "tendon") +
                      "' has armature, which H(q) does not hold");
    }
  }
  for (int i = 0; i < mj.nactuator; ++i) {
    if (mj.actuator_trntype[i] == mjTRN_TENDON && mj.actuator_armature[i] != 0) {
      throw UserError("actuator '" + NameOf(mj, mjOBJ_ACTUATOR, i, "actuator") +
                      "' adds armature to a tendon, which H(q) does not hold");
    }
  }
  if ((mj.opt.density != 0 || mj.opt.viscosity != 0) && passive_forces) {
    throw UserError(
        "the model moves in a fluid (option density or viscosity), a force that C v + g "
        "does not hold");
  }
}

JointProperties PropertiesOf(const mjModel& mj, int joint) {
  JointProperties p;
  p.name = NameOf(mj, mjOBJ_JOINT, joint, "joint");
  p.axis = Vector3Map(mj.jnt_axis + 3 * joint);
  p.anchor = Vector3Map(mj.jnt_pos + 3 * joint);
  if (IsScalarJoint(mj, joint)) p.position_reference = mj.qpos0[mj.jnt_qposadr[joint]];
  ReadPassiveElements(mj, joint, &p);
  ReadLimits(mj, joint, &p);
  return p;
}

void AddSites(const mjModel& mj, ModelBuilder* builder) {
  std::set<std::string> taken;
  for (int i = 0; i < mj.nsite; ++i) {
    std::string name = NameOfSite(mj, i);
    if (name.empty() || !taken.insert(name).second) continue;
    builder->AddFrame(std::move(name), mj.site_bodyid[i] - 1,
                      PoseAt(mj.site_pos + 3 * i, mj.site_quat + 4 * i));
  }
}

}  // namespace

std::string NameOfSite(const mjModel& mj, int site) {
  const char* given = mj_id2name(&mj, mjOBJ_SITE, site);
  if (given == nullptr || *given == '\0') return "";
  std::string name = given;
  while (mj_name2id(&mj, mjOBJ_BODY, name.c_str()) >= 0) name.insert(0, "site:");
  return name;
}

Model BuildModel(const mjModel& mj) {
  CheckRepresentable(mj);
  ModelBuilder builder;
  builder.allow_impossible_moments();
  builder.set_gravity((mj.opt.disableflags & mjDSBL_GRAVITY) != 0
                          ? Eigen::Vector3d::Zero()
                          : Eigen::Vector3d(Vector3Map(mj.opt.gravity)));
  for (int i = 1; i < mj.nbody; ++i) {  // MuJoCo's body 0 is the world
    const Pose X_BI = PoseAt(mj.body_ipos + 3 * i, mj.body_iquat + 4 * i);
    const Eigen::Vector3d principal = Vector3Map(mj.body_inertia + 3 * i);
    const MassProperties mass{mj.body_mass[i], X_BI.p,
                              X_BI.R * principal.asDiagonal() * X_BI.R.transpose()};
    const int body = builder.AddBody(NameOf(mj, mjOBJ_BODY, i, "body"), mj.body_parentid[i] - 1,
                                     PoseAt(mj.body_pos + 3 * i, mj.body_quat + 4 * i), mass);
    for (int j = 0; j < mj.body_jntnum[i]; ++j) {
      const int joint = mj.body_jntadr[i] + j;
      builder.AddJoint(body, TypeOf(mj.jnt_type[joint]), PropertiesOf(mj, joint));
    }
  }
  for (const TendonProperties& tendon : ReadTendons(mj)) builder.AddTendon(tendon);
  AddSites(mj, &builder);
  return builder.Build();
}

void CheckMujocoVersion() {
  constexpr int kPatches = 1000;  // whose structures are the same
  if (mj_version() / kPatches == mjVERSION_HEADER / kPatches) return;
  throw UserError("MuJoCo " + std::to_string(mj_version()) +
                  " is loaded, but civita was built with " + std::to_string(mjVERSION_HEADER));
}

std::string ElementName(const mjModel& mj, mjtObj type, int id, const std::string& kind) {
  const char* name = mj_id2name(&mj, type, id);
  return name != nullptr && *name != '\0' ? name : kind + std::to_string(id);
}

}  // namespace civita
