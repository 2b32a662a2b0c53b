#include "app/window/model/span_figures.h"

#include <algorithm>
#include <cmath>

namespace civita {
namespace {

// Sums over the rows of a run.
class NormSums {
 public:
  void Add(double square) {
    if (!std::isfinite(square)) return;
    const double norm = std::sqrt(square);
    squares_ += square;
    sum_ += norm;
    peak_ = std::max(peak_, norm);
    ++count_;
  }
  SpanFigures::Norm Norm() const {
    if (count_ < 2) return {};
    const auto n = static_cast<double>(count_);
    return {std::sqrt(squares_ / n), peak_, sum_ / n};
  }

 private:
  double squares_ = 0, sum_ = 0, peak_ = 0;
  long count_ = 0;
};

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
  const auto square = [&](std::int64_t row, int first) {
    double sum = 0;
    for (int i = 0; i < nv; ++i) sum += value(row, first + i) * value(row, first + i);
    return sum;
  };
  const int e = find("/e"), s = find("/s"), tau = find("/tau"), V = find("/V"),
            twist = find("/twist");
  NormSums error, sliding, torque;
  SlopeSums decay;
  for (std::int64_t row = begin; row < end; ++row) {
    if (e >= 0) error.Add(square(row, e));
    if (s >= 0) sliding.Add(square(row, s));
    if (tau >= 0) torque.Add(square(row, tau));
    if (V >= 0 && value(row, V) > 0) decay.Add(rows.time(row), std::log(value(row, V)));
  }
  SpanFigures::Run run{error.Norm(), sliding.Norm(), torque.Norm(), kNaN, -decay.slope()};
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

}  // namespace civita
