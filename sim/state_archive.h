#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
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

}  // namespace civita
