#include "civita/sim/recorder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/sim/npz_file.h"
#include "civita/sim/output_file.h"
#include "civita/sim/run_json.h"
#include "civita/sim/signals.h"
#include "civita/sim/spsc_queue.h"

namespace civita {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kFlushPeriod(500);
constexpr std::size_t kWaitingRows = 4096;
constexpr std::size_t kBlockBytes = 1 << 20;  ///< size of the blocks of rows read at once

/// All files that a run folder may hold.
constexpr std::array kFiles = {"config.yaml", "signals.csv", "timing.csv", "signals.npz",
                               "run.json"};

/// Whether nothing has this name, not even a dangling link.
bool IsFree(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::not_found;
}

/// run.json alone does not identify a run folder: other programs write files of that name.
bool HoldsRun(const fs::path& directory) {
  std::ifstream file(directory / "run.json");
  const auto run = nlohmann::json::parse(file, nullptr, false);
  return run.is_object() && run.contains("versions") && run["versions"].is_object() &&
         run["versions"].contains("civita");
}

/// Creates the folder of a run or empties an earlier one; removes what it created unless kept.
class RunFolder {
 public:
  explicit RunFolder(const fs::path& directory) : directory_(directory) {
    std::error_code error;
    const fs::file_status status = fs::status(directory, error);
    if (fs::exists(status)) {
      TakeOver(status);
      return;
    }
    // An undo removes the outermost folder that does not exist yet.
    for (fs::path path = directory; !path.empty() && IsFree(path); path = path.parent_path()) {
      made_ = path;
    }
    fs::create_directories(directory, error);
    if (error) {
      Undo();
      Refuse("cannot be made: " + error.message());
    }
  }
  ~RunFolder() {
    if (!kept_) Undo();
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  void Keep() { kept_ = true; }

 private:
  void Undo() const {
    std::error_code ignored;
    for (const char* file : kFiles) fs::remove(directory_ / file, ignored);
    if (!made_.empty()) fs::remove_all(made_, ignored);
  }

  void TakeOver(const fs::file_status& status) {
    if (!fs::is_directory(status)) {
      kept_ = true;
      Refuse("is not a directory");
    }
    std::error_code error;
    const bool empty = fs::is_empty(directory_, error);
    if (error) {
      kept_ = true;
      Refuse("cannot be read: " + error.message());
    }
    if (!empty && !HoldsRun(directory_)) {
      kept_ = true;
      Refuse("holds other files and no earlier run; name a new directory");
    }
    for (const char* file : kFiles) {
      fs::remove(directory_ / file, error);
      if (error) {
        kept_ = true;
        Refuse("holds a run that cannot be replaced: " + error.message());
      }
    }
  }
  [[noreturn]] void Refuse(const std::string& why) const {
    throw UserError("--out " + directory_.string() + ": " + why);
  }

  fs::path directory_;
  fs::path made_;  ///< outermost folder created here
  bool kept_ = false;
};

/// Width of a row: t, then the values of the table.
std::size_t RowWidth(const SignalTable& table) { return 1 + table.width(); }

/// The files of a run, and all rows in a scratch file for signals.npz. One thread at a time.
class RunFiles {
 public:
  RunFiles(const Simulation& simulation, const SignalTable& table, const fs::path& directory)
      : width_(RowWidth(table)), directory_(directory), run_(DescribeRun(simulation)) {
    RunFolder folder(directory);
    WriteWhole(directory / "config.yaml", ToYaml(simulation.scene().config));
    WriteWhole(directory / "run.json", Dump());
    const std::span<const std::string> columns = table.columns();
    const auto with_time = [](std::span<const std::string> names) {
      std::vector<std::string> all = {"t"};
      all.insert(all.end(), names.begin(), names.end());
      return all;
    };
    names_ = with_time(columns.first(table.timings_begin()));
    const std::vector<std::string> timings = with_time(columns.subspan(table.timings_begin()));
    signals_.emplace(directory / "signals.csv", names_);
    timing_.emplace(directory / "timing.csv", timings);
    rows_.emplace(directory / ".rows", OutputFile::Kind::kScratch);
    for (std::unique_ptr<OutputFile>* file : {&aside_, &spare_}) {
      *file = std::make_unique<OutputFile>(directory / ".rows", OutputFile::Kind::kScratch);
    }
    timing_row_.resize(timings.size());
    folder.Keep();
  }

