#pragma once

#include <memory>
#include <vector>

#include "civita/controllers/measurement.h"
#include "civita/model.h"

namespace civita {

/// A desired motion q_d(t) with its exact first and second derivatives in the model's conventions.
/// Stateless: any thread may call Sample, which allocates nothing; the caller sizes `state` (nq,
/// nv, nv).
class Reference {
 public:
  virtual ~Reference() = default;
  virtual void Sample(double t, ReferenceState& state) const = 0;
};

/// Constant configuration q (nq).
std::unique_ptr<Reference> MakeHold(const Model& model, const Eigen::VectorXd& q);

/// q_d(t) = q_center ⊕ θ(t), θ_i = w(t) · amplitude_i · sin(2π f_i t + φ_i) for each coordinate; w
/// is a quintic that fades in over `fade_s`, so that the motion starts at rest at q_center (fade_s
/// = 0: w = 1). Rotations are exp(θ), with ω = J_r(θ) θ̇ and its exact rate. Vectors of nv
/// numbers; rad (m), Hz, rad.
std::unique_ptr<Reference> MakeSinusoid(const Model& model, const Eigen::VectorXd& q_center,
                                        const Eigen::VectorXd& amplitude,
                                        const Eigen::VectorXd& frequency_hz,
                                        const Eigen::VectorXd& phase, double fade_s);

/// From q_from to q_to in duration_s by the quintic 10x³ − 15x⁴ + 6x⁵, starting at start_s and at
/// rest at both ends; along the geodesic q_from ⊕ x·(q_to ⊖ q_from). With `repeat` it goes back
/// and forth forever.
std::unique_ptr<Reference> MakeQuintic(const Model& model, const Eigen::VectorXd& q_from,
                                       const Eigen::VectorXd& q_to, double start_s,
                                       double duration_s, bool repeat);

/// An exciting motion for parameter identification: q_d(t) = q_center ⊕ θ(t), each θ_i a finite
/// Fourier series of `harmonics` sines and cosines (at least 3) of base_hz with random
/// coefficients, scaled so that its maximum is amplitude_i (rad or m, nv numbers). It starts at
/// q_center with zero velocity and acceleration and has the period 1/base_hz. The same seed gives
/// the same motion on every machine.
std::unique_ptr<Reference> MakeExcitation(const Model& model, const Eigen::VectorXd& q_center,
                                          const Eigen::VectorXd& amplitude, double base_hz,
                                          int harmonics, int seed);

/// The point mass's line of [WES], section IV-A2: q_d = q_start ⊕ [t + sin t, 0, …] along
/// coordinate `coordinate` of v.
std::unique_ptr<Reference> MakeLine(const Model& model, const Eigen::VectorXd& q_start,
                                    int coordinate);

/// A coordinate that depends on another one, as joint equalities (URDF's mimic) define it: q[iq] =
/// reference + Σ c_k (q[iq_from] − from_reference)^k. Hinges and slides.
struct Coupling {
  int iv = 0, iq = 0;              ///< dependent coordinate
  int iv_from = -1, iq_from = -1;  ///< independent coordinate; −1: constant
  double reference = 0, from_reference = 0;
  double polynomial[5] = {0, 0, 0, 0, 0};

  /// The dependent value and its first two derivatives by the independent one. `q_from` is ignored
  /// for a constant.
  void Evaluate(double q_from, double* value, double* slope, double* curvature) const;
};

/// Another reference whose dependent coordinates, with derivatives, follow from their couplings.
/// Couplings are ordered so that a coordinate comes before those that depend on it.
std::unique_ptr<Reference> MakeCoupled(std::unique_ptr<Reference> inner,
                                       std::vector<Coupling> couplings);

}  // namespace civita
