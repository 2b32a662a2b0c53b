#include "civita/scenes/plant/closed_chain.h"

#include "civita/error.h"
#include "civita/mujoco/loop_closures.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/text.h"

namespace civita {
namespace {

std::string ObjectName(const mjModel& m, mjtObj type, int id) {
  const char* name = mj_id2name(&m, type, id);
  return name != nullptr && *name != '\0' ? name : std::to_string(id);
}

[[noreturn]] void Refuse(const std::string& why) {
  throw KeyError("plant.loops", "plant.loops exact: " + why + "; valid: soft");
}

std::vector<std::string> JointsWithFriction(const mjModel& m) {
  std::vector<std::string> names;
  if ((m.opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT)) != 0) return names;
  for (int iv = 0; iv < m.nv; ++iv) {
    const std::string name = ObjectName(m, mjOBJ_JOINT, m.dof_jntid[iv]);
    const bool new_name = names.empty() || names.back() != name;
    if (m.dof_frictionloss[iv] > 0 && new_name) names.push_back(name);
  }
  for (int i = 0; i < m.ntendon; ++i) {
    if (m.tendon_frictionloss[i] > 0) names.push_back("tendon " + ObjectName(m, mjOBJ_TENDON, i));
  }
  return names;
}

std::vector<std::string> LimitedJoints(const mjModel& m) {
  std::vector<std::string> names;
  for (int i = 0; i < m.njnt; ++i) {
    if (m.jnt_limited[i]) names.push_back(ObjectName(m, mjOBJ_JOINT, i));
  }
  for (int i = 0; i < m.ntendon; ++i) {
    if (m.tendon_limited[i]) names.push_back("tendon " + ObjectName(m, mjOBJ_TENDON, i));
  }
  return names;
}

bool MayCollide(const mjModel& m) {
  if ((m.opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) != 0) return false;
  if (m.npair > 0) return true;
  for (int i = 0; i < m.ngeom; ++i) {
    for (int j = 0; j < i; ++j) {
      const bool apart = m.body_weldid[m.geom_bodyid[i]] != m.body_weldid[m.geom_bodyid[j]];
      const bool masks = (m.geom_contype[i] & m.geom_conaffinity[j]) != 0 ||
                         (m.geom_contype[j] & m.geom_conaffinity[i]) != 0;
      if (apart && masks) return true;
    }
  }
  return false;
}

}  // namespace

std::shared_ptr<const ClusterModel> FindClosedChains(const mjModel& m, const Model& model,
                                                     const Actuation& actuation, LoopForm form,
                                                     Eigen::VectorXd* start,
                                                     std::vector<std::string>* notices) {
  ClusterOptions options{.start = *start};
  std::vector<std::string> driven;
  for (int iv = 0; iv < model.nv(); ++iv) {
    if (!actuation.is_passive(iv)) driven.push_back(model.VelocityName(iv));
  }
  try {
    const LoopClosures closures = ReadLoopClosures(&m);
    if (closures.empty()) return nullptr;
    std::shared_ptr<const ClusterModel> closed;
    try {
      if (driven.size() < static_cast<size_t>(model.nv())) options.independent = driven;
      closed = std::make_shared<const ClusterModel>(model, closures, options);
    } catch (const UserError&) {
      // The driven coordinates are too many or dependent: choose independent ones freely.
      options.independent.clear();
      closed = std::make_shared<const ClusterModel>(model, closures, options);
    }
    *start = closed->closed_start();
    return closed;
  } catch (const UserError& error) {
    if (form == LoopForm::kExact) Refuse(error.what());
    notices->push_back(std::string("the controller does not know of the loops: ") + error.what());
    return nullptr;
  }
}

void MakeLoopsExact(const ClusterModel* closed, bool has_legs, mjModel* m,
                    std::vector<std::string>* notices) {
  if (closed == nullptr) Refuse("the model has no loops, gears or coupled joints");
  if (has_legs) Refuse("a legged robot stands by contacts, which do not act then");
  const std::vector<std::string> friction = JointsWithFriction(*m);
  if (!friction.empty()) {
    Refuse("dry friction does not act then, which the model has at " + internal::List(friction));
  }
  const std::vector<std::string> limited = LimitedJoints(*m);
  if (!limited.empty() && (m->opt.disableflags & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT)) == 0) {
    notices->push_back("with plant.loops exact the limits of these joints do not act: " +
                       internal::List(limited));
  }
  if (MayCollide(*m)) notices->push_back("with plant.loops exact contacts do not act");
  m->opt.disableflags |= mjDSBL_CONSTRAINT;
}

LoopCloser::LoopCloser(std::shared_ptr<const ClusterModel> closed)
    : closed_(std::move(closed)),
      workspace_(*closed_),
      w_(Eigen::VectorXd::Zero(closed_->nw())),
      wdot_(w_) {
  for (const Model::NamedJoint& joint : closed_->tree().joints()) {
    // All coordinates of a ball or free joint are taken, or none.
    bool any = false;
    for (int i = 0; i < NumVelocities(joint.type); ++i) any |= closed_->dependent(joint.iv + i);
    for (int i = 0; any && i < NumPositions(joint.type); ++i) dependent_iq_.push_back(joint.iq + i);
  }
}

bool LoopCloser::Close(const Eigen::VectorXd& q_near, ReferenceState& state) {
  for (const int iq : dependent_iq_) state.q[iq] = q_near[iq];
  for (Eigen::Index a = 0; a < w_.size(); ++a) {
    const int iv = closed_->independent()[static_cast<size_t>(a)];
    w_[a] = state.v[iv];
    wdot_[a] = state.vdot[iv];
  }
  if (CloseLoops(*closed_, workspace_, state.q).ok() &&
      UpdateKinematics<double>(*closed_, state.q, w_, workspace_).ok()) {
    CalcTreeVelocity<double>(*closed_, w_, workspace_, state.v);
    CalcTreeAcceleration<double>(*closed_, w_, wdot_, workspace_, state.vdot);
    return true;
  }
  for (const int iq : dependent_iq_) state.q[iq] = q_near[iq];
  for (int iv = 0; iv < closed_->nv(); ++iv) {
    if (closed_->dependent(iv)) state.v[iv] = state.vdot[iv] = 0;
  }
  return false;
}

}  // namespace civita
