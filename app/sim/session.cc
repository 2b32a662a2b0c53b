#include "app/sim/session.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <thread>
#include <utility>

#include "app/sim/output_file.h"
#include "app/sim/pacer.h"
#include "app/sim/recorder.h"
#include "app/sim/spsc_queue.h"
#include "app/sim/state_history.h"
#include "app/sim/triple_buffer.h"

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
constexpr std::size_t kMaxTimings = 4096;

void AppendColumns(const char* group, int nv, std::vector<std::string>* columns) {
  for (int i = 0; i < nv; ++i) {
    columns->push_back(std::string("/") + group + "/" + std::to_string(i));
  }
}

std::vector<std::string> TraceColumns(const Controller& controller) {
  const int nv = controller.model().nv();
  std::vector<std::string> columns;
  for (const char* group : {"e", "s", "tau"}) AppendColumns(group, nv, &columns);
  for (const char* name : {"/V", "/Vdot", "/P", "/energy_balance", "/control_us", "/physics_us"}) {
    columns.emplace_back(name);
  }
  const std::vector<std::string>& own = controller.signal_names();
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
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
  Impl(std::unique_ptr<Scene> scene, bool start_paused, const std::filesystem::path& directory);

  // The simulation's thread.
  void Run();
  bool TakeCommands();
  void Apply(command::Play);
  void Apply(command::Pause);
  void Apply(command::StepOnce step);
  void Apply(command::Reset);
  void Apply(command::SetSpeed speed);
  void Apply(command::SetGain& gain);
  void Apply(command::SetFactorization& factorization);
  void Apply(command::AddPush& push);
  void Apply(command::Perturb& perturb);
  void Apply(command::Rewind rewind);
  void WentBack();
  void Advance();
  void AdvancePaused();
  void AdvanceUnlimited();
  void AdvancePaced();
  bool Step();
  void PushTrace(const StepRecord& record);
  void Note(const std::string& what);
  template <typename Work>
  void Record(Work work);
  void Publish();
  void FillTimings(Snapshot* snapshot);

  Simulation simulation;
  std::vector<std::string> columns;
  SpscQueue<Command> commands{kWaitingCommands};
  SpscQueue<TraceRow> traces;
  TripleBuffer<Snapshot> snapshots;
  std::atomic<long> dropped_rows{0};
  std::atomic<bool> quit{false};

  // The simulation's thread alone, from here to `thread`.
  StateHistory history;
  std::unique_ptr<Recorder> recorder;
  Pacer pacer;
  RunState state = RunState::kPaused;
  long pending_steps = 0;
  int epoch = 0;
  long serial = 0;
  int commands_applied = 0;
  long deadline_misses = 0;
  std::string command_error, recording_error;
  bool moved = false;  ///< since the last publication
  Clock::time_point last_publication;
  double running_s = 0;                        ///< real time spent running
  std::vector<float> timings, sorted_timings;  ///< ring of control steps' µs
  std::size_t num_timings = 0;

  std::thread thread;
};

Session::Impl::Impl(std::unique_ptr<Scene> scene, bool start_paused,
                    const std::filesystem::path& directory)
    : simulation(std::move(scene)),
      columns(TraceColumns(simulation.controller())),
      traces(TraceRows(columns.size()), TraceRow{.values = std::vector<float>(columns.size())}),
      history(simulation) {
  if (!directory.empty()) recorder = std::make_unique<Recorder>(simulation, directory);
  const double per_second = std::round(1 / simulation.control_dt());
  timings.resize(
      static_cast<std::size_t>(std::clamp(per_second, 1.0, static_cast<double>(kMaxTimings))));
  if (!start_paused) Apply(command::Play());
  Publish();
  thread = std::thread([this] {
    pthread_setname_np(pthread_self(), "civita-sim");
    Run();
  });
}

void Session::Impl::Run() {
  while (!quit.load(std::memory_order_relaxed)) {
    const bool commanded = TakeCommands();
    const RunState before = state;
    const Clock::time_point start = Clock::now();
    Advance();
    const Clock::time_point now = Clock::now();
    if (before == RunState::kRunning) {
      running_s += std::chrono::duration<double>(now - start).count();
    }
    const bool due = now - last_publication >= kPublishPeriod;
    if (commanded || state != before || (moved && due)) Publish();
  }
}

bool Session::Impl::TakeCommands() {
  bool any = false;
  while (Command* next = commands.Front()) {
    try {
      std::visit([this](auto& command) { Apply(command); }, *next);
    } catch (const std::exception& error) {
      command_error = error.what();
    }
    commands.Pop();
    ++commands_applied;
    any = true;
  }
  return any;
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
  deadline_misses = 0;
  WentBack();
}

void Session::Impl::Apply(command::Rewind rewind) {
  simulation.Restore(history.GoBack(rewind.t));
  WentBack();
}

void Session::Impl::WentBack() {
  ++epoch;
  pending_steps = 0;
  if (state == RunState::kFailed) state = RunState::kPaused;
  pacer.Start(Clock::now(), simulation.time());
  Record([this] { recorder->DropFrom(simulation.time()); });
}

