#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/line_server.h"
#include "app/window/model/folder_listing.h"
#include "app/window/model/forecast.h"
#include "app/window/model/geometry_views.h"
#include "app/window/model/job.h"
#include "app/window/model/lane.h"
#include "app/window/model/matrix_view.h"
#include "app/window/model/part_times.h"
#include "app/window/model/scene_loader.h"
#include "app/window/model/settings.h"
#include "app/window/model/settings_text.h"
#include "app/window/model/span_figures.h"
#include "app/window/model/tour.h"
#include "app/window/model/tuning.h"
#include "app/window/plot/plot.h"
#include "app/window/plot/plot_choices.h"
#include "app/window/plot/plot_list.h"
#include "app/window/plot/run_log.h"
#include "app/window/plot/traces.h"
#include "app/window/widgets/fonts.h"
#include "app/window/widgets/layout.h"
#include "app/window/widgets/slider.h"
#include "app/window/widgets/ui.h"
#include "app/window/widgets/widgets.h"
#include "civita/sim/metrics.h"
#include "civita/sim/session.h"

namespace civita {

/// Tabs of the side card that other panels open; side_card.cc has all tabs.
inline constexpr std::string_view kTuneTab = "Tune", kCompareTab = "Compare", kLogTab = "Log",
                                  kDriveTab = "Drive", kMatrixTab = "Matrix";
enum class PushRepeat { kOnce, kEvery2s, kEvery5s };

/// The form of the push tool.
struct PushForm {
  int body_choice = 0;                         ///< index into PushTargets::names
  double force = 20;                           ///< N
  double usual_force = 20, usual_impulse = 5;  ///< that suit the scene
  double impulse = 5;  ///< N·s, instead of the force for a robot pushed as a whole
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

/// What beside torsion has turned s of a run between two times, up to now at most: of its scene,
/// pushes and pulls, and torque limits.
std::vector<std::string> CausesOfTurning(const ActiveScene& scene, Slot slot, double from,
                                         double to);
/// The same of both runs of a comparison, or of the one: "beside torsion: joint damping, pushes";
/// empty if nothing has.
std::string TellCausesOfTurning(const ActiveScene& scene, double from, double to);

/// Name of what is pushed: "hand", or "whole robot".
std::string PushedName(const mjModel& m, const Push& push);
/// Its force, and how long it lasts or its frequency.
std::string PushFigures(const mjModel& m, const Push& push);
/// Impulse of a push, N·s; of a half sine, sampled as finely as possible.
double ImpulseOf(const Push& push);
/// Text of a push: "Push on hand: 26 N, 80 ms, 2.08 N·s".
std::string DescribePush(const mjModel& m, const PushEvent& event);
/// Text of the scene's throw: "Thrown off: 0.5 rad/s".
std::string DescribeThrow(const ActiveScene& scene);

/// What only the Matrix tab shows of the connection; computed on the window's side while it does.
struct GeometryTab {
  explicit GeometryTab(const SceneData& scene) : connection(scene), transport(scene) {}
  ConnectionView connection;  ///< at a snapshot's state
  FrameTransport transport;
  double Vdot = 0;             ///< |V̇ + P| at the last update
  bool shows_torsion = false;  ///< unfolded, as the next one
  bool shows_frame = false;
  int direction = 0;         ///< j of the shown slice T(·, j, ·)
  int vector = 0;            ///< of the carried frames, whose arrows the view shows
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
    Tuning of_scene;      ///< as the scene was opened
    std::string profile;  ///< loaded last; "": the scene's own settings
    TuningHistory tuning;
    Tuning posted;                        ///< last sent to the simulation
    std::vector<std::string_view> units;  ///< of the gains
  };

