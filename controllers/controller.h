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

#include "civita/cluster_model.h"
#include "civita/controllers/law_info.h"
#include "civita/controllers/momentum_observer.h"
#include "civita/controllers/signal_info.h"
#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/types.h"
#include "civita/workspace.h"

namespace civita {

/// Desired motion of a frame fixed to a body; world axes.
struct TaskTarget {
  bool given = false;                               ///< false: the reference names no task
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      ///< position of the frame's origin, m
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< orientation
  Vector6<double> V = Vector6<double>::Zero();      ///< [angular; linear of the origin]
  Vector6<double> Vdot = Vector6<double>::Zero();   ///< rate of V, component by component
};

/// What a legged robot is to do: go, or move its trunk about where it stands. Axes of the heading:
/// z upward, x where the robot looks (its desired yaw).
struct BodyCommand {
  bool walk = false;                                   ///< step; in place where all is zero
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< m/s, axes of the heading
  double yaw_rate = 0;                                 ///< rad/s
  /// Standing: offset of the centre of mass (or base) from where the robot stands by itself, m, its
  /// velocity and acceleration; orientation of the base and its angular velocity (rad/s) and rate.
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Vector3d pdot = Eigen::Vector3d::Zero();
  Eigen::Vector3d pddot = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  Eigen::Vector3d wdot = Eigen::Vector3d::Zero();
  int lifted = -1;  ///< standing: the foot to hold up, −1: none
};

/// Desired motion at one time: position on the configuration manifold, velocity and acceleration in
/// the model's conventions (angular velocities in the desired body's own axes).
struct ReferenceState {
  Eigen::VectorXd q, v, vdot;
  TaskTarget task = {};
  BodyCommand body = {};
};

/// What a control step knows of the robot.
struct Measurement {
  double t = 0;          ///< s
  Eigen::VectorXd q, v;  ///< as measured: nq and nv numbers
  /// The normal force that each foot of LegOptions feels, N, upward; empty for robots without.
  Eigen::VectorXd foot_force = {};
};

/// The plant at a control step: the true motion, which the law need not know.
struct PlantState {
  const Model& model;
  const Eigen::VectorXd &q, &v, &vdot;  ///< vdot: what the plant really does
  const Eigen::MatrixXd &H, &Hdot;
};

/// What a gain matrix is made of, of one number or nv numbers k.
enum class GainForm {
  kMass,      ///< scaled by the mass matrix: the same bandwidth for heavy and light joints
  kDiagonal,  ///< diag(k) in joint units (for slides and positions read N for N·m and m for rad)
};

/// Dry friction f_c is fed forward as f_c tanh(v_r/kFrictionVelocity): rad/s or m/s.
inline constexpr double kFrictionVelocity = 0.02;

/// What a law of the task space moves.
enum class TaskKind {
  kPosition,  ///< the frame's origin
  kPose,      ///< its orientation too
};
struct TaskFrame {
  Model::NamedFrame frame;
  TaskKind kind = TaskKind::kPosition;
};

struct LegOptions;  // controllers/legs/leg_options.h

/// What every control law is made from.
struct ControllerOptions {
  Factorization factorization;
  GainForm gain_form = GainForm::kMass;
  Eigen::VectorXd q_start;  ///< nq; where laws with constant gains evaluate diag(H)
  LawOptions own = {};      ///< of LawInfo::options
  ObserverOptions observer = {};
  std::optional<TaskFrame> task = {};  ///< for laws that move a frame
  /// The loops that the model's joints are in, if any; its tree is the model. Laws that do not know
  /// of loops leave it aside.
  std::shared_ptr<const ClusterModel> closed = {};
  std::vector<bool> passive = {};  ///< coordinates of v that nothing drives; empty: none
  std::shared_ptr<const LegOptions> legs = {};  ///< for laws of legged robots
};

/// Why a control step gave no torque (τ is zero then).
enum class ControlStatus {
  kOk,
  kNotFinite,
  kSingular,  ///< closed loops in a configuration where their motion cannot be told or driven
};

class Controller;

/// What a control step computed. Sized once.
struct ControlOutput {
  Eigen::VectorXd tau;  ///< joint torques, nv
  Eigen::VectorXd e;    ///< q ⊖ q_d
  Eigen::VectorXd s;  ///< the law's velocity error: v − v_r (Slotine–Li), v − v_d (baselines)
  Eigen::VectorXd sdot_ref;  ///< rate of what s subtracts (v̇_r or v̇_d carried), so ṡ = v̇ − sdot_ref
  Eigen::VectorXd signals;                             ///< the law's own, see Controller::signals
  double kinematics_s = 0, matrices_s = 0, law_s = 0;  ///< time taken, seconds
  double qp_s = 0;  ///< the share of law_s that the contact forces took
  explicit ControlOutput(const Controller& controller);
};

/// A storage function at one time: V in J (or the law's own unit), its rate with the motion's
/// actual acceleration, and the dissipation P that the law promises: V̇ = −P but for model errors
/// and pushes.
struct StorageState {
  double V = 0, Vdot = 0, P = 0;
  double V_estimation = 0;  ///< the part of V that errors of the law's own estimates hold
};

/// What a law of legged robots is about, for whoever judges how the robot stands and walks.
struct SteppingState {
  bool is_stepping = false;  ///< a foot is in the air, or about to be
  long steps = 0;            ///< feet set down so far
  long qp_fallbacks = 0;     ///< control steps without a solution for the contact forces, so far
  double unmet_force = 0;    ///< N, of the wrench that the feet did not give
  double unmet_moment = 0;   ///< N·m, about the centre of mass
  Eigen::Vector2d home = Eigen::Vector2d::Zero();  ///< m, world: where it stands, command aside
  double yaw = 0;                                  ///< rad, world: its heading there
};

/// A control law: the one interface with virtual functions. Holds its gains, its model and scratch.
/// One thread at a time. Calc functions allocate nothing, lock nothing, throw nothing.
class Controller {
 public:
  /// The model and the law's row must outlive the controller. All gains start at their defaults,
  /// and so do those of the law's own options that are not given.
  Controller(const Model& model, const LawInfo& info, const ControllerOptions& options);
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// The law's row: its name, traits, gains and options.
  const LawInfo& info() const { return info_; }

