#include "app/window/window.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/actions/kept.h"
#include "app/window/actions/link_actions.h"
#include "app/window/actions/run_events.h"
#include "app/window/glfw_window.h"
#include "app/window/model/mark_arrows.h"
#include "app/window/panels/panels.h"
#include "app/window/render/gl_objects.h"
#include "app/window/render/reference_preview.h"
#include "app/window/render/stance.h"
#include "app/window/render/thumbnails.h"
#include "app/window/render/video.h"
#include "app/window/render/view3d.h"
#include "base/clock.h"
#include "civita/error.h"

namespace civita {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFramePeriod = 1.0 / 60;  // s
constexpr double kIdleWait = 0.25;         // s, maximum without events
constexpr int kSettleFrames = 3;           // after an event, until hovering and layout have settled
constexpr double kKeepEvery = 5;           // s
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
  void TellFonts();
  void SetScale(float scale);
  void OpenView();
  bool Update();
  void UpdateView();
  void UpdateTrail(double t);
  void UpdatePush(double t);
  void UpdateStance();
  void UpdateMarks(bool is_new);
  void PostPerturbation();
  bool DrawOne();
  void RenderView();
  void Film();
  void Serve();
  void SaveScreenshot(const std::string& path);
  void SavePlots(const std::string& path);
  void KeepAll();
  bool is_busy() const;

  WindowOptions options_;
  GlfwWindow window_;
  WindowState state_;
  Thumbnails thumbnails_;
  std::unique_ptr<View3d> view_;
  std::unique_ptr<Video> video_;  ///< while the record button is on
  bool is_video_lost_ = false;    ///< of the present recording
  std::optional<ReferencePreview> reference_;
  std::optional<Stance> stance_;  ///< for a scene with legs
  ViewMarks shown_marks_;
  MarkArrows arrows_;
  struct ShownFrame {
    bool is_shown = false;
    int vector = 0;
    double t = 0;
    bool operator==(const ShownFrame&) const = default;
  };
  ShownFrame shown_frame_;  ///< the carried frame, of the Geometry tab
  bool shown_cones_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_frame_ = start_ - std::chrono::seconds(1);
  Clock::time_point last_render_ = start_;
  double render_cost_ = 0;   // s
  double frame_cpu_ms_ = 0;  // of the last frame's panels, on this thread
  bool view_is_dark_ = true;
  bool was_perturbing_ = false;
  double pulled_since_ = 0;  ///< s
  long shown_serial_ = -1;
  double shown_t_ = 0;
  long seen_events_ = -1;
  double kept_at_ = 0;          // window time, s
  std::size_t told_fonts_ = 0;  // of their notices
  int frames_to_plots_picture_ = 0;
  int settling_ = kSettleFrames;
  ShownFrames shown_frames_;
  RunUp run_up_;
  std::optional<double> ready_at_;  // window time of the end of run_up_, s
};

WindowOptions WithKeptSize(WindowOptions options) {
  RestoreSize(options.settings, &options.width, &options.height);
  return options;
}

MainWindow::MainWindow(WindowOptions options)
    : options_(WithKeptSize(std::move(options))),
      window_(options_.width, options_.height, options_.scale, "civita"),
      run_up_(options_.at_s) {
  state_.settings = std::move(options_.settings);
  RestoreKept(&state_);
  const bool remembers = !state_.settings.folder().empty();
  if (options_.is_alone && remembers && !state_.tour.seen) state_.tour.is_offered = true;
  if (options_.light_theme) state_.ui.theme = kLightTheme;
  state_.is_software = IsSoftwareRenderer();
  state_.opened = options_.opened;
  state_.overrides = options_.overrides;
  state_.recordings = options_.recordings;
  state_.font_files = FindFontFiles();
  AddFaces(&state_.font_files, &state_.ui);
  SetScale(window_.scale() * state_.zoom);
  state_.scene =
      std::make_unique<ActiveScene>(std::move(options_.scenes), options_.paused, options_.out);
  state_.opened_config = state_.scene->session.scene().config;
  state_.wanted_tab = state_.opened_config->list.tab;
  if (state_.scene->is_comparing()) state_.tab = kCompareTab;
  if (options_.speed) SetSpeed(&state_, *options_.speed);
  if (options_.repeats) RepeatRun(&state_);
  if (options_.serves) OpenLink(&state_);
  if (!options_.tab.empty()) {
    state_.tab = FindSideTab(options_.tab);
    state_.wanted_tab.clear();
  }
  TellFonts();
  if (!state_.settings.notice().empty()) {
    state_.scene->log.Add({0, state_.settings.notice(), LogLine::Kind::kWarning});
  }
  OpenView();
}