  void Add(std::span<const double> row) {
    signals_->AddRow(row.first(names_.size()));
    const std::span<const double> timings = row.subspan(names_.size());
    timing_row_[0] = row[0];
    std::copy(timings.begin(), timings.end(), timing_row_.begin() + 1);
    timing_->AddRow(timing_row_);
    rows_->Write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
    FlushEvery(kFlushPeriod);
  }

  void FlushEvery(milliseconds period) {
    signals_->FlushEvery(period);
    timing_->FlushEvery(period);
  }

  std::size_t size() const { return rows_->size() / RowBytes(); }

  /// Reads one row, or several starting with it.
  void Read(std::size_t index, std::span<double> rows) {
    rows_->Read(index * RowBytes(), {reinterpret_cast<char*>(rows.data()), rows.size_bytes()});
  }

  /// Number of the first row at t or later; times ascend.
  std::size_t FirstFrom(double t) {
    std::size_t begin = 0, end = size();
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      double time = 0;
      Read(middle, {&time, 1});
      (time < t ? begin : end) = time < t ? middle + 1 : middle;
    }
    return begin;
  }

  /// Moves the rows from number `first` on to the rows put aside.
  void PutAside(std::size_t first) {
    aside_->Truncate(0);
    std::vector<double> row(width_);
    for (std::size_t k = first; k < size(); ++k) {
      Read(k, row);
      aside_->Write({reinterpret_cast<const char*>(row.data()), RowBytes()});
    }
    Truncate(first);
  }

  /// Exchanges the rows from number `first` on with those put aside.
  void Exchange(std::size_t first) {
    std::swap(aside_, spare_);
    PutAside(first);
    std::vector<double> row(width_);
    for (std::uint64_t at = 0; at < spare_->size(); at += RowBytes()) {
      spare_->Read(at, {reinterpret_cast<char*>(row.data()), RowBytes()});
      Add(row);
    }
  }

  void Truncate(std::size_t size) {
    rows_->Truncate(size * RowBytes());
    signals_->Truncate(size);
    timing_->Truncate(size);
  }

  void Finish(const RunSummary& summary,
              const std::vector<std::pair<double, std::string>>& events) {
    signals_->Flush();
    timing_->Flush();
    WriteNpz();
    AddResult(summary, events, &run_);
    WriteWhole(directory_ / "run.json", Dump());
  }

 private:
  std::size_t RowBytes() const { return width_ * sizeof(double); }

  std::string Dump() const {
    return run_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  /// Writes a group of columns at a time: little memory, few passes over the rows.
  void WriteNpz() {
    constexpr std::size_t kTogether = 32;
    NpzFile npz(directory_ / "signals.npz");
    std::vector<std::vector<double>> columns(std::min(kTogether, names_.size()),
                                             std::vector<double>(size()));
    for (std::size_t first = 0; first < names_.size(); first += kTogether) {
      const std::size_t count = std::min(kTogether, names_.size() - first);
      ReadColumns(first, std::span(columns).first(count));
      for (std::size_t c = 0; c < count; ++c) npz.Add(names_[first + c], columns[c]);
    }
    npz.Finish();
  }

  /// Reads all rows, from number `first` on, of adjacent columns.
  void ReadColumns(std::size_t first, std::span<std::vector<double>> columns) {
    const std::size_t n = size(), block_rows = std::max<std::size_t>(1, kBlockBytes / RowBytes());
    std::vector<double> block(std::min(n, block_rows) * width_);
    for (std::size_t begin = 0; begin < n; begin += block_rows) {
      const std::size_t rows = std::min(block_rows, n - begin);
      Read(begin, std::span(block).first(rows * width_));
      for (std::size_t k = 0; k < rows; ++k) {
        const double* row = block.data() + k * width_ + first;
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c][begin + k] = row[c];
      }
    }
  }

