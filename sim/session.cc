#include "sim/session.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "core/error.h"
#include "sim/output_file.h"
#include "sim/pacer.h"
#include "sim/recorder.h"
#include "sim/row_layout.h"
#include "sim/spsc_queue.h"
#include "sim/state_history.h"
#include "sim/step_times.h"
#include "sim/triple_buffer.h"

namespace civita {
namespace {

using Clock = Pacer::Clock;
using std::chrono::milliseconds;

constexpr std::size_t kWaitingCommands = 256;
constexpr double kTraceMemory = 16e6;  ///< bytes, between these numbers of rows:
constexpr double kMinTraceRows = 8192, kMaxTraceRows = 65536;
constexpr milliseconds kPublishPeriod(10);
constexpr milliseconds kNap(2);    ///< longest time away from the commands, asleep,
constexpr milliseconds kBurst(3);  ///< and at work

void CopyGains(const Controller& controller, std::vector<Eigen::VectorXd>* gains) {
  gains->resize(controller.parameters().size());
  for (std::size_t i = 0; i < gains->size(); ++i) {
    (*gains)[i] = controller.gain(static_cast<int>(i));
  }
}

std::size_t TraceRows(std::size_t num_columns) {
  const double bytes = static_cast<double>(sizeof(TraceRow) + num_columns * sizeof(float));
  return static_cast<std::size_t>(std::clamp(kTraceMemory / bytes, kMinTraceRows, kMaxTraceRows));
}

std::string Format(const Eigen::VectorXd& x) {
  std::string text;
  const bool uniform = (x.array() == x[0]).all();
  for (Eigen::Index i = 0; i < (uniform ? 1 : x.size()); ++i) {
    if (i > 0) text += ", ";
    AppendNumber(x[i], &text);
  }
  return uniform ? text : "[" + text + "]";
}

}  // namespace

struct Session::Impl {
  Impl(std::unique_ptr<Scene> scene, bool start_paused, const std::filesystem::path& directory,
       std::unique_ptr<Scene> other_scene);

  // The simulation's thread.
  void Run();
  void TakeCommands();
  void Apply(command::Play);
  void Apply(command::Pause);
  void Apply(command::StepOnce step);
  void Apply(command::Reset);
  void Apply(command::SetSpeed speed);
  void Apply(command::SetGain& gain);
  void Apply(command::SetFactorization& factorization);
  void Apply(command::AddPush& push);
  void Apply(command::StopPushes);
  void Apply(const command::SetDrive& drive);
  void Apply(command::Perturb& perturb);
  void Apply(command::Rewind rewind);
  void WentBack();
  void RestartMetrics();
  void Advance();
  void AdvancePaused();
  void AdvanceUnlimited();
  void AdvancePaced();
  bool Step();
  void StepOther();
  void PushTrace(const StepRecord& record);
  Simulation& Chosen(Slot slot);
  void Note(const std::string& what);
  template <typename Work>
  void Record(Work work);
  template <typename Work>
  void Guard(Work work);
  void Wake();
  void Publish();
  void DescribeLaw(Snapshot* out);

  Simulation simulation;
  std::optional<Simulation> other;
  std::vector<std::string> columns, other_columns;
  std::size_t trace_width;
  SpscQueue<Command> commands{kWaitingCommands};
  std::atomic<int> calls{0};  ///< commands and the wish to end, counted to wake the thread
  SpscQueue<TraceRow> traces;
  TripleBuffer<Snapshot> snapshots;
  std::atomic<long> dropped_rows{0};
  std::atomic<bool> quit{false};

  // The simulation's thread alone, from here to `thread`.
  StateHistory history;
  std::optional<StateHistory> other_history;
  std::optional<MetricSet> metrics, other_metrics;  ///< while two runs are compared
  double measured_since = 0;
  std::unique_ptr<Recorder> recorder;
  Pacer pacer;
  RunState state = RunState::kPaused;
  long pending_steps = 0;
  int epoch = 0;
  long serial = 0;
  int commands_applied = 0;
  long deadline_misses = 0;
  std::string command_error, recording_error;
  int calls_seen = 0;
  Failure thrown;                         ///< by the law, outside of a simulation's step
  bool moved = false, commanded = false;  ///< since the last publication
  Clock::time_point last_publication;
  double running_s = 0;  ///< real time spent running
  StepTimes timings;     ///< of the last second

