#pragma once

#include <functional>
#include <string>

#include "app/window/render/view3d.h"
#include "app/window/widgets/layout.h"
#include "app/window/window_state.h"

namespace civita {

/// The panels: free functions over the window's state, none with state of its own. All rectangles
/// are in device pixels of the full-size ImGui window that is current.

void DrawTopBar(WindowState* state, const Rect& r);
void DrawStatusBar(WindowState* state, const Rect& r);

/// The part of the view card that the picture fills.
Rect PictureArea(const Ui& ui, const Rect& card);
/// The 3-D picture with the mouse of MuJoCo's simulate, chips and choice of camera upon it,
/// transport below.
void DrawViewCard(WindowState* state, const Rect& card, View3d* view);
void DrawTransport(WindowState* state, const Rect& r);

void DrawPlotsCard(WindowState* state, const Rect& r, int columns, bool is_wide);

/// The tabs, see kSidePanels; the matrix in a card of its own when the layout has room for it.
void DrawSideCard(WindowState* state, const Layout& layout);
float DrawMatrixPanel(WindowState* state, float x, float y, float width);
/// Height that the matrix card wants at the side card's width.
float MatrixCardHeight(const WindowState& state, float width);

/// Why the simulation stopped, over the foot of the view; nothing while it has not.
void DrawFailCard(WindowState* state, const Rect& picture);

/// Texture of a scene's thumbnail; 0 while there is none.
using FindThumbnail = std::function<unsigned(const SceneInfo&)>;
void DrawLauncher(WindowState* state, float width, float height, const FindThumbnail& thumbnail);

/// The table of all keys.
void DrawHelp(WindowState* state, float width, float height);

}  // namespace civita
