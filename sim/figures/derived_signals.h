// Curves that are computed from recorded signals, row by row: norms, largest numbers, percentiles
// of the last second, growth since an event. The window's traces and its plots read the table; a
// new one needs only a line in derived_signals.cc. No file of a run has them, as they follow from
// its columns.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/sim/signals.h"

namespace civita {

/// Which numbers of a signal.
enum class Selection {
  kAll,
  kAngles,        ///< of a list of joints those about angles
  kDistances,     ///< and those about distances, which have another unit
  kBasePosition,  ///< the first three, of a robot whose base is free
  kBaseRotation,  ///< the next three
};

/// Of some numbers one; 0 of none. NaN if one is NaN.
double Norm(std::span<const double> numbers);
double LargestMagnitude(std::span<const double> numbers);
double Sum(std::span<const double> numbers);

/// A line of the table.
struct DerivedRow {
  const char* name;
  const char* of;  ///< a signal; a scene without it has no such curve
  Selection numbers;
  double (*fold)(std::span<const double> numbers);
  const char* doc;
  std::optional<PlotStyle> style = {};  ///< of the curve; none: the signal's, from zero on
  const char* and_of = nullptr;         ///< a signal whose numbers are added to the others
  double fraction = -1;                 ///< of a percentile of the last kPercentileWindow: 0…1
  std::size_t least = 1;                ///< NaN up to so many
  bool (*applies)(const SceneData& scene) = nullptr;  ///< null: to all with the signals
  /// A signal: what the curve has grown since the last row where that is 1, or since the first.
  const char* since = nullptr;

  bool is_percentile() const { return fraction >= 0; }
};

std::span<const DerivedRow> DerivedRows();

/// One second at 1 kHz.
inline constexpr int kPercentileWindow = 1000;

/// Percentiles of the last samples of a stream, kept sorted incrementally.
class RollingPercentiles {
 public:
  explicit RollingPercentiles(int window);
  std::size_t window() const { return window_; }
  /// One that is not finite is left out.
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

/// The curves of one run, computed as its rows come.
class DerivedSignals {
 public:
  DerivedSignals(const SceneData& scene, const SignalTable& table);

  /// Those that the scene has; `column` among width() numbers.
  const std::vector<Signal>& signals() const { return signals_; }
  std::size_t width() const { return signals_.size(); }
  const Signal* Find(std::string_view name) const { return FindSignal(signals_, name); }

  /// The curves at the next row of the table's columns.
  void Fill(std::span<const float> row, std::span<float> derived);
  /// Begins anew: of another run.
  void Clear();
  /// Goes on behind a row that it filled earlier: those filled since are void.
  void Resume(std::span<const float> row, std::span<const float> derived);

 private:
  struct Source {
    const DerivedRow* row;
    std::vector<std::size_t> columns;  ///< of its numbers in a row of the table
    RollingPercentiles window;
    std::size_t since = 0;        ///< the column of row->since
    std::optional<double> begin;  ///< the value there; none before the first row
  };
  double Fold(const Source& source, std::span<const float> row);

  std::vector<Signal> signals_;
  std::vector<Source> sources_;
  std::vector<double> numbers_;
};

/// The unit of the angles, or of the distances, in "rad, m".
std::string UnitPart(const std::string& unit, bool distances);

}  // namespace civita
