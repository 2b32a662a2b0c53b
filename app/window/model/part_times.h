#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "app/window/plot/traces.h"
#include "civita/sim/quantile.h"

namespace civita {

/// Durations, µs.
class TimeHistogram {
 public:
  /// NaN and negative durations are left out.
  void Add(double us) {
    if (us >= 0) times_.Add(us);
  }
  void Clear() { times_ = {}; }

  std::int64_t count() const { return times_.count(); }
  double max() const { return count() == 0 ? kNaN : times_.max(); }  ///< µs, exact; NaN without any
  /// The duration (µs) below which this share (0…1) of them are, to 0.25 %; NaN without any.
  double Percentile(double share) const { return count() == 0 ? kNaN : times_.Quantile(share); }
  /// How many are in [from, to), µs, to a bin of 0.5 %.
  std::int64_t CountIn(double from, double to) const { return times_.CountIn(from, to); }

 private:
  QuantileHistogram times_;
};

/// A duration that every control step records.
struct TimedPart {
  std::string_view name;    ///< "Control step"
  std::string_view signal;  ///< "/control_us"
  std::string_view doc;
};
inline constexpr std::array<TimedPart, 7> kTimedParts = {
    {{"Control step", "/control_us", "reference, law and limits"},
     {"Kinematics", "/kinematics_us", "positions and velocities of the law's model"},
     {"Matrices", "/matrices_us", "H, C and g"},
     {"Law", "/law_us", "the rest of the law"},
     {"QP", "/qp_us", "contact forces, a part of the law"},
     {"Rest", "/rest_us", "of the control step: measurement, reference, limits, copies"},
     {"Physics", "/physics_us", "the simulation's own step, no part of the control step"}}};

/// What the three parts of the law's computation leave of the control step; not recorded.
inline constexpr std::size_t kFirstOfLaw = 1, kLastOfLaw = 3, kRestOfStep = 5;

/// Histograms of the times of each part and run: over all rows since the run or its branch began to
/// be plotted, or over a stretch of time.
class PartTimes {
 public:
  /// Takes in the rows that have come, or those of another stretch (s).
  void Update(const Traces& traces, std::optional<std::pair<double, double>> span);

  /// Null where the run has no such part.
  const TimeHistogram* Find(Slot slot, std::size_t part) const;
  int num_runs() const { return num_runs_; }
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  struct Channel {
    int channel = -1;
    TimeHistogram times;
  };
  void Restart(const Traces& traces);

  std::array<std::array<Channel, kTimedParts.size()>, 2> runs_;
  int num_runs_ = 0;
  std::optional<std::pair<double, double>> span_;
  std::int64_t content_ = -1, end_ = 0;
  double from_ = 0, to_ = 0;
};

}  // namespace civita
