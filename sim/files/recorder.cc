#include "civita/sim/recorder.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/number_text.h"
#include "civita/sim/output_file.h"
#include "civita/sim/run_files.h"
#include "civita/sim/run_hash.h"
#include "civita/sim/saved_state.h"
#include "civita/sim/signals.h"
#include "civita/sim/spsc_queue.h"

namespace civita {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kWaitingRows = 4096;

/// What a summary has of the simulation at the end of a run.
struct Ending {
  Ending(const Simulation& simulation, double wall_seconds, bool was_interrupted)
      : failure(simulation.failure()),
        has_legs(simulation.scene().legs != nullptr),
        mujoco_warnings(simulation.mujoco_warnings()),
        wall_s(wall_seconds),
        interrupted(was_interrupted) {}

  Failure failure;
  bool has_legs;
  int mujoco_warnings;
  double wall_s;
  bool interrupted;
};

void SetVerdict(const Ending& ending, RunSummary* summary) {
  const Failure& failure = ending.failure;
  const bool interrupted = ending.interrupted;
  // A law for legs has failed where they fall; of others nothing else is to be expected.
  const bool fallen = summary->fell() && ending.has_legs;
  const bool stopped = !summary->write_error.empty();
  summary->passed = !failure.failed && !fallen && !stopped;
  summary->interrupted = interrupted && !failure.failed && !stopped;
  std::string t;
  internal::AppendNumber(summary->duration_s, &t);
  if (failure.failed) {
    summary->verdict = "failed: " + failure.reason;
  } else if (stopped) {
    summary->verdict = "stopped at t = " + t + " s: " + summary->write_error;
  } else if (fallen) {
    summary->verdict = Describe(*summary->fall);
  } else {
    summary->verdict = interrupted ? "interrupted at t = " + t + " s" : "done";
    if (summary->fell()) {
      const std::string fall = Describe(*summary->fall);
      summary->verdict = interrupted ? summary->verdict + "; " + fall : fall;
    }
  }
}

}  // namespace

struct Recorder::Impl {
  Impl(const Simulation& simulation, const fs::path& directory, std::size_t waiting_rows)
      : table(simulation.scene()),
        statistics(simulation),
        row(1 + table.width()),
        hash(table),
        record(simulation.scene()),
        queue(waiting_rows, row) {
    if (directory.empty()) return;
    files.emplace(simulation, table, directory);
    try {
      Start();
    } catch (...) {
      files->Discard();
      throw;
    }
  }
  ~Impl() { Join(); }

  void Fill(const StepRecord& from, std::span<double> to) const {
    to[0] = from.t;
    table.Fill(from, to.subspan(1));
  }

  /// Calls note(part) where a part of RecordingTimes is done.
  template <typename Note>
  void Add(const StepRecord& from, Note note) {
    if (files) CheckWritten();
    std::vector<double>& to = files ? WaitForRow() : row;
    note(&RecordingTimes::rows_s);
    Fill(from, to);
    note(&RecordingTimes::signals_s);
    if (files) {
      queue.EndPush();
    } else {
      hash.Add(to);
    }
    note(&RecordingTimes::rows_s);
    if (!remeasure) statistics.Add(from);
    note(&RecordingTimes::metrics_s);
  }

  /// The next row of the queue, once the writing thread has emptied one.
  std::vector<double>& WaitForRow() {
    std::vector<double>* slot = nullptr;
    while ((slot = queue.BeginPush()) == nullptr) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return *slot;
  }

  void Start() {
    writer = std::thread([this] { Write(); });
  }

