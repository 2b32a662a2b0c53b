#pragma once

#include <vector>

#include "app/window/plot/series.h"
#include "sim/session.h"

namespace civita {

/// Percentiles of the last samples of a stream, kept sorted as it goes.
class RollingPercentiles {
 public:
  explicit RollingPercentiles(int window);
  void Add(float value);
  void Clear();
  int size() const { return static_cast<int>(sorted_.size()); }
  /// The sample at `fraction` in 0…1 of the sorted window; NaN when empty.
  float At(double fraction) const;

 private:
  std::size_t window_;
  std::size_t next_ = 0;
  std::vector<float> recent_;  // a ring once full
  std::vector<float> sorted_;
};

/// The traces of the present run on the window's side, of both runs of a comparison: what the
/// session sent and what follows from it.
class Traces {
 public:
  explicit Traces(const Session& session);

  /// Takes what has come in since. @returns true when there was anything.
  bool Drain(Session* session);

  const TraceBuffer& buffer() const { return buffer_; }
  int nv() const { return nv_; }
  int num_runs() const { return static_cast<int>(runs_.size()); }

  /// Channels of the buffer.
  struct Channels {
    int e = 0, s = 0, tau = 0;  ///< the first of nv
    int V = 0, Vdot = 0, P = 0, energy_balance = 0, control_us = 0, physics_us = 0;
    // Of scenes with legs, num_feet > 0:
    int num_feet = 0, foot_force = 0;  ///< the first of num_feet
    int dynamics_us = 0, qp_us = 0;
    /// Of the law made for legs: the first of 2 (dcm, pressure).
    bool tells_balance = false;
    int unmet_force = 0, dcm_margin = 0, dcm = 0, pressure = 0;
    int derived = 0;

    int e_norm() const { return derived; }
    int e_largest() const { return derived + 1; }
    int tau_norm() const { return derived + 2; }
    int tau_largest() const { return derived + 3; }
    int s_norm() const { return derived + 4; }
    int s_largest() const { return derived + 5; }
    int step_p50() const { return derived + 6; }  ///< over the last second of samples, µs
    int step_p99() const { return derived + 7; }  ///< NaN until the window holds enough
    // 0 without legs:
    int dynamics_p50() const { return derived + 8; }
    int qp_p50() const { return derived + 9; }
  };
  const Channels& channels(Slot slot = Slot::kA) const {
    return runs_[static_cast<std::size_t>(slot)].channels;
  }

  /// A time during which a torque limit was active.
  struct Saturation {
    double from = 0, to = 0;
  };
  const std::vector<Saturation>& saturations() const { return saturations_; }

  /// Forgets what is later than `t`.
  void TruncateAfter(double t);

 private:
  static constexpr int kDerived = 10;

  struct OneRun {
    explicit OneRun(const Channels& where);

    Channels channels;
    RollingPercentiles step_times, dynamics_times, qp_times;
  };

  void Add(const TraceRow& row);
  void AddDerived(OneRun* run);

  int nv_;
  int width_;  ///< of a row as sent, both runs
  std::vector<OneRun> runs_;
  TraceBuffer buffer_;
  TraceRow row_;
  std::vector<float> values_;
  std::vector<Saturation> saturations_;
  int epoch_ = 0;
};

}  // namespace civita
