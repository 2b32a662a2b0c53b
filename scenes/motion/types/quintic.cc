#include <vector>

#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/schema/checked.h"

namespace civita {
namespace {

struct QuinticKeys {
  std::vector<double> to;  ///< nq
  double start_s = 0, duration_s = 2;
  bool repeat = true;
};

constexpr KeyRow<QuinticKeys> kQuinticKeys[] = {
    {"to", &QuinticKeys::to, "rad, m", "goal, as q"},
    {"start_s", &QuinticKeys::start_s, "s", "when the motion starts", NumberRange::kNotNegative},
    {"duration_s", &QuinticKeys::duration_s, "s", "from end to end", NumberRange::kPositive},
    {"repeat", &QuinticKeys::repeat, "", "back and forth forever"},
};

std::unique_ptr<Reference> QuinticOf(QuinticKeys& keys, const MotionContext& context) {
  return MakeQuintic(context.plant, context.center,
                     internal::CheckedPosition(context.plant, "reference.to", keys.to),
                     keys.start_s, keys.duration_s, keys.repeat);
}

}  // namespace

constinit const ReferenceType kQuinticReference = ReferenceTypeOf<kQuinticKeys, QuinticOf>(
    "quintic", "to a configuration and back, at rest at both ends");

}  // namespace civita
