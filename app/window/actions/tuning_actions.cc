#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/actions/take_along.h"
#include "app/window/model/tuning.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/plant/stiffness.h"

namespace civita {
namespace {

using Direction = SceneChange::Direction;

/// Warns when changed gains make the law stiff.
void WarnOfStiffness(WindowState* state, const Tuning& before) {
  ActiveScene& scene = *state->scene;
  const std::vector<Eigen::VectorXd>& gains = scene.tuning().current().gains;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (scene.law().parameters[i].key != "K_D" || SameGain(gains[i], before.gains[i])) {
      continue;
    }
    const std::string notice = DescribeStiffness(scene.session.scene(scene.edited), gains[i]);
    if (notice.empty()) continue;
    AddLine(state, notice, LogLine::Kind::kWarning);
    ShowToast(state, notice.substr(0, notice.find(':')), true);
  }
}

void SetTuning(WindowState* state, const Tuning& before, const std::string& verb) {
  ActiveScene& scene = *state->scene;
  const std::string change =
      DescribeChange(before, scene.tuning().current(), scene.law(), scene.units());
  PostTuning(state);
  if (change.empty()) return;
  AddLine(state, verb + change);
  scene.log.Mark(PlotMark::Kind::kChange, scene.snapshot->t, change);
  WarnOfStiffness(state, before);
}

// Opens the configs instead of the present runs.
void LoadConfigs(WindowState* state, std::string title, std::vector<SceneConfig> configs,
                 SceneChange change) {
  state->change = std::move(change);
  state->loader.Start(std::move(title), [configs = std::move(configs)] {
    LoadedScenes loaded{LoadScene(configs.front()), nullptr};
    if (configs.size() > 1) loaded.other = LoadScene(configs.back());
    return loaded;
  });
}

// The present runs, to come back to.
RunSettings Remember(const ActiveScene& scene, std::string name) {
  return {std::move(name), TunedConfigs(scene), scene.slots, scene.edited};
}

// Undoes or redoes a change: of the tuning, or where there is none of the law or of Compare.
void StepHistory(WindowState* state, Direction direction) {
  if (RefuseInReplay(state)) return;
  const bool is_back = direction == Direction::kBack;
  const std::string verb = is_back ? "Undo: " : "Redo: ";
  TuningHistory& tuning = state->scene->tuning();
  if (is_back ? tuning.can_undo() : tuning.can_redo()) {
    const Tuning before = tuning.current();
    is_back ? tuning.Undo() : tuning.Redo();
    return SetTuning(state, before, verb);
  }
  const std::vector<RunSettings>& history = is_back ? state->past : state->future;
  if (history.empty() || state->loader.is_loading()) return;
  const RunSettings& to = history.back();
  LoadConfigs(state, to.name, to.configs,
              {direction,
               Remember(*state->scene, to.name),
               {to.slots.begin(), to.slots.end()},
               to.edited,
               verb + to.name});
}

}  // namespace

std::vector<SceneConfig> TunedConfigs(const ActiveScene& scene) {
  std::vector<SceneConfig> configs;
  for (std::size_t i = 0; i < scene.slots.size(); ++i) {
    const auto slot = static_cast<Slot>(i);
    SceneConfig config = scene.session.scene(slot).config;
    const Tuning& tuned = scene.slots[i].tuning.current();
    config.factorization = ToString(tuned.factorization);
    const auto parameters = scene.law(slot).parameters;
    for (std::size_t k = 0; k < tuned.gains.size(); ++k) {
      const Eigen::VectorXd& gain = tuned.gains[k];
      config.gains[std::string(parameters[k].key)] = {gain.begin(), gain.end()};
    }
    configs.push_back(std::move(config));
  }
  return configs;
}

void PostTuning(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Tuning& wanted = scene.tuning().current();
  const auto parameters = scene.law().parameters;
  command::SetTuning tuning;
  for (std::size_t i = 0; i < wanted.gains.size(); ++i) {
    if (SameGain(wanted.gains[i], scene.posted().gains[i])) continue;
    tuning.gains.push_back({std::string(parameters[i].key), wanted.gains[i], scene.edited});
  }
  if (ToString(wanted.factorization) != ToString(scene.posted().factorization)) {
    tuning.factorization = {wanted.factorization, scene.edited};
  }
  Post(state, std::move(tuning));
  scene.posted() = wanted;
}

void SetFactorization(WindowState* state, Factorization factorization) {
  Tuning tuning = state->scene->tuning().current();
  tuning.factorization = std::move(factorization);
  state->scene->tuning().Edit(std::move(tuning));
  CommitTuning(state);
}

void CommitTuning(WindowState* state) {
  TuningHistory& tuning = state->scene->tuning();
  const Tuning before = tuning.committed();
  if (!tuning.Commit()) return;
  state->future.clear();
  SetTuning(state, before, "");
}

void UndoTuning(WindowState* state) { StepHistory(state, Direction::kBack); }
void RedoTuning(WindowState* state) { StepHistory(state, Direction::kForward); }

void RevertTuning(WindowState* state) {
  if (RefuseInReplay(state)) return;
  const Tuning before = state->scene->tuning().current();
  state->scene->tuning().Revert();
  SetTuning(state, before, "Revert: ");
}

void ChangeLaw(WindowState* state, const std::string& type) {
  if (RefuseInReplay(state)) return;
  const ActiveScene& scene = *state->scene;
  const auto edited = static_cast<std::size_t>(scene.edited);
  std::vector<SceneConfig> configs = TunedConfigs(scene);
  configs[edited].controller = type;
  configs[edited].gains.clear();
  configs[edited].law_options = {};
  std::vector<std::optional<ActiveScene::Tuned>> kept(scene.slots.begin(), scene.slots.end());
  kept[edited].reset();
  const std::string from(scene.law().title), to(FindLaw(type).title);
  LoadConfigs(state, to, std::move(configs),
              {Direction::kNew, Remember(scene, from), std::move(kept), scene.edited,
               "Law: " + from + " → " + to});
}

