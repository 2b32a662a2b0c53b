#include "app/window/actions/action_table.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

// A gap between cards that can be dragged: `chosen` is the size, in logical pixels, of the card on
// the side of `sign` from the gap; a double click lets the window's size decide again.
void DrawHandle(const Ui& ui, const char* id, const Rect& gap, ImGuiMouseCursor cursor, float delta,
                float size, float* chosen) {
  const Hit hit = HitBox(id, gap);
  if (!hit.hovered && !hit.held) return;
  ImGui::SetMouseCursor(cursor);
  Rect line = gap;
  (gap.w < gap.h ? line.x : line.y) += ui.px(3);
  (gap.w < gap.h ? line.w : line.h) = ui.px(2);
  FillRect(ui, line, hit.held ? ui.theme.accent : ui.theme.strong, ui.px(1));
  if (hit.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    *chosen = 0;
  } else if (hit.held && delta != 0) {
    *chosen = (size + delta) / ui.scale;
  }
}

void DrawHandles(WindowState* state, const Layout& layout) {
  const Ui& ui = state->ui;
  const float gap = ui.px(kCardGap);
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  const Rect &side = layout.side, &plots = layout.plots;
  if (side.w > 0) {
    DrawHandle(ui, "side width", {side.x - gap, side.y, gap, layout.view.h},
               ImGuiMouseCursor_ResizeEW, -moved.x, side.w, &state->panels.side_width);
  }
  if (plots.w > 0 && layout.is_wide) {
    DrawHandle(ui, "plots width", {plots.x - gap, plots.y, gap, plots.h}, ImGuiMouseCursor_ResizeEW,
               -moved.x, plots.w, &state->panels.plots_width);
  } else if (plots.w > 0 && !state->panels.plots_collapsed) {
    DrawHandle(ui, "plots height", {plots.x, plots.y - gap, plots.w, gap},
               ImGuiMouseCursor_ResizeNS, -moved.y, plots.h, &state->panels.plots_height);
  }
}

}  // namespace

void DrawFrame(WindowState* state, View3d* view, float width, float height,
               const FindThumbnail& thumbnail) {
  const Ui& ui = state->ui;
  // Keys first: what is open decides where they go, before panels open or close anything.
  HandleKeys(state, view);
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(width, height));
  ImGui::Begin("root", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  FillRect(ui, {0, 0, width, height}, ui.theme.background);
  const Layout layout = CalcLayout(ui, width, height, state->panels);
  DrawTopBar(state, layout.top_bar);
  DrawStatusBar(state, layout.status_bar);
  PreparePlots(state);
  if (layout.plots.w > 0) {
    DrawPlotsCard(state, layout.plots, layout.plot_columns, layout.is_wide);
  }
  if (layout.side.w > 0) DrawSideCard(state, layout.side);
  DrawViewCard(state, layout.view, view);
  DrawHandles(state, layout);
  DrawTour(state, layout);
  DrawPalette(state, view, width);
  ImGui::End();
  if (!ImGui::GetIO().MouseDown[0]) state->dragged_plot = -1;  // where no card takes it
  DrawLauncher(state, width, height, thumbnail);
  DrawFileSheet(state, width, height);
  DrawJobs(state, width, height);
}

}  // namespace civita
