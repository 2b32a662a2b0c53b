#include "app/window/actions/actions.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>
#include <vector>

#include "app/verbs/run/run.h"
#include "app/window/actions/ghosts.h"
#include "app/window/actions/job_actions.h"
#include "app/window/actions/link_actions.h"
#include "app/window/actions/run_events.h"
#include "civita/error.h"

namespace civita {
namespace {

constexpr std::array<double, 14> kSpeeds = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                            0.2,   0.5,   1,     2,    4,    8,    0};
constexpr std::size_t kMostRecent = 12;
constexpr double kToastSeconds = 3.5, kErrorToastSeconds = 8;

// Another scene, whose tuning has nothing to do with the present one.
void Load(WindowState* state, std::string title, SceneLoader::Build build) {
  state->change.reset();
  state->is_first_loading = false;
  state->loader.Start(std::move(title), std::move(build));
}

bool IsNamed(const std::string& scene) {
  return std::ranges::any_of(Scenes(), [&](const SceneInfo& info) { return info.name == scene; });
}

// What has been opened: not before, as a file that fails to open changes nothing.
void NoteOpened(WindowState* state, const LoadedScenes& loaded) {
  if (loaded.opened.empty()) return;
  state->opened = loaded.opened;
  state->overrides = loaded.overrides;
  std::error_code error;
  // As seen from wherever the next window starts.
  const std::filesystem::path absolute = std::filesystem::absolute(loaded.opened, error);
  if (IsNamed(loaded.opened) || error) return;
  std::vector<std::string>& recent = state->launcher.recent;
  const std::string path = absolute.lexically_normal().string();
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > kMostRecent) recent.pop_back();
}

// Ends a run that is recorded on a thread of its own, as files may take long to be written.
std::future<Toast> EndAside(std::unique_ptr<ActiveScene> scene,
                            const std::filesystem::path& folder) {
  return std::async(std::launch::async, [scene = std::move(scene), folder]() mutable -> Toast {
    try {
      const std::optional<RunSummary> summary = scene->session.Stop();
      scene.reset();
      if (summary && !summary->write_error.empty()) return {summary->write_error, true};
    } catch (const Error& error) {
      return {error.what(), true};
    }
    return {folder.empty() ? "" : "Saved " + folder.string()};
  });
}

void TakeEndings(WindowState* state) {
  std::erase_if(state->endings, [&](std::future<Toast>& ending) {
    if (ending.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    const Toast told = ending.get();
    if (!told.text.empty()) ShowToast(state, told.text, told.is_error);
    return true;
  });
}

void TakeOver(WindowState* state, LoadedScenes loaded) {
  NoteOpened(state, loaded);
  const bool paused = state->scene != nullptr &&
                      state->scene->snapshot->state == RunState::kPaused &&
                      state->scene->snapshot->step > 0;
  const bool was_comparing = state->scene != nullptr && state->scene->is_comparing();
  const bool goes_on = state->change.has_value();  // the same scene
  const double speed = state->scene != nullptr ? state->scene->session.target_speed() : 1;
  RunLog earlier;
  if (state->scene != nullptr) {  // the old thread ends before the new one starts
    earlier = std::move(state->scene->log);
    const auto recording = std::exchange(state->recording, std::nullopt);
    std::filesystem::path folder = std::exchange(state->saving, {});
    if (recording) folder = recording->directory;
    const Snapshot& last = *state->scene->snapshot;
    if (last.is_recording || last.is_saving || !folder.empty()) {
      state->endings.push_back(EndAside(std::move(state->scene), folder));
    }
    state->scene.reset();
    malloc_trim(0);  // the system gets back what the scene's threads have freed
  }
  state->scene = std::make_unique<ActiveScene>(std::move(loaded), paused);
  state->scene->log.Precede(std::move(earlier));
  if (!state->change) state->wanted_tab = state->scene->session.scene().config.list.tab;
  FinishChange(state);
  if (state->scene->is_comparing() && !was_comparing) state->tab = kCompareTab;
  state->slider = {};
  state->verdict.Forget();
  state->forecast.Forget();
  if (goes_on) SetSpeed(state, speed);
  if (!goes_on) state->repeat_s.reset();
  if (state->repeat_s) RepeatRun(state);
  state->selected_span.reset();
  if (std::exchange(state->is_first_loading, false) && state->scene->is_comparing()) {
    SetSpeed(state, kFirstSpeed);
    RepeatRun(state);
  }
  state->time_axis.Follow();
  state->time_axis.stretch_end = std::numeric_limits<double>::infinity();
  state->plots.ResetStates();
}

// Shows the errors that a snapshot carries, once each.
void NoteErrors(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  const int refused = snapshot.commands_refused;
  if (std::exchange(scene.noted_refusals, refused) < refused) {
    Tell(state, snapshot.last_command_error, true);
  }
  const std::string& error = snapshot.recording_error;
  if (std::exchange(scene.last_recording_error, error) != error && !error.empty()) {
    Tell(state, error, true);
  }
}

// Actions that switch the marks in the view.

bool HasFeet(WindowState* state) {
  const bool has_feet = state->scene->session.scene().legs != nullptr;
  if (!has_feet) ShowToast(state, "This scene has no feet");
  return has_feet;
}

void ToggleMark(WindowState* state, const char* name, bool* is_shown) {
  *is_shown = !*is_shown;
  ShowToast(state, std::string(name) + (*is_shown ? ": on" : ": off"));
}

}  // namespace

