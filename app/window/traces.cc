#include "app/window/traces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"

namespace civita {
namespace {

constexpr int kPercentileWindow = 1000;  // one second at 1 kHz
constexpr int kEnoughForP99 = 200;
constexpr double kSaturationGap = 0.02;  // s: marks closer than this are one

bool HasColumn(const std::vector<std::string>& columns, const std::string& name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

int ColumnIndex(const std::vector<std::string>& columns, const std::string& name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  CIVITA_CHECK(found != columns.end(), "no trace column " << name);
  return static_cast<int>(found - columns.begin());
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
  const double rank = fraction * static_cast<double>(sorted_.size() - 1);
  return sorted_[static_cast<std::size_t>(rank + 0.5)];
}

Traces::OneRun::OneRun(const Channels& where)
    : channels(where),
      step_times(kPercentileWindow),
      dynamics_times(kPercentileWindow),
      qp_times(kPercentileWindow) {}

Traces::Traces(const Session& session)
    : nv_(session.scene().plant.nv()),
      width_(static_cast<int>(session.columns().size() + session.columns(Slot::kB).size())),
      buffer_(width_ + kDerived * (session.other_scene() ? 2 : 1)),
      values_(static_cast<std::size_t>(buffer_.channels())) {
  int first = 0;
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const std::vector<std::string>& columns = session.columns(slot);
    if (columns.empty()) break;
    const int run = num_runs();
    const auto at = [&](const char* name) { return first + ColumnIndex(columns, name); };
    Channels channels = {.e = at("/e/0"),
                         .s = at("/s/0"),
                         .tau = at("/tau/0"),
                         .V = at("/V"),
                         .Vdot = at("/Vdot"),
                         .P = at("/P"),
                         .energy_balance = at("/energy_balance"),
                         .control_us = at("/control_us"),
                         .physics_us = at("/physics_us"),
                         .derived = width_ + run * kDerived};
    if (const auto& legs = session.scene().legs) {
      channels.num_feet = static_cast<int>(legs->feet.size());
      channels.foot_force = at("/foot_force/0");
      channels.dynamics_us = at("/dynamics_us");
      channels.qp_us = at("/qp_us");
    }
    if (HasColumn(columns, "/dcm/0")) {
      channels.tells_balance = true;
      channels.unmet_force = at("/unmet/force");
      channels.dcm_margin = at("/dcm_margin");
      channels.dcm = at("/dcm/0");
      channels.pressure = at("/cop/0");
    }
    runs_.emplace_back(channels);
    first += static_cast<int>(columns.size());
  }
}

bool Traces::Drain(Session* session) {
  bool any = false;
  while (session->PopTrace(&row_)) {
    Add(row_);
    any = true;
  }
  return any;
}

void Traces::Add(const TraceRow& row) {
  if (row.epoch != epoch_) {
    epoch_ = row.epoch;
    TruncateAfter(row.t);
    if (buffer_.empty()) {
      for (OneRun& run : runs_) {
        run.step_times.Clear();
        run.dynamics_times.Clear();
        run.qp_times.Clear();
      }
    }
  }
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
  const NormAndLargest e = Measure(values_, c.e, nv_);
  const NormAndLargest tau = Measure(values_, c.tau, nv_);
  const NormAndLargest s = Measure(values_, c.s, nv_);
  run->step_times.Add(values_[static_cast<std::size_t>(c.control_us)]);
  if (c.num_feet > 0) {
    run->dynamics_times.Add(values_[static_cast<std::size_t>(c.dynamics_us)]);
    run->qp_times.Add(values_[static_cast<std::size_t>(c.qp_us)]);
  }
  const bool enough = run->step_times.size() >= kEnoughForP99;
  const float derived[kDerived] = {
      e.norm,
      e.largest,
      tau.norm,
      tau.largest,
      s.norm,
      s.largest,
      run->step_times.At(0.5),
      enough ? run->step_times.At(0.99) : std::numeric_limits<float>::quiet_NaN(),
      run->dynamics_times.size() > 0 ? run->dynamics_times.At(0.5) : 0,
      run->qp_times.size() > 0 ? run->qp_times.At(0.5) : 0};
  std::copy(std::begin(derived), std::end(derived), values_.begin() + c.derived);
}

void Traces::TruncateAfter(double t) {
  buffer_.TruncateAfter(t);
  std::erase_if(saturations_, [t](const Saturation& x) { return x.from > t; });
  if (!saturations_.empty()) saturations_.back().to = std::min(saturations_.back().to, t);
}

}  // namespace civita
