#pragma once

#include <Eigen/Core>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/controllers/law_info.h"
#include "civita/controllers/measurement.h"
#include "civita/controllers/momentum_observer.h"
#include "civita/controllers/signal_info.h"
#include "civita/controllers/storage.h"
#include "civita/controllers/tracking_error.h"
#include "civita/coordinates.h"
#include "civita/factorization.h"
#include "civita/loop_drive.h"
#include "civita/model.h"
#include "civita/space_kinematics.h"
#include "civita/status.h"
#include "civita/transmission.h"
#include "civita/types.h"
#include "civita/workspace.h"

namespace civita {

/// How a gain matrix is made from its values k, one number or nv numbers.
enum class GainForm {
  kMass,      ///< scaled by the mass matrix: the same bandwidth for heavy and light joints
  kDiagonal,  ///< diag(k) in joint units (for slides and positions read N for N·m and m for rad)
};

/// Dry friction f_c is fed forward as f_c tanh(v_r/kFrictionVelocity), rad/s or m/s, unless
/// ControllerOptions::full_friction_speeds says otherwise.
inline constexpr double kFrictionVelocity = 0.02;

/// What a task-space law moves.
enum class TaskKind {
  kPosition,  ///< the frame's origin
  kPose,      ///< its orientation too
  kXY,        ///< two of the origin's coordinates in world axes, of mechanisms that move in a plane
  kXZ,
  kYZ,
};
struct TaskFrame {
  Model::NamedFrame frame;
  TaskKind kind = TaskKind::kPosition;
};

struct LegOptions;     // legs/leg_options.h
struct SteppingState;  // controllers/legs/stepping_state.h

/// What a control law is constructed from.
struct ControllerOptions {
  Factorization factorization;
  GainForm gain_form = GainForm::kMass;
  Eigen::VectorXd q_start;  ///< nq; laws with constant gains evaluate diag(H) here
  LawOptions own = {};      ///< values of LawInfo::options
  ObserverOptions observer = {};
  std::optional<TaskFrame> task = {};  ///< the frame that a task-space law moves
  /// The loop constraints of the model's joints, if any; its spanning tree is the model. Laws
  /// without LawInfo::knows_loops ignore them; their observer does not.
  std::shared_ptr<const VelocitySpace> closed = {};
  /// Velocities w, v = A(q) w with a square A, of this model, in which the law's gains and errors
  /// are; none: v. Laws without LawInfo::knows_coordinates refuse them.
  std::optional<Coordinates> coordinates = {};
  std::optional<Transmission> motors = {};      ///< none: every coordinate has its own
  std::shared_ptr<const LegOptions> legs = {};  ///< for laws of legged robots
  /// Of a plant with softer dry friction, by coordinate and, after these nv numbers, by tendon, the
  /// velocity from which on it is full, 0 for others (see civita::AddPassiveForces); none: 0.
  std::optional<Eigen::VectorXd> full_friction_speeds = {};
};

class Controller;

/// Directions in which motors reach a robot and cannot move it: a law's torques are fitted there,
/// in the norm of H⁻¹, and what it claims of V holds for the other directions alone.
struct UndrivenDirections {
  int number = 0;
  std::vector<int> coordinates;  ///< of v, which these directions move
};

/// Result of a control step. Sized once. Where a step failed τ is zero, and what could not be
/// computed NaN.
struct ControlOutput {
  Eigen::VectorXd tau;  ///< joint torques, nv, N·m or N
  Eigen::VectorXd e;    ///< q ⊖ q_d
  Eigen::VectorXd s;  ///< the law's velocity error: v − v_r (Slotine–Li), v − v_d (baselines)
  Eigen::VectorXd sdot_ref;  ///< rate of what s subtracts (v̇_r or v̇_d carried), so ṡ = v̇ − sdot_ref
  Eigen::VectorXd signals;  ///< the law's own signals, see Controller::signals
  double kinematics_s = 0, matrices_s = 0, law_s = 0;  ///< time taken, seconds
  explicit ControlOutput(const Controller& controller);
};

/// A control law: the one interface with virtual functions. It owns its gains and scratch memory.
///
/// A law is written once, in velocities w of a VelocitySpace, v = A w: those of the tree, those
/// that loops leave (LawInfo::knows_loops), or coordinates with a square A
/// (LawInfo::knows_coordinates). Its H, C, g, gains and errors are those of w; what it takes and
/// gives, s, the rate of what s subtracts, τ and the reported e, has the tree's nv numbers: s = v −
/// A w_r, which is A s̄ on the loops, so that sᵀH s = s̄ᵀH̄ s̄, and forces τ̄ = Aᵀτ become torques of
/// the motors (LoopDrive, TorqueFit) that do their work.
///
/// One thread at a time. Calc functions allocate nothing, lock nothing and throw nothing but
/// ContractError for arguments of other sizes than the model's and the law's.
class Controller {
 public:
  /// `info` must outlive the controller. All gains start at their defaults, and so do those of the
  /// law's own options that are not given.
  /// @throws UserError for coordinates that the law does not know, for options and numbers of the
  /// observer that are out of range, and for loops as LoopDrive. @throws ContractError for loops,
  /// coordinates or motors of another model.
  Controller(const Model& model, const LawInfo& info, const ControllerOptions& options);
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Name, traits, gains and options of the law.
  const LawInfo& info() const { return info_; }

