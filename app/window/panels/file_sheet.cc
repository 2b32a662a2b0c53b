// The sheet that opens a file: recent ones, and what folders hold.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "civita/scenes/schema/config.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr float kFileRow = 30;
constexpr std::size_t kRecentAtFirst = 5;  // while nothing is typed
constexpr int kPageOfRows = 10;            // rows

struct FileRow {
  fs::path path;
  std::string name, detail;
  bool is_folder = false;
  Icon icon = Icon::kFile;
  std::string_view heading = {};
};

std::string_view KindOf(const fs::path& file) {
  if (IsConfigName(file)) return "config";
  if (!IsModelName(file)) return "recorded run";
  return file.extension() == ".urdf" ? "URDF" : "MJCF";
}

Icon IconOf(FolderEntry::Kind kind) {
  if (kind == FolderEntry::Kind::kFolder) return Icon::kFolder;
  return kind == FolderEntry::Kind::kRun ? Icon::kRecord : Icon::kFile;
}

// A path is followed, other text filters.
bool IsPath(const std::string& text) { return text.find('/') != text.npos; }

// Null while it is being read.
const FolderListing* Listing(WindowState* state) {
  const fs::path& folder = state->launcher.folder;
  auto& lane = state->folder_lane;
  lane.Update(folder, [](const fs::path& path) { return [path] { return ListFolder(path); }; });
  return lane.is_computing() || lane.key() != folder ? nullptr : &lane.result();
}

void AddRecent(const LauncherState& launcher, std::vector<FileRow>* rows) {
  std::string_view heading = "Recent";
  for (const std::string& recent : launcher.recent) {
    if (launcher.filter.empty() && rows->size() == kRecentAtFirst) return;
    const fs::path path(recent);
    if (!ContainsWords(recent, launcher.filter)) continue;
    const bool is_run = KindOf(path) == "recorded run";
    rows->push_back({path, path.filename().string(), path.parent_path().string(), false,
                     is_run ? Icon::kRecord : Icon::kFile, std::exchange(heading, {})});
  }
}

// Those whose names begin with the filter are before those that have it within.
void AddFolder(const LauncherState& launcher, const FolderListing& listing,
               std::vector<FileRow>* rows) {
  const auto begin = static_cast<std::ptrdiff_t>(rows->size());
  for (const FolderEntry& entry : listing.entries) {
    if (!ContainsWords(entry.name, launcher.filter)) continue;
    const fs::path path = launcher.folder / entry.name;
    const bool is_folder = entry.kind == FolderEntry::Kind::kFolder;
    rows->push_back({path, entry.name, is_folder ? "" : std::string(KindOf(path)), is_folder,
                     IconOf(entry.kind)});
  }
  std::stable_partition(rows->begin() + begin, rows->end(), [&](const FileRow& row) {
    return ContainsWords(row.name.substr(0, launcher.filter.size()), launcher.filter);
  });
}

std::vector<FileRow> FileRows(const LauncherState& launcher, const FolderListing* listing) {
  std::vector<FileRow> rows;
  if (IsPath(launcher.filter)) return rows;
  if (launcher.filter.empty() || !launcher.is_path_typed) AddRecent(launcher, &rows);
  const std::size_t recent = rows.size();
  if (launcher.filter.empty() && launcher.folder.has_relative_path()) {
    rows.push_back({launcher.folder.parent_path(), "..", "the folder above", true, Icon::kFolder});
  }
  if (listing != nullptr) AddFolder(launcher, *listing, &rows);
  if (rows.size() > recent) rows[recent].heading = "Folder";
  return rows;
}

// Leads into a folder; the row of the one that was left, if it is there, is selected.
void EnterFolder(WindowState* state, const fs::path& folder) {
  LauncherState& launcher = state->launcher;
  const bool is_up = folder == launcher.folder.parent_path();
  launcher.left_folder = is_up ? launcher.folder.filename().string() : "";
  launcher.folder = folder;
  if (!launcher.folder.has_filename() && launcher.folder.has_relative_path()) {
    launcher.folder = launcher.folder.parent_path();  // "a/b/"
  }
  launcher.filter.clear();
  ReloadText("##path");
  launcher.selected = 0;
  launcher.error.clear();
  launcher.grab_focus = true;
}

void TakeRow(WindowState* state, const FileRow& row) {
  if (row.is_folder) {
    EnterFolder(state, row.path);
  } else {
    OpenFromSheet(state, row.path.string());
    state->launcher.grab_focus = true;
  }
}

// What was typed, where no row has it.
void TakeTyped(WindowState* state) {
  LauncherState& launcher = state->launcher;
  launcher.grab_focus = true;
  if (launcher.filter.empty()) return;
  const fs::path path = TypedPath(launcher.folder, launcher.filter);
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && !IsRunFolder(path)) {
    EnterFolder(state, path);
  } else if (fs::exists(path, ignored)) {
    OpenFromSheet(state, path.string());
  } else {
    launcher.error = "No such file: " + path.string();
  }
}

