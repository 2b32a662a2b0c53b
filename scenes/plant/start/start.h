#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/controllers/measurement.h"
#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class Actuation;
class VelocitySpace;
class Model;
class Reference;
struct Coupling;

/// What a random error of the initial velocity is isotropic in: its covariance W is a multiple of
/// 1, H⁻¹ or H⁻², with the plant's H at the start.
enum class VelocityErrorPrior {
  kNone,
  kJoint,    ///< rad/s and m/s alike
  kEnergy,   ///< kinetic energy, dv = H^−½ z
  kImpulse,  ///< independent impulses at the joints, dv = H⁻¹ z
};

/// Initial state of a run: `initial`.
struct InitialConfig {
  std::optional<std::vector<double>> q, v;     ///< nq, nv; default: the start and the reference's v
  std::map<std::string, double> joints;        ///< hinges and slides at the start, by name
  std::optional<std::vector<double>> v_error;  ///< nv, added to the reference's
  /// A normally distributed error instead, of a run that starts on its reference. `size`² is the
  /// mean square over the independent velocities and all seeds, tr W/n.
  VelocityErrorPrior v_error_prior = VelocityErrorPrior::kNone;
  int v_error_seed = 1;
  double v_error_size = 0.1;  ///< rad/s, m/s
};
std::span<const KeyRow<InitialConfig>> InitialKeys();

/// The configuration (nq) where a robot starts and about which its reference moves: joints as in
/// `initial.joints`; others as the keyframe `home`, with a notice for those near limits, else qpos0
/// with driven hinges and slides moved inside their limits by a tenth of the range; dependent ones
/// by their couplings. @throws KeyError for joints that are unknown (lists them), not hinges or
/// slides, or beyond their limits.
Eigen::VectorXd FindStart(const InitialConfig& initial, const mjModel& m, const Model& model,
                          const Actuation& actuation, const std::vector<Coupling>& couplings,
                          std::vector<std::string>* notices);

/// By coordinate of the tree (nv): whether a loop in `closed` (null: none) has it, so that others
/// may carry a part of its load.
std::vector<bool> FindSharedLoads(const VelocitySpace* closed, int nv);

/// Names the coordinates whose effort limits cannot hold the robot at q against gravity and
/// springs; empty if all can. Left out are coordinates whose loads are not known: those of the
/// loops in `closed` (null: none) and those on a free joint.
std::string DescribeWeakLimits(const Model& plant, const Actuation& actuation,
                               const VelocitySpace* closed, const Eigen::VectorXd& q);

/// Moves q (nq), at which effort limits cannot hold a robot with a fixed base, to a configuration
/// near it where seven tenths of them can, or else 95 %, by hinges and slides that have drives,
/// are in no loop and are not `kept` (nv), inside their limits by a tenth of the range; `notices`
/// says so. Where none is found q stays as it is.
void MoveToWhereDrivesHold(const mjModel& m, const Model& plant, const Actuation& actuation,
                           const VelocitySpace* closed, const std::vector<bool>& kept,
                           Eigen::VectorXd* q, std::vector<std::string>* notices);

/// The initial configuration (nq): `initial.q` with the loops closed at the given independent
/// coordinates; by default `center`. `closed`: null without loops. @throws KeyError.
Eigen::VectorXd FindStartPosition(const InitialConfig& initial, const Model& plant,
                                  const VelocitySpace* closed, const Eigen::VectorXd& center);

/// The initial velocity (nv) at `q_start`: `initial.v`, by default the reference's, plus
/// `initial.v_error`, made consistent with the loops at the given independent velocities.
/// @throws KeyError.
Eigen::VectorXd FindStartVelocity(const InitialConfig& initial, const Model& plant,
                                  const std::shared_ptr<const VelocitySpace>& closed,
                                  const Reference& reference, const Eigen::VectorXd& center,
                                  const Eigen::VectorXd& q_start);

/// The reference at the start of a run, on the branch of the loops of `center` (nq numbers).
ReferenceState SampleStart(const Model& plant, const std::shared_ptr<const VelocitySpace>& closed,
                           const Reference& reference, const Eigen::VectorXd& center);

/// Whether `initial` gives a prior. @throws KeyError if it gives q, v or v_error as well.
bool HasVelocityErrorPrior(const InitialConfig& initial);

/// The error of `initial`'s prior (nv) at a configuration q (nq): of closed chains that of the
/// independent velocities, to which the others follow. Coordinates that `loose` marks have none.
/// @throws KeyError where loops or H are singular.
Eigen::VectorXd DrawVelocityError(const InitialConfig& initial, const Model& plant,
                                  const VelocitySpace* closed, const std::vector<bool>& loose,
                                  const Eigen::VectorXd& q);

/// Amplitudes (nv) of moderate sinusoids about `center`: 0.2 rad or 5 cm, at most a quarter of the
/// distance to a limit. Zero for passive coordinates, those that motors reach but do not move on
/// their own (`undriven`), ball and free joints, coordinates that are dependent by `closed`, and
/// all coordinates of a model with unsupported loops (closed null).
std::vector<double> GentleAmplitudes(const mjModel& m, const Actuation& actuation,
                                     const std::vector<Coupling>& couplings,
                                     const VelocitySpace* closed, const std::vector<int>& undriven,
                                     const Eigen::VectorXd& center);

/// Amplitudes (nv) of an excitation about `center`: 0.6 rad or 15 cm, at most two thirds of the
/// distance to a limit. Zero for passive and `undriven` coordinates, ball and free joints and
/// loops.
std::vector<double> ExcitationAmplitudes(const mjModel& m, const Actuation& actuation,
                                         const std::vector<int>& undriven,
                                         const Eigen::VectorXd& center);

}  // namespace civita
