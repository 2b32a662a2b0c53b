#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/plot/series.h"
#include "civita/sim/metrics.h"
#include "civita/sim/session.h"

namespace civita {

/// Percentiles of the last samples of a stream, kept sorted incrementally.
class RollingPercentiles {
 public:
  explicit RollingPercentiles(int window);
  void Add(float value);
  void Clear();
  int size() const { return static_cast<int>(sorted_.size()); }
  /// The sample at `fraction` (0…1) of the sorted window; NaN when empty.
  float At(double fraction) const;

 private:
  std::size_t window_;
  std::size_t next_ = 0;
  std::vector<float> recent_;  // a ring once full
  std::vector<float> sorted_;
};

/// The traces of the present run on the window's side, and of the second run of a comparison:
/// every signal that the session sent, and quantities derived from some. They cover two minutes
/// at 1 kHz, while the run is recorded all since two minutes before that, by a file in its folder;
/// of a replay all of it, in at most half a gigabyte.
class Traces {
 public:
  /// The session must outlive this object.
  explicit Traces(const Session& session);

  /// Takes the rows that have arrived. @returns true when there were any.
  bool Drain(Session* session);

  /// Keeps all rows in a file in the folder, as long as it is not empty.
  void KeepIn(const std::string& folder);

  /// The marks among the rows taken since the last call, in order.
  struct Mark {
    TraceRow::Kind kind;
    double t;
  };
  std::vector<Mark> TakeMarks() { return std::exchange(marks_, {}); }

  const TraceBuffer& buffer() const { return buffer_; }
  /// The other branch, from where it leaves this one.
  const TraceBuffer& aside() const { return aside_; }
  /// The newest row of either branch, s; 0 without rows.
  double last_time() const { return std::max(buffer_.last_time(), aside_.last_time()); }
  /// The newest row before t; −1 if there is none.
  int64_t RowBefore(double t) const;
  /// Grows when rows become void: with Reset and with branches.
  int epoch() const { return epoch_; }
  int nv() const { return nv_; }
  int num_runs() const { return static_cast<int>(runs_.size()); }
  const SignalTable& signals(Slot slot) const { return *run(slot).signals; }
  /// The channel of a signal's first number; −1 if the run has no such signal.
  int channel(Slot slot, std::string_view signal) const { return run(slot).Find(signal); }

  /// Channels of the buffer that are computed, or of special use.
  struct Channels {
    /// The Euclidean norm and the maximum magnitude of some numbers; −1 without any.
    struct Size {
      int norm = -1, largest = -1;
    };
    /// nv numbers from `first` on; the sizes of those about angles and of those about distances,
    /// which have different units.
    struct Coordinates {
      int first = 0;
      Size angles, distances;
    };
    Coordinates e, s, tau;
    /// Durations of the control step over the last second of samples, µs; p99 is NaN at first.
    int control_us = 0, step_p50 = 0, step_p99 = 0;
    // For legged robots, num_feet > 0:
    int num_feet = 0, foot_force = 0;               ///< the first of num_feet
    int trunk_position = 0, trunk_orientation = 0;  ///< magnitudes of the trunk's errors
    int kinematics_us = 0, matrices_us = 0, dynamics_p50 = 0;
    int qp_us = 0, qp_p50 = 0;
    /// For laws of legged robots: the first of 2 (dcm, pressure).
    bool tells_balance = false;
    int dcm_margin = 0, dcm = 0, pressure = 0;
  };
  const Channels& channels(Slot slot = Slot::kA) const { return run(slot).channels; }

  /// A time during which a torque limit was active.
  struct Saturation {
    double from = 0, to = 0;
  };
  /// At most kMostSaturations: of a run that has more, the older ones are joined with those next to
  /// them.
  const std::vector<Saturation>& saturations() const { return saturations_; }
  static constexpr std::size_t kMostSaturations = 2000;
  /// The time of the first step at a torque limit; NaN without one.
  double first_saturation() const {
    return saturations_.empty() ? kNaN : saturations_.front().from;
  }
  /// The share of the steps of the second before t that were at a torque limit.
  double ShareSaturated(double t) const;

  /// Drops the rows at `t` and later.
  void TruncateFrom(double t);

 private:
  struct OneRun {
    /// `begin`: its first channel; `next`: the first computed channel that is free.
    OneRun(const SignalTable& table, int begin, const std::vector<bool>& is_distance, int* next);
    int Find(std::string_view signal) const;

    const SignalTable* signals;
    int first;
    Channels channels;
    RollingPercentiles step_times, dynamics_times, qp_times;
  };

  static std::vector<OneRun> MakeRuns(const Session& session, const std::vector<bool>& is_distance,
                                      int* channels);
  const OneRun& run(Slot slot) const { return runs_[static_cast<std::size_t>(slot)]; }
  void Add(const TraceRow& row);
  void Apply(const TraceRow& mark);
  void AddDerived(OneRun* run);

  int nv_;
  std::vector<bool> is_distance_;  ///< of each number of v
  int num_channels_ = 0;
  std::vector<OneRun> runs_;
  TraceBuffer buffer_, aside_;
  std::string folder_;
  std::vector<Mark> marks_;
  TraceRow row_;
  std::vector<float> values_;
  void AddSaturated(double t);
  void JoinOldSaturations();

  std::vector<Saturation> saturations_;
  std::deque<double> limited_;  ///< times of the steps at a torque limit of the last second
  double dt_s_;                 ///< of a control step
  int epoch_ = 0;
};

}  // namespace civita