void Post(WindowState* state, Command command) {
  if (!state->scene->session.Post(std::move(command))) {
    ShowToast(state, "The simulation does not answer", true);
  }
}

bool RefuseInReplay(WindowState* state) {
  if (!state->scene->session.is_replay()) return false;
  ShowToast(state, "A replay takes no input: it shows what was recorded");
  return true;
}

void TogglePlay(WindowState* state) {
  if (state->scene->snapshot->state == RunState::kRunning) {
    Post(state, command::Pause{});
  } else if (state->scene->snapshot->state == RunState::kFailed) {
    ShowToast(state, "Rewind or reset first: " + state->scene->snapshot->failure.reason, true);
  } else {
    Post(state, command::Play{});
  }
}

void ResetRun(WindowState* state) {
  Post(state, command::Reset{});
  state->scene->drive.reset();
  state->time_axis.Follow();
  state->scene->log.Add({0, "Reset", LogLine::Kind::kAction});
}

std::span<const double> Speeds() { return kSpeeds; }

std::string SpeedLabel(double speed) { return speed <= 0 ? "max" : Short(speed) + "×"; }

void SetSpeed(WindowState* state, double speed) { Post(state, command::SetSpeed{speed}); }

void ChangeSpeed(WindowState* state, int direction) {
  const double present = state->scene->session.target_speed();
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

void SetDrive(WindowState* state, const std::optional<DriveCommand>& wanted) {
  ActiveScene& scene = *state->scene;
  if (scene.session.scene().legs == nullptr) {
    ShowToast(state, "This scene has no legs to drive", true);
    return;
  }
  if (RefuseInReplay(state)) return;
  if (wanted.has_value() != scene.drive.has_value()) {
    Tell(state, wanted ? "Driven by the arrow keys" : "Driven by the reference");
  }
  scene.drive = wanted;
  Post(state, command::SetDrive{wanted});
}

void ToggleDrive(WindowState* state) {
  if (state->scene->drive) return SetDrive(state, std::nullopt);
  SetDrive(state, DriveCommand{});
  if (state->scene->drive) state->tab = kDriveTab;
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
  LauncherState opened;
  opened.is_open = opened.grab_focus = true;
  opened.recent = std::move(state->launcher.recent);
  opened.folder = std::move(state->launcher.folder);
  state->launcher = std::move(opened);
}

void OpenFiles(WindowState* state) {
  OpenLauncher(state);
  LauncherState& launcher = state->launcher;
  launcher.shows_files = true;
  state->folder_lane.Forget();  // a folder may have changed since
  std::error_code ignored;
  for (const std::string& recent : launcher.recent) {
    if (!launcher.folder.empty()) break;
    const std::filesystem::path folder = std::filesystem::path(recent).parent_path();
    if (std::filesystem::is_directory(folder, ignored)) launcher.folder = folder;
  }
  if (!std::filesystem::is_directory(launcher.folder, ignored)) {
    launcher.folder = std::filesystem::current_path(ignored);
  }
}

void OpenScene(WindowState* state, const std::string& name_or_path) {
  const bool is_named = IsNamed(name_or_path);
  std::error_code error;
  if (!state->saving.empty() && std::filesystem::equivalent(state->saving, name_or_path, error)) {
    ShowToast(state, "This recording is still being written");
    return;
  }
  const std::string title =
      is_named ? name_or_path : std::filesystem::path(name_or_path).filename().string();
  Load(state, title, [name_or_path] {
    LoadedScenes loaded = LoadScenes(name_or_path);
    loaded.opened = name_or_path;
    return loaded;
  });
}

void ReloadScene(WindowState* state) {
  Load(state, state->opened, [name = state->opened, overrides = state->overrides] {
    return LoadScenes(name, overrides);
  });
}

void OpenFirst(WindowState* state) {
  Load(state, kFirstScene, [] {
    LoadedScenes loaded = LoadScenes(kFirstScene, {kFirstDuration});
    loaded.opened = kFirstScene;
    loaded.overrides = {kFirstDuration};
    loaded.other = LoadScenes(kFirstScene, {kFirstDuration, kFirstCompared}).scene;
    return loaded;
  });
  state->is_first_loading = true;
}

void OpenPalette(WindowState* state) { state->opens_palette = true; }

void TakeScreenshot(WindowState* state) { state->requests.screenshot = true; }

void ToggleSidePanel(WindowState* state) { state->panels.side = !state->panels.side; }

void TogglePlotsPanel(WindowState* state) { state->panels.plots = !state->panels.plots; }

void ToggleTheme(WindowState* state) {
  state->ui.theme = state->ui.theme.dark ? kLightTheme : kDarkTheme;
  ApplyStyle(state->ui);
}

void Zoom(WindowState* state, int direction) {
  constexpr float kStep = 0.1f;
  const float steps = std::round(state->zoom / kStep) + static_cast<float>(direction);
  state->zoom = direction == 0 ? 1 : std::clamp(steps * kStep, kMinZoom, kMaxZoom);
  ShowToast(state, "Content at " + Fixed(100 * static_cast<double>(state->zoom), 0) + " %");
}

void ShowToast(WindowState* state, std::string text, bool is_error) {
  const double seconds = is_error ? kErrorToastSeconds : kToastSeconds;
  state->toast = {std::move(text), is_error, state->now + seconds};
}

void AddLine(WindowState* state, std::string text, LogLine::Kind kind) {
  state->scene->log.Add({state->scene->snapshot->t, std::move(text), kind});
}

void Tell(WindowState* state, const std::string& text, bool is_error) {
  AddLine(state, text, is_error ? LogLine::Kind::kError : LogLine::Kind::kAction);
  ShowToast(state, text, is_error);
}

void TellSaved(WindowState* state, const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(file, ignored);
  Tell(state, "Saved " + (ignored ? file : whole.lexically_normal()).string());
}

std::string TimestampedName(const std::string& what, const std::string& extension,
                            const std::filesystem::path& directory) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> stamp;
  std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
  const std::string stem = (directory / ("civita-" + what + "-" + stamp.data())).string();
  const std::string end = extension.empty() ? "" : "." + extension;
  std::string name = stem + end;
  std::error_code ignored;
  for (int copy = 2; std::filesystem::exists(name, ignored); ++copy) {
    name = stem;
    name += "-" + std::to_string(copy) + end;
  }
  return name;
}

