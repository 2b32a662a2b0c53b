#include <algorithm>
#include <cmath>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/render/view_input.h"

namespace civita {
namespace {

// The body selected in the view becomes the place of the injection, if that is waited for.
void TakePickedBody(WindowState* state, const View3d& view, int before) {
  const int body = view.selected_body();
  if (!state->scene->picks_injection || body <= 0 || body == before) return;
  const char* name = mj_id2name(&view.model(), mjOBJ_BODY, body);
  const bool taken = name != nullptr && ChooseInjectionBody(state, name);
  state->scene->picks_injection = !taken;
  if (!taken) ShowToast(state, "No injection can act at this body", true);
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
  const int before = view->selected_body();
  ShowView(picture, ui.px(9.5f), ImDrawFlags_RoundCornersTop, view);
  state->is_view_held = ImGui::IsItemActive();
  TakePickedBody(state, *view, before);
  ImGui::SetItemAllowOverlap();  // controls over the picture take precedence
  DrawRule(ui, draw, picture.x, picture.right(), picture.bottom());
  DrawViewOverlay(state, picture, view);
  DrawHandles(state, picture);
  DrawTransport(state, {card.x, picture.bottom(), card.w, ui.px(kTransportHeight)});
  DrawFailCard(state, picture);
  if (!state->launcher.is_open) DrawToast(ui, draw, state->toast, state->now, picture);
}

}  // namespace civita