// Logs which fonts are missing; that of a script is when its letters were first drawn.
void MainWindow::TellFonts() {
  const std::vector<std::string>& notices = state_.font_files.notices;
  for (; told_fonts_ < notices.size(); ++told_fonts_) {
    state_.scene->log.Add(
        {state_.scene->snapshot->t, notices[told_fonts_], LogLine::Kind::kWarning});
    settling_ = kSettleFrames;
  }
}

void MainWindow::SetScale(float scale) {
  state_.ui.scale = scale;
  ScaleFonts(&state_.ui);
  ApplyStyle(state_.ui);
}

// Creates the view of the scene that has just been opened.
void MainWindow::OpenView() {
  const SceneData& scene = state_.scene->session.scene();
  view_.reset();
  view_ = std::make_unique<View3d>(*state_.scene->session.mj(), state_.ui.theme,
                                   RenderQuality::ForRenderer(state_.is_software));
  view_is_dark_ = state_.ui.theme.dark;
  reference_.emplace(scene);
  reference_->ShowMotion(view_.get());
  stance_.reset();
  if (scene.legs) stance_.emplace(scene);
  RestoreCamera(state_, view_.get());
  shown_serial_ = -1;
  shown_t_ = 0;
  arrows_ = {};
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
  if (const float scale = window_.scale() * state_.zoom; scale != state_.ui.scale) {
    SetScale(scale);
    settling_ = kSettleFrames;
  }
  for (const std::string& path : window_.TakeDropped()) OpenScene(&state_, path);
  if (UpdateState(&state_)) OpenView();
  TellFonts();
  if (!ready_at_ && run_up_.Advance(&state_)) ready_at_ = state_.now;
  if (window_.has_waiting_input() || state_.jobs.TakeNews()) settling_ = kSettleFrames;
  return is_busy() || settling_ > 0;
}

bool MainWindow::is_busy() const {
  const Snapshot& snapshot = *state_.scene->snapshot;
  return snapshot.state == RunState::kRunning || !ready_at_ || state_.recording ||
         snapshot.serial != shown_serial_ || !state_.scene->session.HasAnswered(snapshot) ||
         view_->wants_render() ||
         (ShowsFrameArrows(state_) && state_.scene->geometry.transport.is_behind()) ||
         state_.now < state_.toast.until || state_.loader.is_loading() ||
         state_.verdict.is_computing() || state_.now < state_.verdict_from ||
         state_.forecast.is_computing() || !state_.ghost_folder.empty() ||
         !state_.endings.empty() || (state_.launcher.is_open && thumbnails_.is_busy()) ||
         state_.folder_lane.is_computing() || ImGui::GetIO().WantTextInput;
}

void MainWindow::UpdateView() {
  if (view_is_dark_ != state_.ui.theme.dark) {
    view_->SetTheme(state_.ui.theme);
    view_is_dark_ = state_.ui.theme.dark;
  }
  const Snapshot& snapshot = *state_.scene->snapshot;
  UpdateStance();
  const bool is_new = snapshot.serial != shown_serial_;
  if (!is_new) return UpdateMarks(false);
  shown_serial_ = snapshot.serial;
  if (!stance_) {  // a walking robot places its feet where needed and has no given path
    UpdateTrail(snapshot.t);
    view_->SetReferencePath(reference_->PathFrom(snapshot.t, view_.get()));
  }
  UpdatePush(snapshot.t);
  view_->SetState(snapshot.t, snapshot.qpos, snapshot.qvel);
  view_->SetGhost(snapshot.other.qpos);
  UpdateMarks(true);
}

