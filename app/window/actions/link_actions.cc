#include "app/window/actions/link_actions.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "base/check_json.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/plant/push.h"
#include "civita/scenes/schema/config_reader.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using LinkJson = nlohmann::ordered_json;

constexpr long kMostSteps = 1000000;
constexpr int kMostAtOnce = 64;  // requests in a frame

std::string LineOf(const LinkJson& json) {
  // Texts of models and configs may be no UTF-8; numbers that are not finite are null.
  return json.dump(-1, ' ', false, LinkJson::error_handler_t::replace);
}

LinkJson NumbersOf(const Eigen::VectorXd& numbers) {
  LinkJson list = LinkJson::array();
  for (const double number : numbers) list.push_back(number);
  return list;
}

[[noreturn]] void RefuseValue(const std::string& key, const std::string& expected,
                              const LinkJson& value) {
  std::string given = LineOf(value);
  constexpr std::size_t kMostShown = 80;
  if (given.size() > kMostShown) given = given.substr(0, kMostShown) + "…";
  throw UserError(key + ": " + expected + ", not " + given);
}

// Refuses what would change a run that takes no input.
void CheckTakesInput(const WindowState& state) {
  const ActiveScene& scene = *state.scene;
  if (scene.session.is_replay())
    throw UserError("a replay shows what was recorded, and takes no input");
}

void CheckHasNotFailed(const WindowState& state) {
  const Snapshot& snapshot = *state.scene->snapshot;
  if (snapshot.state == RunState::kFailed) {
    throw UserError("the run has failed, reset it first: " + snapshot.failure.reason);
  }
}

std::string NameOf(RunState state) {
  return state == RunState::kRunning ? "running" : state == RunState::kPaused ? "paused" : "failed";
}

LinkJson SettingsOf(const ActiveScene& scene, Slot slot) {
  const Snapshot& snapshot = *scene.snapshot;
  const bool is_first = slot == Slot::kA;
  const LawInfo& law = scene.law(slot);
  const std::vector<Eigen::VectorXd>& gains = is_first ? snapshot.gains : snapshot.other.gains;
  LinkJson by_key = LinkJson::object();
  for (std::size_t i = 0; i < gains.size() && i < law.parameters.size(); ++i) {
    by_key[std::string(law.parameters[i].key)] = NumbersOf(gains[i]);
  }
  LinkJson settings = {{"law", std::string(law.type)}, {"gains", std::move(by_key)}};
  if (law.uses_factorization) {
    settings["factorization"] = is_first ? snapshot.factorization : snapshot.other.factorization;
  }
  return settings;
}

LinkJson TellState(WindowState* state, const LinkJson& /*value*/, Slot /*run*/) {
  const ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  LinkJson runs = LinkJson::array();
  for (std::size_t i = 0; i < scene.slots.size(); ++i) {
    runs.push_back(SettingsOf(scene, static_cast<Slot>(i)));
  }
  return {{"scene", state->opened},
          {"state", NameOf(snapshot.state)},
          {"is_replay", scene.session.is_replay()},
          {"is_recording", snapshot.is_recording},
          {"t", snapshot.t},
          {"step", snapshot.step},
          {"control_dt", scene.session.control_dt()},
          {"runs", std::move(runs)}};
}

LinkJson ListSignals(WindowState* state, const LinkJson& /*value*/, Slot run) {
  LinkJson list = LinkJson::array();
  for (const Signal& signal : state->scene->traces.signals(run).signals()) {
    const SignalInfo& info = signal.info;
    LinkJson row = {{"name", info.name}, {"unit", info.unit}, {"doc", info.doc}};
    if (info.is_list()) row["width"] = info.width;
    list.push_back(std::move(row));
  }
  return list;
}

