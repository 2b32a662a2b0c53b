
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/render/view_input.h"

namespace civita {
namespace {

constexpr float kCardWidth = 216, kPictureHeight = 135, kCardTextHeight = 78, kTileGap = 16;
constexpr std::string_view kAll = "All", kRecent = "Recent";

// One card: a scene of the table or a file opened before.
struct Entry {
  const SceneInfo* info = nullptr;
  std::string path;  ///< for files

  std::string name() const {
    return info != nullptr ? std::string(info->title)
                           : std::filesystem::path(path).filename().string();
  }
  std::string target() const { return info != nullptr ? std::string(info->name) : path; }
};

bool Matches(const Entry& entry, const std::string& filter) {
  std::string text = entry.name() + " " + entry.target();
  if (entry.info != nullptr) {
    text += " " + std::string(entry.info->line) + " " + std::string(entry.info->group);
  }
  return ContainsWords(text, filter);
}

std::vector<std::string_view> Groups(const LauncherState& launcher) {
  std::vector<std::string_view> groups = {kAll};
  for (const SceneInfo& info : Scenes()) {
    if (std::find(groups.begin(), groups.end(), info.group) == groups.end()) {
      groups.push_back(info.group);
    }
  }
  if (!launcher.recent.empty()) groups.push_back(kRecent);
  return groups;
}

std::vector<Entry> Entries(const LauncherState& launcher, std::string_view group) {
  std::vector<Entry> entries;
  for (const SceneInfo& info : Scenes()) {
    if (group == kAll || group == info.group) entries.push_back({&info, {}});
  }
  if (group == kAll || group == kRecent) {
    for (const std::string& path : launcher.recent) entries.push_back({nullptr, path});
  }
  std::erase_if(entries, [&](const Entry& entry) { return !Matches(entry, launcher.filter); });
  return entries;
}

void Open(WindowState* state, const Entry& entry) {
  if (entry.info == nullptr) return OpenFromSheet(state, entry.path);
  OpenScene(state, entry.target());
  state->launcher.is_open = false;
}

// Draws the dashed rounded outline of the drop zone.
void DrawDashedOutline(const Ui& ui, const Rect& r, ImU32 color) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PathRect(ImVec2(r.x + 0.5f, r.y + 0.5f), ImVec2(r.right() - 0.5f, r.bottom() - 0.5f),
                 ui.px(10));
  std::vector<ImVec2> path(draw->_Path.Data, draw->_Path.Data + draw->_Path.Size);
  draw->PathClear();
  path.push_back(path.front());
  const float dash = ui.px(5);
  float walked = 0;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const ImVec2 a = path[i], b = path[i + 1];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    for (float at = 0; at < length;) {
      const float phase = std::fmod(walked + at, 2 * dash);
      const bool inked = phase < dash;
      const float next = std::fmin(length, at + (inked ? dash : 2 * dash) - phase + 0.01f);
      if (inked) {
        const auto point = [&](float s) {
          return ImVec2(a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length);
        };
        draw->AddLine(point(at), point(next), color, ui.hairline());
      }
      at = next;
    }
    walked += length;
  }
}

void DrawDropZone(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  const Hit hit = HitBox("drop", r, Reach::kKeys);
  DrawDashedOutline(ui, r, ToImU32(hit.hovered ? ui.theme.accent : ui.theme.strong));
  DrawIcon(ui, Icon::kFile, r.middle_x(), r.y + ui.px(74), ui.theme.muted, 28);
  TextMiddle(ui, ui.fonts.strong, r.middle_x(), r.y + ui.px(118), ui.theme.text, "Drop a file here",
             Align::kCenter);
  TextMiddle(ui, ui.fonts.small, r.middle_x(), r.y + ui.px(140), ui.theme.muted,
             "config, MJCF, URDF or recorded run,", Align::kCenter);
  TextMiddle(ui, ui.fonts.small, r.middle_x(), r.y + ui.px(158), ui.theme.muted,
             "or click to choose one", Align::kCenter);
  DelayedTooltip(ui, hit, TipOf(OpenFiles));
  if (hit.clicked) OpenFiles(state);
}

