#include "app/window/plot/run_log.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace civita {
namespace {

constexpr std::size_t kMostLines = 1000;
constexpr std::size_t kMaxMarks = 500;

}  // namespace

void RunLog::Add(LogLine line) {
  lines_.push_back(std::move(line));
  if (lines_.size() > kMostLines) lines_.pop_front();
}

void RunLog::Precede(RunLog earlier) {
  lines_.insert(lines_.begin(), std::make_move_iterator(earlier.lines_.begin()),
                std::make_move_iterator(earlier.lines_.end()));
  while (lines_.size() > kMostLines) lines_.pop_front();
}

void RunLog::Tell(LogLine line) {
  const auto same = [&](const LogLine& other) {
    return other.topic == line.topic && other.t == line.t;
  };
  const auto known = std::find_if(lines_.begin(), lines_.end(), same);
  if (known != lines_.end()) {
    *known = std::move(line);
    return;
  }
  // What is told at once stands in the order of its times.
  auto place = lines_.end();
  while (place != lines_.begin() && !std::prev(place)->topic.empty() &&
         std::prev(place)->t > line.t) {
    --place;
  }
  lines_.insert(place, std::move(line));
  if (lines_.size() > kMostLines) lines_.pop_front();
}

void RunLog::Insert(EventMark mark) {
  // A failure is met again when time goes back and on.
  const auto is_same = [&](const EventMark& other) {
    return other.kind == mark.kind && other.t == mark.t && other.text == mark.text;
  };
  if (const auto same = std::ranges::find_if(marks_, is_same); same != marks_.end()) {
    same->is_asked |= mark.is_asked;
    return;
  }
  marks_.insert(std::ranges::upper_bound(marks_, mark.t, {}, &EventMark::t), std::move(mark));
  if (marks_.size() > kMaxMarks) marks_.pop_front();
}

void RunLog::Mark(PlotMark::Kind kind, double t, std::string text, bool is_planned) {
  Insert({kind, t, std::move(text), is_planned});
}

void RunLog::AskThrow(double t, std::string text) {
  Insert({PlotMark::Kind::kThrow, t, std::move(text), false, true});
}

std::optional<double> RunLog::PlaceThrow(double t) {
  const auto found = std::ranges::find_if(
      marks_, [t](const EventMark& mark) { return mark.is_asked && mark.t <= t; });
  if (found == marks_.end()) return std::nullopt;
  const EventMark asked = std::move(*found);
  marks_.erase(found);
  Mark(PlotMark::Kind::kThrow, t, asked.text);
  return asked.t;
}

std::vector<RunLog::EventMark> RunLog::CutMarks(double t) {
  const auto is_cut = [t](const EventMark& mark) { return mark.t > t && !mark.is_planned; };
  std::vector<EventMark> cut;
  std::copy_if(marks_.begin(), marks_.end(), std::back_inserter(cut), is_cut);
  std::erase_if(marks_, is_cut);
  return cut;
}

void RunLog::AddMarks(const std::vector<EventMark>& marks) {
  for (const EventMark& mark : marks) Mark(mark.kind, mark.t, mark.text, mark.is_planned);
}

const RunLog::EventMark* RunLog::LastAction(double t) const {
  for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
    if (mark->t <= t && mark->kind != PlotMark::Kind::kFailure &&
        mark->kind != PlotMark::Kind::kNotice)
      return &*mark;
  }
  return nullptr;
}

double RunLog::LastThrow(double t) const {
  for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
    if (mark->t <= t && mark->kind == PlotMark::Kind::kThrow) return mark->t;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace civita
