#pragma once

#include <cstddef>
#include <filesystem>
#include <future>
#include <memory>

#include "civita/sim/input_event.h"
#include "civita/sim/run_record.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/simulation.h"

namespace civita {

/// What recording has taken, s: metrics, rows of signals, and what is done with these rows.
struct RecordingTimes {
  double metrics_s = 0, signals_s = 0, rows_s = 0;
};

/// Collects the records of a run. With a directory it writes the run folder during the run, on its
/// own thread: first config.yaml and run.json (status "running"), then signals.csv and timing.csv
/// row by row, flushed twice a second so that a killed run leaves readable files; at Finish
/// run.json with the metrics, then signals.npz. Meanwhile no other process can take the folder.
/// Numbers read back to the same bits. Two runs of the same config give identical signals.csv and
/// signals.npz.
class Recorder {
 public:
  /// With an empty `directory` nothing is written and only the metrics are computed. A directory
  /// that does not exist is created with its parents. One that exists must be empty or hold an
  /// earlier run, whose files are replaced; other files in it are kept.
  /// @throws UserError if the directory holds something else or cannot be created or written; then
  /// nothing is left behind.
  Recorder(const Simulation& simulation, const std::filesystem::path& directory);
  /// Goes on with the folder of a run after its first `rows` rows; the record is arranged as the
  /// simulation's signals. @throws UserError.
  Recorder(const Simulation& simulation, RunRecord* record, std::size_t rows);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Adds a step that was taken. Allocates nothing in this thread; waits when the disk is slower
  /// than the run. @throws WriteError when writing has failed; then Finish tells of it, too.
  void Add(const StepRecord& record);

  /// Adds to `times` from now on what Add takes, which costs four readings of the clock a step.
  void set_times(RecordingTimes* times);

  /// Writes the simulation's state, from which ResumeRun goes on, and before it all records, which
  /// must be those up to it. Without a directory it does nothing. @throws WriteError.
  void SaveState(const Simulation& simulation);

  /// Removes the rows at t (s) and later, after a rewind. Without a directory it removes all rows.
  void DropFrom(double t);

  /// Puts the rows and events at t and later aside, in the place of those put aside before.
  void Branch(double t);
  /// Exchanges those at t and later with those put aside. Both need a directory.
  void Switch(double t);

  /// Adds an event for run.json: a gain changed by hand, a push. It is on disk before the rows that
  /// follow, so that of a killed run they can be repeated.
  void AddEvent(const InputEvent& event);

  /// Metrics of the steps so far, of a run that was never rewound.
  const MotionMetrics& motion() const;

  /// Ends, and removes the files.
  void Discard();

  /// Writes what remains and returns the summary; wall_s is the run's wall time. What cannot be
  /// written is told by the summary's write_error. Nothing can be added afterwards.
  RunSummary Finish(const Simulation& simulation, double wall_s, bool interrupted);
  /// Likewise on a thread of its own, since a long run takes long to write. The simulation may go
  /// on meanwhile; its scene must outlive the future.
  static std::future<RunSummary> FinishAside(std::unique_ptr<Recorder> recorder,
                                             const Simulation& simulation, double wall_s);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace civita
