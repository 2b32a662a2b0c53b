#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/factorization.h"
#include "civita/study/advise/error_parts.h"

namespace civita {

/// How late a torque is on average from measurement on, s, that is held for a period.
inline double LateBy(double delay_s, double period_s) { return delay_s + 0.5 * period_s; }

/// What of a law with v_r = v_d − Λ e and s = v − v_r decides how its errors decay.
struct ErrorGains {
  Eigen::VectorXd Lambda;  ///< 1/s; one number or one for each coordinate of v
  Eigen::VectorXd K_D;     ///< likewise; 1/s, or joint units with GainForm::kDiagonal
  GainForm form = GainForm::kMass;
  double period_s = 0;  ///< for which a torque is held; 0: the law acts at every instant
  double delay_s = 0;   ///< from measurement to torque, without the holding
  /// The skew gain, nv × nv, N·m·s/rad; empty: none.
  Eigen::MatrixXd G = {};
};

/// The desired motion at one time.
struct ReferenceSample {
  double t = 0;             ///< s
  Eigen::VectorXd q;        ///< nq numbers; of closed chains with closed loops
  Eigen::VectorXd v, vdot;  ///< nv numbers
};

/// Samples along a reference of the linear error equations of Slotine–Li's law,
///   ė = −Λ e + s,   H ṡ = −(C_LC + K + K_D + G + D) s,
/// which hold to first order in e and s for an exact model: of the law's C(q, v) s only K(v_d) s
/// and C_LC(q_d, v_d) s remain, C_LC the torsion-free C and K = C − C_LC the contorsion along v_d
/// (K(s) s = 0, as K is totally antisymmetric), D = ∂(damping force)/∂v. For rotations e is the
/// logarithm and s the velocity error of TrackingError; the equations are the same. Closed chains:
/// in the independent velocities, with the H̄, C̄ that the tree's induce ([WES], section VI-C).
struct TorsionAlongReference {
  struct Sample {
    double t = 0;                ///< s
    Eigen::VectorXd v_d;         ///< n
    Eigen::MatrixXd H, C_LC, K;  ///< n × n
    Eigen::MatrixXd K_D;         ///< n × n, K_D + G
    Eigen::MatrixXd D;           ///< n × n
  };
  Eigen::VectorXd Lambda;        ///< 1/s, n
  std::vector<Sample> samples;   ///< t ascends
  std::vector<ErrorPart> parts;  ///< FindErrorParts
  double period_s = 0, delay_s = 0;
  double omega_G = 0;  ///< rad/s, the largest ‖L⁻¹GL⁻ᵀ‖_F/√2: how fast the skew gain turns errors

  Eigen::Index n() const { return Lambda.size(); }
  double duration() const { return samples.back().t - samples.front().t; }
  /// ‖v_d‖ is zero at every sample: then K is zero, too, whatever the factorization.
  bool rests() const;

  /// K_D + D = k H at every sample, to a share of `kAlike` of the largest k, Λ is one number, and
  /// there is no G: what the closed formulas need.
  bool has_one_rate() const;
  double k() const { return k_mean; }       ///< 1/s, mean eigenvalue of H⁻¹(K_D + D)
  double k_min = 0, k_max = 0, k_mean = 0;  ///< 1/s, of H⁻¹(K_D + D) over all samples
  static constexpr double kAlike = 0.02;
};

/// Samples the error equations along a reference: 2 evaluations of C and one decomposition of H a
/// sample, 0.1 ms for 26 velocities. `closed`: null, or the loops of a tree of the model's
/// structure. The factorization must be of the model.
/// @throws UserError for fewer than two samples or times that do not ascend, a C that is not
/// admissible (Factorization::alpha), gains that are not positive, and where H is singular or the
/// loops are: with the time.
TorsionAlongReference SampleTorsion(const Model& model, const VelocitySpace* closed,
                                    const Factorization& factorization, const ErrorGains& gains,
                                    std::span<const ReferenceSample> reference);

/// The rate of the damping force of joints and tendons, D = ∂d/∂v at v (nv numbers), nv × nv, N·m·s
/// or N·s/m, without dry friction.
Eigen::MatrixXd CalcDampingRate(const Model& model, const Eigen::VectorXd& v);

}  // namespace civita
