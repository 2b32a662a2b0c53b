#include "app/window/actions/run_up.h"

#include <algorithm>
#include <cmath>

#include "app/window/actions/actions.h"

namespace civita {
namespace {

constexpr long kPortion = 2000;  // steps, fewer than the rows that wait for the next frame

}  // namespace

bool RunUp::Advance(WindowState* state) {
  if (!to_s_) return true;
  const ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  if (!scene.session.HasAnswered(snapshot)) return false;
  double to = *to_s_;
  if (scene.session.is_replay()) to = std::min(to, snapshot.newest_t);
  const long last = std::lround(to / scene.session.control_dt());
  if (snapshot.state != RunState::kPaused || snapshot.step >= last) {
    to_s_.reset();
    return true;
  }
  if (snapshot.step >= asked_for_) {
    const long steps = std::min(kPortion, last - snapshot.step);
    asked_for_ = snapshot.step + steps;
    Post(state, command::StepOnce{steps});
  }
  return false;
}

}  // namespace civita
