#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/plant/throw.h"
#include "civita/scenes/scene.h"
#include "civita/sim/drive.h"
#include "civita/sim/error_turning.h"
#include "civita/sim/exact_loops.h"
#include "civita/sim/fall.h"
#include "civita/sim/leg_probe.h"
#include "civita/sim/plant_geometry.h"
#include "civita/sim/sensors.h"
#include "civita/sim/torque_terms.h"

namespace civita {

/// Record of one control step: state, reference and control at time t, before the step is taken.
/// Sized once.
struct StepRecord {
  double t = 0;
  Eigen::VectorXd q, v, q_d, e, s;
  Eigen::VectorXd tau;  ///< the torque that reached the joints, after limits; N·m or N
  /// the law's storage with the plant's H, its rate, guaranteed dissipation
  double V = 0, Vdot = 0, P = 0;
  double V_estimation = 0;              ///< the part of V due to the law's estimation errors
  double energy_balance = 0;            ///< V(t) − V(0) + ∫P dt − ∫P_ext dt, see Simulation
  double twist = 0, ideal_turning = 0;  ///< of s since the start, rad, see ErrorTurning
  /// ErrorTurning::step_length up to here; NaN, too, where no step of the simulation filled this
  double step_length = std::numeric_limits<double>::quiet_NaN();
  bool thrown = false;       ///< a throw has just changed v
  bool saturated = false;    ///< an effort limit cut the torque
  bool constrained = false;  ///< a joint limit or a contact acted during the step
  Eigen::VectorXd signals;   ///< Controller::signals
  /// Durations, s: of the whole control step (sensors, reference, law, limits), of its parts, of
  /// the physics, and of the rest of the step, what is recorded of the plant.
  double sensors_s = 0, kinematics_s = 0, matrices_s = 0, law_s = 0, control_s = 0;
  double physics_s = 0, plant_s = 0;
  double qp_s = 0;    ///< SteppingState::qp_s
  LegReading legs;    ///< empty for robots without legs
  TorqueTerms terms;  ///< zero unless the simulation splits torques
  explicit StepRecord(const Scene& scene);
};

/// What stopped a simulation: what the numbers became, an exception of the law, or one of the
/// program around it (a disk, memory).
enum class FailureCause { kMotion, kLaw, kProgram };

/// Why a simulation stopped on its own.
struct Failure {
  bool failed = false;
  double t = 0;
  long step = 0;
  std::string reason;  ///< one line: which joint, what, when; the text of an exception
  FailureCause cause = FailureCause::kMotion;
};

/// The simulation loop without thread or clock: control step, record, physics step. Headless runs,
/// tests, benchmarks and the window's thread all use it. The same scene and seed give the same
/// bits.
///
/// Two modes (ControlMode). `held`: the law runs at rate_hz, and its torque is held over a whole
/// number of MuJoCo's steps. `every_stage`: the law runs at each stage of a fourth-order
/// Runge–Kutta step, implemented here over MuJoCo's forward dynamics, without contacts; positions
/// advance on the manifold (Munthe-Kaas), so that ball and free joints keep the order.
///
/// With exact loops (`plant.loops`) a closed chain moves by ExactLoops: every stage starts from a
/// closed state, and a held torque acts over such Runge–Kutta steps instead of MuJoCo's,
/// or over steps implicit in damping where it is too fast for these (NeedsImplicitDamping).
///
/// V̇ is the law's rate of V with the simulator's own v̇ at t, so it includes model errors, limits
/// and contacts. The energy balance V(t) − V(0) + ∫P dt − ∫P_ext dt, P_ext the power of pushes, of
/// the mouse, of what an observer compensates, and of what Controller::AddUncounted tells, is zero
/// for an exact model and law; energy that limits, contacts of robots without feet or the holding
/// of the torque remove or add remains in it, and of legged robots the jumps of v_r. Integrals:
/// trapezoidal rule over the record when held, Runge–Kutta's quadrature (fourth order) in
/// every_stage. Jumps of V by a change of a gain or a throw are excluded.
class Simulation {
 public:
  explicit Simulation(std::unique_ptr<Scene> scene);
  ~Simulation();
  Simulation(Simulation&&) = default;

