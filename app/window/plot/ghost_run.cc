#include "app/window/plot/ghost_run.h"

#include <algorithm>
#include <utility>

namespace civita {

int GhostRun::Find(std::string_view channel) const {
  const auto found = std::ranges::find(channels, channel);
  return found == channels.end() ? -1 : static_cast<int>(found - channels.begin());
}

GhostRun KeepRun(const Traces& traces, std::string name, double until) {
  const TraceBuffer& from = traces.buffer();
  std::vector<std::string> channels;
  std::vector<int> sources;
  for (int channel = 0; channel < from.channels(); ++channel) {
    const std::string& of = traces.names()[static_cast<std::size_t>(channel)];
    if (of.empty()) continue;
    channels.push_back(of);
    sources.push_back(channel);
  }
  const int64_t begin = from.begin_index(), end = from.LowerBound(until);
  TraceBuffer rows(static_cast<int>(sources.size()), std::max<int64_t>(1, end - begin));
  std::vector<float> values(sources.size());
  for (int64_t row = begin; row < end; ++row) {
    for (std::size_t i = 0; i < sources.size(); ++i) values[i] = from.value(row, sources[i]);
    rows.Append(from.time(row), values);
  }
  return {std::move(name), std::move(channels), std::move(rows)};
}

}  // namespace civita
