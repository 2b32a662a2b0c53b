#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/plot/plot.h"
#include "app/window/plot_choices.h"
#include "app/window/run_log.h"
#include "app/window/scene_loader.h"
#include "app/window/traces.h"
#include "app/window/tuning.h"
#include "app/window/ui.h"
#include "app/window/widgets/fonts.h"
#include "app/window/widgets/layout.h"
#include "app/window/widgets/slider.h"
#include "app/window/widgets/widgets.h"
#include "civita/sim/session.h"
#include "civita/workspace.h"

namespace civita {

/// Tabs of the side card that are opened from elsewhere; all of them stand in side_card.cc.
inline constexpr std::string_view kTuneTab = "Tune", kCompareTab = "Compare", kLogTab = "Log";
enum class MatrixChoice { kH, kC, kSkew, kTorsion };
enum class PushRepeat { kOnce, kEvery2s, kEvery5s };

/// The push tool's form.
struct PushForm {
  int body_choice = 0;  ///< index into PushTargets::names
  double force = 20;    ///< N
  double impulse = 5;   ///< N·s, in place of the force where a robot is pushed as a whole
  double duration_ms = 100;
  double azimuth_deg = 90;   ///< about the world's z, 0 along x
  double elevation_deg = 0;  ///< up from the horizontal
  PushRepeat repeat = PushRepeat::kOnce;
  bool is_repeating = false;  ///< the simulation pushes again and again; then of these pushes:
  Push repeated;
  double every_s = 0, first_t = 0, next_t = 0;  ///< times in this run; next_t: not listed yet
};

/// Bodies that a push can move.
struct PushTargets {
  bool has_whole = false;  ///< the first one stands for a legged robot as a whole
  std::vector<std::string> names;
  std::vector<int> bodies;  ///< in the mjModel
};

struct ActiveScene;

/// A push that was made, for its arrow, its mark and the list.
struct PushEvent {
  Push push;                ///< start_s: in this run
  bool is_planned = false;  ///< by the scene
};

/// Whether the form's push is one of a legged robot as a whole.
bool PushesWhole(const ActiveScene& scene);

/// What tells the runs of a comparison apart: "christoffel", "t:3", or the law where those differ.
std::string RunName(const ActiveScene& scene, Slot slot);

/// "hand", or "whole robot".
std::string PushedName(const mjModel& m, const Push& push);
/// N·s; of a half sine, sampled as finely as it may be.
double ImpulseOf(const Push& push);
/// "Push on hand: 26 N, 80 ms, 2.08 N·s".
std::string DescribePush(const mjModel& m, const PushEvent& event);

/// Matrices that only the Matrix tab wants, computed on the window's side from a snapshot.
struct MatrixView {
  explicit MatrixView(const Model& plant);
  Workspace<double> workspace;
  Eigen::MatrixXd C_christoffel, H, shown;
  std::vector<double> values;  ///< `shown`, row by row
};

/// What belongs to the scene that runs now; replaced whole when another one is opened.
struct ActiveScene {
  /// With a directory the run is recorded there.
  ActiveScene(LoadedScenes scenes, bool start_paused, const std::filesystem::path& directory = {});

  bool is_comparing() const { return slots.size() > 1; }
  /// Of the run that the panels edit.
  TuningHistory& tuning() { return slots[static_cast<std::size_t>(edited)].tuning; }
  const TuningHistory& tuning() const { return slots[static_cast<std::size_t>(edited)].tuning; }
  Tuning& posted() { return slots[static_cast<std::size_t>(edited)].posted; }
  const LawInfo& law(Slot slot) const { return *session.scene(slot).law; }
  const LawInfo& law() const { return law(edited); }
  /// Units of the law's gains.
  std::span<const std::string_view> units() const {
    return slots[static_cast<std::size_t>(edited)].units;
  }

  /// What can be set of a run.
  struct Tuned {
    explicit Tuned(const Scene& scene);
    TuningHistory tuning;
    Tuning posted;                        ///< what the simulation was last told
    std::vector<std::string_view> units;  ///< of the gains
  };

  // Read from the scenes before the session takes them, hence first.
  std::vector<Tuned> slots;  ///< A, and B while two runs are compared
  Slot edited = Slot::kA;
  MatrixView matrices;
  std::string title, law_title;

  Session session;
  const Snapshot* snapshot;  ///< the newest; never null
  Traces traces;
  std::vector<PlotChoice> plot_choices;
  RunLog log;
  PushForm push;
  PushTargets push_targets;
  std::vector<PushEvent> pushes;          ///< in this run, by time
  std::optional<DriveCommand> drive;      ///< how the user wants legs to walk; none: the reference
  bool gains_by_joint = false;            ///< a slider for each coordinate
  double free_t = 0.5;                    ///< where "free t" starts
  Simulation::Residuals shown_residuals;  ///< a copy that changes slowly enough to be read
  double residuals_shown_at = -1;         ///< window time, s
  std::vector<std::string> velocity_names;
  bool is_failure_logged = false, is_other_failure_logged = false;
  bool is_failure_dismissed = false;
  std::string last_command_error, last_recording_error;  ///< that were told
};

struct LauncherState {
  bool is_open = false;
  bool grab_focus = false;
  std::string filter;
  int group = 0;
  int selected = 0;
  std::vector<std::string> recent;  ///< paths opened in this window, newest first
};

/// What panels ask of the main loop.
struct WindowRequests {
  bool quit = false;
  bool screenshot = false;
  bool toggle_fullscreen = false;
};

/// All state of the window but the GPU's. Panels are functions over it.
struct WindowState {
  Ui ui;
  FontFiles font_files;
  std::unique_ptr<ActiveScene> scene;
  SceneLoader loader;
  std::vector<std::string> overrides;  ///< --set of the command line, for the scene it named
  std::string opened;                  ///< what was opened: a scene's name or a path

  SliderState slider;
  std::string_view tab = kTuneTab;  ///< of the side card
  MatrixChoice matrix = MatrixChoice::kC;
  PanelChoice panels;
  TimeAxis time_axis;
  /// Titles of what the plots show, see PlotChoice; what the scene does not have is replaced.
  std::array<std::string, kPlots> plotted;
  bool plotted_is_for_legs = false;  ///< as chosen at the start
  std::array<PlotState, kPlots> plots;
  LauncherState launcher;
  bool is_help_open = false;
  bool shows_stance = true;  ///< of robots with legs
  Toast toast;
  WindowRequests requests;

  double now = 0;             ///< window time, s
  double ui_ms = 0;           ///< cost of a frame without 3-D, smoothed
  bool is_view_held = false;  ///< the mouse moves the camera or pulls a body
  bool is_software = false;   ///< OpenGL draws on the CPU
};

}  // namespace civita
