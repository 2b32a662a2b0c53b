#include "civita/scenes/plant/closed_chain.h"

#include "base/text.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/space_kinematics.h"
#include "civita/workspace.h"

namespace civita {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  throw KeyError("plant.loops", "plant.loops exact: " + why + "; valid: soft");
}

std::vector<std::string> JointsWithFriction(const mjModel& m) {
  std::vector<std::string> names;
  if ((m.opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT)) != 0) return names;
  for (int iv = 0; iv < m.nv; ++iv) {
    const std::string name = ElementName(m, mjOBJ_JOINT, m.dof_jntid[iv]);
    const bool new_name = names.empty() || names.back() != name;
    if (m.dof_frictionloss[iv] > 0 && new_name) names.push_back(name);
  }
  for (int i = 0; i < m.ntendon; ++i) {
    if (m.tendon_frictionloss[i] > 0) names.push_back("tendon " + ElementName(m, mjOBJ_TENDON, i));
  }
  return names;
}

std::vector<std::string> LimitedJoints(const mjModel& m) {
  std::vector<std::string> names;
  for (int i = 0; i < m.njnt; ++i) {
    if (m.jnt_limited[i]) names.push_back(ElementName(m, mjOBJ_JOINT, i));
  }
  for (int i = 0; i < m.ntendon; ++i) {
    if (m.tendon_limited[i]) names.push_back("tendon " + ElementName(m, mjOBJ_TENDON, i));
  }
  return names;
}

bool MayCollide(const mjModel& m) {
  if ((m.opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) != 0) return false;
  if (m.npair > 0) return true;
  for (int i = 0; i < m.ngeom; ++i) {
    for (int j = 0; j < i; ++j) {
      const bool apart = m.body_weldid[m.geom_bodyid[i]] != m.body_weldid[m.geom_bodyid[j]];
      if (apart && CanTouch(m, i, j)) return true;
    }
  }
  return false;
}

// Whether the coordinate is at its lower limit (-1), its upper one (1) or at none (0).
int SideOf(const mjModel& m, int joint, const Eigen::VectorXd& q) {
  if (!IsScalarJoint(m, joint) || !IsLimited(m, joint)) return 0;
  const mjtNum* range = m.jnt_range + 2 * joint;
  const double value = q[m.jnt_qposadr[joint]], near = 1e-6 * (range[1] - range[0]);
  if (value < range[0] + near) return -1;
  return value > range[1] - near ? 1 : 0;
}

// Aᵀ(d − g): what moves the independent velocities at rest when motors give nothing.
Eigen::VectorXd CalcForcesAtRest(const VelocitySpace& closed) {
  const Model& tree = closed.tree();
  const Eigen::VectorXd& q = closed.closed_start();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(tree.nv());
  Workspace<double> workspace(tree);
  UpdateKinematics(tree, q, workspace);
  Eigen::VectorXd force(tree.nv());
  CalcGravityForces<double>(tree, workspace, force);
  force = -force;
  AddPassiveForces(tree, q, rest, {.speed = 1}, 1, force);
  SpaceWorkspace<double> reduced(closed);
  Eigen::VectorXd of_w = Eigen::VectorXd::Zero(closed.nw());
  if (!UpdateKinematics<double>(closed, q, of_w, reduced).ok()) return of_w;
  CalcReducedForces<double>(closed, force, reduced, of_w);
  return of_w;
}

// Coordinates that are to be independent: those with motors, or those alone that motors do not
// drive and that start at a limit.
struct Wishes {
  std::vector<std::string> driven, at_limits;
};

Wishes FindWishes(const mjModel& m, const Model& model, const Actuation& actuation,
                  const Eigen::VectorXd& start) {
  Wishes wishes;
  for (int iv = 0; iv < model.nv(); ++iv) {
    if (!actuation.is_passive(iv)) {
      wishes.driven.push_back(model.VelocityName(iv));
    } else if (SideOf(m, m.dof_jntid[iv], start) != 0) {
      wishes.at_limits.push_back(model.VelocityName(iv));
    }
  }
  return wishes;
}

using ClosedChain = std::shared_ptr<const VelocitySpace>;

// The closed chain with these coordinates independent, null if they cannot be so together.
ClosedChain TryClosing(const Model& model, const Constraints& loops, const Eigen::VectorXd& start,
                       const std::vector<std::string>& independent) {
  try {
    return std::make_shared<const VelocitySpace>(
        model, loops, LoopOptions{.independent = independent, .start = start});
  } catch (const UserError&) {
    return nullptr;
  }
}

