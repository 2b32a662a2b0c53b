// The table of signals: what is recorded of every control step. signals.csv, timing.csv and
// signals.npz of a run, the window's traces and its choice of plots, and docs/signals.md all read
// it; a new signal needs only a line in signals.cc. A law defines its own signals in its
// constructor (Controller::DefineSignals).
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

/// The display unit of a signal, relative to the recorded unit.
enum class ShownUnit {
  kRecorded,
  kMilli,    ///< mm, mrad/s
  kDegrees,  ///< from rad
};
/// Factor from the recorded to the shown number.
double ScaleOf(ShownUnit shown);
/// The display unit: "mrad/s, mm/s" for "rad/s, m/s".
std::string UnitOf(ShownUnit shown, const std::string& recorded);

/// Plot style of a signal.
struct PlotStyle {
  ShownUnit shown = ShownUnit::kRecorded;
  int decimals = 1;        ///< of the values beside the plot
  bool has_plus = false;   ///< a plus sign in front of positive values
  bool from_zero = false;  ///< the axis starts at zero
  bool log = false;        ///< a logarithmic axis
};

/// A coordinate of the feet's positions: 0 to 2.
struct FootAxis {
  Eigen::Index axis;
};
/// A duration, kept in s and recorded in µs.
struct TimeTaken {
  double StepRecord::*seconds;
};
/// Where a signal is in a StepRecord. A signal computed by a function is not read back.
using SignalPlace = std::variant<double StepRecord::*, bool StepRecord::*,
                                 Eigen::VectorXd StepRecord::*, double LegReading::*,
                                 Eigen::VectorXd LegReading::*, Eigen::VectorXd TorqueTerms::*,
                                 FootAxis, TimeTaken, double (*)(const StepRecord& record)>;

/// A line of the table. Durations, TimeTaken, are timings, which differ from run to run; all other
/// signals are identical in every run of a config.
struct SignalRow {
  const char* name;
  SceneUnit unit;
  SignalPlace place;
  const char* doc;
  PlotStyle style = {};
  bool (*applies)(const Scene& scene) = nullptr;  ///< null: to every scene

  bool is_timing() const { return std::holds_alternative<TimeTaken>(place); }
  /// One of TorqueTerms, which files of runs do not have.
  bool is_term() const { return std::holds_alternative<Eigen::VectorXd TorqueTerms::*>(place); }
  bool is_list() const;
};

/// The table: the lines of signals.cc, then the registered ones.
std::vector<const SignalRow*> SignalRows();

/// Adds a signal to the table. Its strings must outlive the process's use of the table. No other
/// thread may use the table meanwhile. @throws ContractError if the name exists.
void RegisterSignal(const SignalRow& row);

/// A signal of a scene.
struct Signal {
  SignalInfo info;
  PlotStyle style;
  std::size_t column = 0;  ///< of its first number in a row
};

/// The one of this name; nullptr if there is none.
const Signal* FindSignal(const std::vector<Signal>& signals, std::string_view name);

/// The signals of a scene and their columns in a row: those of the table, then those of the law
/// and of its observer, then the timings.
class SignalTable {
 public:
  /// Without the terms of the torque unless they are asked for.
  /// @throws ContractError where two signals or two columns have the same name.
  explicit SignalTable(const Scene& scene, bool has_terms = false);

  const std::vector<Signal>& signals() const { return signals_; }
  bool has_terms() const { return has_terms_; }
  const Signal* Find(std::string_view name) const { return FindSignal(signals_, name); }

  /// Names of a row's columns.
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t width() const { return columns_.size(); }
  /// The same led by t: columns of files.
  const std::vector<std::string>& file_columns() const { return file_columns_; }
  /// The first column of the timings.
  std::size_t timings_begin() const { return timings_begin_; }

  /// Writes a row of width() numbers, in double or single precision. Allocates nothing.
  template <typename T>
  void Fill(const StepRecord& record, std::span<T> row) const;
  /// Inverse of Fill: restores the record without its time t; durations to the nanosecond.
  void Read(std::span<const double> row, StepRecord* record) const;

 private:
  void Add(SignalInfo info, const PlotStyle& style);
  void AddRows(const Scene& scene, const StepRecord& record, bool timings);
  void CheckNames() const;

  /// in the order of the columns; all signals of the law are one place
  std::vector<SignalPlace> places_;
  std::vector<Signal> signals_;
  std::vector<std::string> columns_, file_columns_ = {"t"};
  std::size_t timings_begin_ = 0;
  bool has_terms_;
};

extern template void SignalTable::Fill(const StepRecord&, std::span<double>) const;
extern template void SignalTable::Fill(const StepRecord&, std::span<float>) const;

}  // namespace civita