  const Scene& scene() const { return *scene_; }
  const Controller& controller() const { return *scene_->controller; }
  const mjModel* mj() const { return scene_->mj.get(); }
  const mjData* data() const { return data_.get(); }

  double time() const { return data_->time; }
  long step() const { return step_; }
  double control_dt() const { return control_dt_; }
  /// Time of a control step, a round number where the rate is one.
  double TimeOf(long step) const;

  /// Back to the start. Gains and factorization are kept; pushes of AddPush and throws of ThrowOff
  /// are discarded.
  void Reset();

  /// Takes one control step and the physics that follows it. After a failure nothing moves: the
  /// last finite state is kept until Reset or Restore. An exception of the law is a failure, too.
  /// Allocates nothing except the text of a failure.
  /// @returns false when failed, or when given up because of set_stop.
  bool Step();

  /// While this flag is set, a control step is given up between two steps of the physics and leaves
  /// the state as it was: a step may hold very many. The flag must outlive the simulation.
  void set_stop(const std::atomic<bool>* stop) { stop_ = stop; }

  /// Takes up to n steps, until failure. @returns steps taken.
  long RunFor(long n);

  /// From now on records have the terms of the law's torque, where HasTorqueTerms.
  void SplitTorques();

  /// Fills record() and the controller's matrices at the present state without changing it.
  void Evaluate();

  /// The record of the last Step or Evaluate.
  const StepRecord& record() const { return record_; }

  const Failure& failure() const { return failure_; }
  /// Nominal height of a legged robot's base above the ground, m; 0 for other robots.
  double nominal_height() const { return leg_probe_ ? leg_probe_->nominal_height() : 0; }
  /// The first fall of a floating robot in this run.
  const Fall& fall() const { return own_.fall_watch.fall(); }
  long saturated_steps() const { return own_.saturated_steps; }
  /// Sum of MuJoCo's warning counters since Reset.
  int mujoco_warnings() const;

  /// As Controller::set_gain and set_factorization; the energy balance continues without a jump.
  /// @throws UserError.
  void SetGain(std::string_view key, const Eigen::VectorXd& value);
  void SetFactorization(Factorization factorization);

  /// Adds a push to those of the config; start_s counts from now. A force acts through whole
  /// control steps. With every_s > 0 the push repeats with this period until StopPushes. @throws
  /// UserError when every_s is shorter than the push.
  void AddPush(const Push& push, double every_s = 0);

  /// Ends the repetition of pushes; one that acts now goes on to its end.
  void StopPushes();

  /// Throws the robot off at the start of the next step, see Throw.
  void ThrowOff(const Throw& thrown);

  /// Overrides the reference's walk by the user's command, see Drive; nullopt: no override. Reset
  /// ends it.
  void SetDrive(const std::optional<DriveCommand>& wanted);

  /// The command to a legged robot at the last control step.
  const BodyCommand& body_command() const { return reference_.body; }

  /// Sets the force of the mouse, [force; torque] on a body at its centre of mass, world axes, N
  /// and N·m, until the next call; body 0: none.
  void SetPerturbation(int body, const double (&xfrc)[6]);
  /// The same for all bodies, a row of six numbers each, or no numbers: none.
  void SetForces(std::span<const double> xfrc);

  /// Takes this torque, nv, N·m or N, in place of the law's until the next call, before delay and
  /// limits; without numbers the law's again. The law is computed in either case: errors, signals
  /// and storage are its own, and its state follows the torque that reaches the joints.
  void SetTorque(const Eigen::VectorXd& tau);

  /// Goes on in `data`, made by MuJoCo for mj(), at the same state. From now on data and model are
  /// the caller's, who frees them later than this. What a caller changes there between two steps
  /// acts in the next one, but for the time, forces and controls, which a step writes anew; a new
  /// position or velocity is followed by NoteMoved.
  void Lend(mjData* data);
  /// Position or velocity were changed from outside: the energy balance goes on without a jump.
  void NoteMoved();

