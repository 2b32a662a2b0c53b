#include "civita/scenes/plant/leg_start.h"

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/text.h"
#include "civita/centroidal.h"
#include "civita/controllers/legs/standing.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/scenes/plant/leg_needs.h"
#include "civita/scenes/plant/leg_proposal.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/workspace.h"

namespace civita {
namespace {

using internal::ShortNumber;
using Faults = std::vector<std::string>;

constexpr double kLevel = 0.005;       // m: a ball farther above the floor does not stand on it
constexpr double kDepth = 0.002;       // m: shapes deeper in the floor are thrown out of it
constexpr double kEdge = 0.001;        // m, of a centre of mass outside the support
constexpr double kUnmet = 0.01;        // share of the weight that the feet need not give
constexpr double kTorque = 1e-4;       // of the weight, times 1 m: rounding of torques
constexpr double kMostStorage = 1e-6;  // J

// The body is at rest on the floor: its balls are neither above nor below it.
void FindFeetOffFloor(const Scene& scene, const FloorPlane& floor, Faults* faults) {
  const std::vector<FootClearance> clearances =
      CalcClearances(scene.plant, *scene.legs, floor, scene.q_start);
  for (size_t i = 0; i < clearances.size(); ++i) {
    const std::string& name = scene.legs->feet[i].name;
    const auto [lowest, highest] = clearances[i];
    if (lowest < -kDepth) {
      faults->push_back("foot " + name + " is " + ShortNumber(-lowest) + " m in the floor");
    } else if (lowest > kLevel) {
      faults->push_back("foot " + name + " is " + ShortNumber(lowest) + " m above the floor");
    } else if (highest > lowest + kLevel) {
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
  const Eigen::VectorXd &lower = scene.actuation.lower(), &upper = scene.actuation.upper();
  const double slack = kTorque * CalcTotalMass(model) * model.gravity().norm();
  const auto is_beyond = [&](double tau, int iv) {
    return tau > upper[iv] + slack || tau < lower[iv] - slack;
  };
  bool holds = standing.unmet_force < kUnmet && standing.unmet_moment < kUnmet;
  for (int iv = 6; iv < model.nv(); ++iv) holds = holds && !is_beyond(standing.tau[iv], iv);
  if (holds) return;
  const size_t before = faults->size();
  for (int iv = 6; iv < model.nv(); ++iv) {
    const double tau = standing.tau_free[iv];
    if (!is_beyond(tau, iv)) continue;
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
  if (scene.controller->CalcControl(start, reference, output) != ControlStatus::kOk) return;
  Workspace<double> workspace(model);
  Eigen::MatrixXd H(model.nv(), model.nv());
  UpdateKinematics(model, scene.q_start, workspace);
  CalcMassMatrix(model, workspace, H);
  const Eigen::VectorXd parts = 0.5 * output.s.cwiseProduct(H * output.s);
  const double V = parts.sum();
  if (V <= kMostStorage) return;
  Eigen::Index largest = 0;
  parts.maxCoeff(&largest);
  faults->push_back("the law does not begin at rest: V(0) is " + ShortNumber(V) +
                    " J, the largest part, " + ShortNumber(parts[largest]) + " J, in " +
                    model.VelocityName(static_cast<int>(largest)));
}

}  // namespace

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

std::vector<std::string> CheckStart(const Scene& scene, const std::optional<FloorPlane>& floor) {
  if (!scene.law->needs_legs) return {};
  Faults faults = FindStartFaults(scene, floor);
  if (faults.empty()) return {};
  const InitialConfig& initial = scene.config.initial;
  const bool has_prior = initial.v_error_prior != VelocityErrorPrior::kNone;
  if (initial.q || initial.v || initial.v_error || has_prior || scene.config.thrown.at_s) {
    for (std::string& fault : faults) fault.insert(0, "at the start ");
    return faults;
  }
  std::string proposal;
  if (initial.joints.empty() && mj_name2id(scene.mj.get(), mjOBJ_KEY, "home") < 0) {
    const std::string angles = WriteAngles(ProposeLegs(*scene.mj));
    if (!angles.empty()) proposal = ". A pose with bent knees: initial: {joints: " + angles + "}";
  }
  throw KeyError(initial.joints.empty() ? "model" : "initial.joints",
                 "the robot cannot stand at its start: " + internal::Join(faults, "; ") + proposal);
}

}  // namespace civita
