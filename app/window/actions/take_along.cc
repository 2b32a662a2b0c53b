#include "app/window/actions/take_along.h"

#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "app/verbs/eval/eval_output.h"
#include "app/window/actions/actions.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/sim/input_event.h"
#include "civita/sim/output_file.h"
#include "civita/study/evaluate/eval_quantities.h"
#include "civita/study/evaluate/evaluator.h"

namespace civita {
namespace {

// What was changed while the shown runs ran: the events of a recording.
std::vector<std::string> ChangesOf(const ActiveScene& scene) {
  std::vector<std::pair<double, std::string>> events;
  const auto add = [&](Slot slot, const char* run) {
    bool pulled = false;
    for (const InputEvent& event : scene.session.Inputs(slot)) {
      // The mouse gives a pull each frame: its first and its end tell enough.
      const bool is_pull = IsPull(event.input) && event.what != "no pull";
      const bool goes_on = std::exchange(pulled, is_pull) && is_pull;
      const std::string setting = SettingOf(event.input);
      const bool is_of_one = setting.starts_with("gains.") || setting == "factorization";
      // The settings that a restart keeps are the command's own; what is of both runs is in A's.
      const bool is_known = is_of_one ? event.t <= 0 : slot == Slot::kB;
      if (event.t > scene.snapshot->t || goes_on || is_known) continue;
      events.emplace_back(event.t, "at " + Fixed(event.t, 3) + " s: " +
                                       (is_of_one && scene.is_comparing() ? run : "") + event.what);
    }
  };
  add(Slot::kA, "A: ");
  if (scene.is_comparing()) add(Slot::kB, "B: ");
  std::ranges::stable_sort(events, {}, &std::pair<double, std::string>::first);
  std::vector<std::string> changes;
  for (auto& [t, text] : events) changes.push_back(std::move(text));
  if (!changes.empty()) {
    changes.insert(changes.begin(),
                   "Changed while it ran, which a run from t = 0 does not repeat:");
  }
  return changes;
}

bool RefuseCopy(WindowState* state) {
  if (!state->scene->session.is_replay()) return false;
  ShowToast(state, "A replay: config.yaml in its folder has its settings");
  return true;
}

void Copy(WindowState* state, const std::string& text, const char* what) {
  ImGui::SetClipboardText(text.c_str());
  ShowToast(state, std::string("Copied as ") + what);
  AddLine(state, std::string("Copied as ") + what + ": " + text);
}

constexpr const char* kSaved[] = {"H", "C", "Gamma", "torsion"};

// The shown state of a run, and arrays with their numbers there.
struct ShownState {
  Evaluator at;
  std::vector<EvalArray> arrays = {};
  std::vector<std::vector<double>> values = {};
};

ShownState EvaluateShown(const ActiveScene& scene) {
  const SceneData& data = scene.session.scene(scene.matrix_slot);
  const auto slot = static_cast<std::size_t>(scene.matrix_slot);
  const Model& model = data.control_model;
  ShownState shown{
      {data.closed ? *data.closed : VelocitySpace(model), scene.slots[slot].posted.factorization}};
  Evaluator& at = shown.at;
  const Measured& measured = MeasuredOf(*scene.snapshot, scene.matrix_slot);
  const int nw = at.space.nw();
  Eigen::VectorXd w(nw);
  PlantGeometry(model, data.closed.get()).Select(measured.v, w);
  EvalStates states(model.nq(), nw);
  const std::vector<double> zero(static_cast<std::size_t>(nw), 0.0);
  states.Add({std::vector<double>(measured.q.begin(), measured.q.begin() + model.nq()),
              std::vector<double>(w.begin(), w.end()), zero, zero, zero, zero},
             {});
  at.SetState(states, 0);
  if (!at.trouble.empty()) throw UserError(at.trouble);
  const auto add = [&shown](EvalArray array) -> std::vector<double>& {
    const std::size_t size = array.size();
    shown.arrays.push_back(std::move(array));
    return shown.values.emplace_back(size);
  };
  std::copy(at.q.begin(), at.q.end(), add({"q", {static_cast<std::size_t>(at.q.size())}}).begin());
  std::copy(at.w.begin(), at.w.end(), add({"v", {static_cast<std::size_t>(nw)}}).begin());
  for (const QuantityRequest& request :
       FindQuantities({std::begin(kSaved), std::end(kSaved)}, model, at.factorization,
                      data.closed != nullptr)) {
    CalcQuantity(request, &at, &add({request.name, ShapeOf(request, model, nw)}));
  }
  return shown;
}

void WriteNpz(const WindowState& state, const ShownState& shown, const std::string& path) {
  nlohmann::ordered_json header = {{"scene", state.opened},
                                   {"t", state.scene->snapshot->t},
                                   {"factorization", ToString(shown.at.factorization)},
                                   {"velocities", shown.at.space.Names()}};
  const std::vector<std::span<const double>> values(shown.values.begin(), shown.values.end());
  const auto writer = OpenEvalWriter("npz", path, header, shown.arrays, OutputFile::Kind::kWhole);
  writer->AddState(values);
  writer->Finish(false);
}

// "C,0,3,,-0.125"
void WriteCsv(const ShownState& shown, const std::string& path) {
  std::string text = "quantity,i,j,k,value\n";
  for (std::size_t i = 0; i < shown.arrays.size(); ++i) {
    const auto& [name, shape] = shown.arrays[i];
    for (std::size_t n = 0; n < shown.values[i].size(); ++n) {
      std::size_t rest = n;
      std::vector<std::string> indices(3);
      for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
        indices[axis] = std::to_string(rest % shape[axis]);
      }
      text += name;
      for (const std::string& index : indices) text += "," + index;
      text += ",";
      internal::AppendNumber(shown.values[i][n], &text);
      text += "\n";
    }
  }
  WriteWhole(path, text);
}

void SaveMatrices(WindowState* state, bool is_npz) {
  try {
    const std::string path = TimestampedName("matrices", is_npz ? "npz" : "csv", state->recordings);
    const ShownState shown = EvaluateShown(*state->scene);
    is_npz ? WriteNpz(*state, shown, path) : WriteCsv(shown, path);
    TellSaved(state, path);
  } catch (const Error& error) {
    ShowToast(state, error.what(), true);
  }
}

}  // namespace