  /// Residuals of the plant's model at the state of record(), in its PlantGeometry, for display:
  /// max |Ḣ − C − Cᵀ|, max |C v + g − RNEA|, max |K| / ‖v‖ of the contorsion K = C − C_christoffel,
  /// max |C|, and |V̇ + P| and the energy balance of the record. The first four are NaN where loops
  /// are singular.
  struct Residuals {
    double skew = 0, bias = 0, contorsion = 0, coriolis = 0, Vdot = 0, energy_balance = 0;
  };
  Residuals CalcResiduals();

  /// What the user has set, as opposed to what the simulation computes.
  struct Inputs;

  /// What a step leaves to the next one beside the motion.
  struct Carried {
    Eigen::VectorXd foot_force;  ///< of the last step, for the sensors
    /// ring by step, of the actuation delay; otherwise one column
    Eigen::MatrixXd torques_under_way;
    Eigen::VectorXd tau_ext;
    double V0 = 0;       ///< V at the start
    double lost = 0;     ///< ∫(P − P_ext) dt up to the present
    double balance = 0;  ///< last recorded balance
    long saturated_steps = 0;
    FallWatch fall_watch;
  };

  /// A saved state: time, position, velocity, integrals. Restore makes it the present one.
  struct Saved : Carried {
    double t = 0;
    long step = 0;
    std::shared_ptr<const Inputs> inputs;  ///< with which the next step was taken
    std::vector<double> state;             ///< mjSTATE_INTEGRATION
    Eigen::VectorXd law_state;             ///< Controller::state
    Eigen::VectorXd sensors;               ///< Sensors::state
    Eigen::Vector4d drive;                 ///< Drive::state
    ErrorTurning::State turning;
    bool rebase = false;

    /// Size in memory.
    std::size_t bytes() const;
  };
  void Save(Saved* saved) const;
  /// Restores a saved state. Later pushes of AddPush and throws of ThrowOff are discarded.
  void Restore(const Saved& saved);
  /// Goes to a step at or after a saved one, with the inputs of that time; none may have changed
  /// in between. The same bits as when the step was first reached. From there on the present gains,
  /// factorization and walking command apply, the pushes of that time, and no force of the mouse.
  void Repeat(const Saved& saved, long step);
  /// Shows the motion and the record of a step that was recorded earlier, instead of simulating it.
  void Show(const StepRecord& record, long step);

  /// Whether a push or the mouse acted in the last step.
  bool pushed() const { return pushed_; }

 private:
  /// The part of MuJoCo's state that Step needs to undo a failed step.
  static constexpr int kUndoState = mjSTATE_FULLPHYSICS | mjSTATE_WARMSTART;

  struct AddedPush {
    Push push;           ///< first occurrence; start_s: time of the run
    double every_s = 0;  ///< period; 0: once

    /// The occurrence that acts in the control step of length dt at t, or the last before it;
    /// before all, the first.
    Push At(double t, double dt) const;
  };

  struct AddedThrow {
    long step;
    Throw thrown;
  };
  /// What moves the robot by hand.
  struct Moves {
    std::vector<AddedPush> pushes;
    std::optional<AddedThrow> thrown;
    std::vector<double> forces;  ///< as xfrc_applied; none: no numbers
  };

  void NoteInputs();
  void UseTuning(const Inputs& inputs);

  /// What is simulated: the scene's plant, or that with the payload.
  struct Plant {
    Plant(const mjModel& m, const Model& model_in, const SceneData& scene);
    const mjModel* physics;
    Model model;
    Workspace<double> workspace;
    PlantGeometry geometry;                            ///< of CalcResiduals
    std::shared_ptr<const VelocitySpace> closed = {};  ///< the loops, if any
    std::optional<ExactLoops> loops;                   ///< none: MuJoCo's
  };

  /// Scratch memory of CalcResiduals, separate from that of a step; of a size of PlantGeometry.
  struct ResidualScratch {
    explicit ResidualScratch(int size);
    Eigen::VectorXd w, bias, gravity;
    Eigen::MatrixXd C, christoffel_C, H;
  };