  std::thread thread;
};

Session::Impl::Impl(std::unique_ptr<Scene> scene, bool start_paused,
                    const std::filesystem::path& directory, std::unique_ptr<Scene> other_scene)
    : simulation(std::move(scene)),
      columns(TraceColumns(simulation.scene())),
      other_columns(other_scene ? TraceColumns(*other_scene) : std::vector<std::string>()),
      trace_width(columns.size() + other_columns.size()),
      traces(TraceRows(trace_width), TraceRow{.values = std::vector<float>(trace_width)}),
      history(simulation),
      timings(simulation.control_dt()) {
  if (other_scene) {
    other.emplace(std::move(other_scene));
    other_history.emplace(*other);
    metrics.emplace(simulation);
    other_metrics.emplace(*other);
    CIVITA_CHECK(
        other->mj()->nq == simulation.mj()->nq && other->control_dt() == simulation.control_dt(),
        "two runs that cannot be compared");
  }
  if (!directory.empty()) recorder = std::make_unique<Recorder>(simulation, directory);
  if (!start_paused) Apply(command::Play());
  Publish();
  thread = std::thread([this] {
    pthread_setname_np(pthread_self(), "civita-sim");
    Run();
  });
}

void Session::Impl::Run() {
  while (true) {
    // Whatever is asked after this wakes the thread from its next sleep.
    calls_seen = calls.load(std::memory_order_acquire);
    if (quit.load(std::memory_order_relaxed)) return;
    TakeCommands();
    const RunState before = state;
    const Clock::time_point start = Clock::now();
    Guard([this] { Advance(); });
    const Clock::time_point now = Clock::now();
    if (before == RunState::kRunning) {
      running_s += std::chrono::duration<double>(now - start).count();
    }
    const bool due = now - last_publication >= kPublishPeriod;
    if (commanded || state != before || (moved && due)) Publish();
  }
}

void Session::Impl::TakeCommands() {
  while (Command* next = commands.Front()) {
    try {
      std::visit([this](auto& command) { Apply(command); }, *next);
    } catch (const std::exception& error) {
      command_error = error.what();
    }
    commands.Pop();
    ++commands_applied;
    commanded = true;
  }
}

void Session::Impl::Apply(command::Play) {
  if (state == RunState::kFailed) {
    command_error = "the run has failed: reset it or go back first";
  } else if (state == RunState::kPaused) {
    state = RunState::kRunning;
    pending_steps = 0;
    pacer.Start(Clock::now(), simulation.time());
  }
}

void Session::Impl::Apply(command::Pause) {
  if (state == RunState::kRunning) state = RunState::kPaused;
}

void Session::Impl::Apply(command::StepOnce step) {
  if (state == RunState::kPaused) pending_steps += std::max(0L, step.steps);
}

void Session::Impl::Apply(command::Reset) {
  simulation.Reset();
  history.Restart(simulation);
  if (other) {
    other->Reset();
    other_history->Restart(*other);
  }
  deadline_misses = 0;
  WentBack();
}

void Session::Impl::Apply(command::Rewind rewind) {
  simulation.Restore(history.GoBack(rewind.t));
  // A second run that has failed stays so, unless this goes back to before that.
  if (other && (!other->failure().failed || simulation.step() <= other->failure().step)) {
    other->Restore(other_history->GoBack(simulation.time()));
  }
  WentBack();
}

void Session::Impl::WentBack() {
  ++epoch;
  pending_steps = 0;
  thrown = {};
  if (state == RunState::kFailed) state = RunState::kPaused;
  RestartMetrics();
  pacer.Start(Clock::now(), simulation.time());
  Record([this] { recorder->DropFrom(simulation.time()); });
}

/// What was counted with other settings, or in another past, says nothing of the two runs now.
void Session::Impl::RestartMetrics() {
  if (!other) return;
  metrics->Restart();
  other_metrics->Restart();
  measured_since = simulation.time();
}

void Session::Impl::Apply(command::SetSpeed speed) {
  pacer.set_speed(speed.factor);
  pacer.Start(Clock::now(), simulation.time());
}

void Session::Impl::Apply(command::SetGain& gain) {
  Chosen(gain.slot).SetGain(gain.key, gain.value);
  RestartMetrics();
  if (gain.slot == Slot::kA) Note("gains." + gain.key + " = " + Format(gain.value));
}

void Session::Impl::Apply(command::SetFactorization& factorization) {
  Simulation& chosen = Chosen(factorization.slot);
  chosen.SetFactorization(std::move(factorization.factorization));
  const Factorization& present = chosen.controller().factorization();
  if (other) (factorization.slot == Slot::kA ? metrics : other_metrics)->SetFactorization(present);
  RestartMetrics();
  if (factorization.slot == Slot::kB) return;
  Record([&] { recorder->ChangeFactorization(simulation.time(), present); });
  Note("factorization = " + present.ToString());
}

void Session::Impl::Apply(command::AddPush& push) {
  simulation.AddPush(push.push, push.every_s);
  if (other) other->AddPush(push.push, push.every_s);
  const char* body = mj_id2name(simulation.mj(), mjOBJ_BODY, push.push.body);
  std::string text = "push on " + std::string(body != nullptr ? body : "?") + " by " +
                     Format(push.push.force) + " N";
  if (push.every_s > 0) {
    text += " every ";
    AppendNumber(push.every_s, &text);
    text += " s";
  }
  Note(text);
}

void Session::Impl::Apply(command::StopPushes) {
  simulation.StopPushes();
  if (other) other->StopPushes();
  Note("no more pushes");
}

void Session::Impl::Apply(const command::SetDrive& drive) {
  simulation.SetDrive(drive.wanted);
  if (other) other->SetDrive(drive.wanted);
  if (!drive.wanted) return Note("driven by the reference");
  const Eigen::Vector2d& v = drive.wanted->velocity;
  Note("driven at " + Format(Eigen::Vector3d(v[0], v[1], drive.wanted->yaw_rate)) +
       " m/s, m/s, rad/s");
}

void Session::Impl::Apply(command::Perturb& perturb) {
  simulation.SetPerturbation(perturb.body, perturb.xfrc);
  if (other) other->SetPerturbation(perturb.body, perturb.xfrc);
}

void Session::Impl::Advance() {
  if (state != RunState::kRunning) {
    AdvancePaused();
  } else if (pacer.speed() > 0) {
    AdvancePaced();
  } else {
    AdvanceUnlimited();
  }
}

void Session::Impl::AdvancePaused() {
  const Clock::time_point end = Clock::now() + kBurst;
  if (pending_steps == 0 && !commanded) {
    if (moved) {
      std::this_thread::sleep_for(kNap);  // what moved is yet to be published
    } else {
      calls.wait(calls_seen, std::memory_order_acquire);
    }
  }
  while (pending_steps > 0 && Clock::now() < end) {
    --pending_steps;
    if (!Step()) pending_steps = 0;
  }
}

void Session::Impl::AdvanceUnlimited() {
  const Clock::time_point end = Clock::now() + kBurst;
  while (Step() && Clock::now() < end) {
  }
}

void Session::Impl::AdvancePaced() {
  const Clock::time_point now = Clock::now();
  const double until = pacer.Until(now, simulation.time());
  if (until > 0) {
    const auto wait = std::chrono::duration<double>(until);
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(wait, kNap));
    return;
  }
  const double due = pacer.DueTime(now, simulation.time());
  const Clock::time_point end = now + kBurst;
  while (simulation.time() <= due && Step() && Clock::now() < end) {
  }
}

