#include "app/window/model/span_figures.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <thread>
#include <utility>

#include "app/window/model/scene_loader.h"
#include "civita/sim/session.h"

namespace civita {
namespace {

// The slope of a line through points by least squares.
class SlopeSums {
 public:
  void Add(double x, double y) {
    if (!std::isfinite(y)) return;
    if (count_ == 0) x0_ = x;
    x -= x0_;  // times far from 0 lose no digits
    ++count_;
    x_ += x;
    y_ += y;
    xx_ += x * x;
    xy_ += x * y;
  }
  double slope() const {
    const auto n = static_cast<double>(count_);
    return count_ < 2 ? kNaN : (n * xy_ - x_ * y_) / (n * xx_ - x_ * x_);
  }

 private:
  double x0_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
  long count_ = 0;
};

}  // namespace

SpanFigures::Run CalcSpanFigures(const TraceBuffer& rows, int nv,
                                 const std::function<int(const std::string&)>& find,
                                 std::int64_t begin, std::int64_t end) {
  const auto value = [&](std::int64_t row, int channel) {
    return static_cast<double>(rows.value(row, channel));
  };
  const auto norm = [&](std::int64_t row, int first) {
    double sum = 0;
    for (int i = 0; i < nv; ++i) sum += value(row, first + i) * value(row, first + i);
    return std::sqrt(sum);
  };
  const int e = find("/e"), s = find("/s"), tau = find("/tau"), V = find("/V"),
            twist = find("/twist");
  FigureSums error, sliding, torque;
  SlopeSums decay;
  for (std::int64_t row = begin; row < end; ++row) {
    if (e >= 0) error.Add(norm(row, e));
    if (s >= 0) sliding.Add(norm(row, s));
    if (tau >= 0) torque.Add(norm(row, tau));
    if (V >= 0 && value(row, V) > 0) decay.Add(rows.time(row), std::log(value(row, V)));
  }
  SpanFigures::Run run{error.Figures(2), sliding.Figures(2), torque.Figures(2), kNaN,
                       -decay.slope()};
  if (twist >= 0 && end - begin > 1) run.turning = value(end - 1, twist) - value(begin, twist);
  return run;
}

void UpdateSpanFigures(const Traces& traces, double from, double to, SpanFigures* figures) {
  const TraceBuffer& rows = traces.buffer();
  const std::int64_t begin = rows.LowerBound(from), end = rows.LowerBound(to);
  if (figures->begin == begin && figures->end == end && figures->content == rows.content()) return;
  *figures = {};
  figures->from = from;
  figures->to = to;
  figures->begin = begin;
  figures->end = end;
  figures->content = rows.content();
  for (int run = 0; run < traces.num_runs(); ++run) {
    figures->runs[static_cast<std::size_t>(run)] = CalcSpanFigures(
        rows, traces.nv(),
        [&](const std::string& signal) { return traces.channel(static_cast<Slot>(run), signal); },
        begin, end);
  }
}

namespace {

GhostRun ReadGhost(const std::string& folder) {
  LoadedScenes loaded = LoadReplay(folder);
  const double last = loaded.record->t(loaded.record->size() - 1);
  Session session(std::move(loaded.scene), std::move(loaded.record), true);
  Traces traces(session);
  while (traces.buffer().empty() || traces.buffer().last_time() < last) {
    if (!traces.Drain(&session)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  const std::string name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return KeepRun(traces, name, std::numeric_limits<double>::infinity());
}

}  // namespace

LoadedGhost LoadGhost(const std::string& folder) {
  try {
    return {.run = std::make_shared<GhostRun>(ReadGhost(folder))};
  } catch (const std::exception& error) {
    return {.error = error.what()};
  }
}

SpanFigures::Run CalcGhostFigures(const GhostRun& ghost, double from, double to) {
  const auto find = [&](const std::string& signal) {
    const int channel = ghost.Find(signal);
    return channel >= 0 ? channel : ghost.Find(signal + "/0");
  };
  int nv = 0;
  while (ghost.Find("/e/" + std::to_string(nv)) >= 0) ++nv;
  return CalcSpanFigures(ghost.rows, nv, find, ghost.rows.LowerBound(from),
                         ghost.rows.LowerBound(to));
}

void UpdateKeptFigures(const Traces& traces, std::span<const GhostRun> ghosts, double from,
                       double to, double now, KeptFigures* figures) {
  constexpr double kPeriod = 0.25;  // s
  const bool is_recent = now >= figures->at && now < figures->at + kPeriod;
  if (is_recent && figures->ghosts.size() == ghosts.size() && figures->from == from) return;
  figures->from = from;
  figures->to = to;
  figures->at = now;
  UpdateSpanFigures(traces, from, to, &figures->own);
  figures->ghosts.clear();
  for (const GhostRun& ghost : ghosts) {
    figures->ghosts.push_back(CalcGhostFigures(ghost, from, to));
  }
}

}  // namespace civita