// Draws one scene. Returns whether it was clicked.
bool DrawEntry(const Ui& ui, const Entry& entry, unsigned texture, const Rect& r, bool running,
               bool selected) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Theme& theme = ui.theme;
  const Hit hit = HitBox("card", r, Reach::kKeys);
  FillRect(ui, r, hit.hovered ? theme.hover : theme.raised, ui.px(10));
  const Rect picture{r.x, r.y, r.w, ui.px(kPictureHeight)};
  if (texture != 0) {
    draw->AddImageRounded(ToTextureId(texture), picture.min(), picture.max(), ImVec2(0, 1),
                          ImVec2(1, 0), IM_COL32_WHITE, ui.px(10), ImDrawFlags_RoundCornersTop);
  } else {
    draw->AddRectFilled(picture.min(), picture.max(), ToImU32(theme.view_horizon), ui.px(10),
                        ImDrawFlags_RoundCornersTop);
    DrawIcon(ui, Icon::kFile, picture.middle_x(), picture.middle_y(), theme.faint, 24);
  }
  // The running card has its badge; the ring is that of the card which enter opens.
  if (selected) {
    const float out = ui.px(1);
    draw->AddRect(ImVec2(r.x - out, r.y - out), ImVec2(r.right() + out, r.bottom() + out),
                  ToImU32(theme.accent), ui.px(11), ui.px(2));
  } else {
    StrokeRect(ui, r, hit.hovered ? theme.strong : theme.border, ui.px(10));
  }
  const float title_y = picture.bottom() + ui.px(20);
  const std::string_view kind = entry.info == nullptr ? "file" : "";
  const float kind_x = r.right() - ui.px(12) - TextWidth(ui.fonts.small, kind);
  TextMiddle(ui, ui.fonts.small, kind_x, title_y, theme.muted, kind);
  NameClipped(ui, ui.fonts.strong, r.x + ui.px(12), title_y, kind_x - ui.px(8), theme.text,
              entry.name());
  draw->PushClipRect(r.min(), r.max(), true);
  TextWrapped(ui, ui.fonts.small, r.x + ui.px(12), picture.bottom() + ui.px(34), r.w - ui.px(24),
              theme.muted, entry.info != nullptr ? entry.info->line : entry.path);
  draw->PopClipRect();
  if (running) {
    const Rect badge{r.x + ui.px(10), r.y + ui.px(10),
                     TextWidth(ui.fonts.small, "running") + ui.px(18), ui.px(22)};
    FillRect(ui, badge, theme.accent, 0.5f * badge.h);
    TextMiddle(ui, ui.fonts.small, badge.middle_x(), badge.middle_y(), theme.accent_ink, "running",
               Align::kCenter);
  }
  return hit.clicked;
}

// Arrow keys move the selection, enter opens it (or the typed path), esc closes.
void HandleLauncherKeys(WindowState* state, const std::vector<Entry>& entries, int columns) {
  LauncherState& launcher = state->launcher;
  const int last = static_cast<int>(entries.size()) - 1;
  const auto move = [&](int step) {
    launcher.selected = std::clamp(launcher.selected + step, 0, std::max(0, last));
  };
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) move(columns);
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) move(-columns);
  if (launcher.filter.empty() && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) move(1);
  if (launcher.filter.empty() && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) move(-1);
  launcher.selected = std::clamp(launcher.selected, 0, std::max(0, last));
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) launcher.is_open = false;
  if (!IsEnterPressed()) return;
  std::error_code ignored;
  if (last >= 0) {
    Open(state, entries[static_cast<std::size_t>(launcher.selected)]);
  } else if (std::filesystem::is_regular_file(launcher.filter, ignored)) {
    Open(state, {nullptr, launcher.filter});
  } else {
    launcher.error = "No scene and no file is called " + launcher.filter;
    launcher.grab_focus = true;
  }
}

// Draws the filter and the row of groups.
void DrawLauncherHeader(WindowState* state, const Rect& sheet,
                        const std::vector<std::string_view>& groups) {
  const Ui& ui = state->ui;
  LauncherState& launcher = state->launcher;
  const float pad = ui.px(kSheetPad);
  const Rect field{sheet.right() - pad - ui.px(280), sheet.y + ui.px(20), ui.px(240), ui.px(32)};
  if (TextInput(ui, "##filter", field, &launcher.filter, "Filter or path", Icon::kSearch,
                launcher.grab_focus)) {
    launcher.selected = 0;
    launcher.error.clear();
  }
  launcher.grab_focus = false;
  float x = sheet.x + pad;
  for (int i = 0; i < static_cast<int>(groups.size()); ++i) {
    const std::string group(groups[static_cast<std::size_t>(i)]);
    const Rect pill{x, sheet.y + ui.px(68), TextWidth(ui.fonts.small, group) + ui.px(24),
                    ui.px(28)};
    if (Pill(ui, group.c_str(), group, pill, launcher.group == i)) {
      launcher.group = i;
      launcher.selected = 0;
    }
    x = pill.right() + ui.px(8);
  }
}

