#include "app/window/widgets/widgets.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/window/widgets/ui.h"

namespace civita {
namespace {

constexpr float kTooltipDelay = 0.45f;  // seconds
constexpr float kTooltipWidth = 320;    // logical pixels, maximum width of a line

}  // namespace

Hit HitBox(const char* id, const Rect& r, Reach reach) {
  ImGui::SetCursorScreenPos(r.min());
  const ImVec2 size(std::max(1.0f, r.w), std::max(1.0f, r.h));
  const bool clicked = ImGui::InvisibleButton(
      id, size, reach == Reach::kKeys ? ImGuiButtonFlags_EnableNav : ImGuiButtonFlags_None);
  return {ImGui::IsItemHovered(), ImGui::IsItemActive(), clicked, ImGui::IsItemFocused()};
}

bool IsEnterPressed() {
  return ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
         ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
}

void BeginGreyed() { ImGui::BeginDisabled(); }

void EndGreyed(const Ui& ui, const Rect& r, std::optional<Rgb> ground) {
  constexpr float kGrey = 0.55f;
  ImGui::EndDisabled();
  FillRect(ui, r, {ground.value_or(ui.theme.surface), kGrey});
}

void Tooltip(const Ui& ui, std::string_view text) {
  const PopupStyle style(ui, 10, 7);
  ImGui::BeginTooltip();
  ImGui::PushFont(ui.fonts.small.face, ui.fonts.small.px);
  const std::size_t split = text.find("  ");
  ImGui::PushTextWrapPos(ui.px(kTooltipWidth));
  ImGui::TextUnformatted(text.data(), text.data() + std::min(split, text.size()));
  ImGui::PopTextWrapPos();
  if (split != text.npos) {
    const std::string_view key = text.substr(split + 2);
    ImGui::SameLine(0, ui.px(12));
    ImGui::PushStyleColor(ImGuiCol_Text, ToImU32(ui.theme.muted));
    ImGui::TextUnformatted(key.data(), key.data() + key.size());
    ImGui::PopStyleColor();
  }
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void DelayedTooltip(const Ui& ui, const Hit& hit, std::string_view text) {
  if (!text.empty() && hit.hovered && !hit.held && GImGui->HoveredIdTimer > kTooltipDelay) {
    Tooltip(ui, text);
  }
}

bool IconButton(const Ui& ui, const char* id, Icon icon, const Rect& r, std::string_view tip,
                IconButtonOptions options) {
  const Hit hit = HitBox(id, r, Reach::kKeys);
  const Theme& theme = ui.theme;
  const bool lit = options.enabled && (hit.hovered || hit.held);
  const Rgb tint = options.tint.value_or(theme.accent);
  if (options.on) {
    FillRect(ui, r, {tint, theme.tint_alpha}, ui.px(6));
  } else if (lit) {
    FillRect(ui, r, theme.hover, ui.px(6));
  }
  const Ink color = !options.enabled ? Ink(theme.faint, 0.45f)
                    : options.on     ? Ink(tint)
                                     : Ink(lit ? theme.text : theme.muted);
  const float middle = r.middle_y() - (options.word.empty() ? 0 : ui.px(8));
  DrawIcon(ui, icon, std::floor(r.middle_x()), std::floor(middle), color);
  const Ink ink = options.enabled && options.on ? theme.text : color;
  TextMiddle(ui, ui.fonts.tiny, r.middle_x(), r.middle_y() + ui.px(11), ink, options.word,
             Align::kCenter);
  DelayedTooltip(ui, hit, tip);
  return hit.clicked && options.enabled;
}

bool Button(const Ui& ui, const char* id, std::string_view label, const Rect& r, ButtonKind kind,
            std::optional<Icon> icon, bool enabled) {
  const Hit hit = HitBox(id, r, Reach::kKeys);
  const Theme& theme = ui.theme;
  const bool primary = kind == ButtonKind::kPrimary && enabled;
  Rgb fill = primary ? theme.accent : enabled ? theme.raised : theme.surface;
  if (enabled && hit.hovered) fill = primary ? Mix(fill, theme.text, 0.12f) : theme.hover;
  if (enabled && hit.held) fill = Mix(fill, theme.background, 0.15f);
  FillRect(ui, r, fill, ui.px(6));
  if (!primary) StrokeRect(ui, r, theme.border, ui.px(6));
  const Font font = primary ? ui.fonts.strong : ui.fonts.body;
  const Rgb ink = !enabled ? theme.faint : primary ? theme.accent_ink : theme.text;
  const float icon_width = icon ? ui.px(22) : 0;
  const float x = r.x + 0.5f * (r.w - TextWidth(font, label) - icon_width);
  if (icon) DrawIcon(ui, *icon, x + ui.px(7), std::floor(r.middle_y()), ink, 14);
  TextMiddle(ui, font, x + icon_width, r.middle_y(), ink, label);
  return hit.clicked && enabled;
}

bool PlayButton(const Ui& ui, const char* id, bool playing, const Rect& r, std::string_view tip) {
  const Hit hit = HitBox(id, r, Reach::kKeys);
  const Rgb fill = hit.hovered ? Mix(ui.theme.accent, ui.theme.text, 0.12f) : ui.theme.accent;
  FillCircle(ui, ImVec2(r.middle_x(), r.middle_y()), 0.5f * r.w, fill, 48);
  // the centre of a triangle is left of that of its box
  const float nudge = playing ? 0 : ui.px(1);
  DrawIcon(ui, playing ? Icon::kPause : Icon::kPlay, r.middle_x() + nudge, r.middle_y(),
           ui.theme.accent_ink, 15);
  DelayedTooltip(ui, hit, tip);
  return hit.clicked;
}

bool Pill(const Ui& ui, const char* id, std::string_view label, const Rect& r, bool on) {
  const Hit hit = HitBox(id, r, Reach::kKeys);
  const Theme& theme = ui.theme;
  if (on) {
    FillRect(ui, r, {theme.accent, theme.tint_alpha}, 0.5f * r.h);
  } else {
    StrokeRect(ui, r, hit.hovered ? theme.strong : theme.border, 0.5f * r.h);
  }
  TextMiddle(ui, ui.fonts.small, r.middle_x(), r.middle_y(), on ? theme.accent : theme.text, label,
             Align::kCenter);
  return hit.clicked;
}

bool Segmented(const Ui& ui, const char* id, std::span<const std::string_view> labels,
               int* selected, const Rect& r) {
  const Theme& theme = ui.theme;
  const float pad = ui.px(2);
  const auto count = static_cast<float>(labels.size());
  bool changed = false;
  FillRect(ui, r, theme.dark ? theme.background : theme.raised, ui.px(7));
  StrokeRect(ui, r, theme.border, ui.px(7));
  ImGui::PushID(id);
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const auto index = static_cast<float>(i);
    const float x0 = std::floor(r.x + pad + (r.w - 2 * pad) * index / count);
    const float x1 = std::floor(r.x + pad + (r.w - 2 * pad) * (index + 1) / count);
    ImGui::PushID(i);
    const Hit hit = HitBox("cell", {x0, r.y, x1 - x0, r.h}, Reach::kKeys);
    ImGui::PopID();
    if (hit.clicked && *selected != i) {
      *selected = i;
      changed = true;
    }
    const bool on = *selected == i;
    if (on) {
      const Rect cell{x0, r.y + pad, x1 - x0, r.h - 2 * pad};
      FillRect(ui, cell, theme.selected, ui.px(5));
      StrokeRect(ui, cell, theme.selected_border, ui.px(5));
    }
    TextMiddle(ui, ui.fonts.small, 0.5f * (x0 + x1), r.middle_y(),
               on || hit.hovered ? theme.text : theme.muted, labels[static_cast<std::size_t>(i)],
               Align::kCenter);
  }
  ImGui::PopID();
  return changed;
}

bool Tabs(const Ui& ui, const char* id, std::span<const std::string_view> labels, int* selected,
          const Rect& r) {
  std::vector<int> shown(labels.size()), listed;
  std::iota(shown.begin(), shown.end(), 0);
  const auto gap_with = [&](Font font) {
    float rest = listed.empty() ? r.w : r.w - ui.px(20);
    for (const int i : shown) rest -= TextWidth(font, labels[static_cast<std::size_t>(i)]);
    const float gaps = std::max(1.0f, static_cast<float>(shown.size()) - 1);
    return std::min(ui.px(20), std::floor(rest / gaps));
  };
  Font chosen = ui.fonts.strong, others = ui.fonts.body;
  // Many words in a narrow card are smaller, lest they read as one.
  if (gap_with(chosen) < ui.px(10)) chosen = others = ui.fonts.small;
  while (gap_with(chosen) < ui.px(7) && shown.size() > 2) {
    const auto last = shown.end() - (shown.back() == *selected ? 2 : 1);
    listed.insert(listed.begin(), *last);
    shown.erase(last);
  }
  const float gap = gap_with(chosen);
  bool changed = false;
  float x = r.x;
  ImGui::PushID(id);
  for (const int i : shown) {
    const std::string_view label = labels[static_cast<std::size_t>(i)];
    const float width = TextWidth(chosen, label);
    ImGui::PushID(i);
    const Hit hit = HitBox("tab", {x - 0.5f * gap, r.y, width + gap, r.h}, Reach::kKeys);
    ImGui::PopID();
    if (hit.clicked && *selected != i) {
      *selected = i;
      changed = true;
    }
    const bool on = *selected == i;
    TextMiddle(ui, on ? chosen : others, x + 0.5f * width, r.middle_y(),
               on || hit.hovered ? ui.theme.text : ui.theme.muted, label, Align::kCenter);
    if (on) {
      FillRect(ui, {x, r.bottom() - ui.px(2), width, ui.px(2) + ui.hairline()}, ui.theme.accent,
               ui.px(1));
    }
    x += width + gap;
  }
  if (!listed.empty()) {
    const Rect more{r.right() - ui.px(18), r.middle_y() - ui.px(12), ui.px(22), ui.px(24)};
    const bool clicked = IconButton(ui, "more tabs", Icon::kChevronDown, more, "More tabs");
    std::vector<ListItem> items;
    for (const int i : listed) items.push_back({labels[static_cast<std::size_t>(i)]});
    int of_list = -1;
    if (ListBelow(ui, "tabs", {.clicked = clicked}, items, &of_list, more)) {
      *selected = listed[static_cast<std::size_t>(of_list)];
      changed = true;
    }
  }
  ImGui::PopID();
  return changed;
}

float Chip(const Ui& ui, float x, float y, Swatch swatch, Rgb color, std::string_view label,
           std::string_view detail, std::string_view tip) {
  const Font font = ui.fonts.small;
  const std::string name = ShortenedName(font, ui.px(240), label);
  const std::string more = ShortenedName(font, ui.px(240), detail);
  const float name_width = TextWidth(font, name);
  const float more_width = more.empty() ? 0 : ui.px(6) + TextWidth(font, more);
  const Rect r{x, y, ui.px(36) + name_width + more_width, ui.px(26)};
  FillRect(ui, r, {ui.theme.surface, 0.86f}, 0.5f * r.h);
  StrokeRect(ui, r, {ui.theme.border, 0.9f}, 0.5f * r.h);
  DrawSwatch(ui, swatch, x + ui.px(14), r.middle_y(), color);
  TextMiddle(ui, font, x + ui.px(25), r.middle_y(), ui.theme.text, name);
  TextMiddle(ui, font, x + ui.px(31) + name_width, r.middle_y(), ui.theme.muted, more);
  if (!tip.empty() && r.contains(ImGui::GetIO().MousePos)) Tooltip(ui, tip);
  return r.right();
}

bool TextInput(const Ui& ui, const char* id, const Rect& r, std::string* text,
               std::string_view hint, std::optional<Icon> icon, bool grab_focus) {
  const Theme& theme = ui.theme;
  FillRect(ui, r, theme.raised, ui.px(6));
  float x = r.x + ui.px(10);
  if (icon) {
    DrawIcon(ui, *icon, r.x + ui.px(17), std::floor(r.middle_y()), theme.muted, 15);
    x = r.x + ui.px(34);
  }
  // The frame is drawn here; ImGui's field has none, so that its text is on the common baseline.
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ImVec4(0, 0, 0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  ImGui::PushFont(ui.fonts.body.face, ui.fonts.body.px);
  ImGui::SetCursorScreenPos(
      ImVec2(x, std::floor(r.middle_y() + ui.px(5) - ui.fonts.body.ascent())));
  ImGui::SetNextItemWidth(r.right() - x - ui.px(8));
  if (grab_focus) ImGui::SetKeyboardFocusHere();
  const bool changed = ImGui::InputText(id, text, ImGuiInputTextFlags_AutoSelectAll);
  const bool active = ImGui::IsItemActive();
  ImGui::PopFont();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (text->empty()) {
    TextMiddle(ui, ui.fonts.body, x, r.middle_y(), theme.muted, hint);
  }
  StrokeRect(ui, r, active ? theme.accent : theme.border, ui.px(6));
  return changed;
}

void ReloadText(const char* id) {
  if (ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetID(id))) {
    state->ReloadUserBufAndMoveToEnd();
  }
}

void SectionLabel(const Ui& ui, float x, float mid_y, std::string_view text) {
  TextMiddle(ui, ui.fonts.strong, x, mid_y, ui.theme.text, text);
}

void Column::Title(std::string_view text, float height) {
  SectionLabel(ui, x, y + ui.px(8), text);
  Skip(height);
}

void Column::Text(std::string_view text, float gap, std::optional<Rgb> color) {
  y += TextWrapped(ui, ui.fonts.small, x, y, width, color.value_or(ui.theme.muted), text) +
       ui.px(gap);
}

void Column::Rule(float above, float below) {
  Skip(above);
  DrawRule(ui, x, x + width, y);
  Skip(below);
}

bool Column::Fold(const char* id, std::string_view text, bool* open) {
  const Rect r = Box(22);
  const Hit hit = HitBox(id, r, Reach::kKeys);
  if (hit.clicked) *open = !*open;
  TextMiddle(ui, ui.fonts.small, r.x, r.middle_y(), hit.hovered ? ui.theme.text : ui.theme.muted,
             text);
  DrawIcon(ui, *open ? Icon::kChevronUp : Icon::kChevronDown, r.right() - ui.px(8), r.middle_y(),
           ui.theme.muted, 13);
  y += r.h;
  return *open;
}

void FactRow(const Ui& ui, const Rect& r, std::string_view name, std::string_view value,
             std::string_view unit, std::optional<Rgb> value_color) {
  const Font font = ui.fonts.small;
  const float value_right = r.right() - ui.px(40);
  NameClipped(ui, font, r.x, r.middle_y(), value_right - TextWidth(font, value) - ui.px(8),
              ui.theme.muted, name);
  TextMiddle(ui, font, value_right, r.middle_y(), value_color.value_or(ui.theme.text), value,
             Align::kRight);
  TextMiddle(ui, font, r.right() - ui.px(34), r.middle_y(), ui.theme.muted, unit);
}

ImVec2 BeginScroll(const Ui& ui, const char* id, const Rect& r) {
  ImGui::SetCursorScreenPos(r.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild(id, ImVec2(r.w, r.h), ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar();
  return ImGui::GetCursorScreenPos();
}

void EndScroll(float content_bottom, bool stick_to_end) {
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetWindowPos().x, content_bottom - 1));
  ImGui::Dummy(ImVec2(1, 1));
  if (stick_to_end) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
}

bool BeginSheet(const Ui& ui, const char* id, float width, float height, Rect* place,
                std::string_view title, float row) {
  place->x = std::floor(0.5f * (width - place->w));
  place->y = std::floor(0.5f * (height - place->h));
  const Rect& sheet = *place;
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(width, height));
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  FillRect(ui, {0, 0, width, height}, {ui.theme.scrim, ui.theme.scrim_alpha});
  DrawFloating(ui, sheet, ui.theme.surface, ui.theme.border, 14);
  const float pad = ui.px(kSheetPad);
  TextMiddle(ui, ui.fonts.large, sheet.x + pad, sheet.y + ui.px(row), ui.theme.text, title);
  return IconButton(
      ui, "close", Icon::kClose,
      {sheet.right() - pad - ui.px(26), sheet.y + ui.px(row - 16), ui.px(32), ui.px(32)},
      "Close  esc");
}

