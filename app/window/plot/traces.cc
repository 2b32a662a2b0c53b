#include "app/window/plot/traces.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/window/plot/units.h"
#include "civita/sim/quantile.h"

namespace civita {
namespace {

constexpr int kPercentileWindow = 1000;  // one second at 1 kHz
constexpr int kEnoughForP99 = 200;
constexpr double kSaturationGap = 0.02;  // s: marks closer than this are one

constexpr int64_t kSamples = 120'000;         // twice as far as a run can go back, at 1 kHz
constexpr int64_t kMostReplayed = 512 << 20;  // bytes of a replay's samples

// Replays are plotted whole, unless their samples would take too much memory.
int64_t CapacityFor(const Session& session, int channels) {
  const int64_t most = kMostReplayed / (channels * static_cast<int64_t>(sizeof(float)));
  const auto rows = static_cast<int64_t>(session.num_recorded());
  return std::max(kSamples, std::min(rows, most));
}

// Appends the rows at t and later.
void Copy(const TraceBuffer& from, double t, TraceBuffer* to) {
  std::vector<float> values(static_cast<std::size_t>(from.channels()));
  for (int64_t row = from.LowerBound(t); row < from.end_index(); ++row) {
    for (int c = 0; c < from.channels(); ++c) {
      values[static_cast<std::size_t>(c)] = from.value(row, c);
    }
    to->Append(from.time(row), values);
  }
}

struct NormAndLargest {
  float norm, largest;
};

// Of the numbers from `first` on that are distances, or of those that are not.
NormAndLargest Measure(const std::vector<float>& values, int first,
                       const std::vector<bool>& is_distance, bool distances) {
  double sum = 0, largest = 0;
  for (std::size_t i = 0; i < is_distance.size(); ++i) {
    if (is_distance[i] != distances) continue;
    const auto value = static_cast<double>(values[static_cast<std::size_t>(first) + i]);
    sum += value * value;
    largest = std::max(largest, std::fabs(value));
    if (std::isnan(value)) largest = value;
  }
  return {static_cast<float>(std::sqrt(sum)), static_cast<float>(largest)};
}

}  // namespace

RollingPercentiles::RollingPercentiles(int window) : window_(static_cast<std::size_t>(window)) {
  recent_.reserve(window_);
  sorted_.reserve(window_ + 1);
}

void RollingPercentiles::Add(float value) {
  if (!std::isfinite(value)) return;
  if (recent_.size() < window_) {
    recent_.push_back(value);
  } else {
    const float oldest = recent_[next_];
    sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), oldest));
    recent_[next_] = value;
    next_ = (next_ + 1) % window_;
  }
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
}

void RollingPercentiles::Clear() {
  next_ = 0;
  recent_.clear();
  sorted_.clear();
}

float RollingPercentiles::At(double fraction) const {
  if (sorted_.empty()) return std::numeric_limits<float>::quiet_NaN();
  return sorted_[QuantileIndex(fraction, sorted_.size())];
}

Traces::OneRun::OneRun(const SignalTable& table, int begin, const std::vector<bool>& is_distance,
                       int* next)
    : signals(&table),
      first(begin),
      step_times(kPercentileWindow),
      dynamics_times(kPercentileWindow),
      qp_times(kPercentileWindow) {
  const auto size_of = [&](bool distances) {
    Channels::Size size;
    if (std::find(is_distance.begin(), is_distance.end(), distances) == is_distance.end()) {
      return size;
    }
    size.norm = (*next)++;
    size.largest = (*next)++;
    return size;
  };
  const auto coordinates = [&](const char* name) {
    return Channels::Coordinates{Find(name), size_of(false), size_of(true)};
  };
  channels.e = coordinates("/e");
  channels.s = coordinates("/s");
  channels.tau = coordinates("/tau");
  channels.control_us = Find("/control_us");
  channels.step_p50 = (*next)++;
  channels.step_p99 = (*next)++;
  if (const Signal* feet = table.Find("/foot_force")) {
    channels.num_feet = feet->info.width;
    channels.foot_force = Find("/foot_force");
    channels.trunk_position = (*next)++;
    channels.trunk_orientation = (*next)++;
    channels.kinematics_us = Find("/kinematics_us");
    channels.matrices_us = Find("/matrices_us");
    channels.dynamics_p50 = (*next)++;
    channels.qp_us = Find("/qp_us");
    channels.qp_p50 = (*next)++;
  }
  channels.dcm_margin = Find("/law/dcm_margin");
  channels.dcm = Find("/law/dcm");
  channels.pressure = Find("/law/cop");
  channels.tells_balance = channels.dcm_margin >= 0 && channels.dcm >= 0 && channels.pressure >= 0;
}

