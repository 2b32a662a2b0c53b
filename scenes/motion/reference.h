#pragma once

#include <memory>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/model.h"

namespace civita {

/// A desired motion q_d(t) with its exact first and second derivatives in the model's conventions.
/// It has no state: any threads may call Sample, which allocates nothing; `state` has been sized
/// (nq, nv, nv).
class Reference {
 public:
  virtual ~Reference() = default;
  virtual void Sample(double t, ReferenceState& state) const = 0;
};

/// Stands still at q.
std::unique_ptr<Reference> MakeHold(const Model& model, const Eigen::VectorXd& q);

/// q_d(t) = q_center ⊕ θ(t), θ_i = w(t) · amplitude_i · sin(2π f_i t + φ_i), each coordinate its
/// own; w fades in over `fade_s` by a quintic, so that the motion starts at rest at q_center (0:
/// w = 1). Rotations move by exp(θ), with ω = J_r(θ) θ̇ and its exact rate. Vectors of nv numbers;
/// rad (m), Hz, rad.
std::unique_ptr<Reference> MakeSinusoid(const Model& model, const Eigen::VectorXd& q_center,
                                        const Eigen::VectorXd& amplitude,
                                        const Eigen::VectorXd& frequency_hz,
                                        const Eigen::VectorXd& phase, double fade_s);

/// From q_from to q_to in duration_s by the quintic 10x³ − 15x⁴ + 6x⁵, at rest at both ends,
/// starting at start_s; along the straight line q_from ⊕ x·(q_to ⊖ q_from). With `repeat` there and
/// back for ever.
std::unique_ptr<Reference> MakeQuintic(const Model& model, const Eigen::VectorXd& q_from,
                                       const Eigen::VectorXd& q_to, double start_s,
                                       double duration_s, bool repeat);

/// The point mass's line of [WES], section V: q_d = q_start ⊕ [t + sin t, 0, …] along
/// coordinate `coordinate` of v.
std::unique_ptr<Reference> MakeLine(const Model& model, const Eigen::VectorXd& q_start,
                                    int coordinate);

/// A coordinate that follows another one, as joint equalities (URDF's mimic) have it:
/// q[iq] = reference + Σ c_k (q[iq_from] − from_reference)^k. Hinges and slides.
struct Coupling {
  int iv = 0, iq = 0;              ///< the dependent coordinate
  int iv_from = -1, iq_from = -1;  ///< the one that it follows; −1: constant
  double reference = 0, from_reference = 0;
  double polynomial[5] = {0, 0, 0, 0, 0};

  /// The dependent value and its first two derivatives by the other one's. `q_from` counts for
  /// nothing where the value is constant.
  void Evaluate(double q_from, double* value, double* slope, double* curvature) const;
};

/// Another reference with dependent coordinates replaced by what their couplings say, derivatives
/// too. A coordinate that others follow must come before them.
std::unique_ptr<Reference> MakeCoupled(std::unique_ptr<Reference> inner,
                                       std::vector<Coupling> couplings);

}  // namespace civita
