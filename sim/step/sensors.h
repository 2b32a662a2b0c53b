#pragma once

#include <Eigen/Core>

#include "civita/controllers/measurement.h"
#include "civita/model.h"
#include "civita/scenes/schema/config.h"

namespace civita {

/// Model of a robot's sensors, applied to its motion at each control step in this order:
///   noise       normal, white, by seed and sample (NoiseConfig), of every coordinate:
///               orientations are rotated by a random rotation vector;
///   encoders    positions of hinges and slides rounded to whole multiples of a resolution; ball
///               and free joints, which have none, unchanged;
///   velocity    from those positions by a low-pass filtered difference (a "dirty derivative"),
///               v_k = a v_{k−1} + (1 − a)(q_k ⊖ q_{k−1})/dt, a = exp(−2π f dt), v_0 the true one;
///   delay       all of the above, a whole number of control steps late (at first: as at step 0).
/// Its complete state is state(), which Simulation saves and restores. Allocates nothing after
/// construction.
class Sensors {
 public:
  struct Options {
    double resolution = 0;  ///< of encoders, rad or m; 0: exact
    double filter_hz = 0;   ///< f; 0: the velocity is measured, not derived
    int delay = 0;          ///< number of control steps
    NoiseConfig noise = {};
    int seed = 0;
    int num_feet = 0;   ///< number of feet whose forces are measured, without noise
    double dt = 0.001;  ///< of a control step, s
  };

  Sensors(const Model& model, const Options& options);

  /// Discards all samples.
  void Reset() { state_.setZero(); }

  /// Takes the next sample of the true motion, and sets q (nq) and v (nv) of `measured`.
  void Measure(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               const Eigen::VectorXd& foot_force, Measurement& measured);

  const Eigen::VectorXd& state() const { return state_; }
  void set_state(const Eigen::VectorXd& state) { state_ = state; }

 private:
  Eigen::Index Slot(Eigen::Index sample) const;
  void AddNoise(Eigen::Index sample);

  Model model_;
  Options options_;
  double keep_ = 0;        ///< a
  Eigen::VectorXd state_;  ///< number of samples taken, then a ring of the last delay + 2 samples
  Eigen::Index width_;     ///< of a sample [q; v; foot forces]
  Eigen::VectorXd difference_;
  bool noisy_ = false;
  Eigen::VectorXd sigma_q_, sigma_v_;  ///< nv
  Eigen::VectorXd noise_;
};

}  // namespace civita
