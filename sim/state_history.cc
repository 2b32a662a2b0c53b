#include "civita/sim/state_history.h"

#include <algorithm>
#include <cmath>

namespace civita {
namespace {

constexpr double kPeriod = 0.01;   ///< s
constexpr double kLength = 60;     ///< s
constexpr double kMemory = 256e6;  ///< bytes

}  // namespace

StateHistory::StateHistory(const Simulation& simulation)
    : steps_between_(std::max(1L, std::lround(kPeriod / simulation.control_dt()))) {
  Simulation::Saved prototype;
  simulation.Save(&prototype);
  const auto bytes = static_cast<double>(prototype.bytes());
  const double between = static_cast<double>(steps_between_) * simulation.control_dt();
  const double slots = std::min(kLength / between, kMemory / bytes);
  ring_.assign(static_cast<std::size_t>(std::max(2.0, slots + 1)), prototype);
  Restart(simulation);
}

void StateHistory::Save(const Simulation& simulation) {
  if (size_ == ring_.size()) {
    first_ = (first_ + 1) % ring_.size();
    --size_;
  }
  simulation.Save(&ring_[(first_ + size_) % ring_.size()]);
  ++size_;
}

void StateHistory::Add(const Simulation& simulation) {
  if (simulation.step() % steps_between_ == 0) Save(simulation);
}

void StateHistory::Restart(const Simulation& simulation) {
  first_ = size_ = 0;
  Save(simulation);
}

const Simulation::Saved& StateHistory::GoBack(double t) {
  while (size_ > 1 && At(size_ - 1).t > t) --size_;
  return At(size_ - 1);
}

}  // namespace civita