void DrawEntries(WindowState* state, const std::vector<Entry>& entries, const Rect& area,
                 int columns, const FindThumbnail& thumbnail) {
  const Ui& ui = state->ui;
  const float gap = ui.px(kTileGap), width = ui.px(kCardWidth);
  const float height = ui.px(kPictureHeight + kCardTextHeight);
  const ImVec2 origin = BeginScroll(ui, "entries", area);
  const int count = static_cast<int>(entries.size());
  const auto place = [&](int i) {
    const int row = i / columns, column = i % columns;
    return Rect{origin.x + ui.px(4) + static_cast<float>(column) * (width + gap),
                origin.y + ui.px(4) + static_cast<float>(row) * (height + gap), width, height};
  };
  for (int i = 0; i < count; ++i) {
    const Entry& entry = entries[static_cast<std::size_t>(i)];
    const unsigned texture = entry.info != nullptr ? thumbnail(*entry.info) : 0;
    ImGui::PushID(i);
    if (DrawEntry(ui, entry, texture, place(i), entry.target() == state->opened,
                  i == state->launcher.selected)) {
      Open(state, entry);
    }
    ImGui::PopID();
  }
  if (count == 0) {
    const Rect card = place(0);
    TextMiddle(ui, ui.fonts.body, card.right() + gap, card.y + ui.px(80), ui.theme.text,
               "No scene matches; enter opens a file at this path");
  }
  DrawDropZone(state, place(count));
  EndScroll(place(count).bottom() + ui.px(4));
}

}  // namespace

void OpenFromSheet(WindowState* state, const std::string& path) {
  OpenScene(state, path);
  LauncherState& launcher = state->launcher;
  launcher.opening = path;
  launcher.error.clear();
  launcher.selected = 0;  // the newest of the recent ones now
}

void DrawSheetFoot(const Ui& ui, const LauncherState& launcher, const Rect& sheet,
                   std::string_view hint, std::string_view keys) {
  const float foot = sheet.bottom() - ui.px(kSheetFoot), y = foot + ui.px(0.5f * kSheetFoot);
  const float x = sheet.x + ui.px(kSheetPad), end = sheet.right() - ui.px(kSheetPad);
  DrawRule(ui, sheet.x + ui.hairline(), sheet.right() - ui.hairline(), foot);
  TextMiddle(ui, ui.fonts.small, end, y, ui.theme.muted, keys, Align::kRight);
  const float right = end - TextWidth(ui.fonts.small, keys) - ui.px(24);
  if (launcher.error.empty()) {
    const std::string opening = "Opening " + launcher.opening;
    TextClipped(ui, ui.fonts.small, x, y, right, ui.theme.muted,
                launcher.opening.empty() ? hint : opening);
    return;
  }
  DrawIcon(ui, Icon::kWarning, x + ui.px(7), y, ui.theme.error, 14);
  const float shown =
      TextClipped(ui, ui.fonts.small, x + ui.px(20), y, right, ui.theme.error, launcher.error);
  const Hit hit = HitBox("error", {x, y - ui.px(12), shown - x, ui.px(24)});
  if (hit.hovered) Tooltip(ui, launcher.error);
}

void DrawLauncher(WindowState* state, float width, float height, const FindThumbnail& thumbnail) {
  if (!state->launcher.is_open || state->launcher.shows_files) return;
  const Ui& ui = state->ui;
  LauncherState& launcher = state->launcher;
  const std::vector<std::string_view> groups = Groups(launcher);
  launcher.group = std::min(launcher.group, static_cast<int>(groups.size()) - 1);
  const int columns = width >= ui.px(1180) ? 4 : 3;
  const float pad = ui.px(kSheetPad), gap = ui.px(kTileGap);
  const int rows = std::max(2, (static_cast<int>(Scenes().size()) + columns) / columns);
  const float row_height = ui.px(kPictureHeight + kCardTextHeight);
  const float wanted = ui.px(168) + static_cast<float>(rows) * (row_height + gap);
  Rect sheet;
  sheet.w = 2 * pad + static_cast<float>(columns) * (ui.px(kCardWidth) + gap) - gap;
  sheet.h = std::min(wanted, height - ui.px(80));
  if (BeginSheet(ui, "launcher", width, height, &sheet, "Scenes", 36)) launcher.is_open = false;
  DrawLauncherHeader(state, sheet, groups);
  // After this frame's input, which may include enter.
  const std::vector<Entry> entries =
      Entries(launcher, groups[static_cast<std::size_t>(launcher.group)]);
  const float top = sheet.y + ui.px(110), foot = sheet.bottom() - ui.px(kSheetFoot);
  DrawEntries(state, entries, {sheet.x + pad - ui.px(4), top, sheet.w - pad, foot - top}, columns,
              thumbnail);
  DrawSheetFoot(ui, launcher, sheet,
                "The present scene keeps running until the next one has loaded.",
                "enter  open      esc  close");
  HandleLauncherKeys(state, entries, columns);
  if (IsClickedBeside(sheet)) launcher.is_open = false;
  ImGui::End();
}

}  // namespace civita
