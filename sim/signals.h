// The table of signals: what is recorded of every control step. signals.csv, timing.csv and
// signals.npz of a run, the window's traces and its choice of plots, and docs/signals.md all read
// it; a line of it, in signals.cc, is all that a new signal takes. A law names its own signals in
// its constructor (Controller::DefineSignals).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "civita/controllers/signal_info.h"
#include "civita/sim/scene_unit.h"
#include "civita/sim/simulation.h"

namespace civita {

/// In what unit numbers are shown, beside the one that they are recorded in.
enum class ShownUnit {
  kRecorded,
  kMilli,    ///< mm, mrad/s
  kDegrees,  ///< of rad
};
/// The shown number over the recorded one.
double ScaleOf(ShownUnit shown);
/// "mrad/s, mm/s" of "rad/s, m/s".
std::string UnitOf(ShownUnit shown, const std::string& recorded);

/// How a signal looks in a plot.
struct PlotStyle {
  ShownUnit shown = ShownUnit::kRecorded;
  int decimals = 1;        ///< of values beside the plot
  bool has_plus = false;   ///< in front of positive values
  bool from_zero = false;  ///< the axis begins at zero
  bool log = false;        ///< a logarithmic axis
};

/// A coordinate of the feet's positions: 0 to 2.
struct FootAxis {
  Eigen::Index axis;
};
/// Time taken, which is kept in s and recorded in µs.
struct TimeTaken {
  double StepRecord::*seconds;
};
/// Where a signal stands in a StepRecord. What is calculated from the others by a function is not
/// read back.
using SignalPlace =
    std::variant<double StepRecord::*, bool StepRecord::*, Eigen::VectorXd StepRecord::*,
                 double LegReading::*, Eigen::VectorXd LegReading::*, FootAxis, TimeTaken,
                 double (*)(const StepRecord& record)>;

/// A line of the table. Times taken, TimeTaken, are timings, which differ from run to run; all
/// others are the same in every run of a config.
struct SignalRow {
  const char* name;
  SceneUnit unit;
  SignalPlace place;
  const char* doc;
  PlotStyle style = {};
  bool (*applies)(const Scene& scene) = nullptr;  ///< nothing: to every scene

  bool is_timing() const { return std::holds_alternative<TimeTaken>(place); }
  bool is_list() const;
};

/// The table: first the lines of signals.cc, then those registered.
std::vector<const SignalRow*> SignalRows();

/// Adds a signal to the table. Its strings must stay alive. Not while another thread uses the
/// table. @throws ContractError: a name that is there already.
void RegisterSignal(const SignalRow& row);

/// A signal of a scene.
struct Signal {
  SignalInfo info;
  PlotStyle style;
  std::size_t column = 0;  ///< of its first number in a row
};

/// The signals of a scene and their places in a row of numbers: those of the table, then those of
/// the law and of its observer, then the timings.
class SignalTable {
 public:
  /// @throws ContractError where two signals or two columns have one name.
  explicit SignalTable(const Scene& scene);

  const std::vector<Signal>& signals() const { return signals_; }
  /// nullptr: there is no such signal.
  const Signal* Find(std::string_view name) const;

  /// Names of a row's columns.
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t width() const { return columns_.size(); }
  /// The first column of the timings.
  std::size_t timings_begin() const { return timings_begin_; }

  /// Writes a row, in double or single precision. Allocates nothing.
  template <typename T>
  void Fill(const StepRecord& record, std::span<T> row) const;
  /// The record of a row but for its time t: all that Fill took, times taken to the nanosecond.
  void Read(std::span<const double> row, StepRecord* record) const;

 private:
  void Add(SignalInfo info, const PlotStyle& style);
  void AddRows(const Scene& scene, const StepRecord& record, bool timings);
  void CheckNames() const;

  std::vector<SignalPlace> places_;  ///< in the order of the columns; the law's signals are one
  std::vector<Signal> signals_;
  std::vector<std::string> columns_;
  std::size_t timings_begin_ = 0;
};

extern template void SignalTable::Fill(const StepRecord&, std::span<double>) const;
extern template void SignalTable::Fill(const StepRecord&, std::span<float>) const;

}  // namespace civita