// The newest row of the shown run up to now.
LinkJson ReadLatest(WindowState* state, const LinkJson& value, Slot run) {
  if (!value.is_array()) RefuseValue("latest", "a list of names of signals", value);
  const Traces& traces = state->scene->traces;
  const SignalTable& table = traces.signals(run);
  LinkJson values = LinkJson::object();
  const int64_t row = traces.RowBefore(state->scene->snapshot->t);
  for (const LinkJson& each : value) {
    if (!each.is_string()) RefuseValue("latest", "a list of names of signals", value);
    const std::string name = each;
    const Signal* signal = table.Find(name);
    if (signal == nullptr) {
      std::vector<std::string> names;
      for (const Signal& known : table.signals()) names.push_back(known.info.name);
      throw UserError("latest: " + UnknownName("signal", name, names));
    }
    if (row < 0) throw UserError("latest: no control step has been taken yet");
    const Eigen::VectorXd numbers = traces.Read(row, run, name, signal->info.size());
    values[name] = signal->info.is_list() ? NumbersOf(numbers) : LinkJson(numbers[0]);
  }
  return {{"t", row < 0 ? kNaN : traces.buffer().time(row)}, {"values", std::move(values)}};
}

// Sets one of the keys that a run takes while it goes on.
void ReadSetting(const std::string& key, const std::string& value, const SceneData& scene,
                 Tuning* tuning) {
  std::vector<std::string> keys;
  for (SetKey& each : KeysOf(*tuning, *scene.law)) keys.push_back(std::move(each.key));
  if (std::ranges::find(keys, key) == keys.end()) {
    throw UserError("set: " + UnknownName("key of a run that goes on,", key, keys));
  }
  ReadTuningKey(key, ParseYamlArgument(value, "set " + key), *scene.law, scene.control_model, {},
                tuning);
}

LinkJson ChangeSettings(WindowState* state, const LinkJson& value, Slot run) {
  CheckTakesInput(*state);
  const auto refuse = [&] { RefuseValue("set", "a list of texts KEY=VALUE", value); };
  if (!value.is_array()) refuse();
  ActiveScene& scene = *state->scene;
  TuningHistory& tuning = scene.slots[static_cast<std::size_t>(run)].tuning;
  Tuning changed = tuning.current();
  for (const LinkJson& each : value) {
    const std::string text = each.is_string() ? each.get<std::string>() : "";
    const std::size_t at = text.find('=');
    if (at == text.npos) refuse();
    ReadSetting(text.substr(0, at), text.substr(at + 1), scene.session.scene(run), &changed);
  }
  const Slot edited = std::exchange(scene.edited, run);
  tuning.Edit(std::move(changed));
  CommitTuning(state);
  scene.edited = edited;
  return nullptr;
}

// A push of the keys that an item of a config's `pushes` has.
LinkJson MakePush(WindowState* state, const LinkJson& value, Slot /*run*/) {
  CheckTakesInput(*state);
  CheckHasNotFailed(*state);
  if (!value.is_object()) RefuseValue("push", "an object with keys of `pushes`", value);
  const ActiveScene& scene = *state->scene;
  SceneConfig config;
  YamlValue root;
  SetYamlValue(root, "pushes", ParseYamlArgument("[" + LineOf(value) + "]", "push"));
  internal::ReadSections(root, &config);
  PushOnce(state,
           MakePushes(config.pushes, *scene.session.mj(), scene.session.control_dt()).front());
  return nullptr;
}

LinkJson TakeSteps(WindowState* state, const LinkJson& value, Slot /*run*/) {
  const bool is_huge = value.is_number_unsigned() && value > static_cast<std::uint64_t>(kMostSteps);
  if (!value.is_number_integer() || is_huge || value < -kMostSteps) {
    RefuseValue("step", "a whole number from −1000000 to 1000000", value);
  }
  const RunState now = state->scene->snapshot->state;
  if (now == RunState::kRunning) throw UserError("step: pause the run first");
  if (now == RunState::kFailed && value > 0) CheckHasNotFailed(*state);
  Post(state, command::StepOnce{value.get<long>()});
  return nullptr;
}

void PlayRun(WindowState* state) {
  CheckHasNotFailed(*state);
  if (state->scene->snapshot->state == RunState::kPaused) TogglePlay(state);
}
void PauseRun(WindowState* state) {
  if (state->scene->snapshot->state == RunState::kRunning) TogglePlay(state);
}
void ThrowRun(WindowState* state) {
  CheckTakesInput(*state);
  CheckHasNotFailed(*state);
  ThrowOff(state);
}

