#include "civita/sim/run_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "civita/error.h"
#include "civita/sim/run_json.h"
#include "civita/sim/saved_state.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunJson = "run.json";
/// All files that a run folder may hold.
constexpr std::array kFiles = {std::string_view("config.yaml"),
                               std::string_view("signals.csv"),
                               std::string_view("timing.csv"),
                               std::string_view("signals.npz"),
                               kStateFile,
                               kEventsFile,
                               kRunJson};

/// run.json alone does not identify a run folder: other programs write files of that name.
bool HoldsRun(const fs::path& directory) {
  const nlohmann::json run = ReadRunJson(directory);
  return run.contains("versions") && run["versions"].is_object() &&
         run["versions"].contains("civita");
}

/// Removes a folder of kSecondRun, or the link in its place.
void RemoveSecond(const fs::path& second) {
  std::error_code ignored;
  if (fs::is_directory(fs::symlink_status(second, ignored)) && HoldsRun(second)) {
    for (const std::string_view file : kFiles) fs::remove(second / file, ignored);
  }
  fs::remove(second, ignored);  // unless it holds other files
}

/// Removes the files of an earlier run except run.json, which tells even after a kill that the
/// folder is that of a run. @throws UserError.
void RemoveRun(const OutputFolder& folder, const fs::path& directory) {
  const auto refuse = [&directory](const std::string& why) {
    throw UserError("--out " + directory.string() + ": " + why);
  };
  if (!folder.is_empty() && !HoldsRun(directory)) {
    refuse("holds other files and no earlier run; name a new directory");
  }
  std::error_code error;
  for (const std::string_view file : kFiles) {
    const bool stays = file == kRunJson && !fs::is_symlink(directory / file, error);
    if (!stays) fs::remove(directory / file, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      refuse("holds a run that cannot be replaced: " + error.message());
    }
  }
  RemoveSecond(directory / kSecondRun);
}

}  // namespace

void WriteSignalsNpz(const fs::path& path, const SignalTable& table, std::size_t num_rows,
                     const NpzFile::ReadRows& read) {
  NpzFile npz(path);
  npz.AddColumns(std::span(table.file_columns()).first(1 + table.timings_begin()), num_rows,
                 1 + table.width(), read);
  npz.Finish();
}

RunFiles::RunFiles(const SignalTable& table, const fs::path& directory, nlohmann::ordered_json run)
    : table_(table), directory_(directory), run_(std::move(run)), folder_(directory) {}

RunFiles::RunFiles(const Simulation& simulation, const SignalTable& table,
                   const fs::path& directory)
    : RunFiles(table, directory, DescribeRun(simulation)) {
  RemoveRun(folder_, directory);
  try {
    WriteRun();
    WriteWhole(directory / "config.yaml", ToYaml(simulation.scene().config));
    const auto time = table.file_columns().begin();
    const auto timings = time + 1 + static_cast<std::ptrdiff_t>(table.timings_begin());
    std::vector<std::string> columns(time, timings);
    signals_.emplace(directory / "signals.csv", OutputFile::Kind::kGrowing, columns);
    columns.assign(timings, table.file_columns().end());
    columns.insert(columns.begin(), "t");
    timing_.emplace(directory / "timing.csv", OutputFile::Kind::kGrowing, columns);
    rows_ = NewScratch();
  } catch (...) {
    Discard();
    throw;
  }
}

RunFiles::RunFiles(const Simulation& simulation, const SignalTable& table, RunRecord* record,
                   std::size_t rows)
    : RunFiles(table, record->directory(), DescribeRun(simulation)) {
  signals_.emplace(directory_ / "signals.csv", rows);
  timing_.emplace(directory_ / "timing.csv", rows);
  rows_ = NewScratch();
  std::vector<double> row(1 + table.width());
  for (std::size_t k = 0; k < rows; ++k) {
    record->Read(k, row);
    rows_->Write(row);
  }
  run_["resumed_from_row"] = rows;
  WriteRun();
}

std::unique_ptr<OutputFile> RunFiles::NewScratch() const {
  return std::make_unique<OutputFile>(directory_ / "rows", OutputFile::Kind::kScratch);
}

void RunFiles::WriteState(std::string_view bytes) {
  signals_->Flush();
  timing_->Flush();
  WriteWhole(directory_ / kStateFile, bytes);
}

void RunFiles::Discard() {
  std::error_code ignored;
  for (const std::string_view file : kFiles) fs::remove(directory_ / file, ignored);
}

