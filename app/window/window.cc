#include "app/window/window.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "app/window/actions.h"
#include "app/window/frame.h"
#include "app/window/glfw_window.h"
#include "app/window/render/gl_objects.h"
#include "app/window/render/image.h"
#include "app/window/render/view3d.h"
#include "app/window/stance.h"
#include "app/window/thumbnails.h"
#include "app/window/video.h"
#include "civita/error.h"

namespace civita {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFramePeriod = 1.0 / 60;  // s
constexpr double kIdleWait = 0.25;         // s, maximum without events
constexpr int kSettleFrames = 3;           // after an event, until hovering and layout have settled
constexpr double kReferenceAhead = 0.9;    // s of the reference path
constexpr double kReferenceStep = 0.02;    // s
constexpr double kPushShown = 0.6;         // s for which an arrow is shown
constexpr float kThumbnailWidth = 216, kThumbnailHeight = 135;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The window: state, picture and the loop that ties them together.
class MainWindow {
 public:
  explicit MainWindow(WindowOptions options);

  WindowResult Run();

 private:
  void SetScale(float scale);
  void OpenView();
  bool Update();
  void UpdateView();
  void UpdateTrail(double t);
  void SampleReference(double t);
  void UpdateReference(double t);
  void UpdatePush(double t);
  void UpdateStance();
  void PostPerturbation();
  void DrawOne();
  void RenderView();
  void Film();
  void Serve();
  void SaveScreenshot(const std::string& path);
  bool is_busy() const;