LinkJson DoNamed(WindowState* state, const LinkJson& value, Slot /*run*/) {
  static constexpr struct {
    const char* name;
    void (*act)(WindowState*);
  } kActs[] = {{"pause", PauseRun}, {"play", PlayRun}, {"reset", ResetRun}, {"throw", ThrowRun}};
  std::vector<std::string> names;
  for (const auto& act : kActs) {
    if (value == act.name) {
      act.act(state);
      return nullptr;
    }
    names.emplace_back(act.name);
  }
  if (!value.is_string()) RefuseValue("do", "one of pause, play, reset, throw", value);
  throw UserError("do: " + UnknownName("action", value.get<std::string>(), names));
}

struct RequestRow {
  const char* key;
  LinkJson (*answer)(WindowState*, const LinkJson& value, Slot run);
};
constexpr RequestRow kRequests[] = {
    {"do", DoNamed},          {"latest", ReadLatest}, {"push", MakePush},  {"set", ChangeSettings},
    {"signals", ListSignals}, {"state", TellState},   {"step", TakeSteps},
};

Slot ReadRun(const WindowState& state, const LinkJson& request) {
  const auto run = request.find("run");
  if (run == request.end() || *run == "A") return Slot::kA;
  if (*run == "B" && state.scene->is_comparing()) return Slot::kB;
  RefuseValue("run", state.scene->is_comparing() ? "A or B" : "A, as one run is shown", *run);
}

LinkJson Answer(WindowState* state, const std::string& line) {
  internal::CheckJson(line, "request");
  const LinkJson request = LinkJson::parse(line, nullptr, false);
  std::vector<std::string> names;
  for (const RequestRow& row : kRequests) names.emplace_back(row.key);
  if (!request.is_object()) {
    throw UserError("a request is one line, a JSON object with one of the keys " +
                    internal::List(names, names.size()));
  }
  const RequestRow* asked = nullptr;
  for (const auto& item : request.items()) {
    const std::string& key = item.key();
    if (key == "run") continue;
    const auto* row =
        std::ranges::find_if(kRequests, [&](const RequestRow& each) { return each.key == key; });
    if (row == std::end(kRequests)) throw UserError(UnknownName("request", key, names));
    if (asked != nullptr) {
      throw UserError("a request has one key, not both " + std::string(asked->key) + " and " + key);
    }
    asked = row;
  }
  if (asked == nullptr)
    throw UserError("a request has one of the keys " + internal::List(names, names.size()));
  return asked->answer(state, request[asked->key], ReadRun(*state, request));
}

void AnswerLine(WindowState* state, const LineServer::Line& line) {
  LiveLink& link = *state->link;
  try {
    const LinkJson answer = Answer(state, line.text);
    link.pending = {line.client, LineOf({{"ok", answer}}),
                    state->scene->snapshot->commands_refused};
  } catch (const std::exception& error) {
    link.server.Answer(line.client, LineOf({{"error", error.what()}}));
  }
}

// Answers the one whose commands have been executed.
void AnswerPending(WindowState* state) {
  LiveLink& link = *state->link;
  const Snapshot& snapshot = *state->scene->snapshot;
  if (!link.pending || !state->scene->session.HasAnswered(snapshot)) return;
  const LiveLink::Pending pending = *std::exchange(link.pending, std::nullopt);
  const bool is_refused = snapshot.commands_refused != pending.refused_before;
  link.server.Answer(pending.client, is_refused ? LineOf({{"error", snapshot.last_command_error}})
                                                : pending.answer);
}

}  // namespace

void OpenLink(WindowState* state) {
  const std::filesystem::path path =
      RuntimeFolder() / ("civita-" + std::to_string(getpid()) + ".sock");
  state->link.reset(new LiveLink{.server = LineServer(path)});
  AddLine(state, "Live link at " + path.string());
}

void ToggleLink(WindowState* state) {
  if (state->link) {
    state->link.reset();
    return Tell(state, "The live link is closed");
  }
  try {
    OpenLink(state);
    ShowToast(state, "Live link open: civita.attach() in Python");
  } catch (const Error& error) {
    ShowToast(state, error.what(), true);
  }
}

void ServeLink(WindowState* state) {
  if (!state->link) return;
  AnswerPending(state);
  state->link->server.Poll();
  // One after the other, so that each is told whether it was its own that was refused.
  for (int i = 0; i < kMostAtOnce && !state->link->pending; ++i) {
    const std::optional<LineServer::Line> line = state->link->server.Next();
    if (!line) break;
    AnswerLine(state, *line);
    AnswerPending(state);
  }
}

}  // namespace civita
