#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/sim/output_file.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Saved states on disk, in a file without a name that vanishes with them: one every 0.1 s,
/// and one at each change of the inputs, with which Simulation::Repeat reaches every step in
/// between. Memory holds where each is, and its inputs.
class StateArchive {
 public:
  /// A state; its file remains as long as it does.
  struct Entry {
    long step = 0;
    double t = 0;
    std::shared_ptr<const Simulation::Inputs> inputs;
    std::shared_ptr<OutputFile> file;
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };

  /// In the folder, which must exist; dt_s: control period, s. @throws UserError.
  StateArchive(const std::filesystem::path& folder, double dt_s);

  bool empty() const { return entries_.empty(); }
  const Entry& oldest() const { return entries_.front(); }
  /// Adds a later state, if one is due. @throws UserError.
  void Add(const Simulation::Saved& saved);
  /// The latest state at or before a step, or the oldest one; valid until the next call. Not for an
  /// empty archive. @throws UserError.
  const Simulation::Saved& At(long step);
  /// Takes out the states of this step and later.
  std::vector<Entry> Cut(long step);
  /// Puts later states back.
  void Append(const std::vector<Entry>& entries);
  void Clear();

 private:
  std::shared_ptr<OutputFile> file_;
  long steps_between_;
  std::vector<Entry> entries_;
  std::string bytes_;
  Simulation::Saved loaded_;
};

/// The states of the last minute of one line of time: one every 10 ms, and one at each change of
/// the inputs, so that Simulation::Repeat reaches every step in between. Memory is allocated once,
/// at most 256 MB but room for at least two states: large states shorten the history. While it
/// archives, the states that leave memory go to disk, and nothing is forgotten; when the disk is
/// full, it ends to archive.
class StateHistory {
 public:
  explicit StateHistory(const Simulation& simulation);

  /// Saves the present state, the newest, if one is due.
  void Add(const Simulation& simulation);
  /// Saves the present state in any case; it replaces one of the same step.
  void Save(const Simulation& simulation);
  /// Keeps what leaves memory from now on in a file without a name in this folder, until
  /// EndArchive.
  void Archive(const std::filesystem::path& folder);
  void EndArchive() { archive_.reset(); }

  /// Discards all states and saves the present one.
  void Restart(const Simulation& simulation);

  /// The latest state at or before a step, or the oldest one; valid until the next call of a
  /// function. @throws UserError when it cannot be read back from disk.
  const Simulation::Saved& At(long step);
  /// Successive states, in memory and on disk.
  struct Stretch {
    std::vector<StateArchive::Entry> archived;
    std::vector<Simulation::Saved> states;
  };
  /// Takes out the states of this step and later, of which there is then none.
  Stretch Cut(long step);
  /// Puts later states back.
  void Append(const Stretch& stretch);

  long oldest_step() const { return has_archived() ? archive_->oldest().step : Get(0).step; }
  /// Maximum number of states.
  std::size_t capacity() const { return ring_.size(); }

 private:
  bool has_archived() const { return archive_ && !archive_->empty(); }
  const Simulation::Saved& Get(std::size_t i) const { return ring_[(first_ + i) % ring_.size()]; }
  Simulation::Saved& NextSlot();

  std::vector<Simulation::Saved> ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  long steps_between_ = 1;
  double dt_;  // s
  std::optional<StateArchive> archive_;
};

}  // namespace civita
