#pragma once

#include <cstddef>
#include <vector>

#include "civita/sim/simulation.h"

namespace civita {

/// The states of the last minute of one line of time: one every 10 ms, and one at each change of
/// the inputs, so that Simulation::Repeat reaches every step in between. Memory is allocated once,
/// at most 256 MB but room for at least two states: large states shorten the history.
class StateHistory {
 public:
  explicit StateHistory(const Simulation& simulation);

  /// Saves the present state, the newest, if one is due.
  void Add(const Simulation& simulation);
  /// Saves the present state in any case; it replaces one of the same step.
  void Save(const Simulation& simulation);
  /// Discards all states and saves the present one.
  void Restart(const Simulation& simulation);

  /// The latest state at or before a step, or the oldest one.
  const Simulation::Saved& At(long step) const;
  /// Takes out the states of this step and later, of which there is then none.
  std::vector<Simulation::Saved> Cut(long step);
  /// Puts later states back.
  void Append(const std::vector<Simulation::Saved>& states);

  long oldest_step() const { return Get(0).step; }
  double oldest_t() const { return Get(0).t; }
  /// Maximum number of states.
  std::size_t capacity() const { return ring_.size(); }

 private:
  const Simulation::Saved& Get(std::size_t i) const { return ring_[(first_ + i) % ring_.size()]; }
  Simulation::Saved& NextSlot();

  std::vector<Simulation::Saved> ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  long steps_between_ = 1;
};

}  // namespace civita
