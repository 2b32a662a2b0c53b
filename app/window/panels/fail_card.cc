#include <algorithm>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

constexpr double kRewind = 1.0;  // s

std::string Capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// What happened, when, after which action, and which state is shown now.
std::string WhatHappened(const ActiveScene& scene) {
  const Failure& failure = scene.snapshot->failure;
  std::string text = Capitalized(TypesetNumbers(failure.reason));
  if (!text.empty() && !text.ends_with('.')) text += ".";
  const RunLog::EventMark* action = scene.log.LastAction(failure.t);
  if (action != nullptr)
    text += " Last action: " + action->text + " at " + Fixed(action->t, 3) + " s.";
  return text + " The view holds the last finite state.";
}

}  // namespace

void DrawFailCard(WindowState* state, const Rect& picture) {
  ActiveScene& scene = *state->scene;
  if (scene.snapshot->state != RunState::kFailed || scene.is_failure_dismissed) return;
  const Ui& ui = state->ui;
  const Theme& theme = ui.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float margin = ui.px(16), pad = ui.px(16);
  const float width = std::min(picture.w - 2 * margin, ui.px(520));
  const float text_width = width - 2 * pad - ui.px(28);
  if (text_width < ui.px(180)) return;
  const std::string what = WhatHappened(scene), &advice = scene.failure_cause;
  const float what_height = TextWrapped(nullptr, ui.fonts.body, 0, 0, text_width, 0, what);
  const float advice_height = TextWrapped(nullptr, ui.fonts.small, 0, 0, text_width, 0, advice);
  const float height = 2 * pad + ui.px(78) + what_height + advice_height;
  const Rect card{std::floor(picture.middle_x() - 0.5f * width), picture.bottom() - margin - height,
                  width, height};
  DrawShadow(ui, draw, card, ui.px(10));
  FillRect(draw, card, ToImU32(theme.popup), ui.px(10));
  StrokeRect(ui, draw, card, ToImU32(theme.error, 0.65f), ui.px(10));

  const float x = card.x + pad + ui.px(28);
  float y = card.y + pad;
  DrawIcon(ui, draw, Icon::kWarning, card.x + pad + ui.px(8), y + ui.px(10), ToImU32(theme.error),
           18);
  TextMiddle(ui, draw, ui.fonts.strong, x, y + ui.px(10), ToImU32(theme.text),
             "The simulation stopped at " + Fixed(scene.snapshot->failure.t, 3) + " s");
  y += ui.px(24);
  y += TextWrapped(draw, ui.fonts.body, x, y, text_width, ToImU32(theme.text), what) + ui.px(8);
  y +=
      TextWrapped(draw, ui.fonts.small, x, y, text_width, ToImU32(theme.muted), advice) + ui.px(14);
  const bool can_rewind = scene.snapshot->t - kRewind >= scene.snapshot->oldest_saved_t;
  if (Button(ui, "rewind", can_rewind ? "Rewind 1 s" : "Reset", {x, y, ui.px(114), ui.px(32)},
             ButtonKind::kPrimary)) {
    if (can_rewind) {
      RewindTo(state, scene.snapshot->t - kRewind);
    } else {
      ResetRun(state);
    }
  }
  if (Button(ui, "revert", "Revert gains", {x + ui.px(122), y, ui.px(112), ui.px(32)},
             ButtonKind::kPlain, {}, !scene.tuning().is_initial())) {
    RevertTuning(state);
  }
  if (text_width > ui.px(326) &&
      Button(ui, "log", "Open log", {x + ui.px(242), y, ui.px(84), ui.px(32)})) {
    state->tab = kLogTab;
    state->panels.side = true;
  }
  if (IconButton(ui, "dismiss", Icon::kClose,
                 {card.right() - ui.px(36), card.y + ui.px(8), ui.px(28), ui.px(28)}, "Close")) {
    scene.is_failure_dismissed = true;
  }
}

}  // namespace civita
