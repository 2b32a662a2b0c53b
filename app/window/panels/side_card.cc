#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {

// A tab of the side card is a function in its own file, declared here, with a row below.
void DrawTunePanel(WindowState* state, Column* column);
void DrawComparePanel(WindowState* state, Column* column);
void DrawMatrixPanel(WindowState* state, Column* column);
void DrawDrivePanel(WindowState* state, Column* column);
void DrawPushPanel(WindowState* state, Column* column);
void DrawLogPanel(WindowState* state, Column* column);
void DrawTimesPanel(WindowState* state, Column* column);

namespace {

struct SidePanel {
  std::string_view name;  ///< the tab's title, WindowState::tab
  void (*draw)(WindowState* state, Column* column);
  bool (*is_shown)(const ActiveScene& scene) = nullptr;  ///< whether it exists; null: always
  bool follows_end = false;                              ///< stays scrolled to its end as it grows
};

constexpr SidePanel kSidePanels[] = {
    {.name = kTuneTab, .draw = DrawTunePanel},
    {.name = kCompareTab,
     .draw = DrawComparePanel,
     .is_shown = [](const ActiveScene& scene) { return scene.is_comparing(); }},
    {.name = kMatrixTab, .draw = DrawMatrixPanel},
    {.name = kDriveTab,
     .draw = DrawDrivePanel,
     .is_shown = [](const ActiveScene& scene) { return scene.session.scene().legs != nullptr; }},
    {.name = "Push", .draw = DrawPushPanel},
    {.name = kLogTab, .draw = DrawLogPanel, .follows_end = true},
    {.name = "Times", .draw = DrawTimesPanel},
};

// Opens the tab that the scene's config names.
void OpenWanted(WindowState* state) {
  const std::string wanted = std::exchange(state->wanted_tab, {});
  if (wanted.empty() || state->scene->is_comparing()) return;
  try {
    state->tab = FindSideTab(wanted, "list.tab");
  } catch (const UserError& error) {
    state->scene->log.Add({0, error.what(), LogLine::Kind::kWarning});
  }
}

// Draws the tabs of this scene. The user's choice is kept while it is among them.
const SidePanel& DrawTabs(WindowState* state, const Rect& r) {
  OpenWanted(state);
  std::vector<const SidePanel*> panels;
  std::vector<std::string_view> names;
  int selected = 0;
  for (const SidePanel& panel : kSidePanels) {
    if (panel.is_shown != nullptr && !panel.is_shown(*state->scene)) continue;
    if (panel.name == state->tab) selected = static_cast<int>(panels.size());
    panels.push_back(&panel);
    names.push_back(panel.name);
  }
  if (Tabs(state->ui, "side tabs", names, &selected, r)) state->slider = {};
  const SidePanel& panel = *panels[static_cast<std::size_t>(selected)];
  state->tab = panel.name;
  return panel;
}

}  // namespace

std::string_view FindSideTab(std::string_view name, std::string_view key) {
  std::vector<std::string> names;
  for (const SidePanel& panel : kSidePanels) {
    if (LowerCase(std::string(name)) == LowerCase(std::string(panel.name))) return panel.name;
    names.emplace_back(panel.name);
  }
  throw UserError(std::string(key) + ": " + UnknownName("tab", name, names));
}

std::vector<std::string_view> SideTabs(const ActiveScene& scene) {
  std::vector<std::string_view> names;
  for (const SidePanel& panel : kSidePanels) {
    if (panel.is_shown == nullptr || panel.is_shown(scene)) names.push_back(panel.name);
  }
  return names;
}

void DrawSideCard(WindowState* state, const Rect& card) {
  const Ui& ui = state->ui;
  const float pad = ui.px(kCardPadding), hair = ui.hairline();
  const float width = card.w - 2 * pad;
  DrawCard(ui, card);
  const Rect tabs{card.x + pad, card.y, width, ui.px(kCardHeader)};
  const SidePanel& panel = DrawTabs(state, tabs);
  DrawRule(ui, card.x + hair, card.right() - hair, card.y + ui.px(kCardHeader));

  const float body_y = card.y + ui.px(kCardHeader) + hair;
  const std::string id = "side body " + std::string(panel.name);
  const ImVec2 origin =
      BeginScroll(ui, id.c_str(), {card.x, body_y, card.w - hair, card.bottom() - body_y - hair});
  Column column{ui, card.x + pad, origin.y + ui.px(14), width};
  panel.draw(state, &column);
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
  EndScroll(column.y + ui.px(14), panel.follows_end && at_end);
}

}  // namespace civita
