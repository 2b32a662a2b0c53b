#include "app/window/actions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/plant/stiffness.h"

namespace civita {
namespace {

constexpr std::array<double, 14> kSpeeds = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                            0.2,   0.5,   1,     2,    4,    8,    0};
constexpr double kToastSeconds = 3.5, kErrorToastSeconds = 8;

double Time(const WindowState& state) { return state.scene->snapshot->t; }

void Post(WindowState* state, Command command) {
  if (!state->scene->session.Post(std::move(command))) {
    ShowToast(state, "The simulation does not answer", true);
  }
}

void ForgetAfter(ActiveScene* scene, double t) {
  scene->log.TruncateMarks(t);
  std::erase_if(scene->pushes, [t](const PushEvent& event) {
    return event.push.start_s > t && !event.is_planned;
  });
  PushForm& form = scene->push;
  form.is_repeating = form.is_repeating && form.first_t <= t;
  if (form.is_repeating) {
    form.next_t = form.first_t + (std::floor((t - form.first_t) / form.every_s) + 1) * form.every_s;
  }
}

void NotePush(ActiveScene* scene, const Push& push) {
  scene->pushes.push_back({push});
  const std::string text = DescribePush(*scene->session.mj(), scene->pushes.back());
  scene->log.Add({push.start_s, text, LogLine::Kind::kAction});
  scene->log.Mark(PlotMark::Kind::kPush, push.start_s, text);
}

/// Warns when changed gains make the law stiff.
void WarnOfStiffness(WindowState* state, const Tuning& before) {
  ActiveScene& scene = *state->scene;
  const std::vector<Eigen::VectorXd>& gains = scene.tuning().current().gains;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (scene.law().parameters[i].key != "K_D" || gains[i] == before.gains[i]) continue;
    const std::string notice = DescribeStiffness(scene.session.scene(scene.edited), gains[i]);
    if (notice.empty()) continue;
    scene.log.Add({Time(*state), notice, LogLine::Kind::kWarning});
    ShowToast(state, notice.substr(0, notice.find(':')), true);
  }
}

void SetTuning(WindowState* state, const Tuning& before, const char* verb) {
  ActiveScene& scene = *state->scene;
  const std::string change =
      DescribeChange(before, scene.tuning().current(), scene.law(), scene.units());
  PostTuning(state);
  if (change.empty()) return;
  scene.log.Add({Time(*state), std::string(verb) + change, LogLine::Kind::kAction});
  scene.log.Mark(PlotMark::Kind::kChange, Time(*state), change);
  WarnOfStiffness(state, before);
}

void Load(WindowState* state, std::string title, SceneLoader::Build build) {
  state->loader.Start(std::move(title), std::move(build));
}

void TakeOver(WindowState* state, LoadedScenes loaded) {
  const bool paused = state->scene != nullptr &&
                      state->scene->snapshot->state == RunState::kPaused &&
                      state->scene->snapshot->step > 0;
  const bool was_comparing = state->scene != nullptr && state->scene->is_comparing();
  if (state->scene != nullptr) {  // the old thread ends before the new one starts
    try {
      state->scene->session.Stop();
    } catch (const UserError& error) {
      ShowToast(state, error.what(), true);
    }
    state->scene.reset();
  }
  state->scene = std::make_unique<ActiveScene>(std::move(loaded), paused);
  if (state->scene->is_comparing() && !was_comparing) state->tab = kCompareTab;
  state->slider = {};
  state->time_axis.Follow();
  state->time_axis.stretch_end = std::numeric_limits<double>::infinity();
  for (PlotState& plot : state->plots) plot = {};
}

// The runs' configs including later changes of the tuning.
std::vector<SceneConfig> TunedConfigs(const ActiveScene& scene) {
  std::vector<SceneConfig> configs;
  for (std::size_t i = 0; i < scene.slots.size(); ++i) {
    const auto slot = static_cast<Slot>(i);
    SceneConfig config = scene.session.scene(slot).config;
    const Tuning& tuned = scene.slots[i].tuning.current();
    config.factorization = ToString(tuned.factorization);
    const auto parameters = scene.law(slot).parameters;
    for (std::size_t k = 0; k < tuned.gains.size(); ++k) {
      const Eigen::VectorXd& gain = tuned.gains[k];
      const bool uniform = (gain.array() == gain[0]).all();
      config.gains[std::string(parameters[k].key)] =
          uniform ? std::vector<double>{gain[0]} : std::vector<double>(gain.begin(), gain.end());
    }
    configs.push_back(std::move(config));
  }
  return configs;
}

