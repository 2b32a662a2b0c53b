#include "civita/sim/run_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <string_view>
#include <system_error>

#include "civita/error.h"
#include "civita/sim/npz_file.h"
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

std::vector<std::string> WithTime(std::span<const std::string> names) {
  std::vector<std::string> all = {"t"};
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

}  // namespace

RunFiles::RunFiles(const Simulation& simulation, const SignalTable& table,
                   const fs::path& directory)
    : width_(1 + table.width()),
      names_(WithTime(std::span(table.columns()).first(table.timings_begin()))),
      directory_(directory),
      run_(DescribeRun(simulation)),
      folder_(directory) {
  RemoveRun(folder_, directory);
  try {
    WriteWhole(directory / kRunJson, Dump());
    WriteWhole(directory / "config.yaml", ToYaml(simulation.scene().config));
    signals_.emplace(directory / "signals.csv", OutputFile::Kind::kGrowing, names_);
    const std::vector<std::string> timings =
        WithTime(std::span(table.columns()).subspan(table.timings_begin()));
    timing_.emplace(directory / "timing.csv", OutputFile::Kind::kGrowing, timings);
    timing_row_.resize(timings.size());
    OpenScratch();
  } catch (...) {
    Discard();
    throw;
  }
}

RunFiles::RunFiles(const Simulation& simulation, const SignalTable& table, RunRecord* record,
                   std::size_t rows)
    : width_(1 + table.width()),
      names_(WithTime(std::span(table.columns()).first(table.timings_begin()))),
      directory_(record->directory()),
      run_(DescribeRun(simulation)),
      folder_(directory_) {
  signals_.emplace(directory_ / "signals.csv", rows);
  timing_.emplace(directory_ / "timing.csv", rows);
  timing_row_.resize(1 + table.width() - table.timings_begin());
  OpenScratch();
  for (std::size_t k = 0; k < rows; ++k) {
    const double t = record->t(k);
    rows_->Write({reinterpret_cast<const char*>(&t), sizeof t});
    const std::span<const double> row = record->row(k);
    rows_->Write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
  }
  run_["resumed_from_row"] = rows;
  WriteWhole(directory_ / kRunJson, Dump());
}

void RunFiles::OpenScratch() {
  for (std::unique_ptr<OutputFile>* file : {&rows_, &aside_, &spare_}) {
    *file = std::make_unique<OutputFile>(directory_ / "rows", OutputFile::Kind::kScratch);
  }
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
  signals_->AddRow(row.first(names_.size()));
  const std::span<const double> timings = row.subspan(names_.size());
  timing_row_[0] = row[0];
  std::copy(timings.begin(), timings.end(), timing_row_.begin() + 1);
  timing_->AddRow(timing_row_);
  rows_->Write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
  FlushFromTimeToTime();
}

void RunFiles::AddEvent(const InputEvent& event) {
  if (!events_) events_.emplace(directory_ / kEventsFile, OutputFile::Kind::kGrowing);
  events_->Write(EventLine(event));
  events_->Flush();
}

void RunFiles::SetEvents(const Events& events) {
  if (events_) events_->Resize(0);
  for (const InputEvent& event : events) AddEvent(event);
}

void RunFiles::FlushFromTimeToTime() {
  constexpr std::chrono::milliseconds kPeriod(500);
  signals_->FlushEvery(kPeriod);
  timing_->FlushEvery(kPeriod);
}

void RunFiles::Read(std::size_t index, std::span<double> rows) {
  rows_->Read(index * RowBytes(), {reinterpret_cast<char*>(rows.data()), rows.size_bytes()});
}

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

void RunFiles::PutAside(std::size_t first) {
  aside_->Resize(0);
  std::vector<double> row(width_);
  for (std::size_t k = first; k < size(); ++k) {
    Read(k, row);
    aside_->Write({reinterpret_cast<const char*>(row.data()), RowBytes()});
  }
  Truncate(first);
}

void RunFiles::Exchange(std::size_t first) {
  std::swap(aside_, spare_);
  PutAside(first);
  std::vector<double> row(width_);
  for (std::uint64_t at = 0; at < spare_->size(); at += RowBytes()) {
    spare_->Read(at, {reinterpret_cast<char*>(row.data()), RowBytes()});
    Add(row);
  }
}

void RunFiles::Truncate(std::size_t size) {
  rows_->Resize(size * RowBytes());
  signals_->Truncate(size);
  timing_->Truncate(size);
}

void RunFiles::Finish(const Events& events, RunSummary* summary) {
  if (summary->write_error.empty()) {
    try {
      for (std::optional<CsvFile>* file : {&signals_, &timing_}) {
        (*file)->Commit();
        file->reset();
      }
      WriteResult(events, *summary);
      WriteNpz();
      std::error_code ignored;
      if (!summary->interrupted) fs::remove(directory_ / kStateFile, ignored);
      return;
    } catch (const std::exception& error) {
      summary->write_error = error.what();
    }
  }
  try {
    KeepWhatIsThere(events, *summary);
  } catch (const std::exception&) {
    // The summary has the first error already.
  }
}

void RunFiles::WriteResult(const Events& events, const RunSummary& summary) {
  AddResult(summary, events, &run_);
  WriteWhole(directory_ / kRunJson, Dump());
  events_.reset();
  std::error_code ignored;
  fs::remove(directory_ / kEventsFile, ignored);
}

/// On a full disk the rows, which are as large as signals.csv, make room for run.json.
void RunFiles::KeepWhatIsThere(const Events& events, const RunSummary& summary) {
  rows_.reset();
  aside_.reset();
  spare_.reset();
  for (std::optional<CsvFile>* file : {&signals_, &timing_}) {
    if (file->has_value()) (*file)->DropHalfRow();
  }
  WriteResult(events, summary);
}

std::string RunFiles::Dump() const {
  return run_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void RunFiles::WriteNpz() {
  NpzFile npz(directory_ / "signals.npz");
  npz.AddColumns(names_, size(), width_,
                 [this](std::size_t first, std::span<double> rows) { Read(first, rows); });
  npz.Finish();
}

}  // namespace civita