  std::size_t width_;               ///< numbers in a row
  std::vector<std::string> names_;  ///< of the columns of signals.csv
  fs::path directory_;
  nlohmann::ordered_json run_;
  std::optional<CsvFile> signals_, timing_;
  std::optional<OutputFile> rows_;
  std::unique_ptr<OutputFile> aside_, spare_;  ///< rows of another branch; of one that is moved
  std::vector<double> timing_row_;
};

}  // namespace

struct Recorder::Impl {
  Impl(const Simulation& simulation, const fs::path& directory)
      : table(simulation.scene()),
        statistics(simulation),
        row(RowWidth(table)),
        record(simulation.scene()),
        factorizations{{0, simulation.controller().factorization()}},
        queue(directory.empty() ? 1 : kWaitingRows, row) {
    if (directory.empty()) return;
    files.emplace(simulation, table, directory);
    writer = std::thread([this] { Write(); });
  }
  ~Impl() { Join(); }

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
      queue.Pop();
    }
    if (!broken.load(std::memory_order_relaxed)) Guard([&] { files->FlushEvery(kFlushPeriod); });
  }

  template <typename Work>
  void Guard(Work work) {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
      broken.store(true, std::memory_order_release);
    }
  }

  /// Waits until everything added has been written, then keeps the writing thread off the files
  /// while the lock is held. For the thread that adds records.
  std::unique_lock<std::mutex> Drain() {
    while (!queue.empty()) std::this_thread::yield();
    return std::unique_lock(mutex);
  }

  /// Removes and returns the events, or the changes of the factorization, at t and later.
  template <typename List>
  static List Cut(double t, List* list) {
    List later;
    for (auto& entry : *list) {
      if (entry.first >= t) later.push_back(entry);
    }
    std::erase_if(*list, [t](const auto& entry) { return entry.first >= t; });
    return later;
  }
  std::vector<std::pair<double, std::string>> CutEvents(double t) { return Cut(t, &events); }
  std::vector<std::pair<double, Factorization>> CutFactorizations(double t) {
    return Cut(t, &factorizations);
  }

  /// Changes rows that were written. The remaining ones are measured once, at the end, since a
  /// long run takes long to measure.
  template <typename Work>
  void ChangeRows(Work work) {
    const std::unique_lock lock = Drain();
    if (broken.load(std::memory_order_acquire)) std::rethrow_exception(error);
    work(&*files);
    remeasure = true;
  }

  void Join() {
    ending.store(true, std::memory_order_release);
    if (writer.joinable()) writer.join();
  }

  /// Measures the remaining rows anew.
  void Remeasure() {
    statistics.Restart();
    auto next = factorizations.begin();
    for (std::size_t k = 0; k < files->size(); ++k) {
      files->Read(k, row);
      record.t = row[0];
      table.Read(std::span<const double>(row).subspan(1), &record);
      while (next != factorizations.end() && next->first <= record.t) {
        statistics.SetFactorization((next++)->second);
      }
      statistics.Add(record);
    }
    remeasure = false;
  }

  SignalTable table;
  RunStatistics statistics;
  bool remeasure = false;  ///< rows that the statistics include were taken back
  std::vector<double> row;
  StepRecord record;
  /// the law's, with the time from which each applies
  std::vector<std::pair<double, Factorization>> factorizations;
  std::vector<std::pair<double, std::string>> events;
  std::vector<std::pair<double, Factorization>> factorizations_aside;
  std::vector<std::pair<double, std::string>> events_aside;
  std::mutex mutex;  ///< guards the files while the writing thread runs
  std::optional<RunFiles> files;
  SpscQueue<std::vector<double>> queue;
  std::atomic<bool> ending{false};
  std::atomic<bool> broken{false};
  std::exception_ptr error;  ///< set before broken
  std::thread writer;
};

