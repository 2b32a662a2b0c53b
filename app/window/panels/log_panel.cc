
#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

constexpr float kFieldHeight = 44;  // of the strip with the search, logical px

// In the order of LogLine::Kind.
constexpr Rgb Theme::*kLineColors[] = {&Theme::muted, &Theme::text, &Theme::text, &Theme::warn,
                                       &Theme::error};

// A line as it is copied.
std::string TextOf(const LogLine& line) {
  return Fixed(line.t, 3) + "\t" + ExportText(line.text) + "\n";
}

// Draws a line; a click copies it. Returns its height.
float DrawLine(WindowState* state, const LogLine& line, int id, float x, float y, float width) {
  const Ui& ui = state->ui;
  const bool is_scene = line.kind == LogLine::Kind::kScene;
  const float indent = is_scene ? 0 : ui.px(66);
  const Font font = is_scene ? ui.fonts.strong : ui.fonts.small;
  const Rgb color = ui.theme.*kLineColors[static_cast<std::size_t>(line.kind)];
  const float height = TextHeight(font, width - indent, line.text);
  ImGui::PushID(id);
  const Hit hit =
      HitBox("line", {x - ui.px(6), y - ui.px(2), width + ui.px(12), height + ui.px(5)});
  ImGui::PopID();
  if (hit.hovered) {
    FillRect(ui, {x - ui.px(6), y - ui.px(2), width + ui.px(12), height + ui.px(5)}, ui.theme.hover,
             ui.px(4));
  }
  const std::string words = ExplainWordsOf(line.text);
  DelayedTooltip(ui, hit, words.empty() ? "Click to copy" : words);
  if (hit.clicked) {
    ImGui::SetClipboardText(TextOf(line).c_str());
    ShowToast(state, "Copied");
  }
  if (!is_scene) {
    TextMiddle(ui, ui.fonts.small, x, y + ui.px(8), ui.theme.faint, Fixed(line.t, 3, 7));
  }
  TextWrapped(ui, font, x + indent, y + ui.px(1), width - indent, color, line.text);
  return height + ui.px(7);
}

}  // namespace

void DrawLogPanel(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  const float x = column->x, width = column->width;
  const std::deque<LogLine>& lines = state->scene->log.lines();
  const auto is_shown = [state](const LogLine& line) {
    return ContainsWords(line.text, state->log_filter);
  };
  // The search stays at the top while the lines scroll below it.
  const float top = ImGui::GetWindowPos().y;
  const Rect field{x, top + ui.px(8), width - ui.px(36), ui.px(30)};
  TextInput(ui, "##find", field, &state->log_filter, "Find in the log", Icon::kSearch);
  if (IconButton(ui, "copy", Icon::kCopy,
                 {x + width - ui.px(28), top + ui.px(9), ui.px(28), ui.px(28)},
                 "Copy the lines shown")) {
    std::string text;
    for (const LogLine& line : lines) {
      if (is_shown(line)) text += TextOf(line);
    }
    ImGui::SetClipboardText(text.c_str());
    ShowToast(state, "Copied");
  }
  column->Skip(kFieldHeight - 8);
  ImGui::PushClipRect(ImVec2(x - ui.px(8), top + ui.px(kFieldHeight)),
                      ImVec2(x + width + ui.px(8), top + ImGui::GetWindowHeight()), true);
  int id = 0;
  for (const LogLine& line : lines) {
    if (is_shown(line)) column->y += DrawLine(state, line, id, x, column->y, width);
    ++id;
  }
  ImGui::PopClipRect();
}

}  // namespace civita
