#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace civita {

/// Where what stands in a row of a recording: signals first, then times taken.
class RowLayout {
 public:
  explicit RowLayout(const Scene& scene);
  RowLayout(int nq, int nv, const std::vector<std::string>& law_signals, int num_feet = 0);

  /// "t", "/q/0" …, "/v/0" …, "/tau/0" …, "/q_d/0" …, "/e/0" …, "/s/0" …, "/V", "/Vdot", "/P",
  /// "/energy_balance", "/saturated", "/constrained", "/V_estimation"; of legged robots
  /// "/foot_force/0" …, "/foot_slip/0" …, "/foot_x/0" …, "/foot_y/0" …, "/foot_z/0" …,
  /// "/base_height", "/tilt"; and the law's own.
  const std::vector<std::string>& signals() const { return signals_; }
  /// "/kinematics_us", "/matrices_us", "/law_us", "/control_us", "/physics_us"; of legged
  /// robots "/qp_us".
  const std::vector<std::string>& timings() const { return timings_; }
  std::size_t width() const { return signals_.size() + timings_.size(); }

  void Fill(const StepRecord& record, std::span<double> row) const;
  /// The record of a row: all that Fill took, times to the nanosecond.
  void Read(std::span<const double> row, StepRecord* record) const;

  std::size_t num_feet() const { return num_feet_; }

  double t(std::span<const double> row) const { return row[0]; }
  std::span<const double> q(std::span<const double> row) const { return row.subspan(1, v_ - 1); }
  std::span<const double> v(std::span<const double> row) const { return row.subspan(v_, nv_); }
  std::span<const double> e(std::span<const double> row) const { return row.subspan(e_, nv_); }
  std::span<const double> tau(std::span<const double> row) const { return row.subspan(tau_, nv_); }
  double V(std::span<const double> row) const { return row[scalars_]; }
  double P(std::span<const double> row) const { return row[scalars_ + 2]; }
  double energy_balance(std::span<const double> row) const { return row[scalars_ + 3]; }
  bool saturated(std::span<const double> row) const { return row[scalars_ + 4] != 0; }
  bool constrained(std::span<const double> row) const { return row[scalars_ + 5] != 0; }
  double control_us(std::span<const double> row) const { return row[signals_.size() + 3]; }
  // Of legged robots alone.
  double foot_force(std::span<const double> row, std::size_t foot) const {
    return row[legs_ + foot];
  }
  double foot_slip(std::span<const double> row, std::size_t foot) const {
    return row[legs_ + num_feet_ + foot];
  }
  double foot_x(std::span<const double> row, std::size_t foot) const {
    return row[legs_ + 2 * num_feet_ + foot];
  }
  double foot_y(std::span<const double> row, std::size_t foot) const {
    return row[legs_ + 3 * num_feet_ + foot];
  }
  double base_height(std::span<const double> row) const { return row[legs_ + 5 * num_feet_]; }
  double tilt(std::span<const double> row) const { return row[legs_ + 5 * num_feet_ + 1]; }
  double qp_us(std::span<const double> row) const { return row[signals_.size() + 5]; }

 private:
  std::size_t num_feet_, nv_, v_, tau_, e_, scalars_, legs_;
  std::vector<std::string> signals_, timings_;
};

/// The columns of the window's traces: "/e/0" …, "/s/0" …, "/tau/0" …, "/V", "/Vdot", "/P",
/// "/energy_balance", "/control_us", "/physics_us", of legged robots "/dynamics_us", "/qp_us",
/// "/foot_force/0" …, "/base_height", "/tilt", and the law's own.
std::vector<std::string> TraceColumns(const Scene& scene);
/// @returns the end of what was written.
float* FillTrace(const StepRecord& record, float* out);

}  // namespace civita