void HandleFileKeys(WindowState* state, const std::vector<FileRow>& rows, bool was_empty) {
  LauncherState& launcher = state->launcher;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key); };
  const int last = std::max(0, static_cast<int>(rows.size()) - 1);
  const int before = launcher.selected;
  launcher.selected += pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow) +
                       kPageOfRows * (pressed(ImGuiKey_PageDown) - pressed(ImGuiKey_PageUp));
  launcher.selected = std::clamp(launcher.selected, 0, last);
  launcher.scrolls = launcher.scrolls || launcher.selected != before;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) launcher.is_open = false;
  const FileRow* row = rows.empty() ? nullptr : &rows[static_cast<std::size_t>(launcher.selected)];
  if (IsEnterPressed()) {
    return row != nullptr ? TakeRow(state, *row) : TakeTyped(state);
  }
  if (!was_empty || !launcher.filter.empty()) return;  // these keys are the text's
  if (pressed(ImGuiKey_Backspace) || pressed(ImGuiKey_LeftArrow)) {
    if (launcher.folder.has_relative_path()) EnterFolder(state, launcher.folder.parent_path());
  } else if (pressed(ImGuiKey_RightArrow) && row != nullptr && row->is_folder) {
    EnterFolder(state, row->path);
  }
}

// The folder's parts, of which each leads there; of a long path the last ones.
void DrawPath(WindowState* state, float x, float middle, float right) {
  const Ui& ui = state->ui;
  const Font font = ui.fonts.body;
  const float gap = ui.px(16);
  struct Part {
    std::string name;
    fs::path path;
  };
  std::vector<Part> parts;
  float width = 0;
  fs::path at = state->launcher.folder;
  for (bool more = true; more; at = at.parent_path()) {
    more = at.has_relative_path();
    const std::string name = more ? at.filename().string() : at.string();
    width += TextWidth(font, name) + gap;
    if (width > right - x - gap && !parts.empty()) {
      parts.insert(parts.begin(), {"…", at});
      break;
    }
    parts.insert(parts.begin(), {name, at});
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    ImGui::PushID(static_cast<int>(i));
    const float end = std::min(right, x + TextWidth(font, part.name));
    const Hit hit = HitBox(
        "part", {x - ui.px(4), middle - ui.px(12), end - x + ui.px(8), ui.px(24)}, Reach::kKeys);
    ImGui::PopID();
    const bool is_last = i + 1 == parts.size();
    TextClipped(ui, is_last ? ui.fonts.strong : font, x, middle, right,
                is_last || hit.hovered ? ui.theme.text : ui.theme.muted, part.name);
    DelayedTooltip(ui, hit, part.path.string());
    if (hit.clicked) EnterFolder(state, fs::path(part.path));
    if (is_last) break;
    x = end + (part.name == "/" ? 0.5f : 1) * gap;
    if (part.name == "/") continue;
    TextMiddle(ui, font, x - 0.5f * gap, middle, ui.theme.faint, "/", Align::kCenter);
  }
}

// Draws a row; true when it was clicked.
bool DrawFileRow(const Ui& ui, const FileRow& row, const Rect& cell, bool is_selected) {
  const Hit hit = HitBox("row", cell, Reach::kKeys);
  if (hit.hovered || is_selected) FillRect(ui, cell, ui.theme.hover, ui.px(5));
  if (is_selected) StrokeRect(ui, cell, ui.theme.accent, ui.px(5));
  const float y = cell.middle_y(), detail_right = cell.right() - ui.px(12);
  const float x = cell.x + ui.px(36);
  DrawIcon(ui, row.icon, cell.x + ui.px(18), std::floor(y),
           row.is_folder ? ui.theme.accent : ui.theme.muted, 15);
  const float end = NameClipped(ui, ui.fonts.body, x, y, detail_right, ui.theme.text, row.name);
  const std::string detail =
      Shortened(ui.fonts.small, std::max(0.0f, detail_right - end - ui.px(24)), row.detail);
  TextMiddle(ui, ui.fonts.small, detail_right, y, ui.theme.muted, detail, Align::kRight);
  if (detail != row.detail || end >= detail_right) DelayedTooltip(ui, hit, row.path.string());
  return hit.clicked;
}

