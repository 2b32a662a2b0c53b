#pragma once

#include <vector>

#include "app/plot/series.h"
#include "app/sim/session.h"

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

/// The traces of the present run on the window's side: what the session sent and what follows from
/// it.
class Traces {
 public:
  explicit Traces(const Session& session);

  /// Takes what has come in since. @returns true when there was anything.
  bool Drain(Session* session);

  const TraceBuffer& buffer() const { return buffer_; }
  int nv() const { return nv_; }

  // Channels of the buffer.
  int e(int i) const { return e_ + i; }
  int s(int i) const { return s_ + i; }
  int tau(int i) const { return tau_ + i; }
  int V() const { return V_; }
  int Vdot() const { return Vdot_; }
  int P() const { return P_; }
  int energy_balance() const { return energy_balance_; }
  int control_us() const { return control_us_; }
  int physics_us() const { return physics_us_; }
  int e_norm() const { return derived_; }
  int e_largest() const { return derived_ + 1; }
  int tau_norm() const { return derived_ + 2; }
  int tau_largest() const { return derived_ + 3; }
  int s_norm() const { return derived_ + 4; }
  int s_largest() const { return derived_ + 5; }
  int step_p50() const { return derived_ + 6; }  ///< over the last second of samples, µs
  int step_p99() const { return derived_ + 7; }  ///< NaN until the window holds enough

  /// A time during which a torque limit was active.
  struct Saturation {
    double from = 0, to = 0;
  };
  const std::vector<Saturation>& saturations() const { return saturations_; }

  /// Forgets what is later than `t`.
  void TruncateAfter(double t);

 private:
  static constexpr int kDerived = 8;

  void Add(const TraceRow& row);

  int nv_;
  int e_, s_, tau_, V_, Vdot_, P_, energy_balance_, control_us_, physics_us_, derived_;
  TraceBuffer buffer_;
  TraceRow row_;
  std::vector<float> values_;
  RollingPercentiles step_times_;
  std::vector<Saturation> saturations_;
  int epoch_ = 0;
};

}  // namespace civita
