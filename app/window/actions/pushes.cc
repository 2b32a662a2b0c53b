// Pushes, pulls of the mouse and throws.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"

namespace civita {
namespace {

double TimeOfRun(const WindowState& state) { return state.scene->snapshot->t; }

void NotePush(ActiveScene* scene, const Push& push, const std::string& text) {
  scene->pushes.push_back({push});
  scene->log.Add({push.start_s, text, LogLine::Kind::kAction});
  scene->log.Mark(PlotMark::Kind::kPush, push.start_s, text);
}

void NotePush(ActiveScene* scene, const Push& push) {
  NotePush(scene, push, DescribePush(*scene->session.mj(), {push}));
}

}  // namespace

void PushNow(WindowState* state) {
  if (RefuseInReplay(state)) return;
  ActiveScene& scene = *state->scene;
  PushForm& form = scene.push;
  if (scene.push_targets.bodies.empty()) {
    ShowToast(state, "No body of this scene can be pushed", true);
    return;
  }
  const auto choice = static_cast<std::size_t>(form.body_choice);
  const double azimuth = form.azimuth_deg * std::numbers::pi / 180;
  const double elevation = form.elevation_deg * std::numbers::pi / 180;
  Push push;
  push.body = scene.push_targets.bodies[choice];
  push.duration_s = form.duration_ms / 1000;
  const Eigen::Vector3d direction(std::cos(elevation) * std::cos(azimuth),
                                  std::cos(elevation) * std::sin(azimuth), std::sin(elevation));
  push.force = form.force * direction;
  if (PushesWhole(scene)) {
    push.of_tree = true;
    push.shape = PushShape::kHalfSine;
    push.force = CalcForceOfImpulse(push, form.impulse * direction, scene.session.scene().legs->dt);
  }
  StopPushes(state);
  form.is_repeating = form.repeat != PushRepeat::kOnce;
  form.every_s = form.repeat == PushRepeat::kEvery2s ? 2 : 5;
  if (!form.is_repeating) return PushOnce(state, push);
  Post(state, command::AddPush{push, form.every_s});
  push.start_s = TimeOfRun(*state);
  form.first_t = push.start_s;
  form.next_t = form.first_t + form.every_s;
  form.repeated = push;
  NotePush(&scene, push);
}

void PushOnce(WindowState* state, Push push) {
  Post(state, command::AddPush{push});
  push.start_s += TimeOfRun(*state);
  NotePush(state->scene.get(), push);
}

void StopPushes(WindowState* state) {
  PushForm& form = state->scene->push;
  if (std::exchange(form.is_repeating, false)) Post(state, command::StopPushes{});
}

void ThrowOff(WindowState* state) {
  if (RefuseInReplay(state)) return;
  ActiveScene& scene = *state->scene;
  if (scene.snapshot->state == RunState::kFailed) {
    ShowToast(state, "Rewind or reset first: " + state->scene->snapshot->failure.reason, true);
    return;
  }
  const ThrowConfig& config = scene.session.scene().config.thrown;
  Post(state, command::ThrowOff{{*config.size, config.seed}});
  const double t = TimeOfRun(*state);
  const std::string text = DescribeThrow(scene);
  Tell(state, text);
  scene.log.AskThrow(t, text);
  ShowThrow(state, t);
}

void ShowThrow(WindowState* state, double t) {
  constexpr double kBefore = 0.1, kTransient = 2;  // s
  const Traces& traces = state->scene->traces;
  // The axis knows the samples of the frame before, which a slow machine may have left long behind.
  state->time_axis.Update(traces.buffer().first_time(), std::max(t, traces.last_time()));
  state->time_axis.Show(t - kBefore, t - kBefore + kTransient);
}

void NoteRepeatedPushes(WindowState* state) {
  PushForm& form = state->scene->push;
  for (; form.is_repeating && TimeOfRun(*state) >= form.next_t; form.next_t += form.every_s) {
    form.repeated.start_s = form.next_t;
    NotePush(state->scene.get(), form.repeated);
  }
}

void NotePull(WindowState* state, int body) {
  ActiveScene& scene = *state->scene;
  const char* name = mj_id2name(scene.session.mj(), mjOBJ_BODY, body);
  Push pull;
  pull.body = body;
  pull.start_s = TimeOfRun(*state);
  pull.duration_s = 0;  // both grow while it lasts
  NotePush(&scene, pull, "Pull at " + std::string(name != nullptr ? name : "a body"));
}

void GrowPull(WindowState* state, double since, const command::Perturb& pull) {
  std::vector<PushEvent>& pushes = state->scene->pushes;
  const auto row = std::find_if(pushes.rbegin(), pushes.rend(), [&](const PushEvent& event) {
    return event.push.body == pull.body && event.push.start_s == since;
  });
  if (row == pushes.rend()) return;  // time has gone back to before it
  const Eigen::Vector3d force = Eigen::Vector3d::Map(std::begin(pull.xfrc));
  if (force.norm() > row->push.force.norm()) row->push.force = force;
  row->push.duration_s = std::max(0.0, TimeOfRun(*state) - since);
}

}  // namespace civita
