#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "app/window/widgets/ui.h"
#include "app/window/widgets/widgets.h"

namespace civita {
namespace {

constexpr float kListRow = 30;  // logical pixels

// Where the keyboard is in a list.
struct ListCursor {
  int at = -1;  // among the entries that are found; −1: nowhere
  bool moved = false;
};

// Moves it by ↑ and ↓; kept while the list is open and its filter stays, then at `first`.
ListCursor MoveCursor(int found, int first, const std::string& filter) {
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID at_id = ImGui::GetID("cursor"), filter_id = ImGui::GetID("cursor's filter");
  const int typed = static_cast<int>(filter.size());
  const bool is_new = ImGui::IsWindowAppearing() || storage->GetInt(filter_id) != typed;
  ListCursor cursor{.at = !is_new ? storage->GetInt(at_id) : filter.empty() ? -1 : first};
  cursor.moved = is_new && cursor.at > 0;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key); };
  const int step = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow);
  if (step != 0 && found > 0) {
    cursor = {std::clamp(cursor.at + step, 0, found - 1), true};
  }
  storage->SetInt(at_id, cursor.at);
  storage->SetInt(filter_id, typed);
  return cursor;
}

// Draws an entry of a list in `cell`; true when it was clicked.
bool DrawListItem(const Ui& ui, const ListItem& item, int id, bool is_selected, bool is_reached,
                  const Rect& cell) {
  ImGui::PushID(id);
  const Hit hit = HitBox("item", cell);
  ImGui::PopID();
  if (is_selected && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
  if (hit.hovered || is_reached) FillRect(ui, cell, ui.theme.hover, ui.px(5));
  const Font font = is_selected ? ui.fonts.strong : ui.fonts.body;
  const float x = cell.x + ui.px(8), y = cell.middle_y();
  NameClipped(ui, font, x, y, cell.right() - ui.px(24), ui.theme.text, item.label);
  if (!item.detail.empty()) {
    TextMiddle(ui, ui.fonts.small, x + TextWidth(font, item.label) + ui.px(6), y, ui.theme.muted,
               item.detail);
  }
  if (is_selected) {
    DrawIcon(ui, Icon::kCheck, cell.right() - ui.px(13), y, ui.theme.accent, 14);
  }
  DelayedTooltip(ui, hit, item.words);
  return hit.clicked;
}

float ListItemWidth(const Ui& ui, const ListItem& item) {
  const float detail = item.detail.empty() ? 0 : TextWidth(ui.fonts.small, item.detail) + ui.px(6);
  return TextWidth(ui.fonts.strong, item.label) + detail + ui.px(48);
}

bool IsFound(const ListItem& item, const std::string& filter) {
  return item.is_always || ContainsWords(std::string(item.label) + " " + std::string(item.detail) +
                                             " " + std::string(item.words),
                                         filter);
}

// The place of a list of this size below `r`, or above it where there is more room.
Rect PlaceList(const Ui& ui, const Rect& r, float width, float height) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float room_below = screen.y - r.bottom() - ui.px(8);
  const bool upward = height > room_below && r.y > room_below;
  const float shown = std::min(height, (upward ? r.y : room_below) - ui.px(4));
  return {std::min(r.x, screen.x - width - ui.px(4)),
          upward ? r.y - shown - ui.px(4) : r.bottom() + ui.px(4), width, shown};
}

// An entry that is found, and the heading above it.
struct FoundItem {
  int index;
  std::string_view heading;
};

std::vector<FoundItem> FindItems(std::span<const ListItem> items, const std::string& filter) {
  std::vector<FoundItem> found;
  std::string_view heading;
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    const ListItem& item = items[static_cast<std::size_t>(i)];
    if (!item.heading.empty()) heading = item.heading;
    if (IsFound(item, filter)) found.push_back({i, std::exchange(heading, {})});
  }
  return found;
}

