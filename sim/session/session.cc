#include "civita/sim/session.h"

#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "sim/session/session_impl.h"

namespace civita {
namespace {

using std::chrono::milliseconds;

/// bytes of the trace queue; its number of rows is within the limits below
constexpr double kTraceMemory = 16e6;
/// Of velocities: of larger robots the traces have no terms of torques, which would double them.
constexpr int kMostSplit = 32;
constexpr double kMinTraceRows = 8192, kMaxTraceRows = 65536;
constexpr milliseconds kPublishPeriod(10), kUnwatchedPublishPeriod(100);
constexpr milliseconds kNap(2);    ///< longest time between two looks at the commands while asleep,
constexpr milliseconds kBurst(3);  ///< and while working
/// Less than the longest delay of the pacer that is caught up with.
constexpr milliseconds kUnwatchedNap(20);

/// Control steps of a second, of those whose durations are kept.
int StepsOfASecond(double dt_s) {
  constexpr double kMost = 4096;
  return static_cast<int>(std::clamp(std::round(1 / dt_s), 1.0, kMost));
}

std::size_t TraceRows(std::size_t num_columns) {
  const double bytes = static_cast<double>(sizeof(TraceRow) + num_columns * sizeof(float));
  return static_cast<std::size_t>(std::clamp(kTraceMemory / bytes, kMinTraceRows, kMaxTraceRows));
}

}  // namespace

Session::Impl::Lane::Lane(std::unique_ptr<Scene> scene, std::unique_ptr<RunRecord> replayed)
    : simulation(std::move(scene)),
      signals(simulation.scene(),
              replayed == nullptr && simulation.scene().plant.nv() <= kMostSplit),
      history(simulation),
      record(std::move(replayed)) {
  if (signals.has_terms()) simulation.SplitTorques();
}

Session::Impl::Lanes Session::Impl::MakeLanes(std::unique_ptr<Scene> scene,
                                              std::unique_ptr<RunRecord> record,
                                              std::unique_ptr<Scene> other_scene,
                                              std::unique_ptr<RunRecord> other_record) {
  Lanes lanes;
  lanes.push_back(std::make_unique<Lane>(std::move(scene), std::move(record)));
  if (other_scene) {
    lanes.push_back(std::make_unique<Lane>(std::move(other_scene), std::move(other_record)));
  }
  return lanes;
}

Session::Impl::Lane& Session::Impl::At(Slot slot) {
  CIVITA_CHECK(slot == Slot::kA || is_comparing(), "there is no second run");
  return *lanes[static_cast<std::size_t>(slot)];
}

Session::Impl::Impl(Lanes of, bool start_paused, const std::filesystem::path& directory)
    : lanes(std::move(of)),
      simulation(lanes.front()->simulation),
      trace_width(std::accumulate(lanes.begin(), lanes.end(), std::size_t{0},
                                  [](std::size_t width, const std::unique_ptr<Lane>& lane) {
                                    return width + lane->signals.width();
                                  })),
      traces(TraceRows(trace_width), TraceRow{.values = std::vector<float>(trace_width)}),
      timings(StepsOfASecond(simulation.control_dt())) {
  for (const std::unique_ptr<Lane>& lane : lanes) {
    lane->simulation.set_stop(&quit);
    CIVITA_CHECK(lane->simulation.mj()->nq == simulation.mj()->nq &&
                     lane->simulation.control_dt() == simulation.control_dt(),
                 "runs that cannot be compared");
    if (is_comparing()) lane->metrics.emplace(lane->simulation);
  }
  if (is_replay()) StartReplay();
  if (!directory.empty()) Apply(command::StartRecording{directory});
  if (!start_paused) Apply(command::Play());
  Publish();
  snapshots.Fetch();
  thread = std::thread([this] {
    pthread_setname_np(pthread_self(), "civita-sim");
    Run();
  });
}

void Session::Impl::Run() {
  while (true) {
    // A call made after this wakes the thread from its next sleep.
    calls_seen = calls.load(std::memory_order_acquire);
    if (quit.load(std::memory_order_relaxed)) return;
    TakeCommands();
    TakeFinished(false);
    FlushTraceMarks();
    const bool is_sending = SendRecorded();
    const RunState before = state;
    const Clock::time_point start = Clock::now();
    if (is_sending && state != RunState::kRunning && pending_steps == 0) {
      std::this_thread::sleep_for(kNap);
    } else {
      Guard(FailureCause::kProgram, [this] { Advance(); });
    }
    const Clock::time_point now = Clock::now();
    if (before == RunState::kRunning) {
      running_s += std::chrono::duration<double>(now - start).count();
    }
    const milliseconds period = is_watched ? kPublishPeriod : kUnwatchedPublishPeriod;
    const bool due = now - last_publication >= period;
    if (commanded || state != before || (moved && due)) Publish();
  }
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
    if (moved || !trace_marks.empty() || !finishing.empty()) {
      std::this_thread::sleep_for(kNap);  // what has moved must still be published
    } else {
      calls.wait(calls_seen, std::memory_order_acquire);
    }
  }
  while (pending_steps > 0 && Clock::now() < end) {
    if (const long known = newest_step - simulation.step(); known > 0) {
      const long steps = std::min(known, pending_steps);
      const long left = pending_steps - steps;
      GoTo(simulation.step() + steps);
      pending_steps = left;
      continue;
    }
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
    // As long even if the next step is due earlier: to wake costs as much as to step.
    std::this_thread::sleep_for(is_watched ? kNap : kUnwatchedNap);
    return;
  }
  const double due = pacer.DueTime(now, simulation.time());
  const Clock::time_point end = now + kBurst;
  while (simulation.time() <= due && Step() && Clock::now() < end) {
  }
}