  std::span<const ParameterInfo> parameters() const { return info_.parameters; }
  /// The unit of a gain in the gain form at hand.
  std::string_view unit(int index) const;
  /// In the order of parameters(); as many numbers as its shape says.
  const Eigen::VectorXd& gain(int index) const { return gains_[static_cast<size_t>(index)]; }
  /// Sets a gain: one number for all coordinates, or nv (a scalar gain: one). Takes effect at the
  /// next control step.
  /// @throws UserError when negative or not finite, or of another length, or for an unknown key
  /// (lists the keys); the gain then stays as it was.
  void set_gain(std::string_view key, const Eigen::Ref<const Eigen::VectorXd>& value);

  const Factorization& factorization() const { return options_.factorization; }
  /// Takes effect at the next control step. The factorization must be one of this model's.
  void set_factorization(Factorization factorization);
  GainForm gain_form() const { return options_.gain_form; }
  const Model& model() const { return model_; }

  /// What output.signals holds, in its order: "/law/…", the law's own, then "/observer/…"; fixed by
  /// the constructor.
  const std::vector<SignalInfo>& signals() const { return signals_; }
  /// How many numbers that is.
  int num_signals() const;
  /// Where the signal begins in output.signals; −1: there is no such signal.
  Eigen::Index FindSignal(std::string_view name) const;

  /// The law's own state x (estimates, integrals) and then the observer's, as numbers that may be
  /// added; empty for a static law. Whoever runs the law integrates it: x ← x + dt·ẋ when its
  /// torque is held (CalcNextState), Runge–Kutta's stages otherwise; saves it with the plant's
  /// state, and restores it.
  const Eigen::VectorXd& state() const { return state_; }
  void set_state(const Eigen::VectorXd& state) { state_ = state; }
  /// Sets the state for a run that starts here. No state: does nothing.
  void ResetState(const Measurement& start, const ReferenceState& reference);

  /// τ and errors at the measured (q, v) against the reference. Does not change state(). Allocates
  /// nothing.
  virtual ControlStatus CalcControl(const Measurement& measured, const ReferenceState& reference,
                                    ControlOutput& output) = 0;

  /// ẋ for the step that gave `output`, when the torque that reaches the joints is `tau_applied`
  /// (nv; after limits and delay). Allocates nothing.
  void CalcStateRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                     Eigen::VectorXd& rate);

