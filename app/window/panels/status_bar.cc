#include <cmath>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

std::string RateText(double hertz) {
  return hertz >= 1000 ? Short(hertz / 1000, 3) + " kHz" : Short(hertz, 3) + " Hz";
}

std::string ControlRate(const WindowState& state) {
  const SceneConfig& config = state.scene->session.scene().config;
  if (config.mode == ControlMode::kEveryStage) return "every stage";
  return RateText(config.rate_hz);
}

std::string SpeedText(const ActiveScene& scene) {
  const Snapshot& snapshot = *scene.snapshot;
  const double actual = snapshot.state == RunState::kRunning ? snapshot.real_time_factor : 0;
  const int decimals = actual < 0.1 && actual > 0 ? 3 : 2;
  return Fixed(actual, decimals, 4) + "× of " + SpeedLabel(scene.session.target_speed());
}

constexpr double kMuch = 0.5;  // of the last second's steps at a torque limit

struct StateText {
  std::string text;
  Rgb dot, ink;
};

// It has stood up, and stood for a while.
bool IsUpAgain(const Snapshot& snapshot) {
  constexpr double kWhile = 0.5;  // s
  return snapshot.t - snapshot.fall.up_t > kWhile;
}

StateText Describe(const Theme& theme, const WindowState& state) {
  const Snapshot& snapshot = *state.scene->snapshot;
  if (state.scene->session.is_replay()) {
    const bool runs = snapshot.state == RunState::kRunning;
    return {runs ? "Replay" : "Replay, paused", runs ? theme.ok : theme.warn, theme.text};
  }
  if (snapshot.fall.fallen && !IsUpAgain(snapshot) && snapshot.state != RunState::kFailed) {
    const bool is_paused = snapshot.state == RunState::kPaused;
    const char* fell = snapshot.fall.freely ? (is_paused ? "Paused, fell freely" : "Fell freely")
                                            : (is_paused ? "Paused, fallen" : "Fallen");
    return {fell + (" at t = " + Fixed(snapshot.fall.t, 2)) + " s", theme.error, theme.error};
  }
  switch (snapshot.state) {
    case RunState::kFailed:
      return {"Stopped at t = " + Fixed(snapshot.t, 2) + " s", theme.error, theme.error};
    case RunState::kRunning:
      if (state.scene->traces.ShareSaturated(snapshot.t) > kMuch) {
        return {"Running, at torque limits", theme.warn, theme.text};
      }
      if (snapshot.too_slow) return {"Running, too slow", theme.warn, theme.text};
      if (snapshot.fall.fallen) {
        return {"Running, fell at t = " + Fixed(snapshot.fall.t, 2) + " s", theme.warn, theme.text};
      }
      return {"Running", theme.ok, theme.text};
    default:
      return {"Paused", theme.warn, theme.text};
  }
}

// What is the same all along, and counts that are 0: under the pointer.
std::string TellRest(const WindowState& state) {
  const Snapshot& snapshot = *state.scene->snapshot;
  std::string text = "Control: " + ControlRate(state) + "\nPhysics: " +
                     RateText(std::round(1 / state.scene->session.mj()->opt.timestep));
  if (snapshot.saturated_steps == 0) text += "\nNo control step with a torque at its limit";
  if (snapshot.mujoco_warnings == 0) text += "\nNo warning of MuJoCo";
  text += "\nPanels and plots of a frame: " + Fixed(state.ui_ms, 1) + " ms";
  if (state.is_software) {
    text += "\nOpenGL draws on the CPU: no reflections, coarse shadows and edges";
  }
  return text;
}

}  // namespace

void DrawStatusBar(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  const Theme& theme = ui.theme;
  const Snapshot& snapshot = *state->scene->snapshot;
  const float middle = r.middle_y() - ui.px(1);
  const StateText described = Describe(theme, *state);
  float x = r.x + ui.px(16);
  FillCircle(ui, ImVec2(x + ui.px(4), middle), ui.px(4), described.dot);
  x += ui.px(16);
  const auto item = [&](const char* label, const std::string& value, Rgb color,
                        std::string_view tip, const char* id = nullptr) {
    const float from = x;
    x = StatusItem(ui, x, middle, r.right(), label, value, color);
    if (x == from) return;
    DelayedTooltip(ui, HitBox(id != nullptr ? id : label, {from, r.y, x - from, r.h}), tip);
  };
  item("", described.text, described.ink, TellRest(*state), "state");
  const bool has_times = snapshot.step_p50_us > 0;  // a replay may have none
  item("Speed", SpeedText(*state->scene), snapshot.too_slow ? theme.warn : theme.text,
       "Simulated time by real time, and what was asked for");
  const bool is_judged = has_times && snapshot.judged_steps > 0;
  const std::string misses =
      Grouped(snapshot.deadline_misses) + " of " + Grouped(snapshot.judged_steps);
  item("Deadline misses", is_judged ? misses : "–",
       snapshot.deadline_misses > 0 ? theme.warn : theme.text,
       "Control steps that took longer than their period, of those that were not taken one by one; "
       "the tab Times has how long they take");
  if (snapshot.saturated_steps > 0) {
    item("At torque limits", Grouped(snapshot.saturated_steps), theme.warn,
         "Control steps with a torque at its limit: there V need not fall");
  }
  if (snapshot.mujoco_warnings > 0) {
    item("MuJoCo warnings", std::to_string(snapshot.mujoco_warnings), theme.warn,
         "Of this run: contacts without room, a state that diverges");
  }
  if (const long dropped = state->scene->session.dropped_rows(); dropped > 0) {
    item("Samples lost", Grouped(dropped), theme.warn,
         "Rows that the window took too late: the plots have gaps, files do not");
  }
  if (const Job* job = state->jobs.running()) {
    const bool is_known = !std::isnan(job->share());
    item("In the background", is_known ? Fixed(std::floor(100 * job->share()), 0) + " %" : "…",
         theme.text, TipOf(ToggleJobs));
  }
  if (state->link) {
    item("Live link", std::to_string(state->link->server.num_clients()), theme.text,
         "Programs that read this run and may change it, as civita.attach() in Python");
  }
}

}  // namespace civita
