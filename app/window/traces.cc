#include "app/window/traces.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "civita/sim/quantile.h"

namespace civita {
namespace {

constexpr int kPercentileWindow = 1000;  // one second at 1 kHz
constexpr int kEnoughForP99 = 200;
constexpr double kSaturationGap = 0.02;  // s: marks closer than this are one

constexpr double kTraceBytes = 400e6;
constexpr double kMinSamples = 120'000;  // twice as far as a run can go back, at 1 kHz

// A sample of a channel takes 4 bytes, and a fifth more for its ranges.
int64_t Capacity(int channels) {
  const double samples = kTraceBytes / (8 + 4.8 * channels);
  return static_cast<int64_t>(
      std::clamp(samples, kMinSamples, static_cast<double>(TraceBuffer::kDefaultCapacity)));
}

int Width(const Session& session) {
  const std::size_t other = session.is_comparing() ? session.signals(Slot::kB).width() : 0;
  return static_cast<int>(session.signals().width() + other);
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

NormAndLargest Measure(const std::vector<float>& values, int first, int count) {
  double sum = 0, largest = 0;
  for (int i = first; i < first + count; ++i) {
    const auto value = static_cast<double>(values[static_cast<std::size_t>(i)]);
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

Traces::OneRun::OneRun(const SignalTable& table, int begin, int derived)
    : signals(&table),
      first(begin),
      step_times(kPercentileWindow),
      dynamics_times(kPercentileWindow),
      qp_times(kPercentileWindow) {
  const auto coordinates = [&](const char* name, int at) {
    return Channels::Coordinates{Find(name), derived + at, derived + at + 1};
  };
  channels = {.e = coordinates("/e", 0),
              .s = coordinates("/s", 2),
              .tau = coordinates("/tau", 4),
              .control_us = Find("/control_us"),
              .step_p50 = derived + 6,
              .step_p99 = derived + 7};
  if (const Signal* feet = table.Find("/foot_force")) {
    channels.num_feet = feet->info.width;
    channels.foot_force = Find("/foot_force");
    channels.kinematics_us = Find("/kinematics_us");
    channels.matrices_us = Find("/matrices_us");
    channels.dynamics_p50 = derived + 8;
    channels.qp_us = Find("/qp_us");
    channels.qp_p50 = derived + 9;
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

Traces::Traces(const Session& session)
    : nv_(session.scene().plant.nv()),
      width_(Width(session)),
      buffer_(width_ + kDerived * (session.is_comparing() ? 2 : 1),
              Capacity(width_ + kDerived * (session.is_comparing() ? 2 : 1))),
      aside_(buffer_.channels(), static_cast<int64_t>(kMinSamples)),
      values_(static_cast<std::size_t>(buffer_.channels())) {
  const SignalTable& own = session.signals();
  runs_.emplace_back(own, 0, width_);
  if (!session.is_comparing()) return;
  runs_.emplace_back(session.signals(Slot::kB), static_cast<int>(own.width()), width_ + kDerived);
}

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

void Traces::Apply(const TraceRow& mark) {
  ++epoch_;
  marks_.push_back({mark.kind, mark.t});
  TraceBuffer before(aside_.channels(), static_cast<int64_t>(kMinSamples));
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
  if (!row.saturated) return;
  if (!saturations_.empty() && row.t - saturations_.back().to < kSaturationGap) {
    saturations_.back().to = row.t;
  } else {
    saturations_.push_back({row.t, row.t});
  }
}

void Traces::AddDerived(OneRun* run) {
  const Channels& c = run->channels;
  const auto value = [this](int channel) -> float& {
    return values_[static_cast<std::size_t>(channel)];
  };
  for (const Channels::Coordinates& x : {c.e, c.s, c.tau}) {
    const NormAndLargest measured = Measure(values_, x.first, nv_);
    value(x.norm) = measured.norm;
    value(x.largest) = measured.largest;
  }
  run->step_times.Add(value(c.control_us));
  const bool enough = run->step_times.size() >= kEnoughForP99;
  value(c.step_p50) = run->step_times.At(0.5);
  value(c.step_p99) = enough ? run->step_times.At(0.99) : std::numeric_limits<float>::quiet_NaN();
  if (c.num_feet == 0) return;
  run->dynamics_times.Add(value(c.kinematics_us) + value(c.matrices_us));
  run->qp_times.Add(value(c.qp_us));
  value(c.dynamics_p50) = run->dynamics_times.At(0.5);
  value(c.qp_p50) = run->qp_times.At(0.5);
}

void Traces::TruncateFrom(double t) {
  buffer_.TruncateAfter(std::nextafter(t, -std::numeric_limits<double>::infinity()));
  std::erase_if(saturations_, [t](const Saturation& x) { return x.from >= t; });
  if (!saturations_.empty()) saturations_.back().to = std::min(saturations_.back().to, t);
}

}  // namespace civita
