// In place of coordinate_rates.cc, in the program that is ready first.
#include "core/dynamics/internal/coordinate_frames.h"

namespace civita::internal {

template <template <typename> class Frame>
Coordinates::Rates DualRates(const Frame<double>& /*frame*/) {
  return {};
}

template Coordinates::Rates DualRates(const BodyTwistFrame<double>&);
template Coordinates::Rates DualRates(const ComFrame<double>&);
template Coordinates::Rates DualRates(const TaskFrame<double>&);
template Coordinates::Rates DualRates(const MassOrthonormalFrame<double>&);

}  // namespace civita::internal
