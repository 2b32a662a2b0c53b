#include "civita/sim/state_history.h"

#include <algorithm>
#include <cmath>

#include "civita/error.h"
#include "civita/sim/saved_state.h"

namespace civita {
namespace {

constexpr double kPeriod = 0.01;        ///< s
constexpr double kLength = 60;          ///< s
constexpr double kMemory = 256e6;       ///< bytes
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

StateHistory::StateHistory(const Simulation& simulation)
    : steps_between_(std::max(1L, std::lround(kPeriod / simulation.control_dt()))),
      dt_(simulation.control_dt()) {
  Simulation::Saved prototype;
  simulation.Save(&prototype);
  const auto bytes = static_cast<double>(prototype.bytes());
  const double between = static_cast<double>(steps_between_) * simulation.control_dt();
  const double slots = std::min(kLength / between, kMemory / bytes);
  ring_.assign(static_cast<std::size_t>(std::max(2.0, slots + 1)), prototype);
  Restart(simulation);
}

void StateHistory::Archive(const std::filesystem::path& folder) { archive_.emplace(folder, dt_); }

/// The slot after the newest state; the oldest one's when all are in use.
Simulation::Saved& StateHistory::NextSlot() {
  if (size_ == ring_.size()) {
    try {
      if (archive_) archive_->Add(Get(0));
    } catch (const Error&) {
      archive_.reset();
    }
    first_ = (first_ + 1) % ring_.size();
    --size_;
  }
  return ring_[(first_ + size_++) % ring_.size()];
}

void StateHistory::Save(const Simulation& simulation) {
  if (size_ > 0 && Get(size_ - 1).step == simulation.step()) --size_;
  simulation.Save(&NextSlot());
}

void StateHistory::Add(const Simulation& simulation) {
  if (simulation.step() % steps_between_ == 0) Save(simulation);
}

void StateHistory::Restart(const Simulation& simulation) {
  first_ = size_ = 0;
  if (archive_) archive_->Clear();
  Save(simulation);
}

const Simulation::Saved& StateHistory::At(long step) {
  if (has_archived() && step < Get(0).step) return archive_->At(step);
  std::size_t after = 1, end = size_;
  while (after < end) {
    const std::size_t middle = after + (end - after) / 2;
    (Get(middle).step <= step ? after : end) = Get(middle).step <= step ? middle + 1 : middle;
  }
  return Get(after - 1);
}

StateHistory::Stretch StateHistory::Cut(long step) {
  Stretch cut;
  if (archive_) cut.archived = archive_->Cut(step);
  std::size_t kept = size_;
  while (kept > 0 && Get(kept - 1).step >= step) --kept;
  cut.states.reserve(size_ - kept);
  // Copies, since the slots keep their memory.
  for (std::size_t i = kept; i < size_; ++i) cut.states.push_back(Get(i));
  size_ = kept;
  return cut;
}

/// Where a stretch has archived states, those in memory that are earlier than it have left before.
void StateHistory::Append(const Stretch& stretch) {
  if (archive_) archive_->Append(stretch.archived);
  for (const Simulation::Saved& state : stretch.states) NextSlot() = state;
}

}  // namespace civita
