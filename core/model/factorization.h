#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/error.h"
#include "civita/model.h"

namespace civita {

/// Coefficient of an injection: a number, or a function β(q) of the configuration ([WES], (12)).
class Coefficient {
 public:
  /// q: nq numbers.
  using Function = std::function<double(const Eigen::VectorXd& q)>;

  /// A constant.
  Coefficient(double number = 0) : number_(number) {}  // NOLINT(google-explicit-constructor)
  /// `text` is how ToString writes the function. Copies of a Coefficient have copies of the
  /// function; where that is not safe to call from several threads, each thread needs its own.
  Coefficient(std::string text, Function function)
      : text_(std::move(text)), function_(std::move(function)) {}

  bool is_number() const { return !function_; }  ///< whether it is a constant
  /// Whether it is the number 0.
  bool is_zero() const { return is_number() && number_ == 0; }
  double number() const { return number_; }          ///< 0 for a function
  const std::string& text() const { return text_; }  ///< of a function

  /// The value at q (nq numbers). Functions are evaluated in double alone.
  template <typename T>
  T At(const VectorX<T>& q) const {
    if constexpr (std::is_same_v<T, double>) {
      return function_ ? function_(q) : number_;
    } else {
      CIVITA_CHECK(is_number(),
                   "β = " << text_ << " is a function of q, for the scalar double only");
      return T(number_);
    }
  }

 private:
  double number_ = 0;
  std::string text_;
  Function function_;
};

/// Factorization of the Coriolis forces: selects a Coriolis matrix C(q,v). All have the same C v,
/// and all except those with `alpha` are admissible, Ḣ = C + Cᵀ ([EW], definition 3; [WES], section
/// IV). Admissible factorizations differ by torsion.
///
/// The one-parameter family t has the body-level factor B = ½(B_L + B_R) + ½t(B_L − B_R) with
/// B_L = (ξ×*)I and B_R = (Iξ)×̄* − I(ξ×): t = 0, the default, is the Christoffel-consistent,
/// torsion-free C; t = 1 is the plain (ξ×*)I of [EW] (9); t = −1 is B_R.
///
/// Every β may be a function of q ([WES], (12)): the terms that it multiplies are skew and vanish
/// when applied to v, so that C v and Ḣ = C + Cᵀ hold for any β(q), and the rate of β has no
/// effect.
///
///     Factorization::Torsion(0.3).Inject(model, "hand", Factorization::Part::kAngular, 0.5)
///
/// As text: factorization_text.h.
struct Factorization {
  /// Of a body's velocity: the angular one, or that of its origin.
  enum class Part { kAngular, kLinear };

  static Factorization Christoffel() { return {}; }  ///< torsion-free
  static Factorization Torsion(double t);            ///< the family t:x
  /// A copy with a BodyInjection of `beta` at the body with this name; Part::kLinear takes the
  /// velocity of a point, given from the origin of the body's frame in the axes of bodies() (m).
  /// @throws UserError if the body is unknown or does not move.
  [[nodiscard]] Factorization Inject(const Model& model, std::string_view body, Part part,
                                     Coefficient beta,
                                     const Eigen::Vector3d& point = Eigen::Vector3d::Zero()) const;

  double t = 0;  ///< of the one-parameter family

  /// Adds β·Sᵀ((Sξ)×)S at one body: S takes the body's angular velocity (β in kg·m²) or the
  /// velocity of `point` (β in kg/m) from the spatial velocity ξ.
  struct BodyInjection {
    int body = -1;                                    ///< index in Model::bodies()
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< for kLinear: given in the body's frame, m
    Part part = Part::kAngular;                       ///< which velocity S takes
    Coefficient beta;                                 ///< factor of the term
    // For ToString; algorithms do not use them.
    std::string name = {};                                 ///< of a frame on the body
    std::optional<Eigen::Vector3d> origin = std::nullopt;  ///< of that frame, given as `point` is
  };
  std::vector<BodyInjection> body_injections;  ///< terms β Sᵀ((Sξ)×)S at bodies

  /// Adds β·Sᵀ((S v)×)S with a constant 3 × nv matrix S.
  struct JointInjection {
    Coefficient beta;       ///< factor of the term
    Eigen::Matrix3Xd S;     ///< 3 × nv, constant
    std::string file = {};  ///< where S was read, for ToString, if anywhere
  };
  std::vector<JointInjection> joint_injections;  ///< terms β Sᵀ((Sv)×)S

  /// Adds ω(·, v, ·) of a three-form ω, the general injection ([WES], corollary IV.1 and (12)):
  /// C_ik += Σ_j ω_ijk v_j, totally antisymmetric, by its components with i, j, k different.
  struct ThreeForm {
    /// A component ω_ijk.
    struct Component {
      int i, j, k;        ///< velocity coordinates; the other five places follow by sign
      Coefficient omega;  ///< its value, as a number or a function of q
    };
    std::vector<Component> components;  ///< all others are zero, or follow by antisymmetry
    std::string file = {};              ///< where they were read, for ToString, if anywhere
    std::string made =
        {};  ///< how they were made, for ToString: "random:SEED" or "random:SEED:SIZE"
  };
  std::vector<ThreeForm> three_forms;  ///< terms ω(·, v, ·)

  /// Adds α I(ξ×) per body, which is not admissible ([EW], section 3): C v is unchanged because
  /// ξ×ξ = 0, but Ḣ ≠ C + Cᵀ, so that the proof that V decreases does not apply.
  double alpha = 0;

  /// Whether Ḣ = C + Cᵀ.
  bool admissible() const { return alpha == 0; }
  /// Whether injections act on the coordinates themselves, not at bodies.
  bool has_coordinate_injections() const {
    return !joint_injections.empty() || !three_forms.empty();
  }
  /// Whether the body-level factor differs from the Christoffel-consistent one.
  bool has_body_torsion() const { return t != 0 || alpha != 0 || !body_injections.empty(); }
  /// Whether C is the Christoffel-consistent one.
  bool torsion_free() const;

  /// Checks that the injections refer to bodies and coordinates of the model.
  /// @throws ContractError otherwise.
  void Check(const Model& model) const;
};

}  // namespace civita
