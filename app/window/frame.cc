#include "app/window/frame.h"

#include "app/window/keys.h"

namespace civita {

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
  FillRect(ImGui::GetWindowDrawList(), {0, 0, width, height}, ToImU32(ui.theme.background));
  const float side = SideWidth(ui, width);
  const Layout layout =
      CalcLayout(ui, width, height, state->panels, MatrixCardHeight(*state, side));
  DrawTopBar(state, layout.top_bar);
  DrawStatusBar(state, layout.status_bar);
  if (layout.plots.w > 0) {
    DrawPlotsCard(state, layout.plots, layout.plot_columns, layout.is_wide);
  }
  if (layout.side.w > 0) DrawSideCard(state, layout);
  DrawViewCard(state, layout.view, view);
  DrawTour(state, layout);
  ImGui::End();
  DrawLauncher(state, width, height, thumbnail);
  DrawHelp(state, width, height);
}

}  // namespace civita
