#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "civita/sim/derived_signals.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_accumulators.h"
#include "civita/sim/session.h"
#include "civita/sim/spsc_queue.h"
#include "civita/sim/state_history.h"
#include "civita/sim/triple_buffer.h"

namespace civita {

/// Keeps simulated time in step with the steady clock, and measures the achieved speed.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr double kSlowest = 0.001;
  static constexpr double kFastest = 8;
  static constexpr double kLongestDelay = 0.05;  ///< s; any delay beyond is dropped

  /// A speed as it is held: within [kSlowest, kFastest]; 0: unlimited.
  static double Within(double speed);

  /// Target speed as a multiple of real time, as Within has it.
  void set_speed(double speed) { speed_ = Within(speed); }
  double speed() const { return speed_; }

  /// Starts pacing at simulated time t, s.
  void Start(Clock::time_point now, double t);

  /// The simulated time that is due, s; drops a delay beyond kLongestDelay. Meaningless when
  /// unlimited.
  double DueTime(Clock::time_point now, double t);

  /// Time until t is due, s; zero or negative: it is due.
  double Until(Clock::time_point now, double t) const;

  /// Takes a sample for the two functions below; call it regularly while running.
  void Measure(Clock::time_point now, double t);
  /// Simulated time over real time in the last second.
  double real_time_factor() const { return real_time_factor_; }
  /// Whether a delay was dropped in the last second and the target speed is missed.
  bool too_slow(Clock::time_point now) const;

 private:
  struct Sample {
    Clock::time_point wall;
    double t = 0;
  };
  double speed_ = 1;
  Sample anchor_;
  std::array<Sample, 100> samples_;
  std::size_t num_samples_ = 0;  ///< taken in total; the newest are in the ring
  double real_time_factor_ = 0;
  Clock::time_point last_loss_;
};

/// State of a Session: session.cc implements its thread, session_commands.cc the commands.
struct Session::Impl {
  using Clock = Pacer::Clock;

  struct Lane;
  using Lanes = std::vector<std::unique_ptr<Lane>>;
  /// Of one run or two; with a record it is shown instead of simulated.
  static Lanes MakeLanes(std::unique_ptr<Scene> scene, std::unique_ptr<RunRecord> record,
                         std::unique_ptr<Scene> other, std::unique_ptr<RunRecord> other_record);

  /// With a non-empty directory it is recorded there.
  Impl(Lanes of, bool start_paused, const std::filesystem::path& directory);

  // Functions of the simulation's thread.
  void Run();
  void TakeCommands();
  void Apply(command::Play);
  void Apply(command::Pause);
  void Apply(command::StepOnce step);
  void Apply(command::Reset);
  void Apply(command::SetSpeed speed);
  void Apply(command::SetGain& gain);
  void Apply(command::SetFactorization& factorization);
  void Apply(command::SetTuning& tuning);
  void Apply(command::AddPush& push);
  void Apply(command::StopPushes);
  void Apply(const command::ThrowOff& command);
  void Apply(const command::SetDrive& drive);
  void Apply(command::Perturb& perturb);
  void Apply(command::Rewind rewind);
  void Apply(command::SwitchBranch);
  void Apply(const command::StartRecording& start);
  void Apply(command::StopRecording);
  void GoTo(long step);
  long OldestStep() const;
  bool is_replay() const { return lanes.front()->record != nullptr; }
  // Of a replay: session_replay.cc.
  void StartReplay();
  void MeasureReplay();
  void ShowRecorded(long step);
  bool StepReplay();
  bool SendRecorded();
  void TimeReplay();
  void JudgeFall(Lane* lane, std::span<const double> values);
  void Branch();
  std::vector<long> CutMisses(long step);
  std::vector<InputEvent> CutInputs(Lane* lane, long step);
  void SaveInputs();
  void Archive(const std::filesystem::path& folder);
  void EndArchive();
  void TakeFinished(bool wait);
  /// Changes the inputs of both runs, or of one, by work(simulation).
  template <typename Work>
  void Change(Work work, Lane* only = nullptr);
  void WentBack();
  void RestartMetrics(double t, bool by_throw = false);
  void Advance();
  void AdvancePaused();
  void AdvanceUnlimited();
  void AdvancePaced();
  bool Step();
  bool StepLanes();
  void MeasureLanes();
  void PushTrace(const StepRecord& record);
  void PushTrace(TraceRow::Kind kind, double t);
  bool FlushTraceMarks();
  Lane& At(Slot slot);
  bool is_comparing() const { return lanes.size() > 1; }
  void Note(Lane* lane, const std::string& what, const std::string& input);
  void Note(const std::string& what, const std::string& input);
  void NoteGain(Lane* lane, const std::string& key, const Eigen::VectorXd& value);
  void NoteFactorization(Lane* lane);
  void NoteDrive(Lane* lane);
  void NotePull(const command::Perturb& pull);
  void NoteSettings(Lane* lane, const std::vector<InputEvent>& cut);
  /// Calls work(lane) for each run that is recorded; after an error nothing more is.
  template <typename Work>
  void Record(Work work) {
    for (const std::unique_ptr<Lane>& lane : lanes) {
      if (!lane->recorder || !recording_error.empty()) continue;
      try {
        work(lane.get());
      } catch (const std::exception& error) {
        recording_error = error.what();
      }
    }
  }
  std::vector<std::future<RunSummary>> FinishRecorders();
  template <typename Work>
  void Guard(FailureCause blamed, Work work);
  void Wake();
  void Publish();
  void DescribeLaw(Lane* lane, RunSnapshot* out);
  void DescribeRun(const Lane& lane, RunSnapshot* out) const;