void Session::Impl::Apply(command::SetSpeed speed) {
  pacer.set_speed(speed.factor);
  pacer.Start(Clock::now(), simulation.time());
}

void Session::Impl::Apply(command::SetGain& gain) {
  simulation.SetGain(gain.key, gain.value);
  Note("gains." + gain.key + " = " + Format(gain.value));
}

void Session::Impl::Apply(command::SetFactorization& factorization) {
  simulation.SetFactorization(std::move(factorization.factorization));
  Note("factorization = " + simulation.controller().factorization().ToString());
}

void Session::Impl::Apply(command::AddPush& push) {
  simulation.AddPush(push.push);
  const char* body = mj_id2name(simulation.mj(), mjOBJ_BODY, push.push.body);
  Note("push on " + std::string(body != nullptr ? body : "?") + " by " + Format(push.push.force) +
       " N");
}

void Session::Impl::Apply(command::Perturb& perturb) {
  simulation.SetPerturbation(perturb.body, perturb.xfrc);
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
  if (pending_steps == 0) std::this_thread::sleep_for(kNap);
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
  const StepRecord& record = simulation.record();
  if (record.control_s > simulation.control_dt()) ++deadline_misses;
  timings[num_timings++ % timings.size()] = static_cast<float>(1e6 * record.control_s);
  PushTrace(record);
  Record([&] { recorder->Add(record); });
  history.Add(simulation);
  return true;
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
  row->values.resize(columns.size());
  float* out = row->values.data();
  for (const Eigen::VectorXd* x : {&record.e, &record.s, &record.tau}) {
    out = std::transform(x->begin(), x->end(), out, [](double y) { return static_cast<float>(y); });
  }
  for (const double x : {record.V, record.Vdot, record.P, record.energy_balance,
                         1e6 * record.control_s, 1e6 * record.physics_s}) {
    *out++ = static_cast<float>(x);
  }
  for (const double x : record.signals) *out++ = static_cast<float>(x);
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

void Session::Impl::FillTimings(Snapshot* snapshot) {
  const std::size_t n = std::min(num_timings, timings.size());
  if (n == 0) return;
  sorted_timings.assign(timings.begin(), timings.begin() + static_cast<std::ptrdiff_t>(n));
  const auto quantile = [&](double p) {
    const auto k = std::lround(p * static_cast<double>(n - 1));
    std::nth_element(sorted_timings.begin(), sorted_timings.begin() + k, sorted_timings.end());
    return static_cast<double>(sorted_timings[static_cast<std::size_t>(k)]);
  };
  snapshot->step_p50_us = quantile(0.5);
  snapshot->step_p99_us = quantile(0.99);
  snapshot->step_max_us = quantile(1);
}

void Session::Impl::Publish() {
  const Clock::time_point now = Clock::now();
  const Controller& controller = simulation.controller();
  const mjModel* m = simulation.mj();
  const mjData* d = simulation.data();
  const bool running = state == RunState::kRunning;
  if (running) pacer.Measure(now, simulation.time());

  Snapshot& out = snapshots.back();
  out.serial = ++serial;
  out.state = state;
  out.t = simulation.time();
  out.step = simulation.step();
  out.qpos.assign(d->qpos, d->qpos + m->nq);
  out.qvel.assign(d->qvel, d->qvel + m->nv);
  out.q_d = simulation.record().q_d;
  out.H = controller.H();
  out.C = controller.C();
  out.Hdot = simulation.plant_Hdot();
  out.residuals = simulation.CalcResiduals();
  out.factorization = controller.factorization().ToString();
  out.gains.resize(controller.parameters().size());
  for (std::size_t i = 0; i < out.gains.size(); ++i) {
    out.gains[i] = controller.gain(static_cast<int>(i));
  }
  out.real_time_factor = running ? pacer.real_time_factor() : 0;
  out.target_speed = pacer.speed();
  FillTimings(&out);
  out.deadline_misses = deadline_misses;
  out.saturated_steps = simulation.saturated_steps();
  out.mujoco_warnings = simulation.mujoco_warnings();
  out.too_slow = running && pacer.too_slow(now);
  out.failure = simulation.failure();
  out.commands_applied = commands_applied;
  out.oldest_saved_t = history.oldest_t();
  out.last_command_error = command_error;
  out.recording_error = recording_error;
  snapshots.Publish();
  last_publication = now;
  moved = false;
}

Session::Session(std::unique_ptr<Scene> scene, bool start_paused,
                 const std::filesystem::path& directory)
    : impl_(std::make_unique<Impl>(std::move(scene), start_paused, directory)) {
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
const mjModel* Session::mj() const { return impl_->simulation.mj(); }
bool Session::Post(Command command) { return impl_->commands.Push(std::move(command)); }

const Snapshot& Session::Latest() {
  impl_->snapshots.Fetch();
  return impl_->snapshots.front();
}

const std::vector<std::string>& Session::columns() const { return impl_->columns; }

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
  if (impl_->thread.joinable()) impl_->thread.join();
  if (!impl_->recorder) return std::nullopt;
  const std::unique_ptr<Recorder> recorder = std::move(impl_->recorder);
  return recorder->Finish(impl_->simulation, impl_->running_s, false);
}

}  // namespace civita
