#include <algorithm>
#include <cmath>

#include "app/window/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/render/view_input.h"

namespace civita {
namespace {

// Name of the point whose trail is shown.
std::string TrackedName(const mjModel& m) {
  const TrackedPoint tracked = FindTrackedPoint(m);
  const char* name = tracked.site >= 0 ? mj_id2name(&m, mjOBJ_SITE, tracked.site)
                                       : mj_id2name(&m, mjOBJ_BODY, tracked.body);
  const std::string text = name != nullptr ? name : "";
  return text.empty() || text == "ee" || text == "tcp" || text == "attachment_site" ? "end effector"
                                                                                    : text;
}

// Draws the legend of a legged robot's stance.
void DrawStanceChips(const Ui& ui, float x, float y) {
  struct Entry {
    Swatch swatch;
    Rgb color;
    std::string_view name, tip;
  };
  const Entry entries[] = {
      {Swatch::kLine, ForceColor(ui.theme), "force", "Normal force of the ground on each foot"},
      {Swatch::kDot, ForceColor(ui.theme), "CoP", "Centre of pressure, as the law wants it"},
      {Swatch::kDot, ComColor(ui.theme), "CoM", "Ground point of the centre of mass"},
      {Swatch::kRing, DcmColor(ui.theme), "DCM",
       "Divergent component of motion, ξ = c + v/ω:\nsteps begin where it leaves the support"}};
  for (const Entry& entry : entries) {
    const float right = Chip(ui, x, y, entry.swatch, entry.color, entry.name);
    if (Rect{x, y, right - x, ui.px(26)}.contains(ImGui::GetIO().MousePos)) Tooltip(ui, entry.tip);
    x = right + ui.px(6);
  }
}

void DrawTrailChips(const Ui& ui, const Rect& picture, float x, float y, const mjModel& m) {
  x = Chip(ui, x, y, Swatch::kLine, ui.theme.series[0], TrackedName(m)) + ui.px(8);
  if (picture.w > ui.px(420)) {
    Chip(ui, x, y, Swatch::kDashes, ui.theme.reference, "reference");
  }
}

void DrawCameraChoice(WindowState* state, const Rect& picture, View3d* view) {
  const Ui& ui = state->ui;
  // The names of two runs need more room.
  const float needed = ui.px(state->scene->is_comparing() ? 560 : 440);
  if (picture.w < needed || view->cameras().size() < 2) return;
  std::vector<std::string> names;
  float width = 0;
  for (const CameraChoice& camera : view->cameras()) {
    names.push_back(camera.name);
    width = std::max(width, TextWidth(ui.fonts.small, camera.name));
  }
  width = std::min(width + ui.px(36), ui.px(170));
  int camera = view->camera_choice();
  if (PillCombo(ui, "camera", names, &camera,
                {picture.right() - ui.px(12) - width, picture.y + ui.px(12), width, ui.px(26)})) {
    view->SetCamera(camera);
  }
}

// Draws chips upper left, the camera choice upper right.
void DrawOverlay(WindowState* state, const Rect& picture, View3d* view) {
  const Ui& ui = state->ui;
  const float y = picture.y + ui.px(12);
  float x = picture.x + ui.px(12);
  if (state->scene->is_comparing()) {
    x = Chip(ui, x, y, Swatch::kDot, ui.theme.series[0], "A", RunName(*state->scene, Slot::kA)) +
        ui.px(8);
    Chip(ui, x, y, Swatch::kRing, ui.theme.series[1], "B", RunName(*state->scene, Slot::kB));
  } else if (state->scene->session.scene().legs != nullptr) {
    if (state->shows_stance) DrawStanceChips(ui, x, y);
  } else {
    DrawTrailChips(ui, picture, x, y, view->model());
  }
  if (const int body = view->selected_body(); body > 0) {
    const char* name = mj_id2name(&view->model(), mjOBJ_BODY, body);
    Chip(ui, picture.x + ui.px(12), picture.bottom() - ui.px(38), Swatch::kDot, ui.theme.push,
         name != nullptr ? name : "body", "ctrl-right drag pulls");
  }
  DrawCameraChoice(state, picture, view);
}

}  // namespace

Rect PictureArea(const Ui& ui, const Rect& card) {
  const float hair = ui.hairline();
  return {card.x + hair, card.y + hair, std::max(1.0f, card.w - 2 * hair),
          std::max(1.0f, card.h - ui.px(kTransportHeight) - hair)};
}

void DrawViewCard(WindowState* state, const Rect& card, View3d* view) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  DrawCard(ui, draw, card);
  const Rect picture = PictureArea(ui, card);
  ShowView(picture, ui.px(9.5f), ImDrawFlags_RoundCornersTop, view);
  state->is_view_held = ImGui::IsItemActive();
  ImGui::SetItemAllowOverlap();  // controls over the picture take precedence
  DrawRule(ui, draw, picture.x, picture.right(), picture.bottom());
  DrawOverlay(state, picture, view);
  DrawTransport(state, {card.x, picture.bottom(), card.w, ui.px(kTransportHeight)});
  DrawFailCard(state, picture);
  DrawToast(ui, draw, state->toast, state->now, picture);
}

}  // namespace civita