void LoadConfigs(WindowState* state, std::string title, std::vector<SceneConfig> configs) {
  Load(state, std::move(title), [configs = std::move(configs)] {
    LoadedScenes loaded{LoadScene(configs.front()), nullptr};
    if (configs.size() > 1) loaded.other = LoadScene(configs.back());
    return loaded;
  });
}

void NoteFailure(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  if (snapshot.state != RunState::kFailed) {
    scene.is_failure_logged = false;
    state->time_axis.stretch_end = std::numeric_limits<double>::infinity();
    return;
  }
  constexpr double kUnstretched = 0.12;  // s before the end that must not affect the axes
  state->time_axis.stretch_end = snapshot.failure.t - kUnstretched;
  if (scene.is_failure_logged) return;
  scene.is_failure_logged = true;
  scene.is_failure_dismissed = false;
  StopPushes(state);
  scene.log.Add({snapshot.failure.t, snapshot.failure.reason, LogLine::Kind::kError});
  scene.log.Mark(PlotMark::Kind::kFailure, snapshot.failure.t, "stopped");
}

// For the second run, which stands still while the first goes on.
void NoteOtherFailure(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Failure& failure = scene.snapshot->other.failure;
  const bool was_logged = std::exchange(scene.is_other_failure_logged, failure.failed);
  if (!failure.failed || was_logged) return;
  scene.log.Add({failure.t, "B stopped: " + failure.reason, LogLine::Kind::kError});
  scene.log.Mark(PlotMark::Kind::kFailure, failure.t, "B stopped");
  ShowToast(state, "B stopped: " + failure.reason, true);
}

// Shows an error that a snapshot carries, once.
void NoteError(WindowState* state, const std::string& error, std::string* told) {
  if (error == *told) return;
  *told = error;
  if (error.empty()) return;
  state->scene->log.Add({Time(*state), error, LogLine::Kind::kError});
  ShowToast(state, error, true);
}

}  // namespace

void TogglePlay(WindowState* state) {
  if (state->scene->snapshot->state == RunState::kRunning) {
    Post(state, command::Pause{});
  } else if (state->scene->snapshot->state == RunState::kFailed) {
    ShowToast(state, "Rewind or reset first: the state is not finite", true);
  } else {
    Post(state, command::Play{});
  }
}

void StepForward(WindowState* state) {
  if (state->scene->snapshot->state == RunState::kRunning) Post(state, command::Pause{});
  Post(state, command::StepOnce{});
}

bool CanStepBack(const WindowState& state) {
  const Snapshot& snapshot = *state.scene->snapshot;
  return snapshot.t > snapshot.oldest_saved_t;
}

void StepBack(WindowState* state) {
  if (!CanStepBack(*state)) return;
  const ActiveScene& scene = *state->scene;
  const double dt = scene.session.control_dt();
  if (scene.snapshot->state == RunState::kRunning) Post(state, command::Pause{});
  RewindTo(state, std::max(scene.snapshot->oldest_saved_t, scene.snapshot->t - dt));
}

void ResetRun(WindowState* state) {
  Post(state, command::Reset{});
  ForgetAfter(state->scene.get(), -1);
  state->scene->drive.reset();
  state->time_axis.Follow();
  state->scene->log.Add({0, "Reset", LogLine::Kind::kAction});
}

void RewindTo(WindowState* state, double t) {
  ActiveScene& scene = *state->scene;
  t = std::clamp(t, scene.snapshot->oldest_saved_t, scene.snapshot->t);
  Post(state, command::Rewind{t});
  ForgetAfter(&scene, t);
}

std::span<const double> Speeds() { return kSpeeds; }

std::string SpeedLabel(double speed) { return speed <= 0 ? "max" : Short(speed) + "×"; }

void SetSpeed(WindowState* state, double speed) { Post(state, command::SetSpeed{speed}); }

void ChangeSpeed(WindowState* state, int direction) {
  const double present = state->scene->snapshot->target_speed;
  const auto nearest = std::min_element(kSpeeds.begin(), kSpeeds.end(), [&](double a, double b) {
    const auto distance = [&](double speed) {
      const bool unlimited = speed <= 0, is_unlimited = present <= 0;
      if (unlimited || is_unlimited) return unlimited == is_unlimited ? 0.0 : 1e9;
      return std::fabs(std::log(speed / present));
    };
    return distance(a) < distance(b);
  });
  const auto index = static_cast<int>(nearest - kSpeeds.begin()) + direction;
  const int last = static_cast<int>(kSpeeds.size()) - 1;
  const double speed = kSpeeds[static_cast<std::size_t>(std::clamp(index, 0, last))];
  SetSpeed(state, speed);
  ShowToast(state, "Speed " + SpeedLabel(speed));
}

