#include "app/window/plot/traces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace civita {
namespace {

constexpr double kSaturationGap = 0.02;  // s: marks closer than this are one

constexpr int64_t kSamples = 120'000;         // twice as far as a run can go back, at 1 kHz
constexpr int64_t kMostReplayed = 512 << 20;  // bytes of a replay's samples

// Replays are plotted whole, unless their samples would take too much memory.
int64_t CapacityFor(const Session& session, int channels) {
  const int64_t most = kMostReplayed / (channels * static_cast<int64_t>(sizeof(float)));
  const auto rows = static_cast<int64_t>(session.num_recorded());
  return std::max(kSamples, std::min(rows, most));
}

// Those of the first run, whose derived curves begin at a channel.
std::vector<std::string> NamesOf(const std::vector<std::string>& columns,
                                 const std::vector<Signal>& derived, std::size_t first_derived,
                                 std::size_t channels) {
  std::vector<std::string> names(channels);
  std::ranges::copy(columns, names.begin());
  for (const Signal& signal : derived) names[first_derived + signal.column] = signal.info.name;
  return names;
}

void Read(const TraceBuffer& from, int64_t row, std::vector<float>* values) {
  for (int c = 0; c < from.channels(); ++c) {
    (*values)[static_cast<std::size_t>(c)] = from.value(row, c);
  }
}

// Appends the rows at t and later.
void Copy(const TraceBuffer& from, double t, TraceBuffer* to) {
  std::vector<float> values(static_cast<std::size_t>(from.channels()));
  for (int64_t row = from.LowerBound(t); row < from.end_index(); ++row) {
    Read(from, row, &values);
    to->Append(from.time(row), values);
  }
}

}  // namespace

int Traces::OneRun::Find(std::string_view signal) const {
  if (const Signal* found = signals->Find(signal)) return static_cast<int>(first + found->column);
  const Signal* found = derived.Find(signal);
  return found ? static_cast<int>(first_derived + found->column) : -1;
}

std::vector<Traces::OneRun> Traces::MakeRuns(const Session& session) {
  std::vector<OneRun> runs;
  std::size_t channels = 0;
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    if (slot == Slot::kB && !session.is_comparing()) break;
    const SignalTable& table = session.signals(slot);
    runs.push_back({&table, DerivedSignals(session.scene(slot), table), channels});
    channels += table.width();
  }
  for (OneRun& run : runs) {
    run.first_derived = channels;
    channels += run.derived.width();
  }
  return runs;
}

Traces::Traces(const Session& session)
    : nv_(session.scene().plant.nv()),
      runs_(MakeRuns(session)),
      thrown_(channel(Slot::kA, "/thrown")),
      names_(NamesOf(runs_.front().signals->columns(), runs_.front().derived.signals(),
                     runs_.front().first_derived,
                     runs_.back().first_derived + runs_.back().derived.width())),
      values_(names_.size()),
      buffer_(static_cast<int>(values_.size()),
              CapacityFor(session, static_cast<int>(values_.size()))),
      aside_(static_cast<int>(values_.size()), kSamples),
      dt_s_(session.control_dt()) {}

bool Traces::Drain(Session* session) {
  bool any = false;
  while (session->PopTrace(&row_)) {
    if (row_.kind == TraceRow::Kind::kStep) {
      Add(row_);
    } else {
      Apply(row_);
    }
    any = true;
  }
  return any;
}

void Traces::KeepIn(const std::string& folder) {
  if (folder == folder_) return;
  folder_ = folder;
  for (TraceBuffer* buffer : {&buffer_, &aside_}) {
    buffer->KeepInMemory();
    if (!folder.empty()) buffer->KeepOnDisk(folder);
  }
}

void Traces::Apply(const TraceRow& mark) {
  ++epoch_;
  marks_.push_back({mark.kind, mark.t});
  TraceBuffer before(aside_.channels(), kSamples);
  if (!folder_.empty()) before.KeepOnDisk(folder_);
  std::swap(before, aside_);
  if (mark.kind != TraceRow::Kind::kReset) Copy(buffer_, mark.t, &aside_);
  TruncateFrom(mark.t);
  if (mark.kind == TraceRow::Kind::kSwitch) Copy(before, mark.t, &buffer_);
  if (!buffer_.empty()) civita::Read(buffer_, buffer_.end_index() - 1, &values_);
  const std::span<const float> last(values_);
  for (OneRun& run : runs_) {
    if (buffer_.empty()) {
      run.derived.Clear();
    } else {
      run.derived.Resume(last.subspan(run.first, run.signals->width()),
                         last.subspan(run.first_derived, run.derived.width()));
    }
  }
}

