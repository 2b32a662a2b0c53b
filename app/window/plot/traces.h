#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/style/theme.h"
#include "app/window/plot/series.h"
#include "civita/sim/derived_signals.h"
#include "civita/sim/metrics.h"
#include "civita/sim/session.h"

namespace civita {

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
    TraceRow::Kind kind;  ///< kStep: one that begins with a throw
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
  const DerivedSignals& derived(Slot slot) const { return run(slot).derived; }
  /// The channel of a signal's first number, or of a derived curve; −1 if the run has none of that
  /// name.
  int channel(Slot slot, std::string_view signal) const { return run(slot).Find(signal); }

  /// The first `size` numbers of a signal at a row.
  Eigen::VectorXd Read(int64_t row, Slot slot, std::string_view signal, int size) const;

  /// The names of all channels, as the files of a run have them; those of the second run are empty.
  const std::vector<std::string>& names() const { return names_; }

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
    int Find(std::string_view signal) const;

    const SignalTable* signals;
    DerivedSignals derived;
    std::size_t first = 0, first_derived = 0;  ///< channels
  };

  /// The rows as sent come first, those of both runs; then the derived curves.
  static std::vector<OneRun> MakeRuns(const Session& session);
  const OneRun& run(Slot slot) const { return runs_[static_cast<std::size_t>(slot)]; }
  void Add(const TraceRow& row);
  void Apply(const TraceRow& mark);

  int nv_;
  std::vector<OneRun> runs_;
  int thrown_;  ///< the channel of /thrown
  std::vector<std::string> names_;
  std::vector<float> values_;  ///< of a row of the buffer
  TraceBuffer buffer_, aside_;
  std::string folder_;
  std::vector<Mark> marks_;
  TraceRow row_;
  void AddSaturated(double t);
  void JoinOldSaturations();

  std::vector<Saturation> saturations_;
  std::deque<double> limited_;  ///< times of the steps at a torque limit of the last second
  double dt_s_;                 ///< of a control step
  int epoch_ = 0;
};

/// A run that stays in the plots beside those of the session.
struct GhostRun {
  std::string name;
  std::vector<std::string> channels;  ///< their names
  TraceBuffer rows;

  /// The channel of this name; −1: there is none.
  int Find(std::string_view channel) const;
};

/// The colour of a ghost where plots have one line of it.
inline Rgb GhostColor(const Theme& theme, std::size_t index) {
  constexpr std::size_t kOfSession = 2;
  return theme.series[(kOfSession + index) % theme.series.size()];
}

/// The rows of the first run before a time, s.
GhostRun KeepRun(const Traces& traces, std::string name, double until);

}  // namespace civita
