#include <array>
#include <cmath>
#include <string>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "civita/scenes/plant/compile_watch.h"

namespace civita {
namespace {

constexpr float kWordsFrom = 1180;  // logical pixels of width, with words below the icons

// Draws the logo: a vector transported in parallel along an arc. Returns its right edge.
float DrawMark(const Ui& ui, float x, float middle) {
  constexpr float kStart = -2.65f, kStep = 1.18f;
  const ImVec2 center(x + ui.px(11), middle + ui.px(5));
  const float radius = ui.px(9);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PathArcTo(center, radius, -2.75f, -0.15f, 32);
  draw->PathStroke(ToImU32(ui.theme.accent), ui.px(2));
  for (int i = 0; i < 3; ++i) {
    const float angle = kStart + kStep * static_cast<float>(i);
    const ImVec2 dot(center.x + std::cos(angle) * radius, center.y + std::sin(angle) * radius);
    FillCircle(ui, dot, 2.6f * ui.scale, i == 2 ? ui.theme.accent : ui.theme.text, 14);
  }
  return x + ui.px(30);
}

std::string LoadingText(const WindowState& state) {
  const double seconds = LongCompileSeconds();
  const std::string compiling = seconds > 0 ? ", MuJoCo has been compiling it for " +
                                                  std::to_string(std::lround(seconds)) + " s"
                                            : "";
  return "loading " + state.loader.title() + compiling + " …";
}

// Draws scene and configuration; a click opens the launcher.
void DrawSceneButton(WindowState* state, float x, float middle, float right) {
  const Ui& ui = state->ui;
  const std::string& title = state->scene->title;
  const std::string detail =
      state->loader.is_loading() ? LoadingText(*state) : state->scene->law_title;
  const float title_width = TextWidth(ui.fonts.strong, title);
  const float wanted =
      ui.px(10) + title_width + ui.px(8) + TextWidth(ui.fonts.body, detail) + ui.px(34);
  const Rect r{x, middle - ui.px(16), std::fmin(wanted, right - x), ui.px(32)};
  const Hit hit = HitBox("scene", r, Reach::kKeys);
  if (hit.hovered) FillRect(ui, r, ui.theme.hover, ui.px(6));
  if (hit.clicked) OpenLauncher(state);
  const float end = TextClipped(ui, ui.fonts.strong, r.x + ui.px(10), middle, r.right() - ui.px(28),
                                ui.theme.text, title);
  TextClipped(ui, ui.fonts.body, end + ui.px(8), middle, r.right() - ui.px(28), ui.theme.muted,
              detail);
  DrawIcon(ui, Icon::kChevronDown, r.right() - ui.px(13), middle, ui.theme.muted, 14);
  DelayedTooltip(ui, hit, TipOf(OpenLauncher));
}

// Draws the choice of one or two runs. Returns its left edge.
float DrawRunChoice(WindowState* state, float right, float middle) {
  constexpr std::array<std::string_view, 2> kChoices = {"Single", "Compare"};
  const Ui& ui = state->ui;
  const float width = ui.px(176);
  int selected = state->scene->is_comparing() ? 1 : 0;
  if (Segmented(ui, "runs", kChoices, &selected,
                {right - width, middle - ui.px(15), width, ui.px(30)}) &&
      !state->loader.is_loading()) {
    ToggleComparison(state);
  }
  return right - width;
}

// For how long it is being recorded.
std::string RecordedTime(const WindowState& state) {
  const int seconds = static_cast<int>(state.now - state.recording->since);
  const std::string rest = std::to_string(seconds % 60);
  return std::to_string(seconds / 60) + (rest.size() < 2 ? ":0" : ":") + rest;
}

}  // namespace

void DrawTopBar(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  const float middle = r.middle_y();
  float x = DrawMark(ui, r.x + ui.px(16), middle);
  TextMiddle(ui, ui.fonts.large, x, middle, ui.theme.text, "civita");
  x += TextWidth(ui.fonts.large, "civita") + ui.px(16);
  DrawVerticalRule(ui, x, middle - ui.px(10), middle + ui.px(10));

  float right = r.right() - ui.px(8);
  const bool has_words = r.w >= ui.px(kWordsFrom);
  // `shown` in place of the word, whose width stays: nothing moves.
  const auto button = [&](const char* id, std::string_view word, StateAction act,
                          ActionButtonOptions options, std::string_view shown = {}) {
    if (has_words) options.word = shown.empty() ? word : shown;
    const float width =
        has_words ? std::max(ui.px(40), TextWidth(ui.fonts.tiny, word) + ui.px(10)) : ui.px(32);
    const float height = ui.px(has_words ? 42 : 32);
    right -= width;
    ActionButton(state, id, act, {right, middle - 0.5f * height, width, height}, options);
    right -= ui.px(4);
  };
  button("keys", "Keys", OpenPalette, {});
  const bool dark = ui.theme.dark;
  button("theme", dark ? "Light" : "Dark", ToggleTheme,
         {.name = dark ? "Light theme" : "Dark theme", .icon = dark ? Icon::kSun : Icon::kMoon});
  button("screenshot", "Picture", TakeScreenshot, {});
  const bool recording = state->scene->snapshot->is_recording;
  const std::string time = recording && state->recording ? RecordedTime(*state) : "";
  button(
      "record", "Record", ToggleRecording,
      {.name = recording ? "Stop recording " + time : "", .on = recording, .tint = ui.theme.error},
      recording && time.empty() ? "Stop" : time);
  const bool takes_input = !state->scene->session.is_replay();
  button("push", "Push", PushNow, {.on = state->scene->push.is_repeating, .enabled = takes_input});
  button("throw", "Throw", ThrowOff, {.enabled = takes_input});
  right -= ui.px(8);
  const float runs_right = right;
  if (!takes_input) BeginGreyed();
  right = DrawRunChoice(state, runs_right, middle);
  if (!takes_input) {
    EndGreyed(ui, {right, r.y, runs_right - right, r.h}, ui.theme.background);
  }
  DrawSceneButton(state, x + ui.px(12), middle, right - ui.px(8));
}

void ActionButton(WindowState* state, const char* id, StateAction act, const Rect& r,
                  const ActionButtonOptions& options) {
  const Icon icon = options.icon ? *options.icon : ActionOf(act).icon.value();
  if (IconButton(state->ui, id, icon, r, TipOf(act, options.name),
                 {.on = options.on,
                  .enabled = options.enabled,
                  .word = options.word,
                  .tint = options.tint})) {
    act(state);
  }
}

}  // namespace civita
