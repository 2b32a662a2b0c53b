#include "civita/sim/derived_signals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "civita/sim/quantile.h"
#include "civita/sim/scene_unit.h"

namespace civita {
namespace {

bool IsLegged(const SceneData& scene) { return scene.legs != nullptr; }

constexpr PlotStyle kTrunkPosition = {.shown = ShownUnit::kMilli, .decimals = 2, .from_zero = true};
constexpr PlotStyle kTrunkRotation = {
    .shown = ShownUnit::kDegrees, .decimals = 2, .from_zero = true};

constexpr DerivedRow kDerivedRows[] = {
    {"/e/norm", "/e", Selection::kAngles, Norm, "norm of the errors of angles"},
    {"/e/largest", "/e", Selection::kAngles, LargestMagnitude, "largest error of an angle"},
    {"/e/distances/norm", "/e", Selection::kDistances, Norm, "norm of the errors of distances"},
    {"/e/distances/largest", "/e", Selection::kDistances, LargestMagnitude,
     "largest error of a distance"},
    {"/s/norm", "/s", Selection::kAngles, Norm, "norm of s of angles"},
    {"/s/largest", "/s", Selection::kAngles, LargestMagnitude, "largest s of an angle"},
    {"/s/distances/norm", "/s", Selection::kDistances, Norm, "norm of s of distances"},
    {"/s/distances/largest", "/s", Selection::kDistances, LargestMagnitude,
     "largest s of a distance"},
    {"/tau/norm", "/tau", Selection::kAngles, Norm, "norm of the torques"},
    {"/tau/largest", "/tau", Selection::kAngles, LargestMagnitude, "largest torque"},
    {"/tau/distances/norm", "/tau", Selection::kDistances, Norm, "norm of the forces"},
    {"/tau/distances/largest", "/tau", Selection::kDistances, LargestMagnitude, "largest force"},
    {"/terms/K_v_r/norm", "/terms/K_v_r", Selection::kAngles, Norm,
     "norm of the torques of torsion"},
    {"/terms/K_v_r/largest", "/terms/K_v_r", Selection::kAngles, LargestMagnitude,
     "largest torque of torsion"},
    {"/terms/K_v_r/distances/norm", "/terms/K_v_r", Selection::kDistances, Norm,
     "norm of the forces of torsion"},
    {"/terms/K_v_r/distances/largest", "/terms/K_v_r", Selection::kDistances, LargestMagnitude,
     "largest force of torsion"},
    {"/control_us/p50", "/control_us", Selection::kAll, Sum, "median of control_us, of a second",
     std::nullopt, nullptr, 0.5},
    {"/control_us/p99", "/control_us", Selection::kAll, Sum, "99th percentile of control_us",
     std::nullopt, nullptr, 0.99, 200},
    {"/trunk/position", "/e", Selection::kBasePosition, Norm,
     "distance of the trunk from its reference", kTrunkPosition, nullptr, -1, 1, IsLegged},
    {"/trunk/rotation", "/e", Selection::kBaseRotation, Norm,
     "angle of the trunk from its reference", kTrunkRotation, nullptr, -1, 1, IsLegged},
    {"/dynamics_us/p50", "/kinematics_us", Selection::kAll, Sum,
     "median of kinematics_us + matrices_us", std::nullopt, "/matrices_us", 0.5, 1, IsLegged},
    {"/qp_us/p50", "/qp_us", Selection::kAll, Sum, "median of qp_us", std::nullopt, nullptr, 0.5, 1,
     IsLegged},
    {.name = "/twist/since_throw",
     .of = "/twist",
     .numbers = Selection::kAll,
     .fold = Sum,
     .doc = "how far s has turned against parallel transport since the last throw",
     .since = "/thrown"},
    {.name = "/ideal_turning/since_throw",
     .of = "/ideal_turning",
     .numbers = Selection::kAll,
     .fold = Sum,
     .doc = "how far the contorsion of the law's C has turned s since the last throw",
     .since = "/thrown"},
};

bool IsChosen(Selection which, const Model& plant, int i) {
  if (which == Selection::kAll) return true;
  if (which == Selection::kBasePosition) return i < 3;
  if (which == Selection::kBaseRotation) return i >= 3 && i < 6;
  return (UnitAlong(plant, i) == std::string_view("m")) == (which == Selection::kDistances);
}

std::string UnitOfNumbers(Selection which, const std::string& unit) {
  if (which == Selection::kAll) return unit;
  return UnitPart(unit, which == Selection::kDistances || which == Selection::kBasePosition);
}

// The numbers of the row's signals in a row of the table; none where it lacks one of them.
std::vector<std::size_t> ColumnsOf(const DerivedRow& row, const Model& plant,
                                   const SignalTable& table) {
  std::vector<std::size_t> columns;
  for (const char* name : {row.of, row.and_of}) {
    if (name == nullptr) continue;
    const Signal* signal = table.Find(name);
    if (signal == nullptr) return {};
    for (int i = 0; i < signal->info.size(); ++i) {
      if (!IsChosen(row.numbers, plant, i)) continue;
      columns.push_back(signal->column + static_cast<std::size_t>(i));
    }
  }
  return columns;
}

PlotStyle FromZero(PlotStyle style) {
  style.has_plus = false;
  style.from_zero = true;
  return style;
}

}  // namespace

double Norm(std::span<const double> numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * x;
  return std::sqrt(sum);
}

double LargestMagnitude(std::span<const double> numbers) {
  double largest = 0;
  for (const double x : numbers) {
    if (std::isnan(x)) return x;
    largest = std::max(largest, std::fabs(x));
  }
  return largest;
}

double Sum(std::span<const double> numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x;
  return sum;
}

std::span<const DerivedRow> DerivedRows() { return kDerivedRows; }

std::string UnitPart(const std::string& unit, bool distances) {
  const std::size_t comma = unit.find(", ");
  if (comma == unit.npos) return unit;
  return distances ? unit.substr(comma + 2) : unit.substr(0, comma);
}

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

DerivedSignals::DerivedSignals(const SceneData& scene, const SignalTable& table) {
  for (const DerivedRow& row : kDerivedRows) {
    if (row.applies && !row.applies(scene)) continue;
    std::vector<std::size_t> columns = ColumnsOf(row, scene.plant, table);
    if (columns.empty()) continue;
    const Signal& of = *table.Find(row.of);
    const std::string unit = UnitOfNumbers(row.numbers, of.info.unit);
    signals_.push_back({{row.name, unit, SignalInfo::kScalar, row.doc},
                        row.style.value_or(FromZero(of.style)),
                        signals_.size()});
    sources_.push_back({&row, std::move(columns),
                        RollingPercentiles(row.is_percentile() ? kPercentileWindow : 0),
                        row.since ? table.Find(row.since)->column : 0, std::nullopt});
  }
}

void DerivedSignals::Fill(std::span<const float> row, std::span<float> derived) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    const double value = Fold(source, row);
    if (source.row->since) {
      if (!source.begin || row[source.since] > 0) source.begin = value;
      derived[i] = static_cast<float>(value - *source.begin);
      continue;
    }
    derived[i] = static_cast<float>(value);
    if (!source.row->is_percentile()) continue;
    source.window.Add(derived[i]);
    derived[i] = static_cast<std::size_t>(source.window.size()) < source.row->least
                     ? std::numeric_limits<float>::quiet_NaN()
                     : source.window.At(source.row->fraction);
  }
}

double DerivedSignals::Fold(const Source& source, std::span<const float> row) {
  numbers_.clear();
  for (const std::size_t column : source.columns) {
    numbers_.push_back(static_cast<double>(row[column]));
  }
  return source.row->fold(numbers_);
}

void DerivedSignals::Clear() {
  for (Source& source : sources_) {
    source.window.Clear();
    source.begin.reset();
  }
}

void DerivedSignals::Resume(std::span<const float> row, std::span<const float> derived) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    if (source.row->since) source.begin = Fold(source, row) - static_cast<double>(derived[i]);
  }
}

}  // namespace civita
