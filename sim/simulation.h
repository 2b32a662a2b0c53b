#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/scene.h"
#include "civita/sim/drive.h"
#include "civita/sim/leg_probe.h"
#include "civita/sim/sensors.h"

namespace civita {

/// One control step as recorded: state, reference and control at time t, before the step is taken.
/// Sized once.
struct StepRecord {
  double t = 0;
  Eigen::VectorXd q, v, q_d, e, s;
  Eigen::VectorXd tau;            ///< the torque that reached the joints, after limits; N·m or N
  double V = 0, Vdot = 0, P = 0;  ///< the law's storage with the plant's H, its rate, promised loss
  double V_estimation = 0;        ///< the part of V that the law's errors of estimation hold
  double energy_balance = 0;      ///< V(t) − V(0) + ∫P dt − ∫P_ext dt, see Simulation
  bool saturated = false;         ///< an effort limit cut the torque
  bool constrained = false;       ///< a joint limit or a contact acted during the step
  Eigen::VectorXd signals;        ///< the law's own, Controller::signals
  /// Time taken, s: the control step whole (reference, law, limits) and its parts, and the physics.
  double kinematics_s = 0, matrices_s = 0, law_s = 0, control_s = 0, physics_s = 0;
  double qp_s = 0;  ///< ControlOutput::qp_s
  LegReading legs;  ///< of legged robots: no feet, else
  explicit StepRecord(const Scene& scene);
  StepRecord(int nq, int nv, int num_signals, int num_feet = 0);
};

/// Why a simulation stopped by itself.
struct Failure {
  bool failed = false;
  double t = 0;
  long step = 0;
  std::string reason;  ///< one line: which joint, what, when
};

/// The loop without thread or clock: control step, record, physics step. Headless runs, tests,
/// benchmarks and the window's thread all run this. Same scene and seed → the same bits.
///
/// Two modes (ControlMode). `held`: the law at rate_hz, its torque held over a whole number of
/// MuJoCo's steps. `every_stage`: the law at each stage of a fourth-order Runge–Kutta step of our
/// own over MuJoCo's forward dynamics, without contacts; positions advance on the manifold
/// (Munthe-Kaas), so that ball and free joints keep the order.
///
/// V̇ is the law's rate of V with the simulator's own v̇ at t, so it tells of model errors, limits
/// and contacts. The energy balance V(t) − V(0) + ∫P dt − ∫P_ext dt, P_ext the power of pushes, the
/// mouse and what an observer compensates, is zero for an exact model and law; what a limit, a
/// contact or the holding of the torque takes or gives stays in it. Integrals: trapezoid over the
/// record when held, Runge–Kutta's quadrature (fourth order) in every_stage. A gain that changes V
/// on the spot is not booked.
class Simulation {
 public:
  explicit Simulation(std::unique_ptr<Scene> scene);

  const Scene& scene() const { return *scene_; }
  const Controller& controller() const { return *scene_->controller; }
  const mjModel* mj() const { return scene_->mj.get(); }
  const mjData* data() const { return data_.get(); }

  double time() const { return data_->time; }
  long step() const { return step_; }
  double control_dt() const { return control_dt_; }

  /// To the start. Gains and factorization stay as they are; pushes of AddPush are forgotten.
  void Reset();

  /// One control step and the physics that follows it. After a failure nothing moves: the last
  /// finite state is kept until Reset or Restore. What the law throws is a failure, too. Allocates
  /// nothing (but for a failure's text).
  /// @returns false when failed.
  bool Step();

  /// Steps up to n times, until failure. @returns steps taken.
  long RunFor(long n);

  /// Fills record() and the controller's matrices for the present state without moving it.
  void Evaluate();

  /// Of the last Step or Evaluate.
  const StepRecord& record() const { return record_; }
  const Eigen::MatrixXd& plant_Hdot() const { return plant_Hdot_; }

  const Failure& failure() const { return failure_; }
  /// Of a legged robot's base above the ground, m; 0 for others.
  double nominal_height() const { return leg_probe_ ? leg_probe_->nominal_height() : 0; }
  long saturated_steps() const { return saturated_steps_; }
  /// Counters of MuJoCo's warnings since Reset, summed.
  int mujoco_warnings() const;

  /// As Controller's; the energy balance goes on from where it is. @throws UserError.
  void SetGain(std::string_view key, const Eigen::VectorXd& value);
  void SetFactorization(Factorization factorization);

  /// Another push besides those of the config; start_s counts from now. A force goes through whole
  /// control steps. With every_s > 0 it comes again that often, until StopPushes. @throws UserError
  /// when every_s is shorter than the push.
  void AddPush(const Push& push, double every_s = 0);

  /// Pushes that come again do so no more; one that acts now goes on to its end.
  void StopPushes();

  /// Walking by the user's wish in place of the reference's, see Drive; nothing: the reference.
  /// Forgotten by Reset.
  void SetDrive(const std::optional<DriveCommand>& wanted) { drive_.Set(wanted); }

  /// What a legged robot was told at the last control step.
  const BodyCommand& body_command() const { return reference_.body; }

  /// The mouse's force [force; torque] on a body at its centre of mass, world axes, until the next
  /// call; body 0: none.
  void SetPerturbation(int body, const double (&xfrc)[6]);

