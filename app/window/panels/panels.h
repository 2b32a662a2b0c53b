#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/actions/action_table.h"
#include "app/window/model/window_state.h"
#include "app/window/plot/plot_content.h"
#include "app/window/render/view3d.h"
#include "app/window/widgets/layout.h"

namespace civita {

/// The panels: free functions over the window's state, without state of their own. All rectangles
/// are in device pixels of the current full-size ImGui window.

void DrawTopBar(WindowState* state, const Rect& r);
void DrawStatusBar(WindowState* state, const Rect& r);

/// The part of the view card that the picture fills.
Rect PictureArea(const Ui& ui, const Rect& card);
/// Draws the 3-D picture with the mouse control of MuJoCo's simulate, chips and camera choice over
/// it, and the transport controls below.
void DrawViewCard(WindowState* state, const Rect& card, View3d* view);
/// Draws chips, camera choice and the choice of marks over the picture.
void DrawViewOverlay(WindowState* state, const Rect& picture, View3d* view);
/// Draws handles at the right edge of the view that bring hidden panels back.
void DrawHandles(WindowState* state, const Rect& picture);
void DrawTransport(WindowState* state, const Rect& r);

enum class PlotFormat { kCsv, kSvg, kPng };
/// Writes what the plots show to where recordings go; a PNG after the next frame.
void ExportPlots(WindowState* state, PlotFormat format);
/// Adds a plot of this title, or says why not.
void AddPlot(WindowState* state, const std::string& title);
void DrawPlotsCard(WindowState* state, const Rect& r, int columns, bool is_wide);
/// Draws the names of the axes of a plot of paths, and the lists that a click on them opens.
void DrawPathAxes(const Ui& ui, const Rect& frame, const PlotChoice& choice, const PlotPath& path,
                  PathAxes* axes, std::string* filter);

/// In a comparison: whose matrix and geometry are shown, in a row of 28 logical pixels.
void DrawRunChoice(WindowState* state, float x, float y, float width);

/// The side card's tab of this name, in whatever case. @throws UserError.
std::string_view FindSideTab(std::string_view name);
/// The tabs of a scene.
std::vector<std::string_view> SideTabs(const ActiveScene& scene);
/// Draws the tabs, see kSidePanels; the matrix in its own card when the layout has room for it.
void DrawSideCard(WindowState* state, const Layout& layout);
/// Draws the choice of the profile, undo and redo. Returns its height.
float DrawProfileBar(WindowState* state, float x, float y, float width);
/// Admissible factorizations differ by a three-form, which needs as many velocities.
inline constexpr int kLeastForTorsion = 3;
inline constexpr std::string_view kNoTorsion =
    "No torsion: with fewer than three velocities every admissible C is this one.";
float DrawMatrixPanel(WindowState* state, float x, float y, float width);
/// Preferred height of the matrix card at the side card's width, device pixels.
float MatrixCardHeight(const WindowState& state, float width);

/// Moves β's injection to a place, or to a body of this name if it moves; @returns whether it does.
void ChooseInjection(WindowState* state, const InjectionPlace& place);
bool ChooseInjectionBody(WindowState* state, std::string_view body);
/// Draw the choice of that place, and the factorization as text, in the Tune tab. Return heights.
float DrawInjectionChoice(WindowState* state, float x, float y, float width);
float DrawFactorizationText(WindowState* state, float x, float y, float width);

/// Draws why the simulation stopped, over the bottom of the view; nothing while it runs.
void DrawFailCard(WindowState* state, const Rect& picture);

/// Texture of a scene's thumbnail; 0 if not yet available.
using FindThumbnail = std::function<unsigned(const SceneInfo&)>;
void DrawLauncher(WindowState* state, float width, float height, const FindThumbnail& thumbnail);

/// Draws the sheet of jobs while it is open, and in it the results of one.
void DrawJobs(WindowState* state, float width, float height);
/// Draws the table of results and returns its height.
float DrawJobTable(const Ui& ui, const Table& table, float x, float y, float width);

/// Draws the list of all actions below the top bar of a window of this width, while it is open.
void DrawPalette(WindowState* state, View3d* view, float width);

struct ActionButtonOptions {
  std::string_view name = {};  ///< "": as the table of actions says
  std::optional<Icon> icon = {};
  bool on = false;  ///< tinted
  bool enabled = true;
};
/// The button of an action of the table, which has an icon there; a click does the action. Its
/// tooltip tells name and key.
void ActionButton(WindowState* state, const char* id, StateAction act, const Rect& r,
                  const ActionButtonOptions& options = {});

/// Draws the table of all keys.
void DrawHelp(WindowState* state, float width, float height);

}  // namespace civita
