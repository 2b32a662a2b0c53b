#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"

namespace civita {

/// Factorization of the Coriolis forces: selects a Coriolis matrix C(q,v). All have the same C v,
/// and all except those with `alpha` are admissible, Ḣ = C + Cᵀ ([EW], definition 3; [WES], section
/// IV). Admissible factorizations differ by torsion.
///
/// The one-parameter family t has the body-level factor B = ½(B_L + B_R) + ½t(B_L − B_R) with
/// B_L = (ξ×*)I and B_R = (Iξ)×̄* − I(ξ×): t = 0, the default, is the Christoffel-consistent,
/// torsion-free C; t = 1 is the plain (ξ×*)I of [EW] (9); t = −1 is B_R.
///
/// t and every β may be functions of q ([WES], (12)): set the number before each evaluation. The
/// terms that they multiply are skew and vanish when applied to v, so that C v and Ḣ = C + Cᵀ hold
/// for any β(q), and the rate of β has no effect.
///
///     Factorization::Torsion(0.3).Inject(model, "hand", Factorization::Part::kAngular, 0.5)
///
/// As text: factorization_text.h.
struct Factorization {
  enum class Part { kAngular, kLinear };

  static Factorization Christoffel() { return {}; }
  static Factorization Torsion(double t);
  /// A copy with a BodyInjection of `beta` at the body with this name; Part::kLinear takes the
  /// velocity of the body frame's origin. @throws UserError if the body is unknown or does not
  /// move.
  [[nodiscard]] Factorization Inject(const Model& model, std::string_view body, Part part,
                                     double beta) const;

  double t = 0;  ///< of the one-parameter family

  /// Adds β·Sᵀ((Sξ)×)S at one body: S takes the body's angular velocity (β in kg·m²) or the
  /// velocity of `point` (β in kg/m) from the spatial velocity ξ.
  struct BodyInjection {
    int body = -1;                                    ///< index in Model::bodies()
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< for kLinear: given in the body's frame, m
    Part part = Part::kAngular;
    double beta = 0;
    std::string name;  ///< of the frame, for ToString; algorithms do not use it
  };
  std::vector<BodyInjection> body_injections;

  /// Adds β·Sᵀ((S v)×)S with a constant 3 × nv matrix S.
  struct JointInjection {
    double beta = 0;
    Eigen::Matrix3Xd S;
    std::string file;  ///< file of S, for ToString; empty for S = 1
  };
  std::optional<JointInjection> joint_injection;

  /// Adds α I(ξ×) per body, which is not admissible ([EW], section 3): C v is unchanged because
  /// ξ×ξ = 0, but Ḣ ≠ C + Cᵀ, so that the proof that V decreases does not apply.
  double alpha = 0;

  /// Whether Ḣ = C + Cᵀ.
  bool admissible() const { return alpha == 0; }
  /// Whether the body-level factor differs from the Christoffel-consistent one.
  bool has_body_torsion() const { return t != 0 || alpha != 0 || !body_injections.empty(); }
  /// Whether C is the Christoffel-consistent one.
  bool torsion_free() const;

  /// Checks that the injections refer to bodies and coordinates of the model.
  /// @throws ContractError otherwise.
  void Check(const Model& model) const;
};

}  // namespace civita