void SetConfigKey(WindowState* state, const std::string& key, const std::string& value) {
  if (RefuseInReplay(state)) return;
  const TakenRuns runs = TakeRuns(*state);
  std::vector<std::string> overrides;
  const auto add = [&overrides](const std::vector<SetKey>& keys) {
    for (const SetKey& each : keys) overrides.push_back(each.key + "=" + each.value);
  };
  add(runs.keys);
  add({{key, value}});
  std::vector<SceneConfig> configs;
  try {
    configs.push_back(ReadConfig(runs.scene, overrides));
    if (runs.compared) {
      add(*runs.compared);
      configs.push_back(ReadConfig(runs.scene, overrides));
    }
  } catch (const Error& error) {
    ShowToast(state, error.what(), true);
    return;
  }
  const ActiveScene& scene = *state->scene;
  const std::string what = key + " = " + value;
  LoadConfigs(state, what, std::move(configs),
              {Direction::kNew, Remember(scene, key), {}, scene.edited, what});
}

void ToggleComparison(WindowState* state) {
  if (RefuseInReplay(state)) return;
  const ActiveScene& scene = *state->scene;
  std::vector<SceneConfig> configs = TunedConfigs(scene);
  std::vector<std::optional<ActiveScene::Tuned>> kept = {scene.slots.front()};
  if (scene.is_comparing()) {
    configs.pop_back();
    LoadConfigs(state, "one run", std::move(configs),
                {Direction::kNew, Remember(scene, "two runs"), std::move(kept), Slot::kA,
                 "From two runs to one"});
    return;
  }
  SceneConfig other = configs.front();
  const bool torsion_free = scene.tuning().current().factorization.torsion_free();
  other.factorization = torsion_free ? "plain" : "christoffel";
  // The second run of before, if it is another one.
  const auto last = std::find_if(state->past.rbegin(), state->past.rend(),
                                 [](const RunSettings& runs) { return runs.slots.size() > 1; });
  const auto settings = [](const LawConfig& c) {
    return std::tie(c.controller, c.factorization, c.gains);
  };
  if (last != state->past.rend() && settings(last->configs.back()) != settings(configs.front())) {
    static_cast<LawConfig&>(other) = last->configs.back();
    kept.emplace_back(last->slots.back());
  }
  configs.push_back(std::move(other));
  LoadConfigs(state, "two runs", std::move(configs),
              {Direction::kNew, Remember(scene, "one run"), std::move(kept), Slot::kA,
               "From one run to two"});
}

void FinishChange(WindowState* state) {
  std::optional<SceneChange> change = std::exchange(state->change, std::nullopt);
  if (!change) {
    state->past.clear();
    state->future.clear();
    state->opened_config = state->scene->session.scene().config;
    return;
  }
  ActiveScene& scene = *state->scene;
  for (std::size_t i = 0; i < scene.slots.size() && i < change->kept.size(); ++i) {
    std::optional<ActiveScene::Tuned>& kept = change->kept[i];
    if (!kept || !(kept->tuning.current() == scene.slots[i].posted)) continue;
    kept->posted = scene.slots[i].posted;
    scene.slots[i] = std::move(*kept);
  }
  if (static_cast<std::size_t>(change->edited) < scene.slots.size()) scene.edited = change->edited;
  const bool is_back = change->direction == Direction::kBack;
  if (is_back) state->past.pop_back();
  if (change->direction == Direction::kForward) state->future.pop_back();
  if (change->direction == Direction::kNew) state->future.clear();
  (is_back ? state->future : state->past).push_back(std::move(change->before));
  scene.log.Add({0, change->text + "; the run starts anew", LogLine::Kind::kAction});
  ShowToast(state, change->text);
}

bool CanUndo(const WindowState& state) {
  return state.scene->tuning().can_undo() || !state.past.empty();
}

bool CanRedo(const WindowState& state) {
  return state.scene->tuning().can_redo() || !state.future.empty();
}

Tuning ReadProfile(const WindowState& state, const std::string& name) {
  ActiveScene& scene = *state.scene;
  const Tuning& of_scene = scene.tuned().of_scene;
  if (name.empty()) return of_scene;
  return LoadProfile(state.settings.folder(), scene.law(), name, of_scene,
                     scene.session.scene().control_model);
}

void ChooseProfile(WindowState* state, const std::string& name) {
  if (RefuseInReplay(state)) return;
  ActiveScene& scene = *state->scene;
  ActiveScene::Tuned& slot = scene.tuned();
  try {
    const Tuning tuning = ReadProfile(*state, name);
    const Tuning before = slot.tuning.current();
    slot.profile = name;
    slot.tuning.SetInitial(tuning);
    slot.tuning.Edit(tuning);
    slot.tuning.Commit();
    SetTuning(state, before, "Profile: ");
  } catch (const Error& error) {
    Tell(state, error.what(), true);
  }
}

bool StoreProfile(WindowState* state, const std::string& name) {
  ActiveScene& scene = *state->scene;
  ActiveScene::Tuned& slot = scene.tuned();
  try {
    SaveProfile(state->settings.folder(), scene.law(), name, slot.tuning.current());
    slot.profile = name;
    slot.tuning.SetInitial(slot.tuning.current());
    ShowToast(state, "Saved the profile " + name);
    return true;
  } catch (const Error& error) {
    ShowToast(state, error.what(), true);
    return false;
  }
}

}  // namespace civita