Eigen::VectorXd Traces::Read(int64_t row, Slot slot, std::string_view signal, int size) const {
  const int first = channel(slot, signal);
  Eigen::VectorXd x(size);
  for (int i = 0; i < size; ++i) x[i] = static_cast<double>(buffer_.value(row, first + i));
  return x;
}

int64_t Traces::RowBefore(double t) const {
  const int64_t row = buffer_.LowerBound(t) - 1;
  return row < buffer_.begin_index() ? -1 : row;
}

void Traces::Add(const TraceRow& row) {
  std::copy(row.values.begin(), row.values.end(), values_.begin());
  const std::span<float> values(values_);
  for (OneRun& run : runs_) {
    run.derived.Fill(values.subspan(run.first, run.signals->width()),
                     values.subspan(run.first_derived, run.derived.width()));
  }
  buffer_.Append(row.t, values_);
  if (row.saturated) AddSaturated(row.t);
  if (values[static_cast<std::size_t>(thrown_)] > 0) {
    marks_.push_back({TraceRow::Kind::kStep, row.t});
  }
}

void Traces::AddSaturated(double t) {
  limited_.push_back(t);
  while (limited_.front() <= t - 1) limited_.pop_front();
  if (!saturations_.empty() && t - saturations_.back().to < kSaturationGap) {
    saturations_.back().to = t;
    return;
  }
  saturations_.push_back({t, t});
  if (saturations_.size() > kMostSaturations) JoinOldSaturations();
}

/// Of the older half those that are nearest to each other become one, two by two: where the marks
/// are regular, too, half of them stay.
void Traces::JoinOldSaturations() {
  const std::size_t half = saturations_.size() / 2;
  const auto gap_after = [this](std::size_t i) {
    return saturations_[i + 1].from - saturations_[i].to;
  };
  std::vector<double> gaps;
  for (std::size_t i = 0; i + 1 < half; ++i) gaps.push_back(gap_after(i));
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  std::vector<Saturation> fewer;
  for (std::size_t i = 0; i < saturations_.size(); ++i) {
    fewer.push_back(saturations_[i]);
    if (i + 1 < half && gap_after(i) <= *middle) fewer.back().to = saturations_[++i].to;
  }
  saturations_ = std::move(fewer);
}

double Traces::ShareSaturated(double t) const {
  const auto is_recent = [t](double at) { return at > t - 1 && at <= t; };
  const auto steps = static_cast<double>(std::ranges::count_if(limited_, is_recent));
  return steps * dt_s_ / std::clamp(t, dt_s_, 1.0);
}

void Traces::TruncateFrom(double t) {
  buffer_.TruncateAfter(std::nextafter(t, -std::numeric_limits<double>::infinity()));
  std::erase_if(saturations_, [t](const Saturation& x) { return x.from >= t; });
  if (!saturations_.empty()) saturations_.back().to = std::min(saturations_.back().to, t);
  std::erase_if(limited_, [t](double at) { return at >= t; });
}

int GhostRun::Find(std::string_view channel) const {
  const auto found = std::ranges::find(channels, channel);
  return found == channels.end() ? -1 : static_cast<int>(found - channels.begin());
}

GhostRun KeepRun(const Traces& traces, std::string name, double until) {
  const TraceBuffer& from = traces.buffer();
  std::vector<std::string> channels;
  std::vector<int> sources;
  for (int channel = 0; channel < from.channels(); ++channel) {
    const std::string& of = traces.names()[static_cast<std::size_t>(channel)];
    if (of.empty()) continue;
    channels.push_back(of);
    sources.push_back(channel);
  }
  const int64_t begin = from.begin_index(), end = from.LowerBound(until);
  TraceBuffer rows(static_cast<int>(sources.size()), std::max<int64_t>(1, end - begin));
  std::vector<float> values(sources.size());
  for (int64_t row = begin; row < end; ++row) {
    for (std::size_t i = 0; i < sources.size(); ++i) values[i] = from.value(row, sources[i]);
    rows.Append(from.time(row), values);
  }
  return {std::move(name), std::move(channels), std::move(rows)};
}

}  // namespace civita
