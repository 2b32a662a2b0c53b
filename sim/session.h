#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "civita/sim/metric_table.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Two runs of one scene side by side: the run itself, and another one to compare it with.
enum class Slot { kA, kB };

/// What the window asks of a running simulation; taken at the edge of a control step, in order.
namespace command {
/// Refused after a failure, until Reset or Rewind.
struct Play {};
struct Pause {};
/// Steps while paused; while running it does nothing.
struct StepOnce {
  long steps = 1;
};
/// To the start; goes on if it was running, is paused after a failure.
struct Reset {};
struct SetSpeed {
  double factor = 1;  ///< times real time, 0.001 to 8; ≤ 0: as fast as it can
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
struct AddPush {
  Push push;           ///< start_s is from now
  double every_s = 0;  ///< again that often, until StopPushes; 0: once
};
/// No more of the pushes that come again.
struct StopPushes {};
/// Walk so, of both runs, until the next one; nothing: what the reference says. Reset forgets it.
struct SetDrive {
  std::optional<DriveCommand> wanted;
};
/// The mouse's force on one body, until the next one; body 0: none. Pushes act besides.
struct Perturb {
  int body = 0;
  double xfrc[6] = {0, 0, 0, 0, 0, 0};
};
/// Back to the nearest saved state at or before t (one is saved every 10 ms, for 60 s); what came
/// later is dropped. Goes on if it was running, is paused after a failure.
struct Rewind {
  double t = 0;
};
}  // namespace command
using Command =
    std::variant<command::Play, command::Pause, command::StepOnce, command::Reset,
                 command::SetSpeed, command::SetGain, command::SetFactorization, command::AddPush,
                 command::StopPushes, command::SetDrive, command::Perturb, command::Rewind>;

/// The metrics of a run of two that are compared, so far.
struct Figures {
  double since_t = 0;          ///< from here on: the start, or the last change
  std::vector<double> values;  ///< in the order of Session::metrics; NaN: not known yet
};

enum class RunState { kPaused, kRunning, kFailed };

/// How the second run of a comparison stands.
struct OtherSnapshot {
  std::vector<double> qpos;
  std::string factorization;
  std::vector<Eigen::VectorXd> gains;
  Failure failure;  ///< it stands still from then on; the first run goes on
  Figures figures;
};

/// What the window draws: published 100 times a second while something moves, and after every
/// command. Each is whole in itself.
struct Snapshot {
  long serial = 0;
  RunState state = RunState::kPaused;
  double t = 0;
  long step = 0;
  std::vector<double> qpos, qvel;  ///< of the mjData
  Eigen::VectorXd q_d;
  BodyCommand body;            ///< what a legged robot is told
  Eigen::MatrixXd H, C, Hdot;  ///< controller's H and C; plant's Ḣ
  Simulation::Residuals residuals;
  std::string factorization;           ///< in the grammar
  std::vector<Eigen::VectorXd> gains;  ///< in the order of the controller's parameters
  double real_time_factor = 0;         ///< over the last second of running; 0 when paused
  double target_speed = 1;             ///< ≤ 0: unlimited
  double step_p50_us = 0, step_p99_us = 0, step_max_us = 0;  ///< control step, last second of t
  /// Control steps since Reset whose computation took longer than the control period: a robot
  /// would have missed them, however slow or fast the simulation runs here.
  long deadline_misses = 0;
  long saturated_steps = 0;
  int mujoco_warnings = 0;
  bool too_slow = false;  ///< the machine does not hold the target speed
  Failure failure;
  int commands_applied = 0;        ///< counts, so that a sender can see its command done
  double oldest_saved_t = 0;       ///< how far Rewind reaches
  std::string last_command_error;  ///< why the last refused command was refused
  std::string recording_error;     ///< why the run folder is no longer written; empty: it is
  Figures figures;                 ///< while two runs are compared; and of the second one:
  OtherSnapshot other;
};

/// One row of the traces, in the order of the columns of Session::signals; after them those of the
/// second run, if there is one: not a number once it has failed. No sample is lost
/// unless the reader stays away for long; then dropped_rows counts.
struct TraceRow {
  double t = 0;
  int epoch = 0;  ///< grows with Reset and Rewind: rows after t of the former epoch are void
  bool saturated = false;
  std::vector<float> values;
};

/// The simulation on a thread of its own, which alone owns mjData and controller. Commands go in by
/// a lock-free queue, snapshots come out by a triple buffer, traces by a second queue. All
/// functions are for one other thread (the window's), which never waits, but in Stop.
///
/// Pacing: a step is taken when the clock reaches its time, scaled by the speed. Up to 50 ms of
/// delay are caught up with, more is given up, so that a machine that is too slow runs slower
/// instead of ever further behind. While it is paused the thread sleeps until a command comes.
///
/// What a law throws fails the run, with the text as the Failure's reason; the thread goes on.
class Session {
 public:
  /// With a directory the run is recorded there (Recorder): what Rewind and Reset take back is
  /// taken out of its files, too. `other`, the same model, runs in step with it, from its own
  /// start, with the same pushes; it is not recorded. @throws UserError when the directory cannot
  /// be used.
  explicit Session(std::unique_ptr<Scene> scene, bool start_paused = false,
                   const std::filesystem::path& directory = {},
                   std::unique_ptr<Scene> other = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SceneData& scene(Slot slot = Slot::kA) const;
  const mjModel* mj() const;
  /// Control period, s.
  double control_dt() const;
  /// Whether there is a second run.
  bool is_comparing() const;

  /// @returns false when the queue is full (256 commands wait).
  bool Post(Command command);

  /// The newest snapshot; stays valid until the next call.
  const Snapshot& Latest();

  /// Those of a run, which must be there, in the order of its traces.
  const SignalTable& signals(Slot slot = Slot::kA) const;

  /// Of the figures while two runs are compared; else none.
  const std::vector<MetricInfo>& metrics(Slot slot = Slot::kA) const;

  /// Takes the oldest waiting row; false when there is none. Copies it into row's storage, which
  /// grows if it has to.
  bool PopTrace(TraceRow* row);
  long dropped_rows() const;

  /// Ends the thread and the recording. @returns the figures of a recorded run. @throws UserError
  /// when its files could not be written.
  std::optional<RunSummary> Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace civita
