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
  state->scene->log.Add({state->scene->snapshot->t, std::string("Copied as ") + what + ": " + text,
                         LogLine::Kind::kAction});
}

constexpr const char* kSaved[] = {"H", "C", "Gamma", "torsion"};

// The shown state of a run, evaluated.
struct ShownState {
  Evaluator at;
  std::vector<QuantityRequest> requests;
  std::vector<std::vector<double>> results;
};

ShownState EvaluateShown(const ActiveScene& scene) {
  const SceneData& data = scene.session.scene(scene.matrix_slot);
  const auto slot = static_cast<std::size_t>(scene.matrix_slot);
  const Model& model = data.control_model;
  ShownState shown{{data.closed ? EvalVelocities(*data.closed) : EvalVelocities(model),
                    scene.slots[slot].posted.factorization},
                   {},
                   {}};
  const Measured& measured = MeasuredOf(*scene.snapshot, scene.matrix_slot);
  const int nw = shown.at.velocities.size();
  Eigen::VectorXd w(nw);
  PlantGeometry(model, data.closed.get()).Select(measured.v, w);
  EvalStates states(model.nq(), nw);
  const std::vector<double> zero(static_cast<std::size_t>(nw), 0.0);
  states.Add({std::vector<double>(measured.q.begin(), measured.q.begin() + model.nq()),
              std::vector<double>(w.begin(), w.end()), zero, zero, zero, zero},
             {});
  shown.at.SetState(states, 0);
  if (!shown.at.trouble.empty()) throw UserError(shown.at.trouble);
  shown.requests = FindQuantities({std::begin(kSaved), std::end(kSaved)}, model,
                                  shown.at.factorization, data.closed != nullptr);
  for (const QuantityRequest& request : shown.requests) {
    std::size_t size = 1;
    for (const std::size_t n : ShapeOf(request, model, nw)) size *= n;
    CalcQuantity(request, &shown.at, &shown.results.emplace_back(size));
  }
  return shown;
}

std::span<const double> Numbers(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

void WriteNpz(const WindowState& state, ShownState* shown, const std::string& path) {
  const ActiveScene& scene = *state.scene;
  const auto nw = static_cast<std::size_t>(shown->at.velocities.size());
  std::vector<EvalArray> arrays = {{"q", {static_cast<std::size_t>(shown->at.model.nq())}},
                                   {"v", {nw}}};
  std::vector<std::span<const double>> values = {Numbers(shown->at.q), Numbers(shown->at.w)};
  for (std::size_t i = 0; i < shown->requests.size(); ++i) {
    arrays.push_back({shown->requests[i].name,
                      ShapeOf(shown->requests[i], shown->at.model, static_cast<int>(nw))});
    values.emplace_back(shown->results[i]);
  }
  nlohmann::ordered_json header = {{"scene", state.opened},
                                   {"t", scene.snapshot->t},
                                   {"factorization", ToString(shown->at.factorization)},
                                   {"velocities", shown->at.velocities.Names()}};
  const auto writer = OpenEvalWriter("npz", path, header, arrays, OutputFile::Kind::kWhole);
  writer->AddState(values);
  writer->Finish(false);
}

// "C,0,3,,-0.125"
void WriteCsv(ShownState* shown, const std::string& path) {
  std::string text = "quantity,i,j,k,value\n";
  const int nw = shown->at.velocities.size();
  const auto add = [&](const std::string& name, const std::vector<std::size_t>& shape,
                       std::span<const double> values) {
    for (std::size_t n = 0; n < values.size(); ++n) {
      std::size_t rest = n;
      std::vector<std::string> indices(3);
      for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
        indices[axis] = std::to_string(rest % shape[axis]);
      }
      text += name;
      for (const std::string& index : indices) text += "," + index;
      text += ",";
      internal::AppendNumber(values[n], &text);
      text += "\n";
    }
  };
  add("q", {static_cast<std::size_t>(shown->at.q.size())}, Numbers(shown->at.q));
  add("v", {static_cast<std::size_t>(nw)}, Numbers(shown->at.w));
  for (std::size_t i = 0; i < shown->requests.size(); ++i) {
    add(shown->requests[i].name, ShapeOf(shown->requests[i], shown->at.model, nw),
        shown->results[i]);
  }
  WriteWhole(path, text);
}

void SaveMatrices(WindowState* state, bool is_npz) {
  try {
    const std::string path = TimestampedName("matrices", is_npz ? "npz" : "csv", state->recordings);
    ShownState shown = EvaluateShown(*state->scene);
    if (is_npz) {
      WriteNpz(*state, &shown, path);
    } else {
      WriteCsv(&shown, path);
    }
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