// The chain with joints at stops that springs and gravity press them against taken as fixed there;
// null if there are none.
ClosedChain CloseWithStops(const mjModel& m, const Model& model, const Actuation& actuation,
                           Constraints loops, const Eigen::VectorXd& start, const Wishes& wishes,
                           std::vector<std::string>* notices) {
  if (wishes.at_limits.empty()) return nullptr;
  std::vector<std::string> independent = wishes.driven;
  for (const JointConstraint& led : loops.joints) {
    std::erase(independent, model.joints()[static_cast<size_t>(led.joint)].name);
  }
  independent.insert(independent.end(), wishes.at_limits.begin(), wishes.at_limits.end());
  const ClosedChain free = TryClosing(model, loops, start, independent);
  if (free == nullptr) return nullptr;
  const std::vector<JointConstraint> stops = FindStops(m, actuation, start, *free);
  if (stops.empty()) return nullptr;
  std::vector<std::string> names;
  for (const JointConstraint& stop : stops) {
    names.push_back(stop.name);
    std::erase(independent, stop.name);
    loops.joints.push_back(stop);
  }
  ClosedChain held = TryClosing(model, loops, start, independent);
  if (held) {
    notices->push_back(
        "the law takes these joints, which nothing drives, as held by the stops against which "
        "springs and gravity press them: " +
        internal::List(names));
  }
  return held;
}

// The start with its loops closed: independent coordinates as they are, if the loops reach them
// from the chain's own closed configuration, else that.
Eigen::VectorXd CloseAtStart(const VelocitySpace& closed, const Eigen::VectorXd& start) {
  Eigen::VectorXd q = closed.closed_start();
  for (const Model::NamedJoint& joint : closed.tree().joints()) {
    bool independent = true;
    for (int i = 0; i < NumVelocities(joint.type); ++i) {
      independent = independent && !closed.dependent(joint.iv + i);
    }
    const int nq = NumPositions(joint.type);
    if (independent) q.segment(joint.iq, nq) = start.segment(joint.iq, nq);
  }
  SpaceWorkspace<double> workspace(closed);
  return CloseLoops(closed, workspace, q).ok() ? q : closed.closed_start();
}

}  // namespace

std::vector<JointConstraint> FindStops(const mjModel& m, const Actuation& actuation,
                                       const Eigen::VectorXd& start, const VelocitySpace& closed) {
  const Eigen::VectorXd force = CalcForcesAtRest(closed);
  const std::vector<Model::NamedJoint>& joints = closed.tree().joints();
  std::vector<JointConstraint> stops;
  for (size_t i = 0; i < joints.size(); ++i) {
    const int iv = joints[i].iv;
    const int side = SideOf(m, m.dof_jntid[iv], start);
    if (side == 0 || !actuation.is_passive(iv) || closed.dependent(iv)) continue;
    for (int w = 0; w < closed.nw(); ++w) {
      if (closed.independent()[static_cast<size_t>(w)] != iv || force[w] * side <= 0) continue;
      stops.push_back(
          {.name = joints[i].name, .joint = static_cast<int>(i), .reference = start[joints[i].iq]});
    }
  }
  return stops;
}

std::shared_ptr<const VelocitySpace> FindClosedChains(const mjModel& m, const Model& model,
                                                      const Actuation& actuation, LoopForm form,
                                                      Eigen::VectorXd* start,
                                                      std::vector<std::string>* notices) {
  try {
    const Constraints loops = ReadConstraints(m, model);
    if (loops.empty()) return nullptr;
    const Wishes wishes = FindWishes(m, model, actuation, *start);
    ClosedChain closed;
    if (form == LoopForm::kSoft) {  // exact loops know no limits
      closed = CloseWithStops(m, model, actuation, loops, *start, wishes, notices);
    }
    if (!closed && wishes.driven.size() < static_cast<size_t>(model.nv())) {
      closed = TryClosing(model, loops, *start, wishes.driven);
    }
    // The driven coordinates may be too many or dependent: then independent ones are free.
    if (!closed) {
      closed = std::make_shared<const VelocitySpace>(model, loops, LoopOptions{.start = *start});
    }
    *start = CloseAtStart(*closed, *start);
    return closed;
  } catch (const UserError& error) {
    if (form == LoopForm::kExact) Refuse(error.what());
    notices->push_back(std::string("the controller does not know of the loops: ") + error.what());
    return nullptr;
  }
}

void MakeLoopsExact(const VelocitySpace* closed, bool has_legs, mjModel* m,
                    std::vector<std::string>* notices) {
  if (closed == nullptr) Refuse("the model has no loops, gears or coupled joints");
  if (has_legs) Refuse("a legged robot stands by contacts, which do not act then");
  const std::vector<std::string> friction = JointsWithFriction(*m);
  if (!friction.empty()) {
    Refuse("dry friction does not act then, which the model has at " + internal::List(friction));
  }
  if ((m->opt.disableflags & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT)) == 0) {
    internal::TellNames("with plant.loops exact the limits of these joints do not act: ",
                        LimitedJoints(*m), notices);
  }
  if (MayCollide(*m)) notices->push_back("with plant.loops exact contacts do not act");
  m->opt.disableflags |= mjDSBL_CONSTRAINT;
}

LoopCloser::LoopCloser(std::shared_ptr<const VelocitySpace> closed)
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