void PostTuning(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Tuning& wanted = scene.tuning().current();
  const auto parameters = scene.law().parameters;
  for (std::size_t i = 0; i < wanted.gains.size(); ++i) {
    if (wanted.gains[i] == scene.posted().gains[i]) continue;
    Post(state, command::SetGain{std::string(parameters[i].key), wanted.gains[i], scene.edited});
  }
  if (ToString(wanted.factorization) != ToString(scene.posted().factorization)) {
    Post(state, command::SetFactorization{wanted.factorization, scene.edited});
  }
  scene.posted() = wanted;
}

void CommitTuning(WindowState* state) {
  TuningHistory& tuning = state->scene->tuning();
  const Tuning before = tuning.committed();
  if (tuning.Commit()) SetTuning(state, before, "");
}

void UndoTuning(WindowState* state) {
  const Tuning before = state->scene->tuning().current();
  state->scene->tuning().Undo();
  SetTuning(state, before, "Undo: ");
}

void RedoTuning(WindowState* state) {
  const Tuning before = state->scene->tuning().current();
  state->scene->tuning().Redo();
  SetTuning(state, before, "Redo: ");
}

void RevertTuning(WindowState* state) {
  const Tuning before = state->scene->tuning().current();
  state->scene->tuning().Revert();
  SetTuning(state, before, "Revert: ");
}

void PushNow(WindowState* state) {
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
  Post(state, command::AddPush{push, form.is_repeating ? form.every_s : 0});
  push.start_s = Time(*state);
  form.first_t = push.start_s;
  form.next_t = form.first_t + form.every_s;
  form.repeated = push;
  NotePush(&scene, push);
}

void StopPushes(WindowState* state) {
  PushForm& form = state->scene->push;
  if (std::exchange(form.is_repeating, false)) Post(state, command::StopPushes{});
}

void ThrowOff(WindowState* state) {
  ActiveScene& scene = *state->scene;
  if (scene.snapshot->state == RunState::kFailed) {
    ShowToast(state, "Rewind or reset first: the state is not finite", true);
    return;
  }
  constexpr double kBefore = 0.1, kTransient = 2;  // s
  const ThrowConfig& config = scene.session.scene().config.thrown;
  Post(state, command::ThrowOff{{*config.size, config.seed}});
  const double t = Time(*state);
  const std::string text = DescribeThrow(scene);
  scene.log.Add({t, text, LogLine::Kind::kAction});
  scene.log.Mark(PlotMark::Kind::kPush, t, text);
  state->time_axis.Show(t - kBefore, t - kBefore + kTransient);
  ShowToast(state, text);
}

void NoteRepeatedPushes(WindowState* state) {
  PushForm& form = state->scene->push;
  for (; form.is_repeating && Time(*state) >= form.next_t; form.next_t += form.every_s) {
    form.repeated.start_s = form.next_t;
    NotePush(state->scene.get(), form.repeated);
  }
}

void SetDrive(WindowState* state, const std::optional<DriveCommand>& wanted) {
  ActiveScene& scene = *state->scene;
  if (scene.session.scene().legs == nullptr) {
    ShowToast(state, "This scene has no legs to drive", true);
    return;
  }
  if (wanted.has_value() != scene.drive.has_value()) {
    const char* text = wanted ? "Driven by the arrow keys" : "Driven by the reference";
    ShowToast(state, text);
    scene.log.Add({Time(*state), text, LogLine::Kind::kAction});
  }
  scene.drive = wanted;
  Post(state, command::SetDrive{wanted});
}

void ToggleDrive(WindowState* state) {
  if (state->scene->drive) return SetDrive(state, std::nullopt);
  SetDrive(state, DriveCommand{});
}

void NudgeDrive(WindowState* state, int forward, int left, int turn) {
  if (!state->scene->drive) return;
  const auto nudged = [](double value, int steps, double step, double max) {
    return std::clamp(std::round(value / step + steps) * step, -max, max);
  };
  DriveCommand wanted = *state->scene->drive;
  if (forward != 0) wanted.velocity[0] = nudged(wanted.velocity[0], forward, 0.1, kMaxDriveSpeed);
  if (left != 0) wanted.velocity[1] = nudged(wanted.velocity[1], left, 0.1, kMaxDriveSpeed);
  if (turn != 0) wanted.yaw_rate = nudged(wanted.yaw_rate, turn, 0.2, kMaxDriveYawRate);
  SetDrive(state, wanted);
}

