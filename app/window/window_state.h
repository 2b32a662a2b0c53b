#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/connection_view.h"
#include "app/window/frame_transport.h"
#include "app/window/matrix_view.h"
#include "app/window/plot/plot.h"
#include "app/window/plot_choices.h"
#include "app/window/run_log.h"
#include "app/window/scene_loader.h"
#include "app/window/tour.h"
#include "app/window/traces.h"
#include "app/window/tuning.h"
#include "app/window/ui.h"
#include "app/window/widgets/fonts.h"
#include "app/window/widgets/layout.h"
#include "app/window/widgets/slider.h"
#include "app/window/widgets/widgets.h"
#include "civita/sim/session.h"

namespace civita {

/// Tabs of the side card that other panels open; side_card.cc has all tabs.
inline constexpr std::string_view kTuneTab = "Tune", kCompareTab = "Compare", kLogTab = "Log";
enum class PushRepeat { kOnce, kEvery2s, kEvery5s };

/// The form of the push tool.
struct PushForm {
  int body_choice = 0;  ///< index into PushTargets::names
  double force = 20;    ///< N
  double impulse = 5;   ///< N·s, instead of the force for a robot pushed as a whole
  double duration_ms = 100;
  double azimuth_deg = 90;   ///< about the world's z, 0 along x
  double elevation_deg = 0;  ///< above the horizontal
  PushRepeat repeat = PushRepeat::kOnce;
  bool is_repeating = false;  ///< the simulation repeats the push; then of these pushes:
  Push repeated;
  /// times in this run; next_t: the next to be listed
  double every_s = 0, first_t = 0, next_t = 0;
};

/// Bodies that a push can move.
struct PushTargets {
  bool has_whole = false;  ///< the first entry is a legged robot as a whole
  std::vector<std::string> names;
  std::vector<int> bodies;  ///< in the mjModel
};

struct ActiveScene;

/// A push that was made, for its arrow, its mark and the list.
struct PushEvent {
  Push push;                ///< start_s: time of the run
  bool is_planned = false;  ///< part of the scene
};

/// Whether the form's push is one of a legged robot as a whole.
bool PushesWhole(const ActiveScene& scene);

/// The name of a run in a comparison: "christoffel", "t:3", or the law where the laws differ.
std::string RunName(const ActiveScene& scene, Slot slot);

/// What differs between the two runs of a comparison, as a sentence.
std::string DescribeDifference(const ActiveScene& scene);

/// Name of what is pushed: "hand", or "whole robot".
std::string PushedName(const mjModel& m, const Push& push);
/// Impulse of a push, N·s; of a half sine, sampled as finely as possible.
double ImpulseOf(const Push& push);
/// Text of a push: "Push on hand: 26 N, 80 ms, 2.08 N·s".
std::string DescribePush(const mjModel& m, const PushEvent& event);
/// Text of the scene's throw: "Thrown off: 0.5 rad/s".
std::string DescribeThrow(const ActiveScene& scene);

/// What only the Geometry tab shows; computed on the window's side while it does.
struct GeometryTab {
  explicit GeometryTab(const SceneData& scene) : connection(scene), transport(scene) {}
  ConnectionView connection;  ///< at a snapshot's state
  FrameTransport transport;
  int direction = 0;         ///< j of the shown slice T(·, j, ·)
  double updated_at = -1;    ///< window time, s
  bool is_singular = false;  ///< the loops, at the last update
  TimeAxis axis;
  PlotState plot;
};

/// State of the present scene; replaced as a whole when another one is opened.
struct ActiveScene {
  /// With a non-empty directory the run is recorded there.
  ActiveScene(LoadedScenes scenes, bool start_paused, const std::filesystem::path& directory = {});

  bool is_comparing() const { return slots.size() > 1; }
  /// The tuning of the run that the panels edit.
  TuningHistory& tuning() { return slots[static_cast<std::size_t>(edited)].tuning; }
  const TuningHistory& tuning() const { return slots[static_cast<std::size_t>(edited)].tuning; }
  Tuning& posted() { return slots[static_cast<std::size_t>(edited)].posted; }
  const LawInfo& law(Slot slot) const { return *session.scene(slot).law; }
  const LawInfo& law() const { return law(edited); }
  /// Units of the law's gains.
  std::span<const std::string_view> units() const {
    return slots[static_cast<std::size_t>(edited)].units;
  }

