#pragma once

#include <cstddef>
#include <vector>

#include "civita/sim/simulation.h"

namespace civita {

/// The states of the last minute, one every 10 ms, to go back to. Memory is taken once, 256 MB at
/// most (but for two states): a huge state gets a shorter past.
class StateHistory {
 public:
  explicit StateHistory(const Simulation& simulation);

  /// Saves the present if its turn has come.
  void Add(const Simulation& simulation);
  /// Forgets all but the present.
  void Restart(const Simulation& simulation);
  /// The newest state at or before t, or the oldest one; forgets what came later.
  const Simulation::Saved& GoBack(double t);

  double oldest_t() const { return At(0).t; }
  /// States that there is room for.
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