TakenRuns TakeRuns(const WindowState& state) {
  const ActiveScene& scene = *state.scene;
  const std::vector<SceneConfig> configs = TunedConfigs(scene);
  const SceneConfig& opened =
      state.opened_config ? *state.opened_config : scene.session.scene().config;
  TakenRuns runs;
  std::error_code error;
  const bool is_file = std::filesystem::exists(state.opened, error);
  runs.scene = is_file ? std::filesystem::absolute(state.opened, error).string() : state.opened;
  std::vector<std::string> missing, overrides = state.overrides;
  if (opened.controller != configs.front().controller) {  // those of the law before
    std::erase_if(overrides, [](const std::string& text) {
      return text.starts_with("gains.") || text.starts_with("controller.");
    });
  }
  runs.keys = MergeKeys(overrides, FindDifferingKeys(opened, configs.front(), &missing));
  if (configs.size() > 1) {
    runs.compared = FindDifferingKeys(configs.front(), configs.back(), &missing);
    // A second run there is even where nothing differs.
    if (runs.compared->empty()) {
      runs.compared->push_back({"controller.factorization", configs.back().factorization});
    }
  }
  for (const std::string& key : missing) {
    runs.notes.push_back("Without " + key + ", which no --set can take away");
  }
  for (std::string& change : ChangesOf(scene)) runs.notes.push_back(std::move(change));
  return runs;
}

void CopyAsCommand(WindowState* state) {
  if (!RefuseCopy(state)) Copy(state, FormatCommand(TakeRuns(*state)), "a command");
}

void CopyAsConfig(WindowState* state) {
  if (RefuseCopy(state)) return;
  const ActiveScene& scene = *state->scene;
  const SceneConfig config = TunedConfigs(scene)[static_cast<std::size_t>(scene.edited)];
  Copy(state, FormatConfig(config, ChangesOf(scene)), "a config");
}

void CopyAsPython(WindowState* state) {
  if (!RefuseCopy(state)) Copy(state, FormatPython(TakeRuns(*state)), "Python");
}

void SaveMatricesNpz(WindowState* state) { SaveMatrices(state, true); }
void SaveMatricesCsv(WindowState* state) { SaveMatrices(state, false); }

}  // namespace civita
