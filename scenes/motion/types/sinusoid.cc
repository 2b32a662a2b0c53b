#include <cmath>
#include <vector>

#include "civita/scenes/motion/room.h"
#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/schema/checked.h"

namespace civita {
namespace {

struct SinusoidKeys {
  std::vector<double> amplitude, frequency_hz, phase;  ///< one number or nv each
  double fade_s = 1;
};

constexpr KeyRow<SinusoidKeys> kSinusoidKeys[] = {
    {"amplitude", OneOrAll{&SinusoidKeys::amplitude}, "rad, m",
     "of the sines; default: moderate, within limits, efforts and without collisions"},
    {"frequency_hz", OneOrAll{&SinusoidKeys::frequency_hz}, "Hz",
     "of the sines; default: staggered from 0.2 to 0.5 Hz", NumberRange::kNotNegative},
    {"phase", OneOrAll{&SinusoidKeys::phase}, "rad", "of the sines; default: 0"},
    {"fade_s", &SinusoidKeys::fade_s, "s", "time to fade in", NumberRange::kNotNegative},
};

std::unique_ptr<Reference> SinusoidOf(SinusoidKeys& keys, const MotionContext& context) {
  using internal::Spread;
  const int nv = context.plant.nv();
  if (keys.frequency_hz.empty()) {
    constexpr double kSlowest = 0.2, kFastest = 0.5;  // Hz
    constexpr double kGoldenRatio = 0.618033988749895;
    for (int i = 0; i < nv; ++i) {
      const double spread = std::fmod(i * kGoldenRatio, 1.0);
      keys.frequency_hz.push_back(kSlowest + (kFastest - kSlowest) * spread);
    }
  }
  if (keys.phase.empty()) keys.phase = {0};
  const auto make = [&](const Eigen::VectorXd& amplitude) {
    return MakeSinusoid(context.plant, context.center, amplitude,
                        Spread("reference.frequency_hz", keys.frequency_hz, nv),
                        Spread("reference.phase", keys.phase, nv), keys.fade_s);
  };
  if (keys.amplitude.empty()) {
    keys.amplitude = GentleAmplitudes(context.mj, context.actuation, context.couplings,
                                      context.closed, context.undriven, context.center);
    FitAmplitudes(context, make, &keys.amplitude);
  }
  return make(Spread("reference.amplitude", keys.amplitude, nv));
}

}  // namespace

constinit const ReferenceType kSinusoidReference =
    ReferenceTypeOf<kSinusoidKeys, SinusoidOf>("sinusoid", "each coordinate its own sine");

}  // namespace civita