  std::span<const ParameterInfo> parameters() const { return info_.parameters; }
  /// The unit of a gain in the present gain form.
  std::string_view unit(int index) const;
  /// The value of the gain parameters()[index], by its shape: one number, nv, or none or nv² (a
  /// skew matrix by rows).
  const Eigen::VectorXd& gain(int index) const;
  /// Sets a gain: one number for all coordinates, or nv numbers (one for a scalar gain; for a skew
  /// matrix its nv² numbers by rows, or none or 0 for zero). Takes effect at the next control step.
  /// @throws UserError for an unknown key (lists the keys), a wrong length, a value that is not
  /// finite or not in ParameterInfo::range, or a matrix that is not skew; the gain then keeps its
  /// value.
  void set_gain(std::string_view key, const Eigen::Ref<const Eigen::VectorXd>& value);

  const Factorization& factorization() const { return options_.factorization; }
  /// Takes effect at the next control step. The factorization must belong to this model.
  void set_factorization(Factorization factorization);
  GainForm gain_form() const { return options_.gain_form; }
  const Model& model() const { return model_; }

  /// Names of the signals in output.signals, in order: "/law/…", the law's own, then
  /// "/observer/…"; constant after construction.
  const std::vector<SignalInfo>& signals() const { return signals_; }
  /// Length of output.signals.
  int num_signals() const { return num_signals_; }
  /// Index of the signal's first value in output.signals; −1 if there is no such signal.
  Eigen::Index FindSignal(std::string_view name) const;

  /// The law's own state x (estimates, integrals) followed by the observer's, in coordinates of a
  /// vector space; empty for a static law. The caller integrates it: x ← x + dt·ẋ when the torque
  /// is held (CalcNextState), Runge–Kutta's stages otherwise. The caller also saves and restores
  /// it with the plant's state.
  const Eigen::VectorXd& state() const { return state_; }
  void set_state(const Eigen::VectorXd& state);
  /// Initializes the state for a run that starts at `start`. No effect on a static law.
  void ResetState(const Measurement& start, const ReferenceState& reference);

  /// Torque and errors at the measured (q, v) against the reference, with state() constant.
  /// @returns why there is no torque, which is then zero: kNotFinite; kSingularLoops,
  /// kSingularCoordinates or kSingularDrive where the law's w does not exist or cannot be driven.
  /// Allocates nothing.
  virtual Status CalcControl(const Measurement& measured, const ReferenceState& reference,
                             ControlOutput& output) = 0;

  /// ẋ for the step that gave `output`, when the torque that reaches the joints, after limits and
  /// delay, is `tau_applied` (nv, N·m or N). Allocates nothing.
  void CalcStateRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                     Eigen::VectorXd& rate);

  /// The state one control period `dt` (s) later, from the rate of CalcStateRate.
  void CalcNextState(double dt, const Eigen::VectorXd& rate, Eigen::VectorXd& next) const;

  /// State of the gait at the last control step; nullopt for a law without legs.
  virtual std::optional<SteppingState> stepping() const;

