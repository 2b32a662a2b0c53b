// The list of all actions, tabs and entries of the window's lists, by the keyboard alone.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/actions/ghosts.h"
#include "app/window/actions/job_actions.h"
#include "app/window/actions/take_along.h"
#include "app/window/model/tuning.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/plot_choices.h"

namespace civita {
namespace {

struct PaletteEntry {
  std::string label, detail, heading, words;
  std::function<void()> act;
};

class PaletteEntries {
 public:
  PaletteEntries(WindowState* state, View3d* view) : state_(state), view_(view) {}
  void Begin(std::string heading) { heading_ = std::move(heading); }
  void Add(std::string label, std::string detail, std::function<void()> act,
           std::string words = {}) {
    all_.push_back({std::move(label), std::move(detail), std::exchange(heading_, {}),
                    std::move(words), std::move(act)});
  }
  /// Those of the table of actions.
  void Add(ListPart part) {
    for (const Action& action : Actions()) {
      if (action.list != part) continue;
      Add(std::string(action.name), KeyText(action), [this, &action, part] {
        if (part != ListPart::kKeys) Act(action, state_, view_);
      });
    }
  }
  const std::vector<PaletteEntry>& all() const { return all_; }

 private:
  WindowState* state_;
  View3d* view_;
  std::string heading_;  // of the next one
  std::vector<PaletteEntry> all_;
};

void AddRun(WindowState* state, PaletteEntries* entries) {
  entries->Begin("Run");
  entries->Add("Compare two runs, or one alone", "", [=] { ToggleComparison(state); });
  entries->Add(ListPart::kRun);
  if (state->scene->session.is_replay()) {
    entries->Add("Verify this recording", "every bit", [=] { VerifyReplay(state); });
  }
  entries->Add("Bench the shown robot", "times of H, C, Γ", [=] { BenchShown(state); });
}

void AddSpeeds(WindowState* state, PaletteEntries* entries) {
  entries->Begin("Speed");
  for (const double speed : Speeds()) {
    entries->Add("Speed " + SpeedLabel(speed), "", [=] { SetSpeed(state, speed); });
  }
}

void AddTabs(WindowState* state, PaletteEntries* entries) {
  entries->Begin("Tabs");
  for (const std::string_view tab : SideTabs(*state->scene)) {
    entries->Add(std::string(tab), "tab", [=] {
      state->tab = tab;
      state->panels.side = true;
    });
  }
}

// C of t alone, without what is injected.
void SetT(WindowState* state, double t) {
  if (!RefuseInReplay(state)) SetFactorization(state, Factorization::Torsion(t));
}

void AddTuning(WindowState* state, PaletteEntries* entries) {
  const ActiveScene& scene = *state->scene;
  entries->Begin("Tune");
  entries->Add(ListPart::kTune);
  if (scene.law().uses_factorization) {
    entries->Add("C christoffel", "t = 0", [=] { SetT(state, 0); });
    entries->Add("C plain", "t = 1", [=] { SetT(state, 1); });
    entries->Add("C other", "t = −1", [=] { SetT(state, -1); });
  }
  entries->Add("Copy as config", "all settings of the edited run", [=] { CopyAsConfig(state); });
  entries->Add("Copy as Python", "all settings", [=] { CopyAsPython(state); });
  entries->Add("Save H, C, Γ, torsion as NPZ", "at this moment", [=] { SaveMatricesNpz(state); });
  entries->Add("Save H, C, Γ, torsion as CSV", "at this moment", [=] { SaveMatricesCsv(state); });
  entries->Add("Profile of the scene", "", [=] { ChooseProfile(state, ""); });
  for (const std::string& name : state->listed_profiles) {
    entries->Add("Profile " + name, "", [=] { ChooseProfile(state, name); });
  }
  for (const LawInfo* law : Laws()) {
    if (law->needs_legs && scene.session.scene().legs == nullptr) continue;
    entries->Add("Law " + std::string(law->title), "",
                 [=] { ChangeLaw(state, std::string(law->type)); });
  }
}

void AddView(View3d* view, PaletteEntries* entries) {
  entries->Begin("View");
  for (std::size_t i = 0; i < view->cameras().size(); ++i) {
    entries->Add("Camera " + view->cameras()[i].name, "",
                 [=] { view->SetCamera(static_cast<int>(i)); });
  }
  entries->Add(ListPart::kView);
  entries->Begin("Mouse, and keys of what is clicked");
  entries->Add(ListPart::kKeys);
}

void AddPlots(WindowState* state, PaletteEntries* entries) {
  entries->Begin("Plots");
  entries->Add("Follow the newest sample", "", [=] { state->time_axis.Follow(); });
  entries->Add("Hold the plots, or go on", "",
               [=] { state->time_axis.Hold(!state->time_axis.held()); });
  for (const double span : {2.0, 10.0, 60.0}) {
    entries->Add("Plots over " + Short(span) + " s", "", [=] { state->time_axis.SetSpan(span); });
  }
  entries->Add("Copy figures of the selected time", "RMS, peak, mean",
               [=] { CopySpanFigures(state); });
  entries->Add("Keep this run in the plots", "a ghost", [=] { KeepShownRun(state); });
  for (const std::filesystem::path& folder : state->listed_runs) {
    entries->Add("Keep the recorded run " + folder.filename().string() + " in the plots", "",
                 [=] { KeepRecordedRun(state, folder); });
  }
  for (std::size_t i = 0; i < state->ghosts.size(); ++i) {
    entries->Add("Remove the kept run " + state->ghosts[i].name, "",
                 [=] { RemoveGhost(state, i); });
  }
  for (const PlotPreset& preset : PlotPresets(state->plots.family())) {
    entries->Add("Plots: " + std::string(preset.name), "arrangement",
                 [=] { state->plots.Show(preset); });
  }
  const auto add_export = [&](const char* format_name, PlotFormat format) {
    entries->Add(std::string("Export ") + format_name, "what the plots show",
                 [=] { ExportPlots(state, format); });
  };
  add_export("CSV", PlotFormat::kCsv);
  add_export("SVG", PlotFormat::kSvg);
  add_export("PNG", PlotFormat::kPng);
  for (const PlotChoice& choice : state->scene->plot_choices) {
    entries->Add("Plot " + choice.title, choice.unit,
                 [=, title = choice.title] { AddPlot(state, title); });
    if (choice.has_own_axis()) continue;
    entries->Add(SpectrumTitle(choice.title), "plot",
                 [=, title = SpectrumTitle(choice.title)] { AddPlot(state, title); });
  }
}

void AddScenes(WindowState* state, PaletteEntries* entries) {
  entries->Begin("Scenes");
  for (const SceneInfo& info : Scenes()) {
    if (!info.is_here) continue;
    entries->Add(
        "Scene " + info.name, info.title, [=, &info] { OpenScene(state, info.name); }, info.line);
  }
  for (const std::string& path : state->launcher.recent) {
    entries->Add("Open " + path, "recent", [=] { OpenScene(state, path); });
  }
}

// Bodies are selected, for pulls by the mouse and for the form of pushes.
void AddBodies(WindowState* state, View3d* view, PaletteEntries* entries) {
  entries->Begin("Bodies");
  const PushTargets& targets = state->scene->push_targets;
  for (std::size_t i = 0; i < targets.bodies.size(); ++i) {
    entries->Add("Body " + targets.names[i], "select", [=, body = targets.bodies[i]] {
      view->SelectBody(body);
      state->scene->push.body_choice = static_cast<int>(i);
    });
  }
}

std::string DocOf(const std::vector<ConfigKey>& keys, const std::string& name) {
  const auto found = std::ranges::find(keys, name, &ConfigKey::key);
  return found == keys.end() ? "" : std::string(found->doc);
}

// Of the edited run: one is chosen, and then its value is typed into the list.
void AddKeys(WindowState* state, PaletteEntries* entries) {
  static const std::vector<ConfigKey> kKeys = ConfigKeys();
  entries->Begin("Keys of the config");
  for (const SetKey& key : state->palette_keys) {
    entries->Add(
        key.key, key.value,
        [=, name = key.key] {
          state->palette_key = name;
          state->opens_palette = true;
        },
        DocOf(kKeys, key.key));
  }
}

// The one entry of the list in which a value is typed.
void AddValue(WindowState* state, PaletteEntries* entries) {
  const std::string key = state->palette_key, value = state->list_filter;
  const auto now = std::ranges::find(state->palette_keys, key, &SetKey::key);
  const std::string before = now == state->palette_keys.end() ? "" : now->value;
  entries->Begin(key + ": " + before);
  entries->Add(value.empty() ? "Type its value, then enter" : key + " = " + value,
               value.empty() ? "" : "start anew", [=] {
                 state->palette_key.clear();
                 if (!value.empty()) SetConfigKey(state, key, value);
               });
}

}  // namespace

void DrawPalette(WindowState* state, View3d* view, float width) {
  const Hit hit{.clicked = std::exchange(state->opens_palette, false)};
  if (!hit.clicked && !IsListOpen("palette")) {
    state->palette_key.clear();
    return;
  }
  PaletteEntries entries(state, view);
  if (hit.clicked) {
    state->list_filter.clear();
    const ActiveScene& scene = *state->scene;
    const std::vector<SceneConfig> configs = TunedConfigs(scene);
    state->palette_keys = KeysOf(configs[static_cast<std::size_t>(scene.edited)]);
    state->listed_profiles = ListProfiles(state->settings.folder(), scene.law());
    state->listed_runs = RecordedRuns(*state);
  }
  if (state->palette_key.empty()) {
    AddRun(state, &entries);
    AddTabs(state, &entries);
    AddTuning(state, &entries);
    AddView(view, &entries);
    AddBodies(state, view, &entries);
    AddPlots(state, &entries);
    AddSpeeds(state, &entries);
    AddScenes(state, &entries);
    AddKeys(state, &entries);
  } else {
    AddValue(state, &entries);
  }
  std::vector<ListItem> items;
  for (const PaletteEntry& entry : entries.all()) {
    items.push_back({entry.label, entry.detail, entry.heading, entry.words});
    items.back().is_always = !state->palette_key.empty();
  }
  const float w = ListWidth(state->ui, items, state->ui.px(420));
  const Rect place{std::max(0.0f, std::floor(0.5f * (width - w))), 0, w,
                   state->ui.px(kTopBarHeight)};
  int selected = -1;
  if (ListBelow(state->ui, "palette", hit, items, &selected, place, &state->list_filter)) {
    entries.all()[static_cast<std::size_t>(selected)].act();
  }
}

}  // namespace civita