bool UpdateState(WindowState* state) {
  bool replaced = false;
  TakeEndings(state);
  // What was asked of the present scene holds for the next one.
  const auto has_answered = [&] {
    if (state->scene == nullptr) return true;
    state->scene->snapshot = &state->scene->session.Latest();
    return state->scene->session.HasAnswered(*state->scene->snapshot);
  };
  std::optional<SceneLoader::Result> loaded;
  if (has_answered()) loaded = state->loader.Poll();
  if (loaded) {
    if (loaded->scenes.scene != nullptr) {
      TakeOver(state, std::move(loaded->scenes));
      replaced = true;
      if (!state->launcher.opening.empty()) state->launcher.is_open = false;
      state->launcher.opening.clear();
    } else {
      state->launcher.opening.clear();
      if (state->launcher.is_open) {
        state->launcher.error = loaded->error;
        state->launcher.grab_focus = true;
      }
      state->change.reset();
      Tell(state, loaded->error, true);
    }
  }
  ActiveScene& scene = *state->scene;
  scene.snapshot = &scene.session.Latest();
  scene.traces.KeepIn(scene.snapshot->recording_directory);
  scene.traces.Drain(&scene.session);
  FollowBranches(state);
  NoteRunEvents(state);
  NoteErrors(state);
  if (state->recording && scene.session.HasAnswered(*scene.snapshot) &&
      !scene.snapshot->is_recording) {
    state->recording.reset();  // refused, or its files could not be written
  }
  if (!state->saving.empty() && scene.session.HasAnswered(*scene.snapshot) &&
      !scene.snapshot->is_saving) {
    const std::filesystem::path saved = std::exchange(state->saving, {});
    if (scene.snapshot->recording_error.empty()) TellSaved(state, saved);
  }
  NoteRepeatedPushes(state);
  RepeatAtEnd(state);
  PollJobs(state);
  ServeLink(state);
  PollGhosts(state);
  return replaced;
}

