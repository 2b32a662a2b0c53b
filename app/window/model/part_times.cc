#include "app/window/model/part_times.h"

#include <algorithm>
#include <utility>

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

}  // namespace civita
