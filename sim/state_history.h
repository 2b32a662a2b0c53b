#pragma once

#include <cstddef>
#include <vector>

#include "civita/sim/simulation.h"

namespace civita {

/// The states of the last minute, one every 10 ms. Memory is allocated once, at most 256 MB but
/// room for at least two states: large states shorten the history.
class StateHistory {
 public:
  explicit StateHistory(const Simulation& simulation);

  /// Saves the present state if one is due.
  void Add(const Simulation& simulation);
  /// Discards all states and saves the present one.
  void Restart(const Simulation& simulation);
  /// The latest state at or before t, or the oldest one; discards later ones.
  const Simulation::Saved& GoBack(double t);

  double oldest_t() const { return At(0).t; }
  /// Maximum number of states.
  std::size_t capacity() const { return ring_.size(); }

 private:
  const Simulation::Saved& At(std::size_t i) const { return ring_[(first_ + i) % ring_.size()]; }
  void Save(const Simulation& simulation);

  std::vector<Simulation::Saved> ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  long steps_between_ = 1;
};

}  // namespace civita
