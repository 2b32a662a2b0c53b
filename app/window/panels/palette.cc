// The list of all actions, tabs and entries of the window's lists, by the keyboard alone: ctrl-K.
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/model/profiles.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

struct Action {
  std::string label, detail, heading;
  std::function<void()> act;
};

class Actions {
 public:
  explicit Actions(std::string heading) : heading_(std::move(heading)) {}
  void Begin(std::string heading) { heading_ = std::move(heading); }
  void Add(std::string label, std::string detail, std::function<void()> act) {
    all_.push_back(
        {std::move(label), std::move(detail), std::exchange(heading_, {}), std::move(act)});
  }
  const std::vector<Action>& all() const { return all_; }

 private:
  std::string heading_;  // of the next one
  std::vector<Action> all_;
};

void AddRunActions(WindowState* state, Actions* actions) {
  const auto add = [&](const char* label, const char* keys, void (*act)(WindowState*)) {
    actions->Add(label, keys, [=] { act(state); });
  };
  add("Play or pause", "space", TogglePlay);
  add("Reset", "backspace", ResetRun);
  add("Throw it off", "F3", ThrowOff);
  add("Push", "F10", PushNow);
  add("Drive legs by keys, end it", "F11", ToggleDrive);
  add("One run or two", "Compare", ToggleComparison);
  add("Record files and a video", "F12", ToggleRecording);
  add("To the other branch of time", "ctrl-B", SwitchBranch);
  add("Scenes", "ctrl-O", OpenLauncher);
  add("Reload the scene", "ctrl-L", ReloadScene);
  add("Compare, survive, bench in the background", "ctrl-J", ToggleJobs);
}

void AddSpeeds(WindowState* state, Actions* actions) {
  actions->Begin("Speed");
  for (const double speed : Speeds()) {
    actions->Add("Speed " + SpeedLabel(speed), "", [=] { SetSpeed(state, speed); });
  }
}

void AddTabs(WindowState* state, Actions* actions) {
  actions->Begin("Tabs");
  for (const std::string_view tab : SideTabs(*state->scene)) {
    actions->Add(std::string(tab), "tab", [=] {
      state->tab = tab;
      state->panels.side = true;
    });
  }
}

void SetT(WindowState* state, double t) {
  if (RefuseInReplay(state)) return;
  Tuning tuning = state->scene->tuning().current();
  tuning.factorization.t = t;
  state->scene->tuning().Edit(std::move(tuning));
  CommitTuning(state);
}

void AddTuning(WindowState* state, Actions* actions) {
  const ActiveScene& scene = *state->scene;
  actions->Begin("Tune");
  actions->Add("Undo", "ctrl-Z", [=] { UndoTuning(state); });
  actions->Add("Redo", "ctrl-Y", [=] { RedoTuning(state); });
  actions->Add("Revert to the profile", "ctrl-R", [=] { RevertTuning(state); });
  actions->Add("The other settings of this run", "F4", [=] { SwapTuning(state); });
  if (scene.law().uses_factorization) {
    actions->Add("C christoffel", "t = 0", [=] { SetT(state, 0); });
    actions->Add("C plain", "t = 1", [=] { SetT(state, 1); });
    actions->Add("C other", "t = −1", [=] { SetT(state, -1); });
  }
  actions->Add("Profile of the scene", "", [=] { ChooseProfile(state, ""); });
  for (const std::string& name : ListProfiles(state->settings.folder(), scene.law())) {
    actions->Add("Profile " + name, "", [=] { ChooseProfile(state, name); });
  }
  for (const LawInfo* law : Laws()) {
    if (law->needs_legs && scene.session.scene().legs == nullptr) continue;
    actions->Add("Law " + std::string(law->title), "",
                 [=] { ChangeLaw(state, std::string(law->type)); });
  }
}

void AddView(WindowState* state, View3d* view, Actions* actions) {
  actions->Begin("View");
  for (std::size_t i = 0; i < view->cameras().size(); ++i) {
    actions->Add("Camera " + view->cameras()[i].name, "",
                 [=] { view->SetCamera(static_cast<int>(i)); });
  }
  const auto add = [&](const char* label, const char* keys, void (*act)(WindowState*)) {
    actions->Add(label, keys, [=] { act(state); });
  };
  actions->Add("The first camera", "home", [=] { view->FrameAll(); });
  add("A robot at the reference", "ctrl-G", ToggleReferenceGhost);
  add("Arrows of torques", "ctrl-T", ToggleTorqueArrows);
  add("Arrows of s", "ctrl-E", ToggleSlidingArrows);
  add("Light or dark", "F8", ToggleTheme);
  actions->Add("Screenshot", "ctrl-P", [=] { state->requests.screenshot = true; });
  actions->Add("Keys and mouse", "F1", [=] { state->is_help_open = true; });
}

void AddPlots(WindowState* state, Actions* actions) {
  actions->Begin("Plots");
  actions->Add("Follow the newest sample", "", [=] { state->time_axis.Follow(); });
  actions->Add("Hold the plots, or go on", "",
               [=] { state->time_axis.Hold(!state->time_axis.held()); });
  for (const double span : {2.0, 10.0, 60.0}) {
    actions->Add("Plots over " + Short(span) + " s", "", [=] { state->time_axis.SetSpan(span); });
  }
  for (const PlotPreset& preset : PlotPresets(state->plots.family())) {
    actions->Add("Plots: " + std::string(preset.name), "arrangement",
                 [=] { state->plots.Show(preset); });
  }
  const auto add_export = [&](const char* format_name, PlotFormat format) {
    actions->Add(std::string("Export ") + format_name, "what the plots show",
                 [=] { ExportPlots(state, format); });
  };
  add_export("CSV", PlotFormat::kCsv);
  add_export("SVG", PlotFormat::kSvg);
  add_export("PNG", PlotFormat::kPng);
  for (const PlotChoice& choice : state->scene->plot_choices) {
    actions->Add("Plot " + choice.title, choice.unit,
                 [=, title = choice.title] { AddPlot(state, title); });
  }
}

}  // namespace

void DrawPalette(WindowState* state, View3d* view, float width) {
  const Hit hit{.clicked = std::exchange(state->opens_palette, false)};
  ImGui::PushID("palette");
  const bool is_open = hit.clicked || ImGui::IsPopupOpen("list");
  ImGui::PopID();
  if (!is_open) return;
  Actions actions("Run");
  AddRunActions(state, &actions);
  AddTabs(state, &actions);
  AddTuning(state, &actions);
  AddView(state, view, &actions);
  AddPlots(state, &actions);
  AddSpeeds(state, &actions);
  std::vector<ListItem> items;
  for (const Action& action : actions.all()) {
    items.push_back({action.label, action.detail, action.heading});
  }
  const float w = state->ui.px(420);
  const Rect place{std::floor(0.5f * (width - w)), 0, w, state->ui.px(kTopBarHeight)};
  int selected = -1;
  if (ListBelow(state->ui, "palette", hit, items, &selected, place, &state->list_filter)) {
    actions.all()[static_cast<std::size_t>(selected)].act();
  }
}

}  // namespace civita
