#include "civita/sim/state_archive.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "civita/error.h"

namespace civita {
namespace {

constexpr double kArchivePeriod = 0.1;  ///< s

/// Calls `number` for each trivially copyable part of a state and `numbers` for each list of
/// doubles. The inputs, shared by many states, and what the file's list knows are left out.
template <typename Saved, typename Number, typename Numbers>
void VisitParts(Saved& saved, Number number, Numbers numbers) {
  numbers(saved.state);
  numbers(saved.law_state);
  numbers(saved.sensors);
  numbers(saved.foot_force);
  numbers(saved.torques_under_way);
  numbers(saved.tau_ext);
  numbers(saved.turning.q);
  numbers(saved.turning.s);
  for (int i = 0; i < 4; ++i) number(saved.drive[i]);
  number(saved.V0);
  number(saved.lost);
  number(saved.balance);
  number(saved.turning.first);
  number(saved.turning.largest);
  number(saved.turning.twist);
  number(saved.turning.ideal_turning);
  number(saved.saturated_steps);
  number(saved.fall_watch);
  number(saved.rebase);
}

class Writer {
 public:
  explicit Writer(std::vector<char>* bytes) : bytes_(*bytes) { bytes_.clear(); }
  void Put(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), at, at + size);
  }

 private:
  std::vector<char>& bytes_;
};

class Reader {
 public:
  explicit Reader(const std::vector<char>& bytes) : bytes_(bytes) {}
  void Take(void* to, std::size_t size) {
    CIVITA_CHECK(at_ + size <= bytes_.size(), "a state on disk is cut");
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }

 private:
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

struct Shape {
  std::int64_t rows = 0, columns = 1;
};
Shape ShapeOf(const std::vector<double>& x) { return {static_cast<std::int64_t>(x.size()), 1}; }
template <typename Matrix>
Shape ShapeOf(const Matrix& x) {
  return {x.rows(), x.cols()};
}
void SetShape(const Shape& shape, std::vector<double>* x) {
  x->resize(static_cast<std::size_t>(shape.rows));
}
template <typename Matrix>
void SetShape(const Shape& shape, Matrix* x) {
  x->resize(shape.rows, shape.columns);
}
std::size_t BytesOf(const Shape& shape) {
  return sizeof(double) * static_cast<std::size_t>(shape.rows * shape.columns);
}

}  // namespace

StateArchive::StateArchive(const std::filesystem::path& folder, double dt_s)
    : file_(std::make_shared<OutputFile>(folder / ".states", OutputFile::Kind::kScratch)),
      steps_between_(std::max(1L, std::lround(kArchivePeriod / dt_s))) {}

void StateArchive::Add(const Simulation::Saved& saved) {
  if (!entries_.empty()) {
    const Entry& last = entries_.back();
    if (saved.inputs == last.inputs && saved.step < last.step + steps_between_) return;
  }
  Writer writer(&bytes_);
  VisitParts(
      saved,
      [&](const auto& x) {
        static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(x)>>);
        writer.Put(&x, sizeof x);
      },
      [&](const auto& x) {
        const Shape shape = ShapeOf(x);
        writer.Put(&shape, sizeof shape);
        writer.Put(x.data(), BytesOf(shape));
      });
  entries_.push_back({saved.step, saved.t, saved.inputs, file_, file_->size(), bytes_.size()});
  file_->Write(std::string_view(bytes_.data(), bytes_.size()));
}

const Simulation::Saved& StateArchive::At(long step) {
  const auto after = std::upper_bound(entries_.begin() + 1, entries_.end(), step,
                                      [](long s, const Entry& entry) { return s < entry.step; });
  const Entry& entry = *(after - 1);
  bytes_.resize(entry.size);
  entry.file->Read(entry.offset, bytes_);
  Reader reader(bytes_);
  VisitParts(
      loaded_, [&](auto& x) { reader.Take(&x, sizeof x); },
      [&](auto& x) {
        Shape shape;
        reader.Take(&shape, sizeof shape);
        SetShape(shape, &x);
        reader.Take(x.data(), BytesOf(shape));
      });
  loaded_.t = entry.t;
  loaded_.step = entry.step;
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
