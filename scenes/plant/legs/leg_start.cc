#include "civita/scenes/plant/leg_start.h"

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "civita/centroidal.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"
#include "civita/workspace.h"

namespace civita {
namespace {

using internal::Join;
using internal::ShortNumber;
using Faults = std::vector<std::string>;

constexpr double kDepth = 0.002;       // m: shapes deeper in the floor are thrown out of it
constexpr double kEdge = 0.001;        // m, of a centre of mass outside the support
constexpr double kUnmet = 0.01;        // share of the weight that the feet need not give
constexpr double kTorque = 1e-4;       // of the weight, times 1 m: rounding of torques
constexpr double kStepLoad = 1.5;      // of a joint in a walk, in units of that on one foot at rest
constexpr double kMostStorage = 1e-7;  // of the weight, times the height of the centre of mass

// The body is at rest on the floor: its balls are neither above nor below it.
void FindFeetOffFloor(const Scene& scene, const FloorPlane& floor, Faults* faults) {
  const std::vector<FootClearance> clearances =
      CalcClearances(scene.plant, *scene.legs, floor, scene.q_start);
  for (size_t i = 0; i < clearances.size(); ++i) {
    const std::string& name = scene.legs->feet[i].name;
    const auto [lowest, highest] = clearances[i];
    if (lowest < -kDepth) {
      faults->push_back("foot " + name + " is " + ShortNumber(-lowest) + " m in the floor");
    } else if (lowest > kFootLevel) {
      faults->push_back("foot " + name + " is " + ShortNumber(lowest) + " m above the floor");
    } else if (highest > lowest + kFootLevel) {
      faults->push_back("the sole of " + name + " is not level: its balls differ by " +
                        ShortNumber(highest - lowest) + " m in height");
    }
  }
}

// Shapes other than the feet's balls that are in the world's.
void FindShapesInFloor(const Scene& scene, Faults* faults) {
  const mjModel& m = *scene.mj;
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(&m));
  std::copy(scene.q_start.begin(), scene.q_start.end(), d->qpos);
  mj_kinematics(&m, d.get());
  mj_collision(&m, d.get());
  std::map<std::string, double> depths;  // by body
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    if (contact.geom[0] < 0 || contact.geom[1] < 0) continue;
    const int a = m.geom_bodyid[contact.geom[0]], b = m.geom_bodyid[contact.geom[1]];
    const bool a_is_world = m.body_weldid[a] == 0, b_is_world = m.body_weldid[b] == 0;
    if (a_is_world == b_is_world || contact.dist > -kDepth) continue;
    const int geom = contact.geom[a_is_world ? 1 : 0];
    const char* name = mj_id2name(&m, mjOBJ_BODY, m.geom_bodyid[geom]);
    double& depth = depths[name == nullptr ? "" : name];
    depth = std::max(depth, -contact.dist);
  }
  for (const auto& [body, depth] : depths) {
    const std::string beginning = "foot " + body + " is";
    const bool told = std::ranges::any_of(
        *faults, [&beginning](const std::string& fault) { return fault.starts_with(beginning); });
    if (told) continue;
    faults->push_back("a shape of " + body + " is " + ShortNumber(depth) + " m in the floor");
  }
}

// What a joint cannot give of the torque tau (N·m) with which the robot would stand.
std::string DescribeLoad(const Scene& scene, int iv, double tau) {
  const std::string joint = "joint " + scene.control_model.VelocityName(iv);
  const std::string needed = "needs " + ShortNumber(std::abs(tau)) + " N·m to stand";
  const Actuation& drives = scene.actuation;
  if (drives.is_passive(iv)) return joint + " has no motor and " + needed;
  const double limit = tau > 0 ? drives.upper()[iv] : drives.lower()[iv];
  return joint + " " + needed + ", its limit is " + ShortNumber(std::abs(limit));
}

bool IsBeyond(const Scene& scene, int iv, double tau) {
  const double slack =
      kTorque * CalcTotalMass(scene.control_model) * scene.control_model.gravity().norm();
  return tau > scene.actuation.upper()[iv] + slack || tau < scene.actuation.lower()[iv] - slack;
}

bool Walks(const Scene& scene) {
  constexpr double kScan = 0.05;  // s
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(scene.plant.nv());
  ReferenceState state{scene.q_start, zero, zero};
  for (double t = 0; t <= scene.config.duration_s && !state.body.walk; t += kScan) {
    scene.reference->Sample(t, state);
  }
  return state.body.walk;
}

