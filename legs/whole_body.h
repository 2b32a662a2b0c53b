#pragma once

#include <memory>
#include <optional>

#include "civita/controllers/controller.h"
#include "civita/controllers/inertia_estimates.h"
#include "civita/controllers/legs/contact_forces.h"
#include "civita/controllers/legs/gait.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/leg_state.h"
#include "civita/controllers/legs/leg_tasks.h"
#include "civita/controllers/legs/stepping_state.h"

namespace civita {

/// Gains of the law of legged robots, in this order.
inline constexpr ParameterInfo kWholeBodyParameters[] = {
    {"Lambda", "Λ", "Tracking", "1/s", "1/s", "How fast trunk and posture errors decay", 0.5, 50,
     10, GainShape::kScalar},
    {"K_D", "K_D", "Damping", "1/s", "N·m·s/rad", "Damping of s = v − v_r", 1, 100, 20,
     GainShape::kCoordinates},
    {"Lambda_anchor", "Λ_a", "Anchors", "1/s", "1/s", "Rate at which stance feet return to place",
     1, 50, 15, GainShape::kScalar},
    {"Lambda_swing", "Λ_s", "Swing", "1/s", "1/s", "How fast feet in the air follow their path", 1,
     60, 20, GainShape::kScalar},
};

inline constexpr ParameterInfo kAdaptiveWholeBodyParameters[] = {
    kWholeBodyParameters[0], kWholeBodyParameters[1], kWholeBodyParameters[2],
    kWholeBodyParameters[3], kAdaptationParameter,
};

/// The rows of WholeBody, without and with adaptation.
extern const LawInfo kWholeBodyLaw, kAdaptiveWholeBodyLaw;

/// Passivity-based whole-body control of a robot that stands on its feet. Tasks (LegTasks) define
/// v_r and v̇_r; the joint force that tracking requires,
///   W = H v̇_r + C v_r + g − K_D s,  s = v − v_r,
/// has six rows without actuator: the feet must supply that wrench (ContactForces), and
///   τ = W − Σ Jᵀf
/// acts on the joints. v̇_r is the rate of v_r along the robot's motion, row by row of the tasks
/// (FillTasks, TrunkReference), so that the rate of V = ½ sᵀH s is
///   V̇ = −sᵀK_D s + sᵀ(W_given − W) + sᵀH(v̇_r − d/dt v_r)
/// for every C with Ḣ = C + Cᵀ, whatever forces act at the contacts that v_r keeps at rest.
///
/// sᵀ(W_given − W) is /law/injected. What the feet cannot supply is taken out of the reference
/// before it acts: where the zero-moment point of W is outside the support, the horizontal
/// acceleration of the linear task is changed until it is inside; the remaining error of the force
/// distribution goes into the accelerations of the trunk, so that feet and posture move as
/// planned.
///
/// The last term is zero except for the discretization by the control period and for changes of
/// v_r that v̇_r does not contain:
/// - jumps, where a step begins or ends, a foot is lifted or set down, an anchor begins or ceases
///   to follow its foot, or a command changes discontinuously;
/// - the height z(x) of a swinging sole, ẋ = (1 − x)/(T − t), while the time T of the step is
///   planned anew: the rate of v_r in that row has the additional term −(1 − x)/(T − t)² Ṫ ∂z/∂x;
/// - −Λ δ̇ in the rate of the linear task, where an observer or the estimates move the weight
///   horizontally by δ.
///
/// The momentum observer accounts for the commanded contact forces. Of its estimate, the vertical
/// force and the moments on the base are compensated: weight missing in the model, and where it
/// acts.
///
/// The adaptive law uses InertiaEstimates π̂ in place of the model's parameters in W; π̃ exchanges
/// energy with V as in Adaptive, and the estimates also correct the centre of mass. They are held
/// while the feet do not give what the law asks for.
class WholeBody final : public Controller {
 public:
  /// `options.legs` must be set. @throws UserError for a model whose first joint is not free, or a
  /// leg with too few joints; adaptive: also as the constructor of InertiaEstimates.
  WholeBody(const Model& model, const ControllerOptions& options, bool adaptive);