// The robot at the reference, and arrows at the joints. Runs without a new snapshot too, since the
// marks can be switched.
void MainWindow::UpdateMarks(bool is_new) {
  const ViewMarks& marks = state_.marks;
  const GeometryTab& geometry = state_.scene->geometry;
  const ShownFrame frame{ShowsFrameArrows(state_), geometry.vector, geometry.transport.t()};
  const bool has_changed = is_new || marks != shown_marks_ || frame != shown_frame_;
  if (!has_changed) return;
  shown_marks_ = marks;
  shown_frame_ = frame;
  const double t = state_.scene->snapshot->t;
  if (marks.reference_ghost && !stance_) {
    const Eigen::VectorXd& q = reference_->Sample(t).q;
    view_->SetReferenceGhost({q.data(), static_cast<std::size_t>(q.size())});
  } else {
    view_->SetReferenceGhost({});
  }
  view_->SetArrows(arrows_.Find(state_, *view_));
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
  Eigen::VectorXd q;
  const auto position = [&](int64_t row, Slot slot) -> std::span<const double> {
    const int channel = traces.channel(slot, "/e");
    for (int i = 0; i < traces.nv(); ++i) {
      e[static_cast<std::size_t>(i)] = static_cast<mjtNum>(buffer.value(row, channel + i));
    }
    q = reference_->Sample(buffer.time(row)).q;
    mj_integratePos(&view_->model(), q.data(), e.data(), 1);
    return {q.data(), static_cast<std::size_t>(q.size())};
  };
  for (double at = from + Trail::kStep; at < t; at += Trail::kStep) {
    const int64_t row = buffer.LowerBound(at);
    if (row >= buffer.end_index()) break;
    view_->SetState(buffer.time(row), position(row, Slot::kA));
    if (traces.num_runs() > 1) view_->SetGhost(position(row, Slot::kB));
  }
}

void MainWindow::UpdatePush(double t) {
  std::optional<PushArrow> arrow;
  for (const PushEvent& event : state_.scene->pushes) {
    if (const auto found = FindPushArrow(event.push, t, view_->data())) arrow = found;
  }
  view_->SetPush(arrow);
}

// Runs without a new snapshot too, since the display can be toggled.
void MainWindow::UpdateStance() {
  const bool shown = stance_ && state_.shows_stance;
  const bool is_new = state_.scene->snapshot->serial != shown_serial_;
  const bool same = shown == view_->has_stance() && shown_cones_ == state_.marks.cones;
  if (same && !(shown && is_new)) return;
  shown_cones_ = state_.marks.cones;
  view_->SetStance(shown ? std::optional(stance_->Find(*state_.scene->snapshot,
                                                       state_.scene->traces, shown_cones_))
                         : std::nullopt);
}