  /// One run with all that is kept of it. Those of a comparison go in step.
  struct Lane {
    Lane(std::unique_ptr<Scene> scene, std::unique_ptr<RunRecord> replayed);
    void StartReplay();
    Fall FallAt(long step) const;  ///< of a replay

    Simulation simulation;
    SignalTable signals;
    StateHistory history;
    StateHistory::Stretch aside;       ///< of the other branch
    std::optional<MetricSet> metrics;  ///< while runs are compared
    bool moved = false;                ///< in this step
    std::unique_ptr<Recorder> recorder;
    /// What was changed by hand in this branch, for a recording that begins later, and in the other
    /// one. Only the simulation's thread changes them, under inputs_mutex.
    std::vector<InputEvent> inputs, inputs_aside;
    /// Of a replay; then falls are judged as in a running simulation, row by row as they are sent
    /// to the traces.
    std::unique_ptr<RunRecord> record;
    std::optional<StepRecord> shown, judged;
    std::optional<FallStatistics> fallen;      ///< nullopt: it cannot fall
    std::vector<std::pair<long, Fall>> falls;  ///< the fall from that step on, at each change
  };
  Lanes lanes;
  Simulation& simulation;  ///< the first lane's: it is recorded, and time is its
  std::size_t trace_width;
  SpscQueue<Command> commands{256};
  std::atomic<int> calls{0};  ///< number of commands and stop requests, to wake the thread
  SpscQueue<TraceRow> traces;
  TripleBuffer<Snapshot> snapshots;
  std::atomic<long> dropped_rows{0};
  std::atomic<bool> quit{false};
  std::atomic<bool> is_watched{true};
  // The other thread's.
  int commands_posted = 0;
  double target_speed = 1;  ///< as posted last

  // Used by the simulation's thread alone, from here to `thread`.
  long newest_step = 0;   ///< of the present branch
  bool returned = false;  ///< no step was taken since GoTo
  /// What was put aside.
  struct Aside {
    long from = 0, newest_step = 0;
    std::vector<long> misses;
    long judged_from = 0;
  };
  std::optional<Aside> aside;
  std::mutex inputs_mutex;
  std::vector<std::pair<TraceRow::Kind, double>> trace_marks;  ///< not yet in the queue
  MeasuredTime measured;
  bool was_pushed = false;  ///< in the step before
  bool is_recording = false;
  bool has_recorded = false;                       ///< a row
  std::vector<std::future<RunSummary>> finishing;  ///< of a recording that was stopped, by run
  std::optional<RunSummary> recorded_summary;      ///< of run A, once its files are written
  std::size_t sent_rows = 0;                       ///< of a replay, to the traces
  std::vector<long> limited;  ///< of a replay: the steps at a torque limit, in order
  Pacer pacer;
  RunState state = RunState::kPaused;
  long pending_steps = 0;
  long serial = 0;
  int commands_applied = 0, commands_refused = 0;
  std::vector<long> misses;  ///< steps of this branch, in order
  static constexpr long kNever = std::numeric_limits<long>::max();
  long judged_from = kNever;           ///< the step before the first one that may be a miss
  std::optional<DriveCommand> driven;  ///< the present walking command
  std::string command_error, recording_error, recording_directory;
  int calls_seen = 0;
  Failure thrown;                         ///< by the law, outside a simulation step
  bool moved = false, commanded = false;  ///< since the last publication
  Clock::time_point last_publication;
  double running_s = 0;        ///< real time spent running
  RollingPercentiles timings;  ///< of the control steps of the last second, µs

  std::thread thread;
};

}  // namespace civita
