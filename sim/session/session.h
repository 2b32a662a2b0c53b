#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "civita/sim/input_event.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/run_record.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita {

/// The two runs of a comparison: the run itself, and the one it is compared with.
enum class Slot { kA, kB };

/// Commands of the window to a running simulation; executed between control steps, in order.
/// input_event.h has pushes, throws and pulls.
namespace command {
/// Refused after a failure, until Reset or Rewind. From the past, time branches: see Session.
struct Play {};
struct Pause {};
/// Takes steps while paused, through the known future first; negative: back. No effect while
/// running.
struct StepOnce {
  long steps = 1;
};
/// Back to the start; a running simulation goes on, a failed one is then paused.
struct Reset {};
struct SetSpeed {
  double factor = 1;  ///< multiple of real time, 0.001 to 8; ≤ 0: unlimited
};
struct SetGain {
  std::string key;
  Eigen::VectorXd value;
  Slot slot = Slot::kA;
};
struct SetFactorization {
  Factorization factorization;
  Slot slot = Slot::kA;
};
/// Several settings, all before the same step.
struct SetTuning {
  std::vector<SetGain> gains;
  std::optional<SetFactorization> factorization;
};
/// Walking command to both runs, until the next one; nullopt: as the reference says. Reset clears
/// it.
struct SetDrive {
  std::optional<DriveCommand> wanted;
};
/// To the step at or before t of what is known, see Session, back or forward. What comes later is
/// kept. A running simulation goes on from there, a failed one is then paused.
struct Rewind {
  double t = 0;
};
/// Exchanges what follows the last branching with what followed it before; pauses. The time stays,
/// if the other branch has it.
struct SwitchBranch {};
/// Records from now on to a new folder; refused while another recording runs.
struct StartRecording {
  std::filesystem::path directory;
};
struct StopRecording {};
}  // namespace command
using Command =
    std::variant<command::Play, command::Pause, command::StepOnce, command::Reset,
                 command::SetSpeed, command::SetGain, command::SetFactorization, command::SetTuning,
                 command::AddPush, command::StopPushes, command::ThrowOff, command::SetDrive,
                 command::Perturb, command::Rewind, command::SwitchBranch, command::StartRecording,
                 command::StopRecording>;

/// For how long a throw is measured, s: what comes later is no longer its.
inline constexpr double kThrowShown_s = 5;

/// When the metrics of a comparison have been measured.
struct MeasuredTime {
  double since_t = 0;  ///< accumulated since: the start, the last change or throw
  /// since a throw, until something else moves the robot; marks and "after 2 s" count from it
  bool since_throw = false;
  /// since_throw: when a push began, or kThrowShown_s were over, from which on nothing is added;
  /// NaN: not yet
  double until_t = std::numeric_limits<double>::quiet_NaN();
};
/// The metrics of one run of a comparison so far.
struct Figures : MeasuredTime {
  std::vector<double> values;  ///< in the order of Session::metrics; NaN: not known yet
};

/// What is measured of a run, all at the state of its last record.
struct Measured {
  Eigen::VectorXd q, v;
  Simulation::Residuals residuals;
};

enum class RunState { kPaused, kRunning, kFailed };

/// State of one run.
struct RunSnapshot {
  std::vector<double> qpos;            ///< of the mjData
  std::string factorization;           ///< in the notation of configs
  std::vector<Eigen::VectorXd> gains;  ///< in the order of the controller's parameters
  Measured measured;
  Fall fall;        ///< the first one of a floating robot
  Failure failure;  ///< from then on a second run stands still; the first run goes on
  Figures figures;  ///< while two runs are compared
};

/// A complete state for the window to draw: published 100 times a second while something moves,
/// and after every command.
struct Snapshot : RunSnapshot {
  long serial = 0;
  RunState state = RunState::kPaused;
  double t = 0;
  long step = 0;
  std::vector<double> qvel;  ///< of the mjData
  Eigen::VectorXd q_d;
  BodyCommand body;             ///< the command to a legged robot
  double real_time_factor = 0;  ///< over the last second of running; 0 when paused
  double step_p50_us = 0, step_p99_us = 0, step_max_us = 0;  ///< control step, last second of t
  /// Control steps of the run since Reset, those taken one by one left out, whose computation took
  /// longer than the control period: a robot would have missed them, however slow or fast the
  /// simulation runs here. Up to t; the first at first_miss_t, NaN without one.
  long deadline_misses = 0;
  double first_miss_t = std::numeric_limits<double>::quiet_NaN();
  /// Of so many steps: those up to t from the first one that was not taken one by one.
  long judged_steps = 0;
  long saturated_steps = 0;
  int mujoco_warnings = 0;
  bool too_slow = false;      ///< the machine does not hold the target speed
  int commands_applied = 0;   ///< a counter by which a sender can see its command executed
  int commands_refused = 0;   ///< of these; a reason may be given twice
  double oldest_saved_t = 0;  ///< earliest time that Rewind reaches
  double newest_t = 0;        ///< latest one, later than t in the past
  /// where the other branch leaves this one, and how far it goes; NaN: there is none
  double branch_t = std::numeric_limits<double>::quiet_NaN(), other_branch_end_t = branch_t;
  std::string last_command_error;  ///< reason of the last refusal
  bool is_recording = false;
  std::string recording_directory;  ///< while it records
  bool is_saving = false;           ///< a recording was stopped, and its files are written
  std::string recording_error;      ///< why recording stopped; empty: it has not
  RunSnapshot other;                ///< of a comparison
};