void MainWindow::PostPerturbation() {
  const bool pulls = view_->perturbing() && view_->selected_body() > 0;
  if (!pulls && !was_perturbing_) return;
  const bool perturbing = pulls && !RefuseInReplay(&state_);
  if (!perturbing && !was_perturbing_) return;
  if (perturbing && !was_perturbing_) {
    NotePull(&state_, view_->selected_body());
    pulled_since_ = state_.scene->snapshot->t;
  }
  command::Perturb pull;
  if (perturbing) {
    pull.body = view_->selected_body();
    const std::array<double, 6> wrench = view_->PerturbWrench();
    std::copy(wrench.begin(), wrench.end(), std::begin(pull.xfrc));
    GrowPull(&state_, pulled_since_, pull);
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

/// A frame. @returns whether it was drawn, to be shown.
bool MainWindow::DrawOne() {
  constexpr double kSmoothing = 0.1;
  last_frame_ = Clock::now();
  window_.BeginFrame();
  const Clock::time_point start = Clock::now();
  UpdateView();
  const double cpu = internal::CpuSeconds(CLOCK_THREAD_CPUTIME_ID);
  const Ui& ui = state_.ui;
  const FindThumbnail thumbnail = [&](const SceneInfo& info) {
    return thumbnails_.Find(info, ui.theme, static_cast<int>(ui.px(kThumbnailWidth)),
                            static_cast<int>(ui.px(kThumbnailHeight)));
  };
  DrawFrame(&state_, view_.get(), static_cast<float>(window_.width()),
            static_cast<float>(window_.height()), thumbnail);
  ImGui::Render();
  const double cost = 1000 * SecondsSince(start);
  frame_cpu_ms_ = 1000 * (internal::CpuSeconds(CLOCK_THREAD_CPUTIME_ID) - cpu);
  state_.ui_ms += kSmoothing * (cost - state_.ui_ms);
  PostPerturbation();
  if (state_.launcher.is_open) thumbnails_.Work();
  if (settling_ > 0) --settling_;
  if (options_.observer != nullptr && !options_.observer->ShowsFrames()) return false;
  if (!shown_frames_.IsNextShown(window_.has_waiting_input())) return false;
  RenderView();
  window_.DrawImGui();
  Film();
  return true;
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
  } catch (const Error& error) {
    video_.reset();
    is_video_lost_ = true;
    ShowToast(&state_, error.what(), true);
  }
}

// Executes requests of panels and keys.
void MainWindow::Serve() {
  const WindowRequests requests = std::exchange(state_.requests, {});
  const auto save = [this](const char* what, void (MainWindow::*write)(const std::string&)) {
    try {
      const std::string path = TimestampedName(what, "png", state_.recordings);
      (this->*write)(path);
      TellSaved(&state_, path);
    } catch (const Error& error) {
      ShowToast(&state_, error.what(), true);
    }
  };
  if (requests.toggle_fullscreen) window_.ToggleFullscreen();
  // The menu that asked for it is gone two frames later.
  const bool is_due = !requests.plots_picture && frames_to_plots_picture_ == 1;
  frames_to_plots_picture_ = requests.plots_picture ? 2 : std::max(0, frames_to_plots_picture_ - 1);
  if (requests.plots_picture) settling_ = 2;
  if (is_due) save("signals", &MainWindow::SavePlots);
  if (requests.screenshot) save("window", &MainWindow::SaveScreenshot);
}

void MainWindow::SavePlots(const std::string& path) {
  const Rect& r = state_.plots_area;
  WritePng(path, Crop(ReadPixels(0, window_.width(), window_.height()), static_cast<int>(r.x),
                      static_cast<int>(r.y), static_cast<int>(r.w), static_cast<int>(r.h)));
}

void MainWindow::KeepAll() {
  kept_at_ = state_.now;
  const float scale = window_.scale();
  // A size that fits --scale would be wrong without it.
  if (options_.scale == 0 && !window_.is_fullscreen() && window_.width() > 0) {
    state_.settings.Set("window.width", std::lround(static_cast<float>(window_.width()) / scale));
    state_.settings.Set("window.height", std::lround(static_cast<float>(window_.height()) / scale));
  }
  KeepCamera(&state_, *view_);
  Keep(&state_);
}

void MainWindow::SaveScreenshot(const std::string& path) {
  view_->RenderStill();
  window_.DrawImGui();
  const bool is_named = path == options_.screenshot;
  WritePng(path, ReadPixels(0, window_.width(), window_.height()),
           is_named ? OutputFile::Kind::kNamed : OutputFile::Kind::kWhole);
}

WindowResult MainWindow::Run() {
  WindowResult result;
  bool done = false;
  while (!done && !window_.should_close()) {
    const double since = SecondsSince(last_frame_);
    state_.scene->session.set_watched(!window_.is_minimised() || state_.recording.has_value());
    const bool waits = window_.is_minimised() || !(is_busy() || settling_ > 0);
    const bool is_asked = state_.link && state_.link->server.num_clients() > 0;
    const double pause = is_asked ? kFramePeriod : kIdleWait;
    window_.Wait(waits ? pause : std::max(0.0, kFramePeriod - since));
    const double remaining = kFramePeriod - SecondsSince(last_frame_);
    if (remaining > 0) std::this_thread::sleep_for(std::chrono::duration<double>(remaining));
    const bool draws = Update() && !window_.is_minimised();
    if (draws) {
      const bool is_drawn = DrawOne();
      done = state_.requests.quit;
      Serve();
      if (is_drawn) window_.Present();
    }
    if (state_.now > kept_at_ + kKeepEvery) KeepAll();
    if (!options_.screenshot.empty() && ready_at_ &&
        state_.now >= *ready_at_ + options_.screenshot_after_s) {
      SaveScreenshot(options_.screenshot);
      done = true;
    }
    if (options_.observer != nullptr &&
        !options_.observer->Observe(&window_, &state_, draws ? frame_cpu_ms_ : kNaN))
      done = true;
    if (options_.interrupted && options_.interrupted()) {
      result.interrupted = true;
      done = true;
    }
  }
  KeepAll();
  window_.Hide();  // files may take longer
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
