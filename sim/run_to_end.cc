#include "civita/sim/run_to_end.h"

#include <cmath>

namespace civita {

bool RunToEnd(Simulation* simulation, Recorder* recorder, const std::function<bool()>& go_on) {
  const double duration_s = simulation->scene().config.duration_s;
  const long rows = std::lround(duration_s / simulation->control_dt()) + 1;
  for (long k = 0; k < rows && simulation->Step(); ++k) {
    recorder->Add(simulation->record());
    if (!go_on() && k + 1 < rows) return true;
  }
  return false;
}

}  // namespace civita