bool Session::Impl::Step() {
  if (is_replay()) return StepReplay();
  moved = true;
  Branch();
  if (!StepLanes()) {
    state = RunState::kFailed;
    return false;
  }
  const StepRecord& record = simulation.record();
  // Single steps are no run in real time.
  const bool is_run = state == RunState::kRunning;
  if (is_run) judged_from = std::min(judged_from, simulation.step() - 1);
  if (is_run && record.control_s > simulation.control_dt()) misses.push_back(simulation.step());
  timings.Add(static_cast<float>(1e6 * record.control_s));
  PushTrace(record);
  Record([](Lane* lane) {
    if (lane->moved) lane->recorder->Add(lane->simulation.record());
  });
  has_recorded = has_recorded || is_recording;
  lanes.front()->history.Add(simulation);
  newest_step = simulation.step();
  return true;
}

/// In turns the first or the last begins, whose caches are cold. Returns whether the first lane has
/// made its step; without it the others may not have.
bool Session::Impl::StepLanes() {
  const bool is_forward = simulation.step() % 2 == 0;
  for (const std::unique_ptr<Lane>& lane : lanes) lane->moved = false;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const std::size_t i = is_forward ? k : lanes.size() - 1 - k;
    lanes[i]->moved = lanes[i]->simulation.Step();
    if (i == 0 && !lanes[i]->moved) return false;
  }
  if (is_comparing()) MeasureLanes();
  return true;
}

/// What a throw shows ends where a push begins, and after kThrowShown_s, so that means over it do
/// not depend on when one looks.
void Session::Impl::MeasureLanes() {
  const StepRecord& record = simulation.record();
  if (record.thrown) RestartMetrics(record.t, true);
  const bool begins = simulation.pushed() && !was_pushed;
  was_pushed = simulation.pushed();
  if (measured.since_throw && !record.thrown && std::isnan(measured.until_t)) {
    const double end = measured.since_t + kThrowShown_s;
    if (begins) {
      measured.until_t = record.t;
    } else if (record.t > end + 0.5 * simulation.control_dt()) {
      measured.until_t = end;
    }
  }
  const bool is_measured = std::isnan(measured.until_t);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    Lane& lane = *lanes[i];
    if (!lane.moved) continue;
    if (i > 0) lane.history.Add(lane.simulation);
    if (is_measured) lane.metrics->Add(lane.simulation.record());
  }
}

/// Marks must arrive: those that find the queue full wait, and rows after them are dropped.
bool Session::Impl::FlushTraceMarks() {
  auto next = trace_marks.begin();
  for (; next != trace_marks.end(); ++next) {
    TraceRow* row = traces.BeginPush();
    if (row == nullptr) break;
    row->kind = next->first;
    row->t = next->second;
    row->saturated = false;
    traces.EndPush();
  }
  trace_marks.erase(trace_marks.begin(), next);
  return trace_marks.empty();
}

void Session::Impl::PushTrace(TraceRow::Kind kind, double t) {
  trace_marks.emplace_back(kind, t);
  FlushTraceMarks();
}

