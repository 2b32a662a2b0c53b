#include "app/window/model/ghosts.h"

#include <chrono>
#include <exception>
#include <filesystem>
#include <limits>
#include <thread>
#include <utility>

#include "app/window/model/scene_loader.h"
#include "civita/sim/session.h"

namespace civita {
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