// Draws the entries that match; true when one was chosen. Enter chooses the one that ↑ and ↓ have
// reached, at first the first whose label begins with what is typed, else the first.
bool DrawListEntries(const Ui& ui, std::span<const ListItem> items, const std::string& filter,
                     float width, int* selected) {
  const float row = ui.px(kListRow);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  float y = origin.y + ui.px(4);
  bool changed = false;
  const bool enter = IsEnterPressed();
  const std::vector<FoundItem> found = FindItems(items, filter);
  const int count = static_cast<int>(found.size());
  const auto item_of = [&](const FoundItem& each) -> const ListItem& {
    return items[static_cast<std::size_t>(each.index)];
  };
  const auto begins = std::ranges::find_if(found, [&](const FoundItem& each) {
    return LowerCase(std::string(item_of(each).label)).starts_with(LowerCase(filter));
  });
  const int first = begins == found.end() ? 0 : static_cast<int>(begins - found.begin());
  const ListCursor cursor = MoveCursor(count, first, filter);
  for (int place = 0; place < count; ++place) {
    const auto& [i, heading] = found[static_cast<std::size_t>(place)];
    const ListItem& item = item_of(found[static_cast<std::size_t>(place)]);
    if (!heading.empty()) {
      SectionLabel(ui, origin.x + ui.px(12), y + 0.6f * row, heading);
      y += row;
    }
    const Rect cell{origin.x + ui.px(4), y, width - ui.px(8), row};
    const bool is_clicked =
        DrawListItem(ui, item, i, item.is_on || i == *selected, place == cursor.at, cell);
    if (cursor.moved && place == cursor.at) ImGui::SetScrollHereY();
    if (is_clicked || (enter && place == cursor.at)) {
      changed = i != *selected;
      *selected = i;
      ImGui::CloseCurrentPopup();
    }
    y += row;
  }
  if (found.empty()) {
    TextMiddle(ui, ui.fonts.body, origin.x + ui.px(12), y + 0.5f * row, ui.theme.muted,
               "Nothing of that name");
    y += row;
  }
  ImGui::SetCursorScreenPos(ImVec2(origin.x, y + ui.px(3)));
  ImGui::Dummy(ImVec2(1, 1));
  return changed;
}

// Draws the list under an open combo; true when an entry was chosen.
bool ComboList(const Ui& ui, const char* popup, std::span<const ListItem> items, int* selected,
               const Rect& r, std::string* filter) {
  if (!ImGui::IsPopupOpen(popup)) return false;
  const float row = ui.px(kListRow), field = filter != nullptr ? ui.px(44) : 0;
  const float width = ListWidth(ui, items, r.w);
  float found = 0;
  for (const FoundItem& each : FindItems(items, filter != nullptr ? *filter : "")) {
    found += each.heading.empty() ? row : 2 * row;
  }
  const float height = ui.px(8) + field + std::max(found, row);
  const Rect place = PlaceList(ui, r, width, height);
  ImGui::SetNextWindowPos(place.min());
  ImGui::SetNextWindowSize(ImVec2(place.w, place.h));
  const PopupStyle style(ui, 0, 0);
  if (!ImGui::BeginPopup(popup)) return false;
  bool changed = false;
  if (filter == nullptr) {
    changed = DrawListEntries(ui, items, "", width, selected);
  } else {
    if (ImGui::IsWindowAppearing()) filter->clear();
    const Rect input{place.x + ui.px(8), place.y + ui.px(8), width - ui.px(16), ui.px(30)};
    TextInput(ui, "##filter", input, filter, "Type to find", Icon::kSearch,
              ImGui::IsWindowAppearing());
    BeginScroll(ui, "entries", {place.x, place.y + field, width, place.h - field});
    changed = DrawListEntries(ui, items, *filter, width, selected);
    ImGui::EndChild();
    if (changed || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
      ImGui::CloseCurrentPopup();
    }
  }
  ImGui::EndPopup();
  return changed;
}