bool Session::Impl::Step() {
  moved = true;
  if (!simulation.Step()) {
    state = RunState::kFailed;
    return false;
  }
  if (other) StepOther();
  const StepRecord& record = simulation.record();
  if (record.control_s > simulation.control_dt()) ++deadline_misses;
  timings.Add(record.control_s);
  PushTrace(record);
  Record([&] { recorder->Add(record); });
  history.Add(simulation);
  return true;
}

Simulation& Session::Impl::Chosen(Slot slot) {
  CIVITA_CHECK(slot == Slot::kA || other, "there is no second run");
  return slot == Slot::kA ? simulation : *other;
}

void Session::Impl::StepOther() {
  metrics->Add(simulation.record());
  if (!other->Step()) return;
  other_history->Add(*other);
  other_metrics->Add(other->record());
}

void Session::Impl::PushTrace(const StepRecord& record) {
  TraceRow* row = traces.BeginPush();
  if (row == nullptr) {
    dropped_rows.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  row->t = record.t;
  row->epoch = epoch;
  row->saturated = record.saturated;
  row->values.resize(trace_width);
  float* const out = FillTrace(record, row->values.data());
  if (other && !other->failure().failed) {
    FillTrace(other->record(), out);
  } else if (other) {
    std::fill_n(out, other_columns.size(), std::numeric_limits<float>::quiet_NaN());
  }
  traces.EndPush();
}

void Session::Impl::Note(const std::string& what) {
  Record([&] { recorder->AddEvent(simulation.time(), what); });
}

/// Work with the recorder, if there is one; after an error there is none.
template <typename Work>
void Session::Impl::Record(Work work) {
  if (!recorder || !recording_error.empty()) return;
  try {
    work();
  } catch (const std::exception& error) {
    recording_error = error.what();
  }
}

/// Work that calls a law: what it throws fails the run.
template <typename Work>
void Session::Impl::Guard(Work work) {
  std::string what = "the law threw what is no exception";
  try {
    return work();
  } catch (const std::exception& error) {
    what = std::string("the law threw: ") + error.what();
  } catch (...) {
  }
  state = RunState::kFailed;
  pending_steps = 0;
  thrown = {true, simulation.time(), simulation.step(), what};
}

void Session::Impl::Wake() {
  calls.fetch_add(1, std::memory_order_release);
  calls.notify_one();
}

void Session::Impl::DescribeLaw(Snapshot* out) {
  const Controller& controller = simulation.controller();
  out->H = controller.H();
  out->C = controller.C();
  out->residuals = simulation.CalcResiduals();
  out->factorization = controller.factorization().ToString();
  CopyGains(controller, &out->gains);
  if (!other) return;
  out->other.factorization = other->controller().factorization().ToString();
  CopyGains(other->controller(), &out->other.gains);
}

void Session::Impl::Publish() {
  const Clock::time_point now = Clock::now();
  const mjModel* m = simulation.mj();
  const mjData* d = simulation.data();
  const bool running = state == RunState::kRunning;
  if (running) pacer.Measure(now, simulation.time());

  Snapshot& out = snapshots.back();
  Guard([&] { DescribeLaw(&out); });
  out.serial = ++serial;
  out.state = state;
  out.t = simulation.time();
  out.step = simulation.step();
  out.qpos.assign(d->qpos, d->qpos + m->nq);
  out.qvel.assign(d->qvel, d->qvel + m->nv);
  out.q_d = simulation.record().q_d;
  out.body = simulation.body_command();
  out.Hdot = simulation.plant_Hdot();
  if (other) {
    out.other.qpos.assign(other->data()->qpos, other->data()->qpos + m->nq);
    out.other.failure = other->failure();
    out.figures.since_t = out.other.figures.since_t = measured_since;
    metrics->Read(&out.figures.values);
    other_metrics->Read(&out.other.figures.values);
  }
  out.real_time_factor = running ? pacer.real_time_factor() : 0;
  out.target_speed = pacer.speed();
  timings.Measure();
  out.step_p50_us = timings.Quantile(0.5);
  out.step_p99_us = timings.Quantile(0.99);
  out.step_max_us = timings.Quantile(1);
  out.deadline_misses = deadline_misses;
  out.saturated_steps = simulation.saturated_steps();
  out.mujoco_warnings = simulation.mujoco_warnings();
  out.too_slow = running && pacer.too_slow(now);
  out.failure = simulation.failure().failed ? simulation.failure() : thrown;
  out.commands_applied = commands_applied;
  out.oldest_saved_t = history.oldest_t();
  out.last_command_error = command_error;
  out.recording_error = recording_error;
  snapshots.Publish();
  last_publication = now;
  moved = commanded = false;
}

Session::Session(std::unique_ptr<Scene> scene, bool start_paused,
                 const std::filesystem::path& directory, std::unique_ptr<Scene> other)
    : impl_(std::make_unique<Impl>(std::move(scene), start_paused, directory, std::move(other))) {
  impl_->snapshots.Fetch();
}

Session::~Session() {
  try {
    Stop();
  } catch (const std::exception&) {
    // Whoever wants to know calls Stop.
  }
}

const Scene& Session::scene() const { return impl_->simulation.scene(); }
const Scene* Session::other_scene() const {
  return impl_->other ? &impl_->other->scene() : nullptr;
}
const mjModel* Session::mj() const { return impl_->simulation.mj(); }
double Session::control_dt() const { return impl_->simulation.control_dt(); }

bool Session::Post(Command command) {
  if (!impl_->commands.Push(std::move(command))) return false;
  impl_->Wake();
  return true;
}

const Snapshot& Session::Latest() {
  impl_->snapshots.Fetch();
  return impl_->snapshots.front();
}

const std::vector<std::string>& Session::columns(Slot slot) const {
  return slot == Slot::kA ? impl_->columns : impl_->other_columns;
}

const std::vector<MetricInfo>& Session::metrics(Slot slot) const {
  static const std::vector<MetricInfo> none;
  const std::optional<MetricSet>& metrics =
      slot == Slot::kA ? impl_->metrics : impl_->other_metrics;
  return metrics ? metrics->infos() : none;
}

bool Session::PopTrace(TraceRow* row) {
  TraceRow* next = impl_->traces.Front();
  if (next == nullptr) return false;
  std::swap(*row, *next);
  impl_->traces.Pop();
  return true;
}

long Session::dropped_rows() const { return impl_->dropped_rows.load(std::memory_order_relaxed); }

std::optional<RunSummary> Session::Stop() {
  impl_->quit.store(true, std::memory_order_relaxed);
  impl_->Wake();
  if (impl_->thread.joinable()) impl_->thread.join();
  if (!impl_->recorder) return std::nullopt;
  const std::unique_ptr<Recorder> recorder = std::move(impl_->recorder);
  return recorder->Finish(impl_->simulation, impl_->running_s, false);
}

}  // namespace civita