  /// The state a control period `dt` later, from the rate of CalcStateRate.
  void CalcNextState(double dt, const Eigen::VectorXd& rate, Eigen::VectorXd& next) const;

  /// What a law that steps was doing in its last control step; nothing: it has no legs.
  virtual std::optional<SteppingState> stepping() const { return std::nullopt; }

  /// The law's storage with the *plant's* H, Ḣ and actual v̇, for the step that gave `output`.
  virtual StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) = 0;

  /// What a joint force τ_ext that the law does not know adds to V̇ of that step, with the plant's
  /// H: sᵀτ_ext where the storage is an energy.
  virtual double CalcExternalPower(const PlantState& plant, const Eigen::VectorXd& tau_ext,
                                   const ControlOutput& output);

  /// The observer that every law may carry, or nullptr; with its r of the last control step.
  const MomentumObserver* observer() const { return observer_ ? &*observer_ : nullptr; }

  /// The model's matrices at the last step, for display.
  const Eigen::MatrixXd& H() const { return H_; }
  const Eigen::MatrixXd& C() const { return C_; }

 protected:
  /// Sizes the law's own state x, the first numbers of state_ (zero until ResetState), and says
  /// what its signals are, the first of output.signals: "/cycle/radius" here is told, recorded and
  /// plotted as "/law/cycle/radius". For constructors.
  void DefineState(int size);
  void DefineSignals(std::vector<SignalInfo> signals);

  /// The law's own x for a run that starts here; else zero.
  virtual void ResetLaw(const Measurement& start, const ReferenceState& reference,
                        Eigen::Ref<Eigen::VectorXd> x);
  /// The law's own ẋ, see CalcStateRate; else zero.
  virtual void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                           Eigen::Ref<Eigen::VectorXd> xdot);

  /// Kinematics, H, C and g at (q, v), timed into `output`; every law shows the same matrices. The
  /// observer's estimate, too.
  void UpdateDynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, ControlOutput& output);
  /// Ends what UpdateDynamics began: compensates what the observer sees (unless the law does that
  /// itself), times the law, and sees that τ is finite.
  ControlStatus FinishControl(ControlOutput& output, bool compensate = true) const;

  /// Adds to the joint force what else the law takes to act on the robot, contacts for instance, so
  /// that the observer does not take it for a disturbance. Allocates nothing.
  virtual void AddKnownForces(Eigen::VectorXd& /*tau*/) const {}

  /// Adds the model's own passive forces to τ so that they cancel: damping and dry friction at the
  /// reference velocity v_r (smoothed, tanh(v_r/kFrictionVelocity)), springs at q.
  void AddPassiveForces(const Eigen::VectorXd& q, const Eigen::VectorXd& v_r,
                        Eigen::VectorXd& tau) const;
  /// What damping and dry friction, so fed forward, dissipate by themselves with s = v − v_r:
  /// sᵀDs + Σ f_c s (tanh(v/kFrictionVelocity) − tanh(v_r/kFrictionVelocity)), no term of it
  /// negative. Exact for a plant with the smoothed friction; true dry friction differs while |v| or
  /// |v_r| is of the order of kFrictionVelocity.
  double CalcPassiveDissipation(const Eigen::VectorXd& v_r, const Eigen::VectorXd& s) const;

  const Model& model_;
  Workspace<double> workspace_;
  ControllerOptions options_;
  Eigen::MatrixXd H_, C_;
  Eigen::VectorXd g_;
  Eigen::VectorXd state_;

 private:
  using Clock = std::chrono::steady_clock;

  Eigen::Index law_size() const { return state_.size() - (observer_ ? model_.nv() : 0); }

  const LawInfo& info_;
  std::vector<Eigen::VectorXd> gains_;
  std::vector<SignalInfo> signals_;
  std::optional<MomentumObserver> observer_;
  Eigen::VectorXd bias_;   ///< g less the modelled passive forces
  Eigen::VectorXd known_;  ///< the joint force that the observer knows of
  Clock::time_point law_start_;
};

/// For LawInfo::make: a law that is made of the model and the options alone.
template <typename Law>
std::unique_ptr<Controller> MakeLaw(const Model& model, const ControllerOptions& options) {
  return std::make_unique<Law>(model, options);
}

}  // namespace civita