std::vector<ListItem> ItemsOf(std::span<const std::string> labels) {
  std::vector<ListItem> items;
  items.reserve(labels.size());
  for (const std::string& label : labels) items.push_back({label});
  return items;
}

std::string_view SelectedLabel(std::span<const std::string> items, int selected) {
  const bool valid = selected >= 0 && selected < static_cast<int>(items.size());
  return valid ? std::string_view(items[static_cast<std::size_t>(selected)]) : std::string_view();
}

}  // namespace

float ListWidth(const Ui& ui, std::span<const ListItem> items, float least) {
  for (const ListItem& item : items) least = std::max(least, ListItemWidth(ui, item));
  return least;
}

std::string LowerCase(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool ContainsWords(const std::string& text, const std::string& filter) {
  if (filter.empty()) return true;
  const std::string lower = LowerCase(text);
  std::istringstream words(LowerCase(filter));
  for (std::string word; words >> word;) {
    if (lower.find(word) == lower.npos) return false;
  }
  return true;
}

bool Combo(const Ui& ui, const char* id, std::span<const std::string> items, int* selected,
           const Rect& r, std::string_view lead) {
  const Hit hit = HitBox(id, r, Reach::kKeys);
  const Theme& theme = ui.theme;
  FillRect(ui, r, hit.hovered ? theme.hover : theme.raised, ui.px(6));
  StrokeRect(ui, r, theme.border, ui.px(6));
  float x = r.x + ui.px(10);
  if (!lead.empty()) {
    TextMiddle(ui, ui.fonts.body, x, r.middle_y(), theme.muted, lead);
    x += TextWidth(ui.fonts.body, lead) + ui.px(8);
  }
  const std::string_view label = SelectedLabel(items, *selected);
  const float end = r.right() - ui.px(26);
  NameClipped(ui, ui.fonts.body, x, r.middle_y(), end, theme.text, label);
  if (x + TextWidth(ui.fonts.body, label) > end) DelayedTooltip(ui, hit, label);
  DrawIcon(ui, Icon::kChevronDown, r.right() - ui.px(15), std::floor(r.middle_y()), theme.muted,
           14);
  return ListBelow(ui, id, hit, ItemsOf(items), selected, r);
}

bool ListBelow(const Ui& ui, const char* id, const Hit& hit, std::span<const ListItem> items,
               int* selected, const Rect& r, std::string* filter) {
  ImGui::PushID(id);
  if (hit.clicked) ImGui::OpenPopup("list");
  const bool changed = ComboList(ui, "list", items, selected, r, filter);
  ImGui::PopID();
  return changed;
}

bool IsListOpen(const char* id) {
  ImGui::PushID(id);
  const bool is_open = ImGui::IsPopupOpen("list");
  ImGui::PopID();
  return is_open;
}

Hit PillField(const Ui& ui, const char* id, std::string_view label, const Rect& r) {
  const Hit hit = HitBox(id, r, Reach::kKeys);
  const Theme& theme = ui.theme;
  FillRect(ui, r, {hit.hovered ? theme.hover : theme.surface, 0.92f}, 0.5f * r.h);
  StrokeRect(ui, r, {theme.border, 0.9f}, 0.5f * r.h);
  NameClipped(ui, ui.fonts.small, r.x + ui.px(12), r.middle_y(), r.right() - ui.px(22), theme.text,
              label);
  DrawIcon(ui, Icon::kChevronDown, r.right() - ui.px(13), std::floor(r.middle_y()), theme.muted,
           13);
  return hit;
}

bool PillCombo(const Ui& ui, const char* id, std::span<const std::string> items, int* selected,
               const Rect& r) {
  const Hit hit = PillField(ui, id, SelectedLabel(items, *selected), r);
  return ListBelow(ui, id, hit, ItemsOf(items), selected, r);
}

}  // namespace civita