  /// Settings of one run.
  struct Tuned {
    explicit Tuned(const Scene& scene);
    TuningHistory tuning;
    Tuning posted;                        ///< last sent to the simulation
    std::vector<std::string_view> units;  ///< of the gains
  };

  // Initialized from the scenes before the session takes them, hence first.
  std::vector<Tuned> slots;  ///< A, and B in a comparison
  Slot edited = Slot::kA;
  std::vector<MatrixView> matrices;  ///< of the runs
  Slot matrix_slot = Slot::kA;       ///< the run whose matrix is shown
  std::string title, law_title;

  Session session;
  const Snapshot* snapshot;  ///< the newest; never null
  Traces traces;
  GeometryTab geometry;
  std::vector<PlotChoice> plot_choices;
  RunLog log;
  PushForm push;
  PushTargets push_targets;
  std::vector<PushEvent> pushes;            ///< in this run, by time
  std::optional<DriveCommand> drive;        ///< the user's walking command; nullopt: the reference
  bool gains_by_joint = false;              ///< a slider for each coordinate
  std::optional<InjectionPlace> injection;  ///< where β acts, chosen while it is 0
  bool picks_injection = false;             ///< the next body selected in the view is its place
  /// The factorization as text, while it is typed.
  struct FactorizationField {
    std::string of;  ///< the factorization that the text began with
    std::string text;
    std::string error;  ///< why it is none
  };
  FactorizationField field;
  double free_t = 0.5;  ///< initial value of "free t"
  /// A copy of what is measured of run A, or of the edited one, that changes slowly enough to be
  /// read, and of which snapshot it is.
  struct ShownResiduals {
    Simulation::Residuals residuals;
    Slot slot = Slot::kA;
    long serial = -1;
    double at = -1;  ///< window time, s
  };
  ShownResiduals shown_residuals;
  std::vector<std::string> velocity_names;
  bool is_failure_logged = false, is_other_failure_logged = false;
  bool is_failure_dismissed = false;
  std::string last_command_error, last_recording_error;  ///< the ones last shown
};

struct LauncherState {
  bool is_open = false;
  bool grab_focus = false;
  std::string filter;
  int group = 0;
  int selected = 0;
  std::vector<std::string> recent;  ///< paths opened in this window, newest first
};

/// Requests of panels to the main loop.
struct WindowRequests {
  bool quit = false;
  bool screenshot = false;
  bool toggle_fullscreen = false;
};

/// All state of the window except the GPU's. Panels are functions over it.
struct WindowState {
  Ui ui;
  FontFiles font_files;
  std::unique_ptr<ActiveScene> scene;
  SceneLoader loader;
  std::vector<std::string> overrides;  ///< --set of the command line, for the scene given there
  std::string opened;                  ///< name or path of the opened scene

  SliderState slider;
  std::string_view tab = kTuneTab;  ///< of the side card
  MatrixChoice matrix = MatrixChoice::kC;
  PanelChoice panels;
  TimeAxis time_axis;
  /// Titles of the plots' contents, see PlotChoice; those that the scene does not have are
  /// replaced.
  std::array<std::string, kPlots> plotted;
  bool plotted_is_for_legs = false;  ///< the initial contents were those for legged robots
  std::array<PlotState, kPlots> plots;
  LauncherState launcher;
  bool is_help_open = false;
  Tour tour;
  bool shows_stance = true;  ///< for robots with legs
  Toast toast;
  WindowRequests requests;

  double now = 0;             ///< window time, s
  double ui_ms = 0;           ///< duration of a frame without 3-D, smoothed
  bool is_view_held = false;  ///< the mouse moves the camera or pulls a body
  bool is_software = false;   ///< OpenGL renders on the CPU
};

}  // namespace civita
