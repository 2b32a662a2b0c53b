#include "app/window/model/part_times.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/number_text.h"

namespace civita {

void PartTimes::Restart(const Traces& traces) {
  num_runs_ = traces.num_runs();
  for (int run = 0; run < 2; ++run) {
    for (std::size_t part = 0; part < kTimedParts.size(); ++part) {
      Channel& channel = runs_[static_cast<std::size_t>(run)][part];
      channel.times.Clear();
      channel.channel =
          run < num_runs_ ? traces.channel(static_cast<Slot>(run), kTimedParts[part].signal) : -1;
    }
    auto& parts = runs_[static_cast<std::size_t>(run)];
    parts[kRestOfStep].channel = parts[0].channel;  // there is one of the other
  }
}

void PartTimes::Update(const Traces& traces, std::optional<std::pair<double, double>> span) {
  const TraceBuffer& rows = traces.buffer();
  std::int64_t begin = end_, end = rows.end_index();
  if (rows.content() != content_ || span != span_) {
    Restart(traces);
    content_ = rows.content();
    span_ = span;
    begin = span ? rows.LowerBound(span->first) : rows.begin_index();
    end_ = begin;
    from_ = begin < end ? rows.time(begin) : 0;
  }
  if (span) end = rows.LowerBound(span->second);
  begin = std::max(begin, rows.begin_index());
  for (std::int64_t row = begin; row < end; ++row) {
    for (auto& run : runs_) {
      double rest = kNaN;
      for (std::size_t part = 0; part < run.size(); ++part) {
        if (run[part].channel < 0) continue;
        const auto us = static_cast<double>(rows.value(row, run[part].channel));
        if (part == 0) rest = us;
        if (part >= kFirstOfLaw && part <= kLastOfLaw) rest -= us;
        if (part != kRestOfStep) run[part].times.Add(us);
      }
      run[kRestOfStep].times.Add(rest);
    }
  }
  if (end > begin) to_ = rows.time(end - 1);
  end_ = std::max(end_, end);
}

const TimeHistogram* PartTimes::Find(Slot slot, std::size_t part) const {
  const Channel& found = runs_[static_cast<std::size_t>(slot)][part];
  return found.channel < 0 ? nullptr : &found.times;
}

std::string FormatTimesCsv(const PartTimes& times) {
  constexpr int kPerDecade = 10, kFirst = -2, kLast = 7;  // exponents
  std::vector<const TimeHistogram*> columns;
  std::ostringstream out;
  out << "us";
  for (int run = 0; run < times.num_runs(); ++run) {
    for (std::size_t part = 0; part < kTimedParts.size(); ++part) {
      const TimeHistogram* found = times.Find(static_cast<Slot>(run), part);
      if (found == nullptr) continue;
      columns.push_back(found);
      out << ',' << kTimedParts[part].signal;
      if (times.num_runs() > 1) out << (run == 0 ? " A" : " B");
    }
  }
  const auto row = [&](const std::string& head, auto value) {
    out << '\n' << head;
    for (const TimeHistogram* each : columns) out << ',' << internal::General(value(*each), 6);
  };
  row("p50", [](const TimeHistogram& each) { return each.Percentile(0.5); });
  row("p99", [](const TimeHistogram& each) { return each.Percentile(0.99); });
  row("max", [](const TimeHistogram& each) { return each.max(); });
  for (int i = kPerDecade * kFirst; i < kPerDecade * kLast; ++i) {
    const double from = std::pow(10.0, i / static_cast<double>(kPerDecade));
    const double to = std::pow(10.0, (i + 1) / static_cast<double>(kPerDecade));
    const auto count = [&](const TimeHistogram* each) { return each->CountIn(from, to); };
    if (std::ranges::none_of(columns, count)) continue;
    row(internal::General(from, 6),
        [&](const TimeHistogram& each) { return static_cast<double>(each.CountIn(from, to)); });
  }
  out << '\n';
  return out.str();
}

}  // namespace civita