  Tuned& tuned() { return slots[static_cast<std::size_t>(edited)]; }

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
  /// A mechanism of several in a comparison: the metric of its tracking error, and its first body.
  struct ComparedTree {
    std::size_t metric;
    int body;
    std::string name;
  };
  std::vector<ComparedTree> trees;
  /// What the compared runs differ in, which changes slowly enough to be read.
  struct ToldDifference {
    std::vector<std::string> lines;
    long serial = -1;  ///< of the snapshot
    double at = -1;    ///< window time, s
  };
  ToldDifference told;
  SpanFigures span;  ///< of WindowState::selected_span
  std::vector<PlotChoice> plot_choices;
  RunLog log;
  PushForm push;
  PushTargets push_targets;
  std::vector<PushEvent> pushes;  ///< in this run, by time
  /// What belongs to the other branch.
  struct Aside {
    std::vector<RunLog::EventMark> marks;
    std::vector<PushEvent> pushes;
  };
  Aside aside;
  double clicked_from = 0;  ///< the time before the last click on a plot, s
  /// where the pointer has moved the thumb of the scrub bar, until the simulation is there
  std::optional<double> scrub_to;
  std::optional<DriveCommand> drive;        ///< the user's walking command; nullopt: the reference
  bool gains_by_joint = false;              ///< a slider for each coordinate
  std::optional<InjectionPlace> injection;  ///< where β acts, chosen while it is 0
  std::optional<bool> shows_injection;      ///< unfolded; none: if there is one
  /// The factorization as text, while it is typed.
  struct FactorizationField {
    std::string of;  ///< the factorization that the text began with
    std::string text;
    std::string error;  ///< why it is none
  };
  FactorizationField field;
  std::vector<std::string> velocity_names;
  bool is_failure_logged = false, is_other_failure_logged = false;
  bool is_failure_dismissed = false;
  int noted_refusals = 0;            ///< Snapshot::commands_refused when last shown
  std::string failure_cause;         ///< DescribeCause of the failure
  std::string last_recording_error;  ///< the one last shown
};

/// Runs to come back to.
struct RunSettings {
  std::string name;  ///< what was changed there: "PD with gravity compensation", "two runs"
  std::vector<SceneConfig> configs;
  std::vector<ActiveScene::Tuned> slots;
  Slot edited = Slot::kA;
};

/// A change of the law or of the number of runs that is being loaded.
struct SceneChange {
  enum class Direction { kNew, kBack, kForward };
  Direction direction;
  RunSettings before;
  std::vector<std::optional<ActiveScene::Tuned>> kept;  ///< settings that go on, by slot
  Slot edited;
  std::string text;  ///< for the log
};

/// Limits of WindowState::zoom.
inline constexpr float kMinZoom = 0.5f, kMaxZoom = 2.5f;

struct LauncherState {
  bool is_open = false;
  bool grab_focus = false;
  std::string filter;
  int group = 0;
  int selected = 0;
  std::string opening;  ///< a path that is being loaded; the sheet stays open until it has
  std::string error;    ///< of the path tried last
  std::vector<std::string> recent;  ///< paths of files, newest first
  bool shows_files = false;         ///< the sheet of files in place of that of scenes
  std::filesystem::path folder;     ///< that it shows, absolute
  bool is_path_typed = false;       ///< what is typed then is a name in the folder
  std::filesystem::path missing;    ///< a folder that was typed and is not there
  std::string left_folder;          ///< to be selected, as it was left for the one above
  bool scrolls = false;             ///< to the selected row
};

/// Requests of panels to the main loop.
struct WindowRequests {
  bool quit = false;
  bool screenshot = false;
  bool toggle_fullscreen = false;
  bool plots_picture = false;  ///< of the plots' card
};

/// The window's socket for other programs, see ServeLink.
struct LiveLink {
  LineServer server;
  /// A client whose commands have not yet been executed, and what it will be answered.
  struct Pending {
    int client;
    std::string answer;
    int refused_before;  ///< commands that the session had refused when these were sent
  };
  std::optional<Pending> pending = {};
};

/// What the view shows beside the robot.
struct ViewMarks {
  bool reference_ghost = false;
  bool torques = false;
  bool sliding = false;  ///< s
  bool cones = false;    ///< with the stance
  bool sentence = true;  ///< what two runs differ in, in large type
  bool operator==(const ViewMarks&) const = default;
};

/// All state of the window except the GPU's. Panels are functions over it.
struct WindowState {
  Ui ui;
  FontFiles font_files;
  std::unique_ptr<ActiveScene> scene;
  SceneLoader loader;
  std::optional<SceneChange> change;      ///< being loaded
  std::vector<RunSettings> past, future;  ///< to which undo and redo go
  std::vector<std::string> overrides;     ///< --set of the command line, for the scene given there
  std::string opened;                     ///< name or path of the opened scene
  /// The config of the scene as it was opened, before other laws and comparisons; none: run A's.
  std::optional<SceneConfig> opened_config;