/// One row of the traces, in the order of the columns of Session::signals, followed by those of
/// the second run, if there is one (NaN once it has failed). No row is lost unless the reader
/// stays away for long; dropped_rows counts those.
struct TraceRow {
  enum class Kind {
    kStep,
    // Without values:
    kReset,   ///< all earlier rows are void
    kBranch,  ///< the rows at t and later are put aside, in the place of those put aside before
    kSwitch,  ///< they are exchanged with those put aside
  };
  Kind kind = Kind::kStep;
  double t = 0;
  bool saturated = false;
  std::vector<float> values;
};

/// A simulation on its own thread, which alone owns mjData and controller. Commands go in by a
/// lock-free queue, snapshots come out by a triple buffer, traces by a second queue. All functions
/// are for one other thread (the window's), which waits only in Stop.
///
/// Pacing: a step is taken when the clock reaches its time, scaled by the speed. A delay of up to
/// 50 ms is caught up with, a longer one is dropped, so that a machine that is too slow runs
/// slower and does not fall ever further behind. While paused the thread sleeps until a command
/// comes.
///
/// Of the last 60 s, and as long as it records of all that was in reach when that began or came
/// later, every step can be shown again with the bits of the first time. A step or another input in
/// the past makes a branch: what had followed is put aside until the next branch, and can be gone
/// back to. Gains, factorization and walking command are the present ones wherever it goes on.
///
/// A replay shows recorded runs in the same way, without a simulation: its time is that of their
/// rows, and no input is taken.
///
/// An exception of a law fails the run, with its text as the Failure's reason; the thread goes on.
class Session {
 public:
  /// With a directory the run is recorded there (Recorder); Rewind and Reset also remove rows from
  /// its files. `other`, a scene with the same model, runs in step, from its own start, with the
  /// same pushes; it is not recorded. @throws UserError when the directory cannot be used.
  explicit Session(std::unique_ptr<Scene> scene, bool start_paused = false,
                   const std::filesystem::path& directory = {},
                   std::unique_ptr<Scene> other = nullptr);
  /// Shows the record of the scene, and another one of `other`, if that is given.
  Session(std::unique_ptr<Scene> scene, std::unique_ptr<RunRecord> record, bool start_paused,
          std::unique_ptr<Scene> other = nullptr,
          std::unique_ptr<RunRecord> other_record = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SceneData& scene(Slot slot = Slot::kA) const;
  const mjModel* mj() const;
  /// Control period, s.
  double control_dt() const;
  /// Whether there is a second run.
  bool is_comparing() const;
  bool is_replay() const;
  /// What was changed by hand in the present branch of a run, by time: the events of a recording.
  std::vector<InputEvent> Inputs(Slot slot) const;
  /// Rows of the record that it shows; 0 if it is no replay.
  std::size_t num_recorded() const;

  /// Enqueues a command. @returns false when the queue is full (256 commands).
  bool Post(Command command);
  /// As it was asked for last, whether or not a snapshot shows it already; ≤ 0: unlimited.
  double target_speed() const;

  /// While nobody looks on, commands wait up to 20 ms and snapshots come 10 times a second: to wake
  /// and to publish costs more than a step.
  void set_watched(bool is_watched);

  /// Whether a snapshot was made after all commands so far.
  bool HasAnswered(const Snapshot& snapshot) const;

  /// The newest snapshot; stays valid until the next call.
  const Snapshot& Latest();

  /// The signals of a run, which must exist, in the order of its traces.
  const SignalTable& signals(Slot slot = Slot::kA) const;

  /// The metrics in Figures::values while two runs are compared; otherwise empty.
  const std::vector<MetricInfo>& metrics(Slot slot = Slot::kA) const;

  /// Moves to the oldest waiting row, copied into the row's storage, which grows if needed.
  /// @returns false when there is none.
  bool PopTrace(TraceRow* row);
  long dropped_rows() const;

  /// Ends the thread and the recording. @returns the summary of a recorded run.
  std::optional<RunSummary> Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace civita
