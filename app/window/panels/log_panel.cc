#include <string>

#include "app/window/panels/panels.h"
#include "app/window/terms.h"

namespace civita {
namespace {

Rgb LineColor(const Theme& theme, LogLine::Kind kind) {
  switch (kind) {
    case LogLine::Kind::kWarning:
      return theme.warn;
    case LogLine::Kind::kError:
      return theme.error;
    case LogLine::Kind::kAction:
      return theme.text;
    default:
      return theme.muted;
  }
}

}  // namespace

float DrawLogPanel(WindowState* state, float x, float y, float width) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float top = y, indent = ui.px(66);
  int number = 0;
  for (const LogLine& line : state->scene->log.lines()) {
    TextMiddle(ui, draw, ui.fonts.small, x, y + ui.px(8), ToImU32(ui.theme.faint),
               Fixed(line.t, 3, 7));
    const float height = TextWrapped(draw, ui.fonts.small, x + indent, y + ui.px(1), width - indent,
                                     ToImU32(LineColor(ui.theme, line.kind)), line.text);
    const std::string id = "line " + std::to_string(number++);
    if (const std::string text = ExplainWordsOf(line.text); !text.empty()) {
      DelayedTooltip(ui, HitBox(id.c_str(), {x, y, width, height}), text);
    }
    y += height + ui.px(7);
  }
  return y - top;
}

}  // namespace civita