  /// Residuals of the plant's model at the present state, for display: max |Ḣ − C − Cᵀ|,
  /// max |C v + g − RNEA|, the torsion norm max |C − C_christoffel| / ‖v‖, |V̇ + P| of the last
  /// record.
  struct Residuals {
    double skew = 0, bias = 0, torsion = 0, Vdot = 0;
  };
  Residuals CalcResiduals();

  /// The state for later: time, position, velocity, integrals. Restore makes it the present.
  struct Saved {
    double t = 0;
    long step = 0;
    std::vector<double> state;  ///< mjSTATE_INTEGRATION
    Eigen::VectorXd law_state;  ///< Controller::state
    Eigen::VectorXd sensors;    ///< Sensors::state
    Eigen::Vector4d drive;      ///< Drive::state
    Eigen::VectorXd foot_force;
    Eigen::MatrixXd torques_under_way;
    Eigen::VectorXd tau_ext;
    double V0 = 0, lost = 0, balance = 0;
    long saturated_steps = 0;

    /// Memory that it takes.
    std::size_t bytes() const;
  };
  void Save(Saved* saved) const;
  /// Pushes of AddPush that start later than this are forgotten.
  void Restore(const Saved& saved);

 private:
  /// What Step needs to undo a step that went wrong.
  static constexpr int kUndoState = mjSTATE_FULLPHYSICS | mjSTATE_WARMSTART;

  struct AddedPush {
    Push push;           ///< the first one; start_s: in this run
    double every_s = 0;  ///< 0: once

    /// The one of them that acts in the control step of length dt at t or acted last; the first one
    /// before that.
    Push At(double t, double dt) const;
  };

  /// What CalcResiduals works with, apart from what a step works with.
  struct ResidualScratch {
    explicit ResidualScratch(const Model& plant);
    Workspace<double> workspace;
    Eigen::VectorXd q, v, bias, gravity;
    Eigen::MatrixXd C, christoffel_C, H;
  };

  double TimeOf(long step) const;
  /// Does work that calls the law. @returns false, and this has failed, when it throws.
  template <typename Work>
  bool Guard(Work work) {
    try {
      work();
      return true;
    } catch (const std::exception& error) {
      Fail(std::string("the law threw: ") + error.what());
    } catch (...) {
      Fail("the law threw what is no exception");
    }
    return false;
  }
  void EvaluateHere();
  void ReadMotion();
  void SelectPlant(double t);
  void ApplyPushes();
  bool UpdateControl(double t);
  const Eigen::VectorXd& DelayTorque();
  void ReadLegs();
  void BeginRecord();
  void RecordState(double t);
  void UpdatePlant();
  PlantState plant_state() const;
  StorageState CalcPlantStorage() const;
  void AdvanceLaw(double dt);
  void NoteConstraints();
  void RecordStorage(const StorageState& storage);
  void CalcExternalForces();
  double ExternalPower();
  bool StepHeld();
  bool StepEveryStage();
  bool RunStage(int stage, double h, StorageState* storage, double* P_ext);
  bool CheckMotion();
  void Fail(std::string reason);

  std::unique_ptr<Scene> scene_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  const mjModel* physics_;  ///< as the plant is now: with the payload once that is grasped
  const Model* plant_;
  Workspace<double> plant_workspace_;
  std::optional<Sensors> sensors_;     ///< held mode
  std::optional<LegProbe> leg_probe_;  ///< where the law has legs
  Eigen::VectorXd foot_force_;         ///< of the last step, for the sensors
  Measurement measured_;
  ReferenceState reference_;
  std::optional<LoopCloser> closer_;  ///< of the reference's loops
  ControlOutput output_;
  StepRecord record_;
  Failure failure_;
  std::vector<AddedPush> added_pushes_;
  Drive drive_;

  double control_dt_ = 0.001;
  double rate_ = 0;  ///< 1/control_dt when that is a whole number, so that times are round numbers
  int substeps_ = 1;

  long step_ = 0;
  long saturated_steps_ = 0;
  double V0_ = 0;        ///< V at the start
  double lost_ = 0;      ///< ∫(P − P_ext) dt up to the present
  double balance_ = 0;   ///< the last one recorded
  bool rebase_ = false;  ///< the next V is a new start: a gain has changed

  int perturbed_body_ = 0;
  double perturbation_[6] = {0, 0, 0, 0, 0, 0};
  bool pushed_ = false;  ///< xfrc_applied is not zero

  // State, plant matrices and accelerations at the stage at hand; torques.
  Eigen::VectorXd q_, v_, vdot_, applied_, tau_ext_, unknown_, law_rate_;
  Eigen::MatrixXd
      torques_under_way_;  ///< a ring by step, of the actuation's delay; else one column
  Eigen::VectorXd late_torque_;
  Eigen::MatrixXd plant_H_, plant_Hdot_;
  ResidualScratch residual_;
  // Stages of the Runge–Kutta step: where it started, rates by stage.
  Eigen::VectorXd q_start_, v_start_, tangent_;
  Eigen::MatrixXd stage_qdot_, stage_vdot_, stage_law_rate_;
  Eigen::VectorXd law_start_, law_stage_;
  std::vector<double> last_good_;
};

}  // namespace civita
