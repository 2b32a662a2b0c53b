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
struct Factorization {
  double t = 0;

  /// β·Sᵀ((Sξ)×)S at one body: S takes the body's angular velocity (kg·m²), or the velocity of the
  /// point of the body frame's origin (kg/m).
  struct BodyInjection {
    enum class Part { kAngular, kLinear };
    std::string frame;                                ///< the user's name of the body
    int body = 0;                                     ///< index in Model::bodies()
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< linear part: in the body's frame
    Part part = Part::kAngular;
    double beta = 0;
  };
  std::vector<BodyInjection> body_injections;

  /// β·Sᵀ((S v)×)S with a constant 3 × nv matrix S of the coordinates.
  struct JointInjection {
    double beta = 0;
    Eigen::Matrix3Xd S;
    std::string file;  ///< where S came from; empty for S = 1
  };
  std::optional<JointInjection> joint_injection;

  /// The negative case ([EW], section 3): α I(ξ×) more per body. C v stays right, for ξ×ξ = 0, but
  /// Ḣ ≠ C + Cᵀ, and with it goes the proof that V falls.
  double alpha = 0;

  bool admissible() const { return alpha == 0; }
  /// More per body than the Christoffel-consistent factor.
  bool has_body_torsion() const { return t != 0 || alpha != 0 || !body_injections.empty(); }
  bool torsion_free() const;

  /// The grammar, one for files, flags and window: terms joined by '+',
  ///   christoffel | plain | other | t:0.3 | body:BODY:ang:β | body:BODY:lin:β | joint:β[:S.csv] |
  ///   alpha:0.5
  /// where the first four exclude each other; when none is given injections add to christoffel, and
  /// alpha to plain.
  /// S is the identity where nv = 3, else a CSV of 3 rows and nv columns, sought in `directory`
  /// when relative.
  /// @throws UserError that says what is wrong and lists the forms.
  static Factorization Parse(std::string_view text, const Model& model,
                             const std::string& directory = {});

  /// The same in the grammar: Parse(ToString()) gives it back.
  std::string ToString() const;
};

}  // namespace civita