  WindowOptions options_;
  GlfwWindow window_;
  WindowState state_;
  Thumbnails thumbnails_;
  std::unique_ptr<View3d> view_;
  std::unique_ptr<Video> video_;  ///< while the record button is on
  bool is_video_lost_ = false;    ///< of the present recording
  std::unique_ptr<ReferenceState> reference_;
  std::optional<LoopCloser> closer_;
  std::optional<Stance> stance_;  ///< for a scene with legs
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_frame_ = start_ - std::chrono::seconds(1);
  Clock::time_point last_render_ = start_;
  double render_cost_ = 0;  // s
  bool view_is_dark_ = true;
  bool was_perturbing_ = false;
  long shown_serial_ = -1;
  double shown_t_ = 0;
  long seen_events_ = -1;
  int settling_ = kSettleFrames;
};

MainWindow::MainWindow(WindowOptions options)
    : options_(std::move(options)),
      window_(options_.width, options_.height, options_.scale, "civita") {
  state_.ui.theme = options_.light_theme ? kLightTheme : kDarkTheme;
  state_.is_software = IsSoftwareRenderer();
  state_.opened = options_.opened;
  state_.overrides = options_.overrides;
  state_.recordings = options_.recordings;
  state_.font_files = FindFontFiles();
  SetScale(window_.scale());
  state_.scene = std::make_unique<ActiveScene>(std::move(options_.scenes), options_.start_paused,
                                               options_.directory);
  if (state_.scene->is_comparing()) state_.tab = kCompareTab;
  for (const std::string& notice : state_.font_files.notices) {
    state_.scene->log.Add({0, notice, LogLine::Kind::kWarning});
  }
  OpenView();
}

void MainWindow::SetScale(float scale) {
  state_.ui.scale = scale;
  BuildFonts(state_.font_files, &state_.ui);
  ApplyStyle(state_.ui);
  window_.ReloadFonts();
}

// Creates the view of the scene that has just been opened.
void MainWindow::OpenView() {
  const SceneData& scene = state_.scene->session.scene();
  view_.reset();
  view_ = std::make_unique<View3d>(*state_.scene->session.mj(), state_.ui.theme,
                                   RenderQuality::ForRenderer(state_.is_software));
  view_is_dark_ = state_.ui.theme.dark;
  reference_ = std::make_unique<ReferenceState>();
  reference_->q = scene.q_start;
  closer_.reset();
  if (scene.closed) closer_.emplace(scene.closed);
  stance_.reset();
  if (scene.legs) {
    stance_.emplace(scene);
    view_->Follow(stance_->base_body());
  }
  reference_->v = reference_->vdot = Eigen::VectorXd::Zero(scene.plant.nv());
  shown_serial_ = -1;
  shown_t_ = 0;
  was_perturbing_ = false;
  window_.set_title(state_.scene->title + " – civita");
}

// Everything except drawing. Returns whether a frame is due.
bool MainWindow::Update() {
  state_.now = SecondsSince(start_);
  if (window_.num_events() != seen_events_) {
    seen_events_ = window_.num_events();
    settling_ = kSettleFrames;
  }
  if (const float scale = window_.scale(); scale != state_.ui.scale) {
    SetScale(scale);
    settling_ = kSettleFrames;
  }
  for (const std::string& path : window_.TakeDropped()) OpenScene(&state_, path);
  if (UpdateState(&state_)) OpenView();
  if (window_.has_waiting_keys()) settling_ = kSettleFrames;
  return is_busy() || settling_ > 0;
}

bool MainWindow::is_busy() const {
  const Snapshot& snapshot = *state_.scene->snapshot;
  return snapshot.state == RunState::kRunning || state_.recording ||
         snapshot.serial != shown_serial_ || !state_.scene->session.HasAnswered(snapshot) ||
         view_->wants_render() || state_.now < state_.toast.until || state_.loader.is_loading() ||
         (state_.launcher.is_open && thumbnails_.is_busy()) || ImGui::GetIO().WantTextInput;
}

void MainWindow::UpdateView() {
  if (view_is_dark_ != state_.ui.theme.dark) {
    view_->SetTheme(state_.ui.theme);
    view_is_dark_ = state_.ui.theme.dark;
  }
  const Snapshot& snapshot = *state_.scene->snapshot;
  UpdateStance();
  if (snapshot.serial == shown_serial_) return;
  shown_serial_ = snapshot.serial;
  if (!stance_) {  // a walking robot places its feet where needed and has no given path
    UpdateTrail(snapshot.t);
    UpdateReference(snapshot.t);
  }
  UpdatePush(snapshot.t);
  view_->SetState(snapshot.t, snapshot.qpos, snapshot.qvel);
  view_->SetGhost(snapshot.other.qpos);
}

// Adds the path since the last picture to the trail, from the traces, so that the trail is smooth
// even with few pictures. The configuration is q_d ⊕ e.
void MainWindow::UpdateTrail(double t) {
  const Traces& traces = state_.scene->traces;
  const TraceBuffer& buffer = traces.buffer();
  // Back in time, the path to there is drawn anew.
  const double oldest = std::max(buffer.first_time(), t - Trail::kLength);
  const double from = t < shown_t_ ? oldest : std::max(shown_t_, oldest);
  shown_t_ = t;
  if (from >= t || buffer.empty()) return;
  std::vector<mjtNum> e(static_cast<std::size_t>(traces.nv()));
  const auto position = [&](int64_t row, Slot slot) -> std::span<const double> {
    const int channel = traces.channels(slot).e.first;
    for (int i = 0; i < traces.nv(); ++i) {
      e[static_cast<std::size_t>(i)] = static_cast<mjtNum>(buffer.value(row, channel + i));
    }
    SampleReference(buffer.time(row));
    mj_integratePos(&view_->model(), reference_->q.data(), e.data(), 1);
    return {reference_->q.data(), static_cast<std::size_t>(reference_->q.size())};
  };
  for (double at = from + Trail::kStep; at < t; at += Trail::kStep) {
    const int64_t row = buffer.LowerBound(at);
    if (row >= buffer.end_index()) break;
    view_->SetState(buffer.time(row), position(row, Slot::kA));
    if (traces.num_runs() > 1) view_->SetGhost(position(row, Slot::kB));
  }
}

void MainWindow::SampleReference(double t) {
  const Eigen::VectorXd q_near = reference_->q;
  state_.scene->session.scene().reference->Sample(t, *reference_);
  if (closer_) closer_->Close(q_near, *reference_);
}

// Sets the path of the end effector's reference for the next moments.
void MainWindow::UpdateReference(double t) {
  std::vector<Point3> path;
  for (double ahead = 0; ahead <= kReferenceAhead; ahead += kReferenceStep) {
    SampleReference(t + ahead);
    if (reference_->task.given) {
      const Eigen::Vector3d& p = reference_->task.p;
      path.push_back({p[0], p[1], p[2]});
      continue;
    }
    path.push_back(view_->TrackedPointAt(
        {reference_->q.data(), static_cast<std::size_t>(reference_->q.size())}));
  }
  view_->SetReferencePath(std::move(path));
}

void MainWindow::UpdatePush(double t) {
  std::optional<PushArrow> arrow;
  for (const PushEvent& event : state_.scene->pushes) {
    const Push& push = event.push;
    const double shown = std::max(kPushShown, push.duration_s);
    if (t < push.start_s || t > push.start_s + shown || push.force.norm() == 0) continue;
    const mjData& d = view_->data();
    const mjtNum* point = (push.of_tree ? d.subtree_com : d.xipos) + 3 * push.body;
    arrow =
        PushArrow{{point[0], point[1], point[2]}, {push.force[0], push.force[1], push.force[2]}};
  }
  view_->SetPush(arrow);
}

// Runs without a new snapshot too, since the display can be toggled.
void MainWindow::UpdateStance() {
  const bool shown = stance_ && state_.shows_stance;
  const bool is_new = state_.scene->snapshot->serial != shown_serial_;
  if (shown == view_->has_stance() && !(shown && is_new)) return;
  view_->SetStance(shown
                       ? std::optional(stance_->Find(*state_.scene->snapshot, state_.scene->traces))
                       : std::nullopt);
}

void MainWindow::PostPerturbation() {
  const bool perturbing = view_->perturbing() && view_->selected_body() > 0;
  if (!perturbing && !was_perturbing_) return;
  command::Perturb pull;
  if (perturbing) {
    pull.body = view_->selected_body();
    const std::array<double, 6> wrench = view_->PerturbWrench();
    std::copy(wrench.begin(), wrench.end(), std::begin(pull.xfrc));
  }
  state_.scene->session.Post(pull);
  was_perturbing_ = perturbing;
}

// On the CPU a picture may take longer than a frame: then at most half of the time is spent on
// pictures, and the panels stay responsive.
void MainWindow::RenderView() {
  if (!view_->wants_render()) return;
  if (!state_.is_view_held && SecondsSince(last_render_) < render_cost_) return;
  const Clock::time_point start = Clock::now();
  view_->Render();
  render_cost_ = SecondsSince(start);
  last_render_ = Clock::now();
}

void MainWindow::DrawOne() {
  constexpr double kSmoothing = 0.1;
  last_frame_ = Clock::now();
  window_.BeginFrame();
  const Clock::time_point start = Clock::now();
  UpdateView();
  const Ui& ui = state_.ui;
  const FindThumbnail thumbnail = [&](const SceneInfo& info) {
    return thumbnails_.Find(info, ui.theme, static_cast<int>(ui.px(kThumbnailWidth)),
                            static_cast<int>(ui.px(kThumbnailHeight)));
  };
  DrawFrame(&state_, view_.get(), static_cast<float>(window_.width()),
            static_cast<float>(window_.height()), thumbnail);
  ImGui::Render();
  const double cost = 1000 * SecondsSince(start);
  state_.ui_ms += kSmoothing * (cost - state_.ui_ms);
  PostPerturbation();
  if (state_.launcher.is_open) thumbnails_.Work();
  RenderView();
  window_.DrawImGui();
  Film();
  if (settling_ > 0) --settling_;
}

// Adds the picture that was just drawn to the video of a recording, as often as one is due.
void MainWindow::Film() {
  try {
    if (!state_.recording) {
      is_video_lost_ = false;
      if (const std::unique_ptr<Video> video = std::move(video_)) video->Finish();
      return;
    }
    const WindowState::Recording& recording = *state_.recording;
    // The simulation's thread makes the folder.
    if (!video_ && state_.scene->snapshot->is_recording && !is_video_lost_) {
      video_ =
          std::make_unique<Video>(recording.directory / "video", window_.width(), window_.height());
    }
    const double t = state_.now - recording.since;
    if (video_ && video_->IsDue(t)) {
      video_->Add(ReadPixels(0, window_.width(), window_.height()), t);
    }
  } catch (const UserError& error) {
    video_.reset();
    is_video_lost_ = true;
    ShowToast(&state_, error.what(), true);
  }
}

// Executes requests of panels and keys.
void MainWindow::Serve() {
  const WindowRequests requests = std::exchange(state_.requests, {});
  if (requests.toggle_fullscreen) window_.ToggleFullscreen();
  if (!requests.screenshot) return;
  const std::string path = TimestampedName("window", "png");
  try {
    SaveScreenshot(path);
    ShowToast(&state_, "Saved " + path);
  } catch (const UserError& error) {
    ShowToast(&state_, error.what(), true);
  }
}

void MainWindow::SaveScreenshot(const std::string& path) {
  view_->RenderStill();
  window_.DrawImGui();
  WritePng(path, ReadPixels(0, window_.width(), window_.height()));
}

WindowResult MainWindow::Run() {
  WindowResult result;
  bool done = false;
  while (!done && !window_.should_close()) {
    const double since = SecondsSince(last_frame_);
    window_.Wait(is_busy() || settling_ > 0 ? std::max(0.0, kFramePeriod - since) : kIdleWait);
    const double remaining = kFramePeriod - SecondsSince(last_frame_);
    if (remaining > 0) std::this_thread::sleep_for(std::chrono::duration<double>(remaining));
    const bool due = Update();
    const bool minimised = window_.width() == 0 || window_.height() == 0;
    if (due && !minimised) {
      DrawOne();
      done = state_.requests.quit;
      Serve();
      window_.Present();
    }
    if (!options_.screenshot.empty() && state_.now >= options_.screenshot_after_s) {
      SaveScreenshot(options_.screenshot.string());
      done = true;
    }
    if (options_.interrupted && options_.interrupted()) {
      result.interrupted = true;
      done = true;
    }
  }
  state_.recording.reset();
  Film();
  result.summary = state_.scene->session.Stop();
  return result;
}

}  // namespace

WindowResult RunWindow(WindowOptions options) {
  MainWindow window(std::move(options));
  return window.Run();
}

}  // namespace civita