void RunFiles::Add(std::span<const double> row) {
  const std::size_t signals = 1 + table_.timings_begin();
  signals_->AddRow(row.first(signals));
  timing_->AddRow(row.first(1), row.subspan(signals));
  rows_->Write(row);
  FlushFromTimeToTime();
}

void RunFiles::AddEvent(const InputEvent& event, bool write) {
  events_.push_back(event);
  if (write) WriteEvent(event);
}

void RunFiles::WriteEvent(const InputEvent& event) {
  if (!events_file_) events_file_.emplace(directory_ / kEventsFile, OutputFile::Kind::kGrowing);
  events_file_->Write(EventLine(event));
  events_file_->Flush();
}

/// Writes them in the place of those that were written.
void RunFiles::WriteEvents() {
  if (events_file_) events_file_->Resize(0);
  for (const InputEvent& event : events_) WriteEvent(event);
}

/// Removes and returns those at t and later.
std::vector<InputEvent> RunFiles::CutEvents(double t) {
  const auto is_later = [t](const InputEvent& event) { return event.t >= t; };
  std::vector<InputEvent> later;
  std::ranges::copy_if(events_, std::back_inserter(later), is_later);
  std::erase_if(events_, is_later);
  return later;
}

void RunFiles::FlushFromTimeToTime() {
  constexpr std::chrono::milliseconds kPeriod(500);
  signals_->FlushEvery(kPeriod);
  timing_->FlushEvery(kPeriod);
}

void RunFiles::Read(std::size_t index, std::span<double> rows) {
  rows_->Read(index * RowBytes(), rows);
}

/// Number of the first row at t or later; times ascend.
std::size_t RunFiles::FirstFrom(double t) {
  std::size_t begin = 0, end = size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    double time = 0;
    Read(middle, {&time, 1});
    (time < t ? begin : end) = time < t ? middle + 1 : middle;
  }
  return begin;
}

void RunFiles::Truncate(double t) {
  const std::size_t size = FirstFrom(t);
  rows_->Resize(size * RowBytes());
  signals_->Truncate(size);
  timing_->Truncate(size);
  CutEvents(t);
  WriteEvents();
}

void RunFiles::PutAside(double t) {
  aside_ = NewScratch();
  std::vector<double> row(1 + table_.width());
  for (std::size_t k = FirstFrom(t); k < size(); ++k) {
    Read(k, row);
    aside_->Write(row);
  }
  events_aside_ = CutEvents(t);
  Truncate(t);
}

void RunFiles::Exchange(double t) {
  const std::unique_ptr<OutputFile> rows = std::move(aside_);
  const std::vector<InputEvent> events = std::exchange(events_aside_, {});
  PutAside(t);
  std::vector<double> row(1 + table_.width());
  for (std::uint64_t at = 0; rows && at < rows->size(); at += RowBytes()) {
    rows->Read(at, row);
    Add(row);
  }
  events_.insert(events_.end(), events.begin(), events.end());
  WriteEvents();
}

void RunFiles::Finish(RunSummary* summary) {
  if (summary->write_error.empty()) {
    try {
      for (std::optional<CsvFile>* file : {&signals_, &timing_}) {
        (*file)->Commit();
        file->reset();
      }
      WriteResult(*summary);
      WriteSignalsNpz(directory_ / "signals.npz", table_, size(),
                      [this](std::size_t first, std::span<double> rows) { Read(first, rows); });
      std::error_code ignored;
      if (!summary->interrupted) fs::remove(directory_ / kStateFile, ignored);
      return;
    } catch (const std::exception& error) {
      summary->write_error = error.what();
    }
  }
  try {
    KeepWhatIsThere(*summary);
  } catch (const std::exception&) {
    // The summary has the first error already.
  }
}

void RunFiles::WriteResult(const RunSummary& summary) {
  AddResult(summary, events_, &run_);
  WriteRun();
  events_file_.reset();
  std::error_code ignored;
  fs::remove(directory_ / kEventsFile, ignored);
}

/// On a full disk the rows, which are as large as signals.csv, make room for run.json.
void RunFiles::KeepWhatIsThere(const RunSummary& summary) {
  rows_.reset();
  aside_.reset();
  for (std::optional<CsvFile>* file : {&signals_, &timing_}) {
    if (file->has_value()) (*file)->DropHalfRow();
  }
  WriteResult(summary);
}

void RunFiles::WriteRun() {
  const auto replace = nlohmann::json::error_handler_t::replace;
  WriteWhole(directory_ / kRunJson, run_.dump(2, ' ', false, replace) + "\n");
}

}  // namespace civita