// A walk on soles that the effort limits forbid, as each step rests on one foot.
void CheckWalk(const Scene& scene) {
  const Model& model = scene.control_model;
  const std::vector<Foot>& feet = scene.legs->feet;
  if (model.gravity().norm() == 0 || feet.size() != 2 || !feet[0].flat()) return;
  if (HasLoops(*scene.mj) || !Walks(scene)) return;
  for (size_t foot = 0; foot < 2; ++foot) {
    const Eigen::VectorXd tau = CalcOnOneFoot(model, *scene.legs, scene.q_start, foot);
    for (int iv = 6; iv < model.nv(); ++iv) {
      if (!IsBeyond(scene, iv, kStepLoad * tau[iv])) continue;
      throw KeyError("reference.motion",
                     "the robot cannot walk: on one foot, and half as much again for a step, " +
                         DescribeLoad(scene, iv, kStepLoad * tau[iv]));
    }
  }
}

// With loops the loads on single joints are not known.
void FindWeakJoints(const Scene& scene, Faults* faults) {
  const Model& model = scene.control_model;
  if (model.gravity().norm() == 0 || scene.closed) return;
  const Standing standing = CalcStanding(model, *scene.legs, scene.q_start);
  if (standing.margin < -kEdge) {
    faults->push_back(std::isfinite(standing.margin)
                          ? "the centre of mass is " + ShortNumber(-standing.margin) +
                                " m outside the support of the feet"
                          : "the feet are in one line, on which no law here can balance");
    return;
  }
  bool holds = standing.unmet_force < kUnmet && standing.unmet_moment < kUnmet;
  for (int iv = 6; iv < model.nv(); ++iv) holds = holds && !IsBeyond(scene, iv, standing.tau[iv]);
  if (holds) return;
  const size_t before = faults->size();
  for (int iv = 6; iv < model.nv(); ++iv) {
    const double tau = standing.tau_free[iv];
    if (!IsBeyond(scene, iv, tau)) continue;
    faults->push_back(DescribeLoad(scene, iv, tau));
  }
  if (faults->size() == before) {
    faults->push_back("the feet cannot give " + ShortNumber(100 * standing.unmet_force) +
                      " % of the weight within the effort limits");
  }
}

// The law at the start with its reference: V = ½ sᵀH s.
void FindStorage(const Scene& scene, Faults* faults) {
  const Model& model = scene.control_model;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv());
  const Measurement start{0, scene.q_start, scene.v_start};
  ReferenceState reference{scene.q_home, zero, zero};
  scene.reference->Sample(0, reference);
  ControlOutput output(*scene.controller);
  scene.controller->ResetState(start, reference);
  if (!scene.controller->CalcControl(start, reference, output)) return;
  Workspace<double> workspace(model);
  Eigen::MatrixXd H(model.nv(), model.nv());
  UpdateKinematics(model, scene.q_start, workspace);
  CalcMassMatrix(model, workspace, H);
  const Eigen::VectorXd parts = 0.5 * output.s.cwiseProduct(H * output.s);
  const double V = parts.sum();
  double height = 0;
  const double z = CalcCenterOfMass(model, workspace).z();
  for (const Foot& foot : scene.legs->feet) {
    height = std::max(height, z - CalcFramePose(model, foot.frame, workspace).p.z());
  }
  if (V <= kMostStorage * CalcTotalMass(model) * 9.81 * height) return;
  Eigen::Index largest = 0;
  parts.maxCoeff(&largest);
  faults->push_back("the law does not begin at rest: V(0) is " + ShortNumber(V) +
                    " J, the largest part, " + ShortNumber(parts[largest]) + " J, in " +
                    model.VelocityName(static_cast<int>(largest)));
}

bool HasGround(const mjModel& m) {
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (CanTouchAny(m, geom) && m.body_weldid[m.geom_bodyid[geom]] == 0) return true;
  }
  return false;
}

bool IsKnown(const mjModel& m, const std::string& name) {
  return mj_name2id(&m, mjOBJ_BODY, name.c_str()) > 0 ||
         mj_name2id(&m, mjOBJ_SITE, name.c_str()) >= 0;
}

std::string DescribeUnknown(const mjModel& m, const std::string& name) {
  const std::string nearest = NearestName(name, BodyNames(m));
  return "legs.feet: no body or site is named '" + name + "'" +
         (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)");
}

// What the law needs and the config lacks.
class Needs {
 public:
  Needs(const SceneConfig& config, const mjModel& m)
      : config_(config), m_(m), urdf_(config.model.extension() == ".urdf") {}