int Traces::OneRun::Find(std::string_view signal) const {
  const Signal* found = signals->Find(signal);
  return found ? first + static_cast<int>(found->column) : -1;
}

// The rows as sent come first, those of both runs; then the computed channels.
std::vector<Traces::OneRun> Traces::MakeRuns(const Session& session,
                                             const std::vector<bool>& is_distance, int* channels) {
  const SignalTable& own = session.signals();
  const auto width = static_cast<int>(own.width());
  *channels = width;
  if (session.is_comparing()) *channels += static_cast<int>(session.signals(Slot::kB).width());
  std::vector<OneRun> runs;
  runs.emplace_back(own, 0, is_distance, channels);
  if (session.is_comparing()) {
    runs.emplace_back(session.signals(Slot::kB), width, is_distance, channels);
  }
  return runs;
}

Traces::Traces(const Session& session)
    : nv_(session.scene().plant.nv()),
      is_distance_(FindDistances(session.scene().plant).v),
      runs_(MakeRuns(session, is_distance_, &num_channels_)),
      buffer_(num_channels_, CapacityFor(session, num_channels_)),
      aside_(num_channels_, kSamples),
      values_(static_cast<std::size_t>(num_channels_)),
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
  if (!buffer_.empty()) return;
  for (OneRun& run : runs_) {
    run.step_times.Clear();
    run.dynamics_times.Clear();
    run.qp_times.Clear();
  }
}

int64_t Traces::RowBefore(double t) const {
  const int64_t row = buffer_.LowerBound(t) - 1;
  return row < buffer_.begin_index() ? -1 : row;
}

void Traces::Add(const TraceRow& row) {
  std::copy(row.values.begin(), row.values.end(), values_.begin());
  for (OneRun& run : runs_) AddDerived(&run);
  buffer_.Append(row.t, values_);
  if (row.saturated) AddSaturated(row.t);
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

void Traces::AddDerived(OneRun* run) {
  const Channels& c = run->channels;
  const auto value = [this](int channel) -> float& {
    return values_[static_cast<std::size_t>(channel)];
  };
  for (const Channels::Coordinates& x : {c.e, c.s, c.tau}) {
    for (const bool distances : {false, true}) {
      const Channels::Size& size = distances ? x.distances : x.angles;
      if (size.norm < 0) continue;
      const NormAndLargest measured = Measure(values_, x.first, is_distance_, distances);
      value(size.norm) = measured.norm;
      value(size.largest) = measured.largest;
    }
  }
  run->step_times.Add(value(c.control_us));
  const bool enough = run->step_times.size() >= kEnoughForP99;
  value(c.step_p50) = run->step_times.At(0.5);
  value(c.step_p99) = enough ? run->step_times.At(0.99) : std::numeric_limits<float>::quiet_NaN();
  if (c.num_feet == 0) return;
  const auto length = [&value, &c](int from) {
    return std::hypot(value(c.e.first + from), value(c.e.first + from + 1),
                      value(c.e.first + from + 2));
  };
  value(c.trunk_position) = length(0);
  value(c.trunk_orientation) = length(3);
  run->dynamics_times.Add(value(c.kinematics_us) + value(c.matrices_us));
  run->qp_times.Add(value(c.qp_us));
  value(c.dynamics_p50) = run->dynamics_times.At(0.5);
  value(c.qp_p50) = run->qp_times.At(0.5);
}

void Traces::TruncateFrom(double t) {
  buffer_.TruncateAfter(std::nextafter(t, -std::numeric_limits<double>::infinity()));
  std::erase_if(saturations_, [t](const Saturation& x) { return x.from >= t; });
  if (!saturations_.empty()) saturations_.back().to = std::min(saturations_.back().to, t);
  std::erase_if(limited_, [t](double at) { return at >= t; });
}

}  // namespace civita