  Settings settings;
  bool is_keeping_broken = false;  ///< a failure to save the settings was told
  float zoom = 1;                  ///< of the content, times the monitor's scale

  std::string profile_name;         ///< being typed
  bool grabs_profile_name = false;  ///< its field takes the keyboard again
  std::string log_filter;

  SliderState slider;
  std::string_view tab = kTuneTab;  ///< of the side card
  std::string wanted_tab;           ///< of a scene that was opened, until the card is drawn
  MatrixChoice matrix = MatrixChoice::kC;
  PanelChoice panels;
  TimeAxis time_axis;
  /// A stretch of time that was selected in a plot, s, of which Compare and the plots tell.
  struct SelectedSpan {
    double from = 0, to = 0;
  };
  std::optional<SelectedSpan> selected_span;
  PartTimes times;             ///< of the selected span, or of all
  std::size_t timed_part = 0;  ///< of kTimedParts, whose histogram is shown
  bool shows_alike = false;    ///< in Compare: rows in which the runs do not differ
  PlotList plots;
  int dragged_plot = -1;  ///< being moved by its title
  /// What the list at a plot's title is for, and the plot whose list opens again for that.
  enum class TitleList { kContent, kAdd, kOver };
  TitleList title_list = TitleList::kContent;
  int reopened_title = -1;
  /// A plot to be put together before the next frame's plots are drawn: its title, and the index of
  /// another one that becomes a part of it.
  struct Composing {
    std::size_t index;
    std::string title;
    std::optional<std::size_t> taken = {};
  };
  std::optional<Composing> composing;
  Rect plots_area;          ///< of the card in the last frame, for its picture
  std::string list_filter;  ///< typed into an open list
  bool opens_palette = false;
  std::string palette_key;           ///< of the config, whose value is being typed
  std::vector<SetKey> palette_keys;  ///< of the config, as the list was opened
  LauncherState launcher;
  Lane<std::filesystem::path, FolderListing> folder_lane;  ///< of launcher.folder
  std::filesystem::path recordings;  ///< where the record button makes its folders
  struct Recording {
    std::filesystem::path directory;
    double since = 0;  ///< window time, s
  };
  std::optional<Recording> recording;       ///< of the record button
  std::filesystem::path saving;             ///< folder of one that was stopped, until it is written
  std::vector<std::future<Toast>> endings;  ///< of recorded scenes that were left, what is told
  JobsState jobs;
  VerdictLane verdict;                                     ///< of the run that the Tune tab edits
  ForecastLane forecast;                                   ///< of the two runs of a comparison
  double verdict_looked_at = -1, forecast_looked_at = -1;  ///< window time, s
  double verdict_from = 0;         ///< window time, s, of the first one; 0: none was asked for
  std::optional<double> repeat_s;  ///< the run starts anew at this time; none: it goes on
  bool is_first_loading = false;   ///< what the tour shows is being loaded
  Tour tour;
  bool shows_stance = true;  ///< for robots with legs
  ViewMarks marks;
  Toast toast;
  WindowRequests requests;

  double now = 0;             ///< window time, s
  double ui_ms = 0;           ///< duration of a frame without 3-D, smoothed
  bool is_view_held = false;  ///< the mouse moves the camera or pulls a body
  bool is_software = false;   ///< OpenGL renders on the CPU

  std::unique_ptr<LiveLink> link;  ///< while it is open
  /// Arrow keys go from one button, tab, list or slider to the next, enter presses it.
  bool by_keys = false;
  std::vector<GhostRun> ghosts;  ///< beside the session's runs in the plots
  KeptFigures kept_figures;
  Lane<std::string, LoadedGhost> ghost_lane;
  std::string ghost_folder;  ///< of the recorded run that is being loaded; empty: none
  /// Profiles and recorded runs in the list of ctrl-K: read as it opens, as disks can be slow.
  std::vector<std::string> listed_profiles;
  std::vector<std::filesystem::path> listed_runs;
};

}  // namespace civita