  void Check() {
    CheckBase();
    CheckFeet();
    CheckContacts();
    if (lacks_.empty()) return;
    throw KeyError("controller.type", "controller.type " + config_.controller +
                                          " makes a robot stand on its feet; " +
                                          Join(lacks_, "; "));
  }

 private:
  void CheckBase() {
    if (m_.njnt > 0 && m_.jnt_type[0] == mjJNT_FREE) return;
    const char* name = m_.njnt > 0 ? mj_id2name(&m_, mjOBJ_JOINT, 0) : nullptr;
    const std::string first =
        m_.njnt == 0 ? "the model has no joint"
                     : "the first joint is " + std::string(name == nullptr ? "not free" : name);
    lacks_.push_back(urdf_ ? "robot.floating_base: the base is fixed to the world, " + first +
                                 "; true makes it free, on a floor"
                           : "the base is fixed to the world, " + first +
                                 "; in MJCF <freejoint/> in the trunk's body makes it free");
    frees_ = urdf_;
  }

  void CheckFeet() {
    for (const std::string& name : config_.legs.feet) {
      if (!IsKnown(m_, name)) lacks_.push_back(DescribeUnknown(m_, name));
    }
  }

  void CheckContacts() {
    if ((m_.opt.disableflags & mjDSBL_CONTACT) != 0) {
      lacks_.emplace_back("physics.contacts: bodies do not touch; true lets them");
    }
    if (frees_ || HasGround(m_)) return;
    lacks_.emplace_back(
        urdf_ ? "robot.floating_base: the world has nothing to stand on; true takes the floating "
                "joint of the root as the base, on a floor"
              : "the world has nothing to stand on, as <geom type=\"plane\" size=\"5 5 1\"/>");
  }

  const SceneConfig& config_;
  const mjModel& m_;
  bool urdf_, frees_ = false;
  std::vector<std::string> lacks_;
};

}  // namespace

void CheckLegNeeds(const SceneConfig& config, const mjModel& m) { Needs(config, m).Check(); }

Eigen::VectorXd PlaceOnFloor(const InitialConfig& initial, const mjModel& m, const Model& plant,
                             const LegOptions& legs, const FloorPlane& floor, Eigen::VectorXd q,
                             std::vector<std::string>* notices) {
  if (initial.q) return q;
  const double moved = SetOnFloor(plant, legs, floor, &q);
  const bool has_key = mj_name2id(&m, mjOBJ_KEY, "home") >= 0;
  if (moved == 0 || !has_key || !initial.joints.empty()) return q;
  notices->push_back("the keyframe home is " + std::string(moved > 0 ? "raised" : "lowered") +
                     " by " + ShortNumber(std::abs(moved)) + " m so that its feet touch the floor");
  return q;
}

std::vector<std::string> FindStartFaults(const Scene& scene,
                                         const std::optional<FloorPlane>& floor) {
  Faults faults;
  if (floor) FindFeetOffFloor(scene, *floor, &faults);
  FindShapesInFloor(scene, &faults);
  FindWeakJoints(scene, &faults);
  FindStorage(scene, &faults);
  return faults;
}

PushCeiling FindPushCeiling(const Scene& scene, const Model& model, const Eigen::VectorXd& q,
                            const Point2& u) {
  LegOptions legs = *scene.legs;
  if (HasLoops(*scene.mj)) legs.tau_max.setConstant(std::numeric_limits<double>::infinity());
  return CalcPushCeiling(model, legs, q, u);
}

std::string DescribeBound(const PushCeiling& ceiling, const Model& model) {
  if (ceiling.joint >= 0) return model.VelocityName(ceiling.joint);
  return ceiling.by_friction ? "friction" : "support";
}

std::vector<std::string> CheckStart(const Scene& scene, const std::optional<FloorPlane>& floor) {
  if (!scene.law->needs_legs) return {};
  Faults faults = FindStartFaults(scene, floor);
  if (faults.empty()) {
    CheckWalk(scene);
    return {};
  }
  const InitialConfig& initial = scene.config.initial;
  const bool has_prior = initial.v_error_prior != VelocityErrorPrior::kNone;
  if (initial.q || initial.v || initial.v_error || has_prior || scene.config.thrown.at_s) {
    for (std::string& fault : faults) fault.insert(0, "at the start ");
    return faults;
  }
  const bool has_angles =
      !initial.joints.empty() || mj_name2id(scene.mj.get(), mjOBJ_KEY, "home") >= 0;
  throw KeyError(initial.joints.empty() ? "model" : "initial.joints",
                 "the robot cannot stand at its start: " + Join(faults, "; ") +
                     (has_angles ? "" : "; without legs.feet a pose is found, too"));
}

}  // namespace civita