void Session::Impl::PushTrace(const StepRecord& record) {
  TraceRow* row = FlushTraceMarks() ? traces.BeginPush() : nullptr;
  if (row == nullptr) {
    dropped_rows.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  row->kind = TraceRow::Kind::kStep;
  row->t = record.t;
  row->saturated = record.saturated;
  std::span<float> rest(row->values);
  for (const std::unique_ptr<Lane>& lane : lanes) {
    const std::span<float> values = rest.first(lane->signals.width());
    rest = rest.subspan(values.size());
    // The first has just made its step.
    if (lane != lanes.front() && lane->simulation.failure().failed) {
      std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
    } else {
      lane->signals.Fill(lane->simulation.record(), values);
    }
  }
  traces.EndPush();
}

/// An exception fails the run, and `blamed` says whose it is. A simulation's step catches those of
/// its law itself.
template <typename Work>
void Session::Impl::Guard(FailureCause blamed, Work work) {
  std::string what = blamed == FailureCause::kLaw ? "the law threw" : "the run was stopped";
  try {
    return work();
  } catch (const std::exception& error) {
    what += std::string(": ") + error.what();
  } catch (...) {
    what += " by what is no exception";
  }
  state = RunState::kFailed;
  pending_steps = 0;
  thrown = {true, simulation.time(), simulation.step(), what, blamed};
}

void Session::Impl::Wake() {
  calls.fetch_add(1, std::memory_order_release);
  calls.notify_one();
}

void Session::Impl::DescribeLaw(Lane* lane, RunSnapshot* out) {
  const Controller& controller = lane->simulation.controller();
  out->measured.q = lane->simulation.record().q;
  out->measured.v = lane->simulation.record().v;
  out->measured.residuals = lane->simulation.CalcResiduals();
  out->factorization = ToString(controller.factorization());
  out->gains.resize(controller.parameters().size());
  for (std::size_t i = 0; i < out->gains.size(); ++i) {
    out->gains[i] = controller.gain(static_cast<int>(i));
  }
}

void Session::Impl::DescribeRun(const Lane& lane, RunSnapshot* out) const {
  const double* const qpos = lane.simulation.data()->qpos;
  out->qpos.assign(qpos, qpos + simulation.mj()->nq);
  out->failure = lane.simulation.failure();
  out->fall = is_replay() ? lane.FallAt(simulation.step()) : lane.simulation.fall();
  if (!lane.metrics) return;
  static_cast<MeasuredTime&>(out->figures) = measured;
  lane.metrics->Read(&out->figures.values);
}

void Session::Impl::Publish() {
  const Clock::time_point now = Clock::now();
  const mjData* d = simulation.data();
  const bool running = state == RunState::kRunning;
  if (running) pacer.Measure(now, simulation.time());

  Snapshot& out = snapshots.back();
  RunSnapshot* const runs[] = {&out, &out.other};
  Guard(FailureCause::kLaw, [&] {
    for (std::size_t i = 0; i < lanes.size(); ++i) DescribeLaw(lanes[i].get(), runs[i]);
  });
  for (std::size_t i = 0; i < lanes.size(); ++i) DescribeRun(*lanes[i], runs[i]);
  if (!out.failure.failed) out.failure = thrown;
  out.serial = ++serial;
  out.state = state;
  out.t = simulation.time();
  out.step = simulation.step();
  out.qvel.assign(d->qvel, d->qvel + simulation.mj()->nv);
  out.q_d = simulation.record().q_d;
  out.body = simulation.body_command();
  out.real_time_factor = running ? pacer.real_time_factor() : 0;
  const bool is_timed = timings.size() > 0;
  out.step_p50_us = is_timed ? static_cast<double>(timings.At(0.5)) : 0;
  out.step_p99_us = is_timed ? static_cast<double>(timings.At(0.99)) : 0;
  out.step_max_us = is_timed ? static_cast<double>(timings.At(1)) : 0;
  const auto later = std::ranges::upper_bound(misses, out.step);
  out.deadline_misses = later - misses.begin();
  out.judged_steps = is_replay() ? out.step : std::max(0L, out.step - judged_from);
  const long before = is_replay() ? 0 : 1;  // a live run's step is the one after its record
  out.first_miss_t = out.deadline_misses > 0 ? simulation.TimeOf(misses.front() - before) : kNaN;
  out.saturated_steps = is_replay() ? std::ranges::upper_bound(limited, out.step) - limited.begin()
                                    : simulation.saturated_steps();
  out.mujoco_warnings = simulation.mujoco_warnings();
  out.too_slow = running && pacer.too_slow(now);
  out.commands_applied = commands_applied;
  out.oldest_saved_t = simulation.TimeOf(OldestStep());
  out.newest_t = simulation.TimeOf(newest_step);
  out.branch_t = aside ? simulation.TimeOf(aside->from) : std::nan("");
  out.other_branch_end_t = aside ? simulation.TimeOf(aside->newest_step) : std::nan("");
  out.last_command_error = command_error;
  out.commands_refused = commands_refused;
  out.is_recording = is_recording && recording_error.empty();
  out.recording_directory.clear();
  if (out.is_recording) out.recording_directory = recording_directory;
  out.is_saving = !finishing.empty();
  out.recording_error = recording_error;
  snapshots.Publish();
  last_publication = now;
  moved = commanded = false;
}

Session::Session(std::unique_ptr<Scene> scene, bool start_paused,
                 const std::filesystem::path& directory, std::unique_ptr<Scene> other)
    : impl_(std::make_unique<Impl>(
          Impl::MakeLanes(std::move(scene), nullptr, std::move(other), nullptr), start_paused,
          directory)) {}

Session::Session(std::unique_ptr<Scene> scene, std::unique_ptr<RunRecord> record, bool start_paused,
                 std::unique_ptr<Scene> other, std::unique_ptr<RunRecord> other_record)
    : impl_(std::make_unique<Impl>(Impl::MakeLanes(std::move(scene), std::move(record),
                                                   std::move(other), std::move(other_record)),
                                   start_paused, std::filesystem::path())) {}

Session::~Session() {
  try {
    Stop();
  } catch (const std::exception&) {
    // Stop() reports the error to callers who ask for it.
  }
}

const SceneData& Session::scene(Slot slot) const { return impl_->At(slot).simulation.scene(); }
bool Session::is_comparing() const { return impl_->is_comparing(); }
bool Session::is_replay() const { return impl_->is_replay(); }
std::size_t Session::num_recorded() const {
  return impl_->is_replay() ? impl_->lanes.front()->record->size() : 0;
}
const mjModel* Session::mj() const { return impl_->simulation.mj(); }
double Session::control_dt() const { return impl_->simulation.control_dt(); }

bool Session::Post(Command command) {
  const auto* const asked = std::get_if<command::SetSpeed>(&command);
  const double speed = asked != nullptr ? Pacer::Within(asked->factor) : impl_->target_speed;
  if (!impl_->commands.Push(std::move(command))) return false;
  impl_->target_speed = speed;
  ++impl_->commands_posted;
  impl_->Wake();
  return true;
}

double Session::target_speed() const { return impl_->target_speed; }

void Session::set_watched(bool is_watched) { impl_->is_watched = is_watched; }

bool Session::HasAnswered(const Snapshot& snapshot) const {
  return snapshot.commands_applied == impl_->commands_posted;
}

const Snapshot& Session::Latest() {
  impl_->snapshots.Fetch();
  return impl_->snapshots.front();
}

const SignalTable& Session::signals(Slot slot) const { return impl_->At(slot).signals; }

const std::vector<MetricInfo>& Session::metrics(Slot slot) const {
  static const std::vector<MetricInfo> none;
  return is_comparing() ? impl_->At(slot).metrics->infos() : none;
}

bool Session::PopTrace(TraceRow* row) {
  const TraceRow* next = impl_->traces.Front();
  if (next == nullptr) return false;
  *row = *next;  // the ring's rows keep their storage, so that PushTrace does not allocate
  impl_->traces.Pop();
  return true;
}

long Session::dropped_rows() const { return impl_->dropped_rows.load(std::memory_order_relaxed); }

std::optional<RunSummary> Session::Stop() {
  impl_->quit.store(true, std::memory_order_relaxed);
  impl_->Wake();
  if (impl_->thread.joinable()) impl_->thread.join();
  impl_->TakeFinished(true);
  if (impl_->is_recording) {
    impl_->finishing = impl_->FinishRecorders();
    impl_->TakeFinished(true);
  }
  return std::exchange(impl_->recorded_summary, std::nullopt);
}

std::vector<InputEvent> Session::Inputs(Slot slot) const {
  const std::lock_guard lock(impl_->inputs_mutex);
  return impl_->At(slot).inputs;
}

}  // namespace civita