  Status CalcControl(const Measurement&, const ReferenceState&, ControlOutput&) override;
  StorageState CalcStorage(const PlantState&, const ControlOutput&) override;
  std::optional<SteppingState> stepping() const override;
  void AddUncounted(const Eigen::VectorXd& constraint, Eigen::VectorXd& tau) const override;

  const LegOptions& legs() const { return legs_; }
  const LegKinematics& kinematics() const { return now_; }
  const ContactForces& contact_forces() const { return forces_; }
  const LegState& leg_state() const { return next_; }
  const Gait& gait() const { return *gait_; }

  /// Index in output.signals where each of the law's own signals begins.
  enum Signal {
    kUnmetForce,   ///< N: desired force that the feet did not supply
    kUnmetMoment,  ///< N·m, about the centre of mass
    kInjected,     ///< W: sᵀ(W_given − W)
    kDcmMargin,    ///< m: distance of the DCM inside the support
    kShift,        ///< m: distance by which the zero-moment point was moved
    kStepping,     ///< 1 while stepping
    kSteps,        ///< touchdowns
    kQpStatus,     ///< ContactForces::Status
    kQpIterations,
    kDcm,                  ///< m: the divergent component of motion, x and y
    kPressure = kDcm + 2,  ///< m: centre of pressure of the commanded forces, x and y
    /// then, by foot, /contact/i and the commanded /f_z/i; then those of the estimates
    kNumSignals = kPressure + 2
  };

 protected:
  void ResetLaw(const Measurement& start, const ReferenceState& reference,
                Eigen::Ref<Eigen::VectorXd> x) override;
  void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                   Eigen::Ref<Eigen::VectorXd> next) override;
  void AddKnownForces(Eigen::VectorXd& tau) const override;

 private:
  static constexpr int kLambda = GainIndex(kWholeBodyParameters, "Lambda");
  static constexpr int kKD = GainIndex(kWholeBodyParameters, "K_D");
  static constexpr int kLambdaAnchor = GainIndex(kWholeBodyParameters, "Lambda_anchor");
  static constexpr int kLambdaSwing = GainIndex(kWholeBodyParameters, "Lambda_swing");
  static constexpr int kGamma = GainIndex(kAdaptiveWholeBodyParameters, "gamma");

  void FillTasks(const ReferenceState& reference, const Measurement& measured,
                 const TrunkReference& trunk, ControlOutput& output);
  /// A stance foot keeps its anchor, which follows slowly where the foot slips. A foot that a push
  /// has lifted returns to the anchor's height.
  void FillAnchor(size_t i, bool is_in_air);
  /// A swing foot follows its reference.
  void FillSwing(size_t i);
  /// Orientation of a flat foot.
  void FillSole(size_t i, const BodyCommand& command);
  /// Moves the centre of mass to where the observer or the estimates have the weight.
  void CorrectCenterOfMass();
  /// Joint force W at the present v̇_r.
  void CalcWanted(const ControlOutput& output);
  Eigen::Matrix<double, 6, 1> WrenchAtCom(const Eigen::Ref<const Eigen::VectorXd>& W) const;
  /// `response`: LegTasks::CalcTrunkResponse.
  void KeepPressureInside(const Eigen::Matrix<double, 6, 6>& response);
  void GiveUpUnmet(const Eigen::Matrix<double, 6, 6>& response);
  /// Whether the feet give less than the law asks for, by more than rounding.
  bool GivesLess() const;
  void NameSignals();
  void FillSignals(ContactForces::Status status, ControlOutput& output);

  const LegOptions legs_;
  LegKinematics now_;
  LegTasks tasks_;
  ContactForces forces_;
  std::unique_ptr<Gait> gait_;
  double weight_;        ///< N
  double anchor_force_;  ///< N: a foot's force from which its anchor follows it
  double max_shift_;     ///< m: of the centre of mass, by CorrectCenterOfMass
  LegState next_;
  std::optional<InertiaEstimates> estimates_;
  Eigen::VectorXd xdot_r_, xddot_r_, v_r_, W_, W_wanted_, K_D_s_, scratch_, joint_rate_,
      posture_error_, load_;
  double shift_ = 0;
  double qp_s_ = 0;  ///< SteppingState::qp_s
};

}  // namespace civita