  std::vector<Plant> MakePlants() const;
  void MakeDelays();
  /// Does work that calls the law. @returns false, and sets the failure, when it throws.
  template <typename Work>
  bool Guard(Work work) {
    try {
      work();
      return true;
    } catch (const std::exception& error) {
      Fail(std::string("the law threw: ") + error.what(), FailureCause::kLaw);
    } catch (...) {
      Fail("the law threw what is no exception", FailureCause::kLaw);
    }
    return false;
  }
  void EvaluateHere();
  void ReadMotion();
  void SelectPlant(double t);
  void ApplyPushes();
  void ApplyThrows();
  void SampleReference(double t);
  bool UpdateControl(double t);
  const char* FindResized() const;
  const Eigen::VectorXd& DelayTorque();
  void ReadLegs();
  void BeginRecord();
  void RecordState(double t);
  void RecordTurning();
  void UpdatePlant();
  PlantState plant_state() const;
  StorageState CalcPlantStorage() const;
  void AdvanceLaw(double dt);
  void NoteConstraints();
  bool IsOfObjects(int type, int id) const;
  void SetStorage(const StorageState& storage);
  /// @returns false, and sets the failure, where a V that was finite at the start is so no more, as
  /// that of estimates which have left all bounds.
  bool RecordStorage(const StorageState& storage);
  void CalcExternalForces();
  double ExternalPower();
  bool Forward();
  bool StepPhysics();
  bool StepHeld();
  bool StepEveryStage();
  bool StartStage(int stage, double h);
  void EndStage(int stage);
  bool EndStages(double h);
  bool FailSingular();
  bool RunStage(int stage, double h, StorageState* storage, double* P_ext);
  bool CheckMotion();
  void Fail(std::string reason, FailureCause cause = FailureCause::kMotion);

  std::unique_ptr<Scene> scene_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  bool is_lent_ = false;               ///< data and model are not its own
  std::vector<Plant> plants_;          ///< the scene's, and that with the payload
  Plant* plant_;                       ///< the present one: with the payload once it is grasped
  std::optional<Sensors> sensors_;     ///< held mode
  std::optional<LegProbe> leg_probe_;  ///< where the law has legs
  Measurement measured_;
  ReferenceState reference_;
  std::optional<LoopCloser> closer_;  ///< of the reference's loops
  ControlOutput output_;
  StepRecord record_;
  ResidualScratch residual_;
  Failure failure_;
  Moves moves_;
  long planned_throw_ = -1;  ///< step of the config's throw; −1: none
  Thrower thrower_;
  Drive drive_;
  std::shared_ptr<const Inputs> inputs_;  ///< the present ones, for Save

  std::optional<ErrorTurning> turning_;
  std::optional<TorqueSplitter> splitter_;

  double control_dt_ = 0.001;
  double rate_ = 0;  ///< 1/control_dt if that is an integer, so that times are round numbers
  int substeps_ = 1;
  bool implicit_damping_ = false;  ///< of exact loops' steps

  long step_ = 0;
  const std::atomic<bool>* stop_ = nullptr;
  std::optional<FallProbe> fall_probe_;  ///< where the robot can fall
  Carried own_;
  bool rebase_ = false;  ///< a gain has changed: the next V restarts the balance

  bool pushed_ = false;  ///< xfrc_applied or joint_push_ is not zero

  // State, plant matrices and accelerations at the present stage; torques.
  Eigen::VectorXd q_, v_, vdot_, applied_, unknown_, law_rate_;
  Eigen::VectorXd joint_push_;  ///< forces of pushes on joints, nv
  Eigen::VectorXd late_torque_;
  Eigen::VectorXd own_torque_;  ///< of SetTorque
  Eigen::MatrixXd plant_H_, plant_Hdot_, plant_C_;
  // Stages of the Runge–Kutta step: start and rates by stage.
  Eigen::VectorXd q_start_, v_start_, tangent_;
  Eigen::MatrixXd stage_qdot_, stage_vdot_, stage_law_rate_;
  Eigen::VectorXd law_start_, law_stage_;
  std::vector<double> last_good_;
};

struct Simulation::Inputs {
  std::vector<Eigen::VectorXd> gains;
  Factorization factorization;
  std::optional<DriveCommand> drive;
  Moves moves;
};

}  // namespace civita
