#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/number_text.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/gain_value.h"
#include "civita/sim/output_file.h"
#include "sim/session/session_impl.h"

namespace civita {
namespace {

std::string Format(const Eigen::VectorXd& x) {
  std::string text;
  const bool uniform = (x.array() == x[0]).all();
  for (Eigen::Index i = 0; i < (uniform ? 1 : x.size()); ++i) {
    if (i > 0) text += ", ";
    internal::AppendNumber(x[i], &text);
  }
  return uniform ? text : "[" + text + "]";
}

std::string DescribePush(const mjModel& m, const Push& push) {
  const bool at_joint = push.joint >= 0;
  const char* name =
      mj_id2name(&m, at_joint ? mjOBJ_JOINT : mjOBJ_BODY, at_joint ? push.joint : push.body);
  const std::string at = name != nullptr ? name : "?";
  if (!at_joint) return "push on " + at + " by " + Format(push.force) + " N";
  const int type = m.jnt_type[push.joint];
  return "push at " + at + " by " + Format(push.force.head(type == mjJNT_BALL ? 3 : 1)) +
         (type == mjJNT_SLIDE ? " N" : " N·m");
}

}  // namespace

void Session::Impl::TakeCommands() {
  while (Command* next = commands.Front()) {
    try {
      std::visit([this](auto& command) { Apply(command); }, *next);
    } catch (const std::exception& error) {
      command_error = error.what();
      ++commands_refused;
    }
    commands.Pop();
    ++commands_applied;
    commanded = true;
  }
}

void Session::Impl::Apply(command::Play) {
  if (state == RunState::kFailed) {
    throw UserError("the run has failed: reset it or go back first");
  } else if (state == RunState::kPaused) {
    if (is_replay() && simulation.step() == newest_step) GoTo(OldestStep());
    state = RunState::kRunning;
    pending_steps = 0;
    pacer.Start(Clock::now(), simulation.time());
  }
}

void Session::Impl::Apply(command::Pause) {
  if (state == RunState::kRunning) state = RunState::kPaused;
}

void Session::Impl::Apply(command::StepOnce step) {
  if (state == RunState::kRunning) return;
  if (step.steps < 0) return GoTo(simulation.step() + step.steps);
  if (state == RunState::kPaused) pending_steps += step.steps;
}

void Session::Impl::Apply(command::Reset) {
  if (is_replay()) return GoTo(OldestStep());
  for (const std::unique_ptr<Lane>& lane : lanes) {
    lane->simulation.SetPerturbation(0, command::Perturb{}.xfrc);
    lane->simulation.Reset();
    lane->history.Restart(lane->simulation);
    lane->aside = {};
    lane->inputs_aside.clear();
  }
  misses.clear();
  judged_from = kNever;
  driven.reset();
  newest_step = 0;
  returned = false;
  aside.reset();
  WentBack();
  RestartMetrics(simulation.time());
  PushTrace(TraceRow::Kind::kReset, 0);
  Record([](Lane* lane) { lane->recorder->DropFrom(0); });
  for (const auto& lane : lanes) NoteSettings(lane.get(), CutInputs(lane.get(), 0));
}

void Session::Impl::Apply(command::Rewind rewind) {
  constexpr double kRounding = 1e-6;  // of a step
  const double last = static_cast<double>(newest_step);
  const double step = std::floor(rewind.t / simulation.control_dt() + kRounding);
  GoTo(static_cast<long>(std::clamp(step, 0.0, last)));
}

void Session::Impl::GoTo(long step) {
  step = std::clamp(step, OldestStep(), newest_step);
  if (is_replay()) {
    ShowRecorded(step);
    TimeReplay();
  } else {
    // One that had failed by then fails there again.
    for (const std::unique_ptr<Lane>& lane : lanes) {
      lane->simulation.Repeat(lane->history.At(step), step);
    }
  }
  moved = returned = true;
  WentBack();
}

void Session::Impl::SaveInputs() {
  for (const std::unique_ptr<Lane>& lane : lanes) {
    if (lane == lanes.front() || !lane->simulation.failure().failed) {
      lane->history.Save(lane->simulation);
    }
  }
}

/// While it records, time can be gone back in as far as the disk has room.
void Session::Impl::Archive(const std::filesystem::path& folder) {
  for (const std::unique_ptr<Lane>& lane : lanes) lane->history.Archive(folder);
}

void Session::Impl::EndArchive() {
  for (const std::unique_ptr<Lane>& lane : lanes) lane->history.EndArchive();
}

/// Puts the known future aside, if there is one.
void Session::Impl::Branch() {
  if (!std::exchange(returned, false)) return;
  const long step = simulation.step();
  if (step >= newest_step) {
    NotePull({});
    return SaveInputs();  // the present ones may not be those of the past
  }
  aside.emplace(Aside{step, newest_step, CutMisses(step), judged_from});
  if (judged_from >= step) judged_from = kNever;
  for (const std::unique_ptr<Lane>& lane : lanes) {
    lane->aside = lane->history.Cut(step);
    lane->inputs_aside = CutInputs(lane.get(), step);
  }
  SaveInputs();
  newest_step = step;
  RestartMetrics(simulation.time());
  PushTrace(TraceRow::Kind::kBranch, simulation.time());
  Record([t = simulation.time()](Lane* lane) { lane->recorder->Branch(t); });
  for (const std::unique_ptr<Lane>& lane : lanes) NoteSettings(lane.get(), lane->inputs_aside);
  NotePull({});  // that of the past has ended: the mouse is elsewhere
}

/// Takes out the misses after a step.
std::vector<long> Session::Impl::CutMisses(long step) {
  const auto first = std::ranges::upper_bound(misses, step);
  std::vector<long> cut(first, misses.end());
  misses.erase(first, misses.end());
  return cut;
}

/// Takes out the inputs at a step and later.
std::vector<InputEvent> Session::Impl::CutInputs(Lane* lane, long step) {
  const std::lock_guard lock(inputs_mutex);
  std::vector<InputEvent>& inputs = lane->inputs;
  const auto is_later = [t = simulation.TimeOf(step)](const InputEvent& input) {
    return input.t >= t;
  };
  const auto first = std::ranges::find_if(inputs, is_later);
  std::vector<InputEvent> cut(first, inputs.end());
  inputs.erase(first, inputs.end());
  return cut;
}

void Session::Impl::Apply(command::SwitchBranch) {
  if (!aside || aside->from < OldestStep()) {
    throw UserError("there is no other branch within reach");
  }
  if (state == RunState::kRunning) state = RunState::kPaused;
  const double t = simulation.TimeOf(aside->from);
  for (const std::unique_ptr<Lane>& lane : lanes) {
    StateHistory::Stretch states = lane->history.Cut(aside->from);
    lane->history.Append(std::exchange(lane->aside, std::move(states)));
    const auto others = std::exchange(lane->inputs_aside, CutInputs(lane.get(), aside->from));
    const std::lock_guard lock(inputs_mutex);
    lane->inputs.insert(lane->inputs.end(), others.begin(), others.end());
  }
  std::swap(newest_step, aside->newest_step);
  std::swap(judged_from, aside->judged_from);
  std::vector<long> other_misses = CutMisses(aside->from);
  std::swap(other_misses, aside->misses);
  misses.insert(misses.end(), other_misses.begin(), other_misses.end());
  GoTo(simulation.step());
  RestartMetrics(simulation.time());
  PushTrace(TraceRow::Kind::kSwitch, t);
  Record([t](Lane* lane) { lane->recorder->Switch(t); });
}

void Session::Impl::Apply(const command::StartRecording& start) {
  if (is_recording) throw UserError("another recording runs");
  if (is_replay()) {  // the files are there already, but a video may be added
    std::error_code error;
    std::filesystem::create_directories(start.directory, error);
    if (error) throw UserError(start.directory.string() + ": " + error.message());
  } else {
    std::vector<std::unique_ptr<Recorder>> started;
    try {
      std::filesystem::path directory = start.directory;
      for (const std::unique_ptr<Lane>& lane : lanes) {
        started.push_back(std::make_unique<Recorder>(lane->simulation, directory));
        directory /= kSecondRun;
      }
      Archive(start.directory);
    } catch (const Error&) {
      EndArchive();
      // The one in whose folder the other is at last.
      for (; !started.empty(); started.pop_back()) started.back()->Discard();
      throw;
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lanes[i]->recorder = std::move(started[i]);
      // Without them nobody could tell why the run is not repeated from its config.
      for (const InputEvent& input : lanes[i]->inputs) lanes[i]->recorder->AddEvent(input);
    }
  }
  recording_error.clear();
  recording_directory = start.directory.string();
  is_recording = true;
  has_recorded = is_replay();
}

void Session::Impl::Apply(command::StopRecording) {
  if (!is_recording) return;
  EndArchive();
  for (std::future<RunSummary>& ending : FinishRecorders()) finishing.push_back(std::move(ending));
}

/// Ends the recordings; those without a row are removed.
std::vector<std::future<RunSummary>> Session::Impl::FinishRecorders() {
  std::vector<std::future<RunSummary>> ending;
  is_recording = false;
  for (auto lane = lanes.rbegin(); lane != lanes.rend(); ++lane) {
    std::unique_ptr<Recorder> recorder = std::move((*lane)->recorder);
    if (!recorder) continue;
    if (has_recorded) {
      ending.push_back(Recorder::FinishAside(std::move(recorder), (*lane)->simulation, running_s));
    } else {
      recorder->Discard();
      recording_error = "no step was recorded: the run was paused";
    }
  }
  return ending;
}

/// Takes the summaries of a recording that was stopped, once its files are written.
void Session::Impl::TakeFinished(bool wait) {
  if (finishing.empty()) return;
  for (const std::future<RunSummary>& each : finishing) {
    if (wait) each.wait();
    if (each.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return;
  }
  commanded = true;
  for (std::future<RunSummary>& each : std::exchange(finishing, {})) {
    try {
      recorded_summary = each.get();  // of run A at last
      if (recording_error.empty()) recording_error = recorded_summary->write_error;
    } catch (const std::exception& error) {
      recording_error = error.what();
    }
  }
}

template <typename Work>
void Session::Impl::Change(Work work, Lane* only) {
  if (is_replay()) throw UserError("a replay shows what was recorded, and takes no input");
  Branch();
  for (const std::unique_ptr<Lane>& lane : lanes) {
    if (only == nullptr || only == lane.get()) work(&lane->simulation);
  }
  SaveInputs();
}

void Session::Impl::WentBack() {
  pending_steps = 0;
  thrown = {};
  if (state == RunState::kFailed) state = RunState::kPaused;
  pacer.Start(Clock::now(), simulation.time());
}

/// Metrics accumulated with other settings, before a rewind or before a throw do not describe the
/// runs now.
void Session::Impl::RestartMetrics(double t, bool by_throw) {
  if (!is_comparing()) return;
  const double origin = by_throw ? t : 0;
  for (const std::unique_ptr<Lane>& lane : lanes) lane->metrics->Restart(origin);
  measured = {t, by_throw};
}

void Session::Impl::Apply(command::SetSpeed speed) {
  pacer.set_speed(speed.factor);
  pacer.Start(Clock::now(), simulation.time());
}

void Session::Impl::Apply(command::SetGain& gain) {
  Lane* const lane = &At(gain.slot);
  Change([&](Simulation* of) { of->SetGain(gain.key, gain.value); }, lane);
  RestartMetrics(simulation.time());
  NoteGain(lane, gain.key, gain.value);
}

void Session::Impl::Apply(command::SetFactorization& factorization) {
  Lane& lane = At(factorization.slot);
  Change([&](Simulation* of) { of->SetFactorization(factorization.factorization); }, &lane);
  RestartMetrics(simulation.time());
  NoteFactorization(&lane);
}

void Session::Impl::Apply(command::SetTuning& tuning) {
  for (command::SetGain& gain : tuning.gains) Apply(gain);
  if (tuning.factorization) Apply(*tuning.factorization);
}

void Session::Impl::Apply(command::AddPush& push) {
  Change([&](Simulation* of) { of->AddPush(push.push, push.every_s); });
  std::string text = DescribePush(*simulation.mj(), push.push);
  if (push.every_s > 0) {
    text += " every ";
    internal::AppendNumber(push.every_s, &text);
    text += " s";
  }
  Note(text, InputText(push));
}

void Session::Impl::Apply(command::StopPushes) {
  Change([](Simulation* of) { of->StopPushes(); });
  Note("no more pushes", InputText(command::StopPushes{}));
}

void Session::Impl::Apply(const command::ThrowOff& command) {
  Change([&](Simulation* of) { of->ThrowOff(command.thrown); });
  std::string text = "thrown off by ";
  internal::AppendNumber(command.thrown.size, &text);
  Note(text + " rad/s, m/s, seed " + std::to_string(command.thrown.seed), InputText(command));
}

void Session::Impl::Apply(const command::SetDrive& drive) {
  Change([&](Simulation* of) { of->SetDrive(drive.wanted); });
  driven = drive.wanted;
  for (const std::unique_ptr<Lane>& lane : lanes) NoteDrive(lane.get());
}

void Session::Impl::Apply(command::Perturb& perturb) {
  Change([&](Simulation* of) { of->SetPerturbation(perturb.body, perturb.xfrc); });
  NotePull(perturb);
}

void Session::Impl::Note(Lane* lane, const std::string& what, const std::string& input) {
  {
    const std::lock_guard lock(inputs_mutex);
    lane->inputs.push_back({simulation.time(), what, input});
  }
  Record([&](Lane* recorded) {
    if (recorded == lane) lane->recorder->AddEvent(lane->inputs.back());
  });
}

void Session::Impl::Note(const std::string& what, const std::string& input) {
  for (const std::unique_ptr<Lane>& lane : lanes) Note(lane.get(), what, input);
}

void Session::Impl::NoteGain(Lane* lane, const std::string& key, const Eigen::VectorXd& value) {
  const GainShape shape = internal::ShapeOf(lane->simulation.controller().info(), key);
  const std::span numbers(value.data(), static_cast<std::size_t>(value.size()));
  Note(lane, "gains." + key + " = " + internal::WriteGain(shape, numbers), InputText(key, value));
}

void Session::Impl::NoteFactorization(Lane* lane) {
  const Factorization& present = lane->simulation.controller().factorization();
  Note(lane, "factorization = " + ToString(present), InputText(present));
}

void Session::Impl::NoteDrive(Lane* lane) {
  if (!driven) return Note(lane, "driven by the reference", InputText(driven));
  const Eigen::Vector2d& v = driven->velocity;
  Note(lane,
       "driven at " + Format(Eigen::Vector3d(v[0], v[1], driven->yaw_rate)) + " m/s, m/s, rad/s",
       InputText(driven));
}

/// One that differs from the last; the mouse gives one a frame.
void Session::Impl::NotePull(const command::Perturb& pull) {
  const std::vector<InputEvent>& inputs = lanes.front()->inputs;
  const auto last = std::find_if(inputs.rbegin(), inputs.rend(),
                                 [](const InputEvent& input) { return IsPull(input.input); });
  const std::string before = last == inputs.rend() ? InputText(command::Perturb{}) : last->input;
  const std::string input = InputText(pull);
  if (input == before) return;
  const char* body = mj_id2name(simulation.mj(), mjOBJ_BODY, pull.body);
  const Eigen::Map<const Eigen::Vector3d> force(pull.xfrc), moment(pull.xfrc + 3);
  Note(pull.body == 0 ? "no pull"
                      : "pull on " + std::string(body != nullptr ? body : "?") + " by " +
                            Format(force) + " N, " + Format(moment) + " N·m",
       input);
}

/// Notes the present values of settings whose changes have been cut: they stay when time goes back.
void Session::Impl::NoteSettings(Lane* lane, const std::vector<InputEvent>& cut) {
  std::set<std::string> settings;
  for (const InputEvent& input : cut) settings.insert(SettingOf(input.input));
  const Controller& controller = lane->simulation.controller();
  const auto parameters = controller.info().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string key(parameters[i].key);
    if (!settings.contains("gains." + key)) continue;
    NoteGain(lane, key, controller.gain(static_cast<int>(i)));
  }
  if (settings.contains("factorization")) NoteFactorization(lane);
  if (settings.contains("drive") && driven) NoteDrive(lane);
}

}  // namespace civita
