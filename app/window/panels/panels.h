#pragma once

#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/actions/action_table.h"
#include "app/window/model/window_state.h"
#include "app/window/plot/plot_content.h"
#include "app/window/render/view3d.h"
#include "app/window/widgets/draw.h"
#include "app/window/widgets/layout.h"

namespace civita {

/// The panels: free functions over the window's state, without state of their own. All rectangles
/// are in device pixels of the current full-size ImGui window.

inline constexpr double kDegrees = 180 / std::numbers::pi;  ///< in a radian

void DrawTopBar(WindowState* state, const Rect& r);
void DrawStatusBar(WindowState* state, const Rect& r);

/// The part of the view card that the picture fills.
Rect PictureArea(const Ui& ui, const Rect& card);
/// Draws the 3-D picture with the mouse control of MuJoCo's simulate, chips and camera choice over
/// it, and the transport controls below.
void DrawViewCard(WindowState* state, const Rect& card, View3d* view);
void DrawTransport(WindowState* state, const Rect& r);

enum class PlotFormat { kCsv, kSvg, kPng };
/// Writes what the plots show to where recordings go; a PNG after the next frame.
void ExportPlots(WindowState* state, PlotFormat format);
/// Copies RMS, peak and mean of what all plots show over the selected stretch of time, as a table.
void CopySpanFigures(WindowState* state);
/// Adds a plot of this title, or says why not.
void AddPlot(WindowState* state, const std::string& title);
void DrawPlotsCard(WindowState* state, const Rect& r, int columns, bool is_wide);

/// The side card's tab of this name, in whatever case, which the flag or key `key` gives. @throws
/// UserError.
std::string_view FindSideTab(std::string_view name, std::string_view key = "--tab");
/// The tabs of a scene.
std::vector<std::string_view> SideTabs(const ActiveScene& scene);
/// Draws the tabs, see kSidePanels.
void DrawSideCard(WindowState* state, const Rect& card);
/// Draws the choice of the profile and of the law, undo and redo.
void DrawProfileBar(WindowState* state, Column* column);
/// Admissible factorizations differ by a three-form, which needs as many velocities.
inline constexpr int kLeastForTorsion = 3;
inline constexpr std::string_view kNoTorsion =
    "No torsion: with fewer than three velocities every admissible C is this one.";

/// Texture of a scene's thumbnail; 0 if not yet available.
using FindThumbnail = std::function<unsigned(const SceneInfo&)>;
void DrawLauncher(WindowState* state, float width, float height, const FindThumbnail& thumbnail);
/// The sheet that opens files, in the launcher's place.
void DrawFileSheet(WindowState* state, float width, float height);

/// Draws the sheet of a job while it is open, and in it the results.
void DrawJobs(WindowState* state, float width, float height);

/// Draws the list of all actions below the top bar of a window of this width, while it is open.
void DrawPalette(WindowState* state, View3d* view, float width);

struct ActionButtonOptions {
  std::string_view name = {};  ///< "": as the table of actions says
  std::optional<Icon> icon = {};
  bool on = false;  ///< tinted
  bool enabled = true;
  std::string_view word = {};    ///< below the icon
  std::optional<Rgb> tint = {};  ///< while it is on; none: the accent
};
/// The button of an action of the table, which has an icon there; a click does the action. Its
/// tooltip tells name and key.
void ActionButton(WindowState* state, const char* id, StateAction act, const Rect& r,
                  const ActionButtonOptions& options = {});

/// Draws one frame of the window: the full-size ImGui window with all panels, sheets above it, and
/// handles the keys. Call between ImGui's NewFrame and Render.
void DrawFrame(WindowState* state, View3d* view, float width, float height,
               const FindThumbnail& thumbnail);

/// A term that the window shows somewhere: what it is in a line, and its formula.
struct Term {
  std::string_view name;  ///< as the window writes it
  std::string_view line;
  /// Its definition; empty: that of the metric `metric`.
  std::string_view formula;
  std::string_view metric = {};  ///< key in the table of metrics
};
std::span<const Term> Terms();

/// The hover text of a term: its line and its formula; empty if there is no such term.
std::string Explain(std::string_view name);
/// The term of a metric; null if it has none.
const Term* FindTermOfMetric(std::string_view key);
/// The hover texts of the terms that occur in a text as words, at most `most`.
std::string ExplainWordsOf(std::string_view text, std::size_t most = 3);

/// What two compared runs differ in, sentences for large type.
const std::vector<std::string>& TellDifference(WindowState* state);

/// Of a run that failed or fell the figures do not count.
bool IsWhole(const Snapshot& snapshot, Slot slot);
/// NaN of a metric that the run does not have.
double ValueOf(const MetricInfo& info, const std::vector<MetricInfo>& metrics,
               const Figures& figures);

/// What the sheets of scenes and of files share.

/// Opens a file or a recorded run. The sheet stays until it is loaded: one that fails can be mended
/// there.
void OpenFromSheet(WindowState* state, const std::string& path);

/// At the sheet's foot: what is being opened or why it was not, else a hint; and the keys.
void DrawSheetFoot(const Ui& ui, const LauncherState& launcher, const Rect& sheet,
                   std::string_view hint, std::string_view keys);
/// Height of the foot, logical pixels.
inline constexpr float kSheetFoot = 52;

/// Height of a plot's title row, logical px.
inline constexpr float kPlotTitle = 32;

/// A plot's place in this frame.
struct PlacedPlot {
  std::size_t index;  ///< in PlotList
  const PlotChoice* choice;
  Rect frame;
  bool is_folded = false, has_labels = false;
};

/// What all plots of a frame share, the time axis first. Call before they are drawn.
void PreparePlots(WindowState* state);

/// The stretch of time of which plots show spectra: what is selected, or what all plots show.
SpectrumOver SpectraOver(const WindowState& state);

/// All that a plot can show, for a list.
std::vector<ListItem> PlotListItems(const std::vector<PlotChoice>& choices);

/// Draws a plot of the card with its title, whose drag moves it, and buttons; may remove it.
void DrawShownPlot(WindowState* state, const PlacedPlot& plot);

}  // namespace civita
