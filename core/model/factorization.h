#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"

namespace civita {

/// Says which Coriolis matrix C(q,v). C v is the same for all of them, and but for `alpha` so is
/// Ḣ = C + Cᵀ: those are admissible ([EW], definition 3; [WES], section IV); they differ by
/// torsion.
///
/// The body-level family (t) takes per body B = ½(B_L + B_R) + ½t(B_L − B_R), with B_L = (ξ×*)I and
/// B_R = (Iξ)×̄* − I(ξ×): t = 0 is the Christoffel-consistent, torsion-free C; t = 1 the plain
/// (ξ×*)I of [EW] (9); t = −1 the other order.
///
/// t and every β may depend on q ([WES], (12)): who wants β(q) sets the number before each
/// evaluation. What they multiply is skew and vanishes when applied to v, so that C v and Ḣ = C +
/// Cᵀ hold for any β(q); its rate enters nowhere.
///
///     Factorization::Torsion(0.3).Inject(model, "hand", Factorization::Part::kAngular, 0.5)
///
/// As text: factorization_text.h.
struct Factorization {
  enum class Part { kAngular, kLinear };

  static Factorization Christoffel() { return {}; }
  static Factorization Torsion(double t);
  /// This one with β at the body that the user gave this name. @throws UserError for a body that is
  /// unknown or does not move.
  [[nodiscard]] Factorization Inject(const Model& model, std::string_view body, Part part,
                                     double beta) const;

  double t = 0;

  /// β·Sᵀ((Sξ)×)S at one body: S takes the body's angular velocity (kg·m²), or the velocity of the
  /// point of the body frame's origin (kg/m).
  struct BodyInjection {
    int body = -1;                                    ///< index in Model::bodies()
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< linear part: in the body's frame
    Part part = Part::kAngular;
    double beta = 0;
    std::string name;  ///< of the frame, as text has it; says nothing to algorithms
  };
  std::vector<BodyInjection> body_injections;

  /// β·Sᵀ((S v)×)S with a constant 3 × nv matrix S of the coordinates.
  struct JointInjection {
    double beta = 0;
    Eigen::Matrix3Xd S;
    std::string file;  ///< where S came from, as text has it; empty for S = 1
  };
  std::optional<JointInjection> joint_injection;

  /// The negative case ([EW], section 3): α I(ξ×) more per body. C v stays right, for ξ×ξ = 0, but
  /// Ḣ ≠ C + Cᵀ, and with it goes the proof that V falls.
  double alpha = 0;

  bool admissible() const { return alpha == 0; }
  /// More per body than the Christoffel-consistent factor.
  bool has_body_torsion() const { return t != 0 || alpha != 0 || !body_injections.empty(); }
  bool torsion_free() const;

  /// Checks that injections are at bodies and coordinates of the model: what the algorithms that
  /// take both begin with. @throws ContractError.
  void Check(const Model& model) const;
};

}  // namespace civita
