#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/window/plot/plot.h"

namespace civita {

/// One line of the Log tab.
struct LogLine {
  enum class Kind { kInfo, kScene, kAction, kWarning, kError };  // kScene: begins another run
  double t = 0;                                                  ///< simulation time, s
  std::string text;
  Kind kind = Kind::kInfo;
  std::string topic = {};  ///< of a line that Tell keeps up to date
};

/// Events as lines of text, those of earlier scenes included, and as marks on the time axis of this
/// run. A new branch of time drops later marks but no lines, since the log records what the user
/// saw.
class RunLog {
 public:
  void Add(LogLine line);
  /// Puts the lines of an earlier log before these.
  void Precede(RunLog earlier);
  /// Adds the line, or puts it in the place of the one of its topic and time.
  void Tell(LogLine line);
  /// A planned mark is part of the scene and survives a rewind.
  void Mark(PlotMark::Kind kind, double t, std::string text, bool is_planned = false);
  /// A throw that was asked for at `t` acts at a later step, to which PlaceThrow moves its mark.
  void AskThrow(double t, std::string text);
  /// @returns the time at which it was asked for; none if no throw was.
  std::optional<double> PlaceThrow(double t);

  const std::deque<LogLine>& lines() const { return lines_; }

  struct EventMark {
    PlotMark::Kind kind;
    double t;
    std::string text;
    bool is_planned;
    bool is_asked = false;  ///< AskThrow, not yet placed
  };
  const std::deque<EventMark>& marks() const { return marks_; }

  /// Takes out the unplanned marks later than `t`.
  std::vector<EventMark> CutMarks(double t);
  void AddMarks(const std::vector<EventMark>& marks);

  /// The last change or push at or before `t`; null if there was none.
  const EventMark* LastAction(double t) const;
  /// The time of the last throw at or before `t`; NaN if there was none.
  double LastThrow(double t) const;

 private:
  void Insert(EventMark mark);

  std::deque<LogLine> lines_;
  std::deque<EventMark> marks_;
};

}  // namespace civita
