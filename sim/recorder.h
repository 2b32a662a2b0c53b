#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "civita/sim/run_summary.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Gathers the records of a run. With a directory it writes the run folder as it goes, by a thread
/// of its own: config.yaml and run.json (status "running") first, signals.csv and timing.csv row by
/// row, given to the system twice a second so that a killed run leaves readable files; at Finish
/// signals.npz, and run.json with the figures. Numbers are written so that they read back to the
/// same bits. Two runs of the same config give the same signals.csv and signals.npz, byte for byte.
class Recorder {
 public:
  /// `directory` empty: nothing is written, only the figures are gathered. A directory that does
  /// not exist is made, with its parents. One that exists must be empty or hold an earlier run,
  /// whose files are replaced and whose other files are left alone. @throws UserError when the
  /// directory is another one or cannot be made or written; nothing is left behind then.
  Recorder(const Simulation& simulation, const std::filesystem::path& directory);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Adds a step that was taken. Allocates nothing in this thread; waits when the disk is slower
  /// than the run. @throws UserError when the disk has failed.
  void Add(const StepRecord& record);

  /// Takes back the rows at t and later, after a rewind. Without a directory all rows.
  void DropFrom(double t);

  /// The law's from the row at t on.
  void ChangeFactorization(double t, const Factorization& factorization);

  /// Something that run.json shall tell: a gain changed by hand, a push.
  void AddEvent(double t, const std::string& what);

  /// Of the steps so far, of a run that was never rewound.
  const MotionMetrics& motion() const;

  /// Writes what is left and gives the figures. Nothing can be added any more.
  RunSummary Finish(const Simulation& simulation, double wall_s, bool interrupted);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace civita
