#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/style/theme.h"
#include "app/window/plot/series.h"
#include "app/window/plot/traces.h"

namespace civita {

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
