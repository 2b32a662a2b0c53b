#include "civita/sim/state_archive.h"

#include <algorithm>
#include <cmath>

#include "civita/sim/saved_state.h"

namespace civita {
namespace {

constexpr double kArchivePeriod = 0.1;  ///< s

}  // namespace

StateArchive::StateArchive(const std::filesystem::path& folder, double dt_s)
    : file_(std::make_shared<OutputFile>(folder / ".states", OutputFile::Kind::kScratch)),
      steps_between_(std::max(1L, std::lround(kArchivePeriod / dt_s))) {}

void StateArchive::Add(const Simulation::Saved& saved) {
  if (!entries_.empty()) {
    const Entry& last = entries_.back();
    if (saved.inputs == last.inputs && saved.step < last.step + steps_between_) return;
  }
  if (entries_.empty()) loaded_ = saved;  // gives FromBytes the sizes of the lists
  const std::string bytes = ToBytes(saved);
  entries_.push_back({saved.step, saved.t, saved.inputs, file_, file_->size(), bytes.size()});
  file_->Write(bytes);
}

const Simulation::Saved& StateArchive::At(long step) {
  const auto after = std::upper_bound(entries_.begin() + 1, entries_.end(), step,
                                      [](long s, const Entry& entry) { return s < entry.step; });
  const Entry& entry = *(after - 1);
  bytes_.resize(entry.size);
  entry.file->Read(entry.offset, bytes_);
  FromBytes(bytes_, &loaded_);
  loaded_.inputs = entry.inputs;
  return loaded_;
}

std::vector<StateArchive::Entry> StateArchive::Cut(long step) {
  const auto first = std::lower_bound(entries_.begin(), entries_.end(), step,
                                      [](const Entry& entry, long s) { return entry.step < s; });
  std::vector<Entry> cut(first, entries_.end());
  entries_.erase(first, entries_.end());
  return cut;
}

void StateArchive::Append(const std::vector<Entry>& entries) {
  entries_.insert(entries_.end(), entries.begin(), entries.end());
}

void StateArchive::Clear() {
  entries_.clear();
  file_->Resize(0);
}

}  // namespace civita