void ToggleStance(WindowState* state) {
  if (HasFeet(state)) ToggleMark(state, "Contact forces and balance", &state->shows_stance);
}

void ToggleReferenceGhost(WindowState* state) {
  const bool walks = state->scene->session.scene().legs != nullptr;
  if (walks) return ShowToast(state, "A walking robot has no given path");
  ToggleMark(state, "Robot at the reference", &state->marks.reference_ghost);
}

void ToggleTorqueArrows(WindowState* state) {
  ToggleMark(state, "Arrows of the torques", &state->marks.torques);
}

void ToggleSlidingArrows(WindowState* state) {
  ToggleMark(state, "Arrows of s", &state->marks.sliding);
}

void ToggleSentence(WindowState* state) {
  if (!state->scene->is_comparing()) return ShowToast(state, "Compare two runs first");
  ToggleMark(state, "What the runs differ in", &state->marks.sentence);
}

void ToggleCones(WindowState* state) {
  if (!HasFeet(state)) return;
  ToggleMark(state, "Friction cones", &state->marks.cones);
  if (state->marks.cones) state->shows_stance = true;
}

// The record button: a run folder, and beside its files a video of the window.

void ToggleRecording(WindowState* state) {
  if (state->scene->snapshot->is_recording) {
    Post(state, command::StopRecording{});
    if (!state->recording) return;  // of the command line
    state->saving = state->recording->directory;
    state->recording.reset();
    return;
  }
  const std::filesystem::path directory = TimestampedName("run", "", state->recordings);
  Post(state, command::StartRecording{directory});
  state->recording = {directory, state->now};
  const char* where = state->scene->is_comparing() ? ", run B to its folder B" : "";
  AddLine(state, "Recording to " + directory.string() + where);
  if (state->scene->snapshot->state == RunState::kPaused && !state->scene->session.is_replay()) {
    ShowToast(state, "Paused: the recording begins with the next step");
  }
}

}  // namespace civita