void DrawFileRows(WindowState* state, const std::vector<FileRow>& rows, const Rect& area) {
  const Ui& ui = state->ui;
  LauncherState& launcher = state->launcher;
  const ImVec2 origin = BeginScroll(ui, "files", area);
  const float height = ui.px(kFileRow);
  float y = origin.y;
  int taken = -1;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const FileRow& row = rows[static_cast<std::size_t>(i)];
    if (!row.heading.empty()) {
      if (i > 0) y += ui.px(6);
      SectionLabel(ui, origin.x + ui.px(10), y + 0.5f * height, row.heading);
      y += height;
    }
    const Rect cell{origin.x, y, area.w - ui.px(12), height};
    y += height;
    if (launcher.scrolls && i == launcher.selected) {
      ImGui::SetCursorScreenPos(cell.min());
      ImGui::Dummy(ImVec2(1, cell.h));
      ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
      launcher.scrolls = false;
    }
    if (cell.bottom() < area.y || cell.y > area.bottom()) continue;
    ImGui::PushID(i);
    if (DrawFileRow(ui, row, cell, i == launcher.selected)) taken = i;
    ImGui::PopID();
  }
  EndScroll(y + ui.px(4));
  if (taken >= 0) TakeRow(state, rows[static_cast<std::size_t>(taken)]);
}

// In the place of rows: why there are none.
void DrawNoRows(const Ui& ui, const LauncherState& launcher, const FolderListing* listing,
                float middle_x, float y) {
  const bool is_path = IsPath(launcher.filter);
  const std::string_view text = is_path              ? "Enter opens this path"
                                : listing == nullptr ? "Reading the folder …"
                                                     : "Nothing of that name";
  TextMiddle(ui, ui.fonts.body, middle_x, y, ui.theme.text, text, Align::kCenter);
  if (is_path) {
    TextMiddle(ui, ui.fonts.small, middle_x, y + ui.px(24), ui.theme.muted,
               TypedPath(launcher.folder, launcher.filter).string(), Align::kCenter);
  }
}

// The text field; a path leads into its folder at once, of which its last part then filters.
void DrawPathField(WindowState* state, const Rect& field) {
  LauncherState& launcher = state->launcher;
  const bool grabs = std::exchange(launcher.grab_focus, false);
  if (!TextInput(state->ui, "##path", field, &launcher.filter, "Type to find, or a path",
                 Icon::kSearch, grabs)) {
    return;
  }
  launcher.selected = 0;
  launcher.error.clear();
  if (!IsPath(launcher.filter)) return;
  const std::size_t name = launcher.filter.rfind('/') + 1;
  std::string rest = launcher.filter.substr(name);
  const fs::path typed = TypedPath(launcher.folder, launcher.filter.substr(0, name));
  // A disk may be slow: it is asked once for each folder, not for each letter.
  if (rest == "." || rest == ".." || typed == launcher.missing) return;
  std::error_code ignored;
  if (!fs::is_directory(typed, ignored)) {
    launcher.missing = typed;
    return;
  }
  EnterFolder(state, typed);
  launcher.filter = std::move(rest);
  launcher.is_path_typed = true;
  launcher.grab_focus = false;  // the field has it, and selects its text when it gets it
}

// Once its folder has been read.
void SelectLeftFolder(LauncherState* launcher, const std::vector<FileRow>& rows) {
  const std::string left = std::exchange(launcher->left_folder, {});
  const auto found = std::ranges::find_if(
      rows, [&](const FileRow& row) { return row.is_folder && row.name == left; });
  if (found == rows.end()) return;
  launcher->selected = static_cast<int>(found - rows.begin());
  launcher->scrolls = true;
}

}  // namespace

void DrawFileSheet(WindowState* state, float width, float height) {
  LauncherState& launcher = state->launcher;
  if (!launcher.is_open || !launcher.shows_files) return;
  const Ui& ui = state->ui;
  const float pad = ui.px(kSheetPad);
  Rect sheet;
  sheet.w = std::min(ui.px(820), width - ui.px(48));
  sheet.h = std::min(ui.px(640), height - ui.px(80));
  if (BeginSheet(ui, "files", width, height, &sheet, "Open a file", 36)) launcher.is_open = false;
  const bool was_empty = launcher.filter.empty();
  DrawPathField(state,
                {sheet.right() - pad - ui.px(340), sheet.y + ui.px(20), ui.px(300), ui.px(32)});
  DrawPath(state, sheet.x + pad, sheet.y + ui.px(80), sheet.right() - pad);
  // After this frame's input, which may include enter.
  const FolderListing* listing = Listing(state);
  const std::vector<FileRow> rows = FileRows(launcher, listing);
  if (listing != nullptr && !launcher.left_folder.empty()) SelectLeftFolder(&launcher, rows);
  if (listing != nullptr && launcher.error.empty()) launcher.error = listing->error;
  const float top = sheet.y + ui.px(104), foot = sheet.bottom() - ui.px(kSheetFoot);
  DrawFileRows(state, rows,
               {sheet.x + pad - ui.px(8), top, sheet.w - 2 * pad + ui.px(16), foot - top});
  if (rows.empty()) DrawNoRows(ui, launcher, listing, sheet.middle_x(), 0.5f * (top + foot));
  DrawSheetFoot(ui, launcher, sheet, "Configs, MJCF, URDF and recorded runs",
                "enter  open      ←  up      esc  close");
  HandleFileKeys(state, rows, was_empty);
  if (IsClickedBeside(sheet)) launcher.is_open = false;
  ImGui::End();
}

}  // namespace civita