  /// Body of the writing thread. After an error it continues to empty the queue.
  void Write() {
    while (true) {
      const bool last = ending.load(std::memory_order_acquire);
      WriteWaiting();
      if (last) return;
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  void WriteWaiting() {
    const std::lock_guard lock(mutex);
    while (const std::vector<double>* next = queue.Front()) {
      if (!broken.load(std::memory_order_relaxed)) Guard([&] { files->Add(*next); });
      hash.Add(*next);
      queue.Pop();
    }
    if (!broken.load(std::memory_order_relaxed)) Guard([&] { files->FlushFromTimeToTime(); });
  }

  template <typename Work>
  void Guard(Work work) {
    try {
      work();
    } catch (const std::exception& caught) {
      error = caught.what();
      broken.store(true, std::memory_order_release);
    }
  }

  /// Waits until everything added has been written, then keeps the writing thread off the files
  /// while the lock is held. For the thread that adds records.
  std::unique_lock<std::mutex> Drain() {
    while (!queue.empty()) std::this_thread::yield();
    return std::unique_lock(mutex);
  }

  void CheckWritten() const {
    if (broken.load(std::memory_order_acquire)) throw WriteError(error);
  }

  /// Changes the rows at t and later that were written. The remaining ones are measured once, at
  /// the end, since a long run takes long to measure.
  void ChangeRows(void (RunFiles::*change)(double t), double t) {
    const std::unique_lock lock = Drain();
    CheckWritten();
    remeasure = true;
    ((*files).*change)(t);
  }

  void Join() {
    ending.store(true, std::memory_order_release);
    if (writer.joinable()) writer.join();
  }

  RunSummary Finish(const Ending& end) {
    Join();
    if (broken.load(std::memory_order_acquire)) {
      remeasure = false;
    } else if (remeasure) {
      Guard([this] { Remeasure(); });
    }
    RunSummary summary = statistics.Summarize();
    summary.write_error = error;
    summary.hash = hash.text();
    SetVerdict(end, &summary);
    summary.wall_s = end.wall_s;
    summary.simulated_s = summary.duration_s - resumed_s;
    summary.real_time_factor = end.wall_s > 0 ? summary.simulated_s / end.wall_s : 0;
    summary.mujoco_warnings = end.mujoco_warnings;
    if (files) files->Finish(&summary);
    return summary;
  }

  /// Measures the remaining rows anew.
  void Remeasure() {
    statistics.Restart();
    hash = RunHash(table);
    for (std::size_t k = 0; k < files->size(); ++k) {
      files->Read(k, row);
      hash.Add(row);
      record.t = row[0];
      table.Read(std::span<const double>(row).subspan(1), &record);
      statistics.Add(record);
    }
    remeasure = false;
  }

  SignalTable table;
  RunStatistics statistics;
  RecordingTimes* times = nullptr;
  bool remeasure = false;  ///< rows that statistics and hash include were taken back
  std::vector<double> row;
  double resumed_s = 0;  ///< time of the last row that an earlier program wrote
  RunHash hash;          ///< of the rows; the writing thread's, if there is one
  StepRecord record;
  std::mutex mutex;  ///< guards the files while the writing thread runs
  std::optional<RunFiles> files;
  SpscQueue<std::vector<double>> queue;
  std::atomic<bool> ending{false};
  std::atomic<bool> broken{false};
  std::string error;  ///< set before broken
  std::thread writer;
};

Recorder::Recorder(const Simulation& simulation, const fs::path& directory)
    : impl_(std::make_unique<Impl>(simulation, directory, directory.empty() ? 1 : kWaitingRows)) {}

Recorder::Recorder(const Simulation& simulation, RunRecord* record, std::size_t rows)
    : impl_(std::make_unique<Impl>(simulation, fs::path(), kWaitingRows)) {
  impl_->files.emplace(simulation, impl_->table, record, rows);
  if (rows > 0) impl_->resumed_s = record->t(rows - 1);
  impl_->Remeasure();
  impl_->Start();
}

Recorder::~Recorder() = default;

void Recorder::SaveState(const Simulation& simulation) {
  if (!impl_->files) return;
  const std::unique_lock lock = impl_->Drain();
  impl_->CheckWritten();
  Simulation::Saved saved;
  simulation.Save(&saved);
  impl_->Guard([&] { impl_->files->WriteState(ToBytes(saved)); });
  impl_->CheckWritten();
}

void Recorder::Add(const StepRecord& record) {
  RecordingTimes* const times = impl_->times;
  if (times == nullptr) return impl_->Add(record, [](double RecordingTimes::*) {});
  impl_->Add(record, [times, clock = internal::LapClock()](double RecordingTimes::*part) mutable {
    times->*part += clock.Lap();
  });
}

void Recorder::set_times(RecordingTimes* times) { impl_->times = times; }

void Recorder::DropFrom(double t) {
  if (impl_->files) return impl_->ChangeRows(&RunFiles::Truncate, t);
  impl_->statistics.Restart();
  impl_->hash = RunHash(impl_->table);
}

void Recorder::Branch(double t) { impl_->ChangeRows(&RunFiles::PutAside, t); }

void Recorder::Switch(double t) { impl_->ChangeRows(&RunFiles::Exchange, t); }

void Recorder::AddEvent(const InputEvent& event) {
  if (!impl_->files) return;
  const std::lock_guard lock(impl_->mutex);
  const bool write = !impl_->broken.load(std::memory_order_acquire);
  impl_->Guard([&] { impl_->files->AddEvent(event, write); });
}

const MotionMetrics& Recorder::motion() const { return impl_->statistics.motion(); }

void Recorder::Discard() {
  impl_->Join();
  if (impl_->files) impl_->files->Discard();
}

RunSummary Recorder::Finish(const Simulation& simulation, double wall_s, bool interrupted) {
  return impl_->Finish(Ending(simulation, wall_s, interrupted));
}

std::future<RunSummary> Recorder::FinishAside(std::unique_ptr<Recorder> recorder,
                                              const Simulation& simulation, double wall_s) {
  const auto finish = [ended = std::shared_ptr<Recorder>(std::move(recorder)),
                       ending = Ending(simulation, wall_s, false)] {
    return ended->impl_->Finish(ending);
  };
  try {
    return std::async(std::launch::async, finish);
  } catch (const std::system_error&) {  // without a thread, whoever waits for it writes
    return std::async(std::launch::deferred, finish);
  }
}

}  // namespace civita
