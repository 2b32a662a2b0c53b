#include <string>
#include <vector>

#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"

namespace civita {
namespace {

struct ExcitationKeys {
  std::vector<double> amplitude;  ///< one number or nv
  double base_hz = 0.1;
  int harmonics = 5;
};

constexpr KeyRow<ExcitationKeys> kExcitationKeys[] = {
    {"amplitude", OneOrAll{&ExcitationKeys::amplitude}, "rad, m",
     "maximum; default: suited to the model"},
    {"base_hz", &ExcitationKeys::base_hz, "Hz", "its lowest frequency", NumberRange::kPositive},
    {"harmonics", &ExcitationKeys::harmonics, "", "multiples of the lowest frequency, 3 to 50",
     NumberRange::kNotNegative},
};

std::unique_ptr<Reference> ExcitationOf(ExcitationKeys& r, const MotionContext& context) {
  // The search for amplitudes within the limits takes time that grows with their square.
  constexpr int kMost = 50;
  if (r.harmonics < 3 || r.harmonics > kMost) {
    RefuseValue("reference.harmonics", " must be from 3 to " + std::to_string(kMost) + ", not " +
                                           std::to_string(r.harmonics));
  }
  if (r.amplitude.empty()) {
    r.amplitude =
        ExcitationAmplitudes(context.mj, context.actuation, context.undriven, context.center);
  }
  return MakeExcitation(context.plant, context.center,
                        internal::Spread("reference.amplitude", r.amplitude, context.plant.nv()),
                        r.base_hz, r.harmonics, context.seed);
}

}  // namespace

constinit const ReferenceType kExcitationReference =
    ReferenceTypeOf<kExcitationKeys, ExcitationOf>("excitation", "random, tells parameters apart");

}  // namespace civita