bool IsClickedBeside(const Rect& sheet) {
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !sheet.contains(ImGui::GetIO().MousePos);
}

float StatusItem(const Ui& ui, float x, float mid_y, float right, std::string_view label,
                 std::string_view value, Rgb value_color) {
  const Font font = ui.fonts.small;
  const float gap = label.empty() ? 0 : ui.px(6);
  const float label_width = TextWidth(font, label);
  const float width = label_width + gap + TextWidth(font, value);
  if (x + width > right) return x;
  TextMiddle(ui, font, x, mid_y, ui.theme.muted, label);
  TextMiddle(ui, font, x + label_width + gap, mid_y, value_color, value);
  return x + width + ui.px(20);
}

void DrawToast(const Ui& ui, const Toast& toast, double now, const Rect& view) {
  constexpr double kFade = 0.25;  // seconds
  if (toast.text.empty() || now >= toast.until) return;
  const auto alpha = static_cast<float>(std::min(1.0, (toast.until - now) / kFade));
  const Font font = ui.fonts.body;
  const float text_width = std::min(TextWidth(font, toast.text), view.w - ui.px(88));
  const float text_height = TextHeight(font, text_width + 1, toast.text);
  const Rect r{std::floor(view.middle_x() - 0.5f * text_width - ui.px(22)),
               view.bottom() - ui.px(36) - text_height, text_width + ui.px(44),
               text_height + ui.px(20)};
  DrawFloating(ui, r, {ui.theme.popup, alpha},
               {toast.is_error ? ui.theme.error : ui.theme.selected_border, alpha}, 8);
  const Rgb mark = toast.is_error ? ui.theme.error : ui.theme.ok;
  DrawIcon(ui, toast.is_error ? Icon::kWarning : Icon::kCheck, r.x + ui.px(17),
           std::floor(r.y + ui.px(10) + 0.5f * font.px), {mark, alpha}, 15);
  TextWrapped(ui, font, r.x + ui.px(32), r.y + ui.px(10), text_width + 1, {ui.theme.text, alpha},
              toast.text);
}

}  // namespace civita