Recorder::Recorder(const Simulation& simulation, const fs::path& directory)
    : impl_(std::make_unique<Impl>(simulation, directory)) {}

Recorder::~Recorder() = default;

void Recorder::Add(const StepRecord& record) {
  if (!impl_->files) {
    impl_->statistics.Add(record);
    return;
  }
  if (impl_->broken.load(std::memory_order_acquire)) std::rethrow_exception(impl_->error);
  std::vector<double>* slot = nullptr;
  while ((slot = impl_->queue.BeginPush()) == nullptr) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  (*slot)[0] = record.t;
  impl_->table.Fill(record, std::span(*slot).subspan(1));
  impl_->queue.EndPush();
  if (!impl_->remeasure) impl_->statistics.Add(record);
}

void Recorder::DropFrom(double t) {
  std::erase_if(impl_->events, [t](const auto& event) { return event.first >= t; });
  std::vector<std::pair<double, Factorization>>& factorizations = impl_->factorizations;
  const Factorization present = factorizations.back().second;
  std::erase_if(factorizations, [t](const auto& change) { return change.first >= t; });
  factorizations.emplace_back(t, present);
  if (!impl_->files) {
    impl_->statistics.Restart();
    return;
  }
  impl_->ChangeRows([t](RunFiles* files) { files->Truncate(files->FirstFrom(t)); });
}

void Recorder::Branch(double t) {
  impl_->events_aside = impl_->CutEvents(t);
  const Factorization present = impl_->factorizations.back().second;
  impl_->factorizations_aside = impl_->CutFactorizations(t);
  impl_->factorizations.emplace_back(t, present);
  impl_->ChangeRows([t](RunFiles* files) { files->PutAside(files->FirstFrom(t)); });
}

void Recorder::Switch(double t) {
  auto events = std::exchange(impl_->events_aside, impl_->CutEvents(t));
  impl_->events.insert(impl_->events.end(), events.begin(), events.end());
  auto changes = std::exchange(impl_->factorizations_aside, impl_->CutFactorizations(t));
  impl_->factorizations.insert(impl_->factorizations.end(), changes.begin(), changes.end());
  impl_->ChangeRows([t](RunFiles* files) { files->Exchange(files->FirstFrom(t)); });
}

void Recorder::ChangeFactorization(double t, const Factorization& factorization) {
  impl_->factorizations.emplace_back(t, factorization);
  impl_->statistics.SetFactorization(factorization);
}

void Recorder::AddEvent(double t, const std::string& what) { impl_->events.emplace_back(t, what); }

const MotionMetrics& Recorder::motion() const { return impl_->statistics.motion(); }

RunSummary Recorder::Finish(const Simulation& simulation, double wall_s, bool interrupted) {
  impl_->Join();
  const Failure& failure = simulation.failure();
  if (impl_->remeasure) impl_->Remeasure();
  RunSummary summary = impl_->statistics.Summarize();
  const bool fallen = summary.fall && summary.fall->fallen;
  summary.passed = !failure.failed && !fallen;
  summary.interrupted = interrupted && !failure.failed;
  if (failure.failed) {
    summary.verdict = "failed: " + failure.reason;
  } else if (fallen) {
    summary.verdict = Describe(*summary.fall);
  } else if (interrupted) {
    std::string t;
    AppendNumber(summary.duration_s, &t);
    summary.verdict = "interrupted at t = " + t + " s";
  } else {
    summary.verdict = "done";
  }
  summary.wall_s = wall_s;
  summary.real_time_factor = wall_s > 0 ? summary.duration_s / wall_s : 0;
  summary.mujoco_warnings = simulation.mujoco_warnings();
  if (impl_->broken.load(std::memory_order_acquire)) std::rethrow_exception(impl_->error);
  if (impl_->files) impl_->files->Finish(summary, impl_->events);
  return summary;
}

}  // namespace civita