void OpenLauncher(WindowState* state) {
  std::vector<std::string> recent = std::move(state->launcher.recent);
  state->launcher = {
      .is_open = true, .grab_focus = true, .filter = {}, .recent = std::move(recent)};
}

void OpenScene(WindowState* state, const std::string& name_or_path) {
  const bool is_named = std::any_of(Scenes().begin(), Scenes().end(), [&](const SceneInfo& info) {
    return info.name == name_or_path;
  });
  state->opened = name_or_path;
  state->overrides.clear();
  if (!is_named) {
    std::vector<std::string>& recent = state->launcher.recent;
    std::erase(recent, name_or_path);
    recent.insert(recent.begin(), name_or_path);
  }
  const std::string title =
      is_named ? name_or_path : std::filesystem::path(name_or_path).filename().string();
  Load(state, title, [name_or_path] {
    return LoadedScenes{LoadScene(ReadConfig(name_or_path)), nullptr};
  });
}

void ReloadScene(WindowState* state) {
  Load(state, state->opened, [name = state->opened, overrides = state->overrides] {
    return LoadedScenes{LoadScene(ReadConfig(name, overrides)), nullptr};
  });
}

void ChangeLaw(WindowState* state, const std::string& type) {
  const ActiveScene& scene = *state->scene;
  std::vector<SceneConfig> configs = TunedConfigs(scene);
  SceneConfig& config = configs[static_cast<std::size_t>(scene.edited)];
  config.controller = type;
  config.gains.clear();
  config.law_options = {};
  LoadConfigs(state, std::string(FindLaw(type).title), std::move(configs));
}

void ToggleComparison(WindowState* state) {
  const ActiveScene& scene = *state->scene;
  std::vector<SceneConfig> configs = TunedConfigs(scene);
  if (scene.is_comparing()) {
    configs.pop_back();
    LoadConfigs(state, "one run", std::move(configs));
    return;
  }
  SceneConfig other = configs.front();
  const bool torsion_free = scene.tuning().current().factorization.torsion_free();
  other.factorization = torsion_free ? "plain" : "christoffel";
  configs.push_back(std::move(other));
  LoadConfigs(state, "two runs", std::move(configs));
}

void ToggleTheme(WindowState* state) {
  state->ui.theme = state->ui.theme.dark ? kLightTheme : kDarkTheme;
  ApplyStyle(state->ui);
}

void ToggleStance(WindowState* state) {
  if (state->scene->session.scene().legs == nullptr) {
    ShowToast(state, "This scene has no feet");
    return;
  }
  state->shows_stance = !state->shows_stance;
  ShowToast(state, state->shows_stance ? "Contact forces and balance: on"
                                       : "Contact forces and balance: off");
}

void ShowToast(WindowState* state, std::string text, bool is_error) {
  const double seconds = is_error ? kErrorToastSeconds : kToastSeconds;
  state->toast = {std::move(text), is_error, state->now + seconds};
}

std::string TimestampedName(const std::string& what, const std::string& extension) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> stamp;
  std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
  const std::string stem = "civita-" + what + "-" + stamp.data();
  std::string name = stem + "." + extension;
  for (int copy = 2; std::filesystem::exists(name); ++copy) {
    name = stem;
    name += "-" + std::to_string(copy) + "." + extension;
  }
  return name;
}

bool UpdateState(WindowState* state) {
  bool replaced = false;
  if (std::optional<SceneLoader::Result> loaded = state->loader.Poll()) {
    if (loaded->scenes.scene != nullptr) {
      TakeOver(state, std::move(loaded->scenes));
      replaced = true;
    } else {
      state->scene->log.Add({Time(*state), loaded->error, LogLine::Kind::kError});
      ShowToast(state, loaded->error, true);
    }
  }
  ActiveScene& scene = *state->scene;
  scene.snapshot = &scene.session.Latest();
  scene.traces.Drain(&scene.session);
  NoteFailure(state);
  NoteOtherFailure(state);
  NoteError(state, scene.snapshot->last_command_error, &scene.last_command_error);
  NoteError(state, scene.snapshot->recording_error, &scene.last_recording_error);
  NoteRepeatedPushes(state);
  return replaced;
}

}  // namespace civita
