#pragma once

#include <deque>
#include <string>
#include <vector>

#include "app/window/plot/plot.h"

namespace civita {

/// One line of the Log tab.
struct LogLine {
  enum class Kind { kInfo, kAction, kWarning, kError };
  double t = 0;  ///< simulation time, s
  std::string text;
  Kind kind = Kind::kInfo;
};

/// Events of the run, as lines of text and as marks on the time axis. A new branch of time drops
/// later marks but no lines, since the log records what the user saw.
class RunLog {
 public:
  void Add(LogLine line);
  /// A planned mark is part of the scene and survives a rewind.
  void Mark(PlotMark::Kind kind, double t, std::string text, bool is_planned = false);

  const std::deque<LogLine>& lines() const { return lines_; }

  struct EventMark {
    PlotMark::Kind kind;
    double t;
    std::string text;
    bool is_planned;
  };
  const std::deque<EventMark>& marks() const { return marks_; }

  /// Takes out the unplanned marks later than `t`.
  std::vector<EventMark> CutMarks(double t);
  void AddMarks(const std::vector<EventMark>& marks);

  /// The last change or push at or before `t`; null if there was none.
  const EventMark* LastAction(double t) const;

 private:
  std::deque<LogLine> lines_;
  std::deque<EventMark> marks_;
};

}  // namespace civita
