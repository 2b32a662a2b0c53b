#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/actions/take_along.h"
#include "app/window/model/tuning.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

std::string SceneProfile(const WindowState& state) {
  return state.scene->session.scene(state.scene->edited).config.name + " default";
}

// What loading a profile would change; why it cannot be loaded.
std::string DescribeProfile(const WindowState& state, const std::string& name) {
  const ActiveScene& scene = *state.scene;
  try {
    return DescribeChange(scene.tuning().current(), ReadProfile(state, name), scene.law(),
                          scene.units());
  } catch (const std::exception& error) {
    return error.what();
  }
}

// The list of profiles; each with what it would change.
void DrawProfiles(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  ActiveScene::Tuned& slot = state->scene->tuned();
  const Hit hit = HitBox("profile", r, Reach::kKeys);
  FillRect(ui, r, hit.hovered ? ui.theme.hover : ui.theme.raised, ui.px(6));
  StrokeRect(ui, r, ui.theme.border, ui.px(6));
  const std::string label = slot.profile.empty() ? SceneProfile(*state) : slot.profile;
  float x = NameClipped(ui, ui.fonts.body, r.x + ui.px(10), r.middle_y(), r.right() - ui.px(36),
                        ui.theme.text, label);
  if (!slot.tuning.is_initial()) {  // as beside a slider's name
    x += ui.px(7);
    FillCircle(ui, ImVec2(x, r.middle_y()), ui.px(2.5f), ui.theme.accent, 12);
  }
  DrawIcon(ui, Icon::kChevronDown, r.right() - ui.px(15), r.middle_y(), ui.theme.muted, 14);
  DelayedTooltip(ui, hit,
                 slot.tuning.is_initial()
                     ? "Profile: gains and factorization under a name"
                     : "Differs: " + DescribeChange(slot.tuning.initial(), slot.tuning.current(),
                                                    state->scene->law(), state->scene->units()));
  if (!hit.clicked && !IsListOpen("profile")) return;
  std::vector<std::string> names = ListProfiles(state->settings.folder(), state->scene->law());
  names.insert(names.begin(), "");
  std::vector<std::string> labels = names, changes;
  labels.front() = SceneProfile(*state);
  std::vector<ListItem> items;
  int selected = -1;
  for (std::size_t i = 0; i < names.size(); ++i) {
    changes.push_back(DescribeProfile(*state, names[i]));
    if (names[i] == slot.profile && slot.tuning.is_initial()) selected = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < names.size(); ++i) items.push_back({labels[i], {}, {}, changes[i]});
  if (ListBelow(ui, "profile", hit, items, &selected, r)) {
    ChooseProfile(state, names[static_cast<std::size_t>(selected)]);
  }
}

// Asks for a name below the button and saves under it.
void DrawSave(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  if (IconButton(ui, "save profile", Icon::kSave, r, "Save as a profile")) {
    state->profile_name = state->scene->tuned().profile;
    ImGui::OpenPopup("name profile");
  }
  if (!ImGui::IsPopupOpen("name profile")) return;
  const float width = ui.px(264);
  ImGui::SetNextWindowPos(ImVec2(r.right() - width, r.bottom() + ui.px(4)));
  ImGui::SetNextWindowSize(ImVec2(width, ui.px(48)));
  if (!ImGui::BeginPopup("name profile")) return;
  const ImVec2 at = ImGui::GetWindowPos();
  TextInput(ui, "##name", {at.x + ui.px(8), at.y + ui.px(8), width - ui.px(96), ui.px(32)},
            &state->profile_name, "Name", {},
            ImGui::IsWindowAppearing() || std::exchange(state->grabs_profile_name, false));
  const bool enter = IsEnterPressed();
  if (Button(ui, "save", "Save", {at.x + width - ui.px(80), at.y + ui.px(8), ui.px(72), ui.px(32)},
             ButtonKind::kPrimary, {}, !state->profile_name.empty()) ||
      (enter && !state->profile_name.empty())) {
    // A name that is refused stays, to be mended.
    if (StoreProfile(state, state->profile_name)) {
      ImGui::CloseCurrentPopup();
    } else {
      state->grabs_profile_name = true;
    }
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

struct TakeAlong {
  std::string_view label, detail;
  StateAction act;
};
constexpr std::array kTakeAlong = {
    TakeAlong{"Copy as command", "civita run …", CopyAsCommand},
    TakeAlong{"Copy as config", "YAML, of the edited run", CopyAsConfig},
    TakeAlong{"Copy as Python", "civita.run(…)", CopyAsPython},
    TakeAlong{"Save H, C, Γ, torsion, NPZ", "at this moment", SaveMatricesNpz},
    TakeAlong{"Save H, C, Γ, torsion, CSV", "at this moment", SaveMatricesCsv},
};

// What is set, and what is computed of it, to go on with elsewhere.
void DrawTakeAlong(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  const std::string tip = "Take along: " + TipOf(CopyAsCommand);
  const Hit hit{.clicked = IconButton(ui, "take along", Icon::kCopy, r, tip)};
  std::vector<ListItem> items;
  for (const TakeAlong& each : kTakeAlong) items.push_back({each.label, each.detail});
  int chosen = -1;
  const Rect wide{r.right() - ui.px(300), r.y, ui.px(300), r.h};
  if (ListBelow(ui, "take along list", hit, items, &chosen, wide)) {
    kTakeAlong[static_cast<std::size_t>(chosen)].act(state);
  }
}

void DrawLaws(WindowState* state, const Rect& r) {
  std::vector<std::string> titles;
  std::vector<std::string_view> types;
  int selected = -1;
  const std::string_view present = state->scene->law().type;
  const bool has_legs = state->scene->session.scene().legs != nullptr;
  for (const LawInfo* law : Laws()) {
    if (law->needs_legs && !has_legs) continue;
    if (law->type == present) selected = static_cast<int>(titles.size());
    titles.emplace_back(law->title);
    types.push_back(law->type);
  }
  if (Combo(state->ui, "law", titles, &selected, r)) {
    ChangeLaw(state, std::string(types[static_cast<std::size_t>(selected)]));
  }
}

}  // namespace

void DrawProfileBar(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  const float x = column->x, y = column->y, width = column->width, size = ui.px(28);
  DrawProfiles(state, {x, y, width - ui.px(66), ui.px(30)});
  DrawSave(state, {x + width - 2 * size - ui.px(2), y + ui.px(1), size, size});
  DrawTakeAlong(state, {x + width - size, y + ui.px(1), size, size});
  const float second = y + ui.px(38);
  float right = x + width;
  const auto button = [&](const char* id, StateAction act, bool enabled) {
    right -= size;
    ActionButton(state, id, act, {right, second + ui.px(1), size, size}, {.enabled = enabled});
    right -= ui.px(1);
  };
  button("revert", RevertTuning, !state->scene->tuning().is_initial());
  button("redo", RedoTuning, CanRedo(*state));
  button("undo", UndoTuning, CanUndo(*state));
  DrawLaws(state, {x, second, right - ui.px(6) - x, ui.px(30)});
  column->Skip(82);
}

}  // namespace civita
