#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class Actuation;
class ClusterModel;
class Model;
class Reference;
struct Coupling;

/// How a run starts: `initial`.
struct InitialConfig {
  std::optional<std::vector<double>> q, v;     ///< nq, nv; else the start and the reference's v
  std::map<std::string, double> joints;        ///< hinges and slides at the start, by name
  std::optional<std::vector<double>> v_error;  ///< nv, on top of the reference's v
};
std::span<const KeyRow<InitialConfig>> InitialKeys();

/// Where a robot starts and what its reference moves about: joints as `initial.joints` says; others
/// as the keyframe `home`, else qpos0, with hinges and slides moved inside their limits by a tenth
/// of the range, and coupled ones as their couplings say. nq numbers. @throws KeyError for joints
/// that are not there (lists them), no hinges or slides, or beyond their limits.
Eigen::VectorXd FindStart(const InitialConfig& initial, const mjModel& m, const Model& model,
                          const std::vector<Coupling>& couplings,
                          std::vector<std::string>* notices);

/// The first configuration: `initial.q` with the loops closed, its independent coordinates as
/// given; else `center`. `closed`: null without loops. @throws KeyError.
Eigen::VectorXd FindStartPosition(const InitialConfig& initial, const Model& plant,
                                  const ClusterModel* closed, const Eigen::VectorXd& center);

/// The first velocity at `q_start`: the reference's, else `initial.v`, plus `initial.v_error`, as
/// the loops allow it, the independent velocities as given. @throws KeyError.
Eigen::VectorXd FindStartVelocity(const InitialConfig& initial, const Model& plant,
                                  const std::shared_ptr<const ClusterModel>& closed,
                                  const Reference& reference, const Eigen::VectorXd& center,
                                  const Eigen::VectorXd& q_start);

/// Says at which coordinates the effort limits cannot even hold the robot at q; "" where they can.
std::string DescribeWeakLimits(const Model& plant, const Actuation& actuation,
                               const Eigen::VectorXd& q);

/// Amplitudes of gentle sinusoids about `center`, nv numbers: 0.2 rad or 5 cm, at most a quarter of
/// the way to a limit. Passive coordinates, balls and free joints stand still, and so do
/// coordinates that `closed` says are told by others, or all of a model with loops that are not
/// known (null).
std::vector<double> GentleAmplitudes(const mjModel& m, const Actuation& actuation,
                                     const std::vector<Coupling>& couplings,
                                     const ClusterModel* closed, const Eigen::VectorXd& center);

/// Amplitudes of an excitation about `center`, nv numbers: 0.6 rad or 15 cm, at most two thirds of
/// the way to a limit. Passive coordinates, balls, free joints and loops stand still.
std::vector<double> ExcitationAmplitudes(const mjModel& m, const Actuation& actuation,
                                         const Eigen::VectorXd& center);

}  // namespace civita