  /// The law's storage with the *plant's* H, Ḣ and actual v̇, at the step that gave `output`.
  virtual StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) = 0;

  /// What a joint force τ_ext (nv) that the law does not know adds to V̇ at the step that gave
  /// `output`, with the plant's H: sᵀτ_ext where the storage is an energy.
  virtual double CalcExternalPower(const PlantState& plant, const Eigen::VectorXd& tau_ext,
                                   const ControlOutput& output);

  /// Adds to τ (nv) what acts at the last control step beside the forces of which V̇ = −P holds,
  /// where constraints act with the joint force `constraint` (nv). Nothing for laws that count on
  /// no contacts; of robots on their feet, the difference of the contact forces from the commanded
  /// ones, and W_given − W of WholeBody.
  virtual void AddUncounted(const Eigen::VectorXd& /*constraint*/, Eigen::VectorXd& /*tau*/) const {
  }

  const UndrivenDirections& undriven() const { return undriven_; }

  /// The momentum observer with its r of the last control step; nullptr if the law runs without
  /// one.
  const MomentumObserver* observer() const { return observer_ ? &*observer_ : nullptr; }

  /// The model's matrices at the last control step, for display.
  const Eigen::MatrixXd& H() const { return H_; }
  const Eigen::MatrixXd& C() const { return C_; }

 protected:
  /// Sets the size of the law's own state x, the first part of state_ (zero until ResetState), and
  /// defines its signals, the first part of output.signals: "/cycle/radius" here is recorded and
  /// plotted as "/law/cycle/radius". For constructors.
  void DefineState(int size);
  void DefineSignals(std::vector<SignalInfo> signals);

  /// Initial value of the law's own x for a run that starts at `start`; default: zero.
  virtual void ResetLaw(const Measurement& start, const ReferenceState& reference,
                        Eigen::Ref<Eigen::VectorXd> x);
  /// The law's own ẋ, see CalcStateRate; default: zero.
  virtual void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                           Eigen::Ref<Eigen::VectorXd> xdot);

  // A law in w: BeginControl, SetReference, a sum of forces by w, FinishControl.

  int nw() const { return space_.nw(); }
  /// Computes kinematics, H, C and g at the measured (q, v), in the tree and in w, the errors and
  /// the observer's estimate, timed into `output`; every law shows the tree's matrices. @returns
  /// kSingularLoops or kSingularCoordinates, by FailControl, where w does not exist. @throws
  /// ContractError for an output of another law's sizes.
  Status BeginControl(const Measurement& measured, const ReferenceState& reference,
                      ControlOutput& output);
  // At the present step: the measured w, H̄, C̄, ḡ, and the errors e, ė, w_d, ẇ_d.
  const Eigen::VectorXd& w() const { return at_.w(); }
  const Eigen::MatrixXd& H_w() const { return space_.is_tree() ? H_ : H_w_; }
  const Eigen::MatrixXd& C_w() const { return space_.is_tree() ? C_ : C_w_; }
  const Eigen::VectorXd& g_w() const { return space_.is_tree() ? g_ : g_w_; }
  const TrackingError& error() const { return space_.is_tree() ? tree_error_ : error_w_; }
  const TrackingError& tree_error() const { return tree_error_; }  ///< of the tree
  /// The gain parameters()[index] by number of w.
  const Eigen::VectorXd& gain_w(int index) const;
  /// Takes w_r and its rate as what s subtracts: sets s = w − w_r, and in the tree v_r = A w_r,
  /// output.sdot_ref = A ẇ_r + Ȧ w_r and output.s = v − v_r of the measured v.
  void SetReference(const Eigen::VectorXd& w_r, const Eigen::VectorXd& wdot_r, Eigen::VectorXd& s,
                    ControlOutput& output);
  /// The tree's v_r of the last SetReference.
  const Eigen::VectorXd& v_r() const { return v_r_; }
  /// Adds to τ̄ (nw) what `add` adds to forces of the tree (nv).
  template <typename Add>
  void AddTreeForces(Eigen::VectorXd& tau, const Add& add) {
    if (space_.is_tree()) return add(tau);
    force_.setZero();
    add(force_);
    CalcReducedForces<double>(space_, force_, at_, force_w_);
    tau += force_w_;
  }
  /// Completes a step with the law's forces τ̄ (nw numbers, overwritten): subtracts the observer's
  /// estimate if `compensate` and the observer is to compensate, makes of them what the motors can
  /// give (LoopDrive, TorqueFit), times the law, and checks that τ is finite.
  Status FinishControl(Eigen::VectorXd& tau_w, ControlOutput& output, bool compensate = true);

  // A law in the tree's numbers, whatever its space: UpdateDynamics, FinishControl.

  /// v ← A w and v̇ ← A ẇ + Ȧ w (nv numbers each), with the w and ẇ that they have in the space; as
  /// they are where w does not exist.
  void CloseMotion(Eigen::VectorXd& v, Eigen::VectorXd& vdot);
  /// BeginControl without errors. Where w does not exist a law may go on without, up to
  /// FinishControl.
  void UpdateDynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, ControlOutput& output);
  /// FinishControl with the forces of the tree in output.tau.
  Status FinishControl(ControlOutput& output, bool compensate = true);

  /// Ends a step that cannot be completed: τ is zero, what is not known of this step NaN: s, its
  /// rate and the signals.
  static Status FailControl(const Status& status, ControlOutput& output);

  /// Adds the forces that the law itself assumes to act on the robot, for instance contact forces,
  /// so that the observer does not take them for a disturbance. Allocates nothing.
  virtual void AddKnownForces(Eigen::VectorXd& /*tau*/) const {}

  /// Adds to τ the model's passive forces, of joints and tendons, with opposite sign, to cancel
  /// them: damping and dry friction at the reference velocity v_r (smoothed,
  /// tanh(v_r/kFrictionVelocity), or ControllerOptions::full_friction_speeds), springs at q.
  void AddPassiveForces(const Eigen::VectorXd& q, const Eigen::VectorXd& v_r,
                        Eigen::VectorXd& tau) const;
  /// The dissipation by damping and dry friction under this feedforward, with s = v − v_r: sᵀ(d(v)
  /// − d(v_r)), d(v) = D v + f_c tanh(v/kFrictionVelocity), or softer, and the higher terms of
  /// damping, in which no term is negative but of a damper whose force falls as its velocity grows
  /// (civita::CalcPassiveDissipation). Exact for a plant with the smoothed friction; true dry
  /// friction differs where |v| or |v_r| is of the order of kFrictionVelocity.
  double CalcPassiveDissipation(const Eigen::VectorXd& v_r, const Eigen::VectorXd& s) const;

  /// V = ½ sᵀH s and V̇ = sᵀH ṡ + ½ sᵀḢ s, ṡ = v̇ − sdot_ref, with the plant's H, Ḣ and actual v̇, at
  /// the step that gave `output`; P stays 0.
  StorageState CalcKineticStorage(const PlantState& plant, const ControlOutput& output);

  const Model model_;
  ControllerOptions options_;
  const VelocitySpace space_;     ///< of the law
  SpaceWorkspace<double> at_;     ///< the present step's state
  Workspace<double>& workspace_;  ///< of its tree
  Eigen::MatrixXd H_, C_;         ///< nv × nv
  Eigen::VectorXd g_;             ///< nv
  Eigen::VectorXd state_;

 private:
  using Clock = std::chrono::steady_clock;

  Eigen::Index law_size() const { return state_.size() - (observer_ ? model_.nv() : 0); }

  /// Loops that the law ignores and its observer does not.
  struct ObservedLoops {
    explicit ObservedLoops(const VelocitySpace& space_in) : space(space_in), at(space) {}
    const VelocitySpace space;
    SpaceWorkspace<double> at;
  };

  void UseMotors(const ControllerOptions& options);
  void UseObserver(const ControllerOptions& options);
  void CheckOutput(const ControlOutput& output) const;
  void KeepGain(std::size_t index);
  Status UpdateSpaces(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  void ReduceObserved(Eigen::VectorXd& force);
  void UpdateObserver(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  const LawInfo& info_;
  Status status_;                   ///< whether w exists at the present step
  std::optional<LoopDrive> drive_;  ///< of loops
  std::optional<TorqueFit> fit_;    ///< without, if the motors have undriven directions
  UndrivenDirections undriven_;
  std::vector<Eigen::VectorXd> gains_, gains_w_;
  TrackingError tree_error_, error_w_;
  Eigen::MatrixXd H_w_, C_w_, products_;   ///< where w is not v
  Eigen::VectorXd g_w_, force_w_, tau_w_;  ///< nw
  Eigen::VectorXd v_, v_r_, force_;        ///< nv
  std::vector<SignalInfo> signals_;
  int num_signals_ = 0;
  std::optional<MomentumObserver> observer_;
  std::optional<ObservedLoops> observed_;
  Eigen::VectorXd p_, rate_;    ///< MomentumObserver::Update
  Eigen::VectorXd observed_w_;  ///< by velocity of the loops that it knows of
  Eigen::VectorXd known_;       ///< the joint force that the observer accounts for
  Clock::time_point law_start_;
};

/// For LawInfo::make, for a law constructed from the model and the options alone.
template <typename Law>
std::unique_ptr<Controller> MakeLaw(const Model& model, const ControllerOptions& options) {
  return std::make_unique<Law>(model, options);
}

/// The row of such a law that is written in w, from BeginControl to FinishControl(tau_w, …), and so
/// knows loops and coordinates: `row` with its type, its maker and these two traits.
template <typename Law>
consteval LawInfo LawInW(std::string_view type, LawInfo row) {
  row.type = type;
  row.make = &MakeLaw<Law>;
  row.knows_loops = row.knows_coordinates = true;
  return row;
}

}  // namespace civita
