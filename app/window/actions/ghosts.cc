#include "app/window/actions/ghosts.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "app/window/actions/actions.h"

namespace civita {
namespace {

bool HasRoom(WindowState* state) {
  if (state->ghosts.size() < kMostGhosts) return true;
  ShowToast(state, "Remove one of the " + std::to_string(kMostGhosts) + " kept runs first", true);
  return false;
}

// With a number where the name is there already.
std::string UniqueName(const WindowState& state, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; std::ranges::count(state.ghosts, name, &GhostRun::name) > 0; ++number) {
    name = wanted + " (" + std::to_string(number) + ")";
  }
  return name;
}

// What run A is told from others by: C or the law, and gains other than the scene's.
std::string NameOfShown(const ActiveScene& scene) {
  std::string name = RunName(scene, Slot::kA);
  const ActiveScene::Tuned& slot = scene.slots.front();
  const std::vector<Eigen::VectorXd>& gains = slot.tuning.current().gains;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (SameGain(gains[i], slot.of_scene.gains[i])) continue;
    const std::string symbol(scene.law(Slot::kA).parameters[i].symbol);
    name += ", " + symbol + " " + Short(LargestEntry(gains[i]));
  }
  return name;
}

void Keep(WindowState* state, GhostRun run) {
  run.name = UniqueName(*state, run.name);
  Tell(state, "Kept in the plots: " + run.name);
  state->ghosts.push_back(std::move(run));
}

}  // namespace

void KeepShownRun(WindowState* state) {
  const ActiveScene& scene = *state->scene;
  if (scene.traces.RowBefore(scene.snapshot->t) < 0) {
    return ShowToast(state, "There is nothing to keep: no control step has been taken", true);
  }
  if (!HasRoom(state)) return;
  Keep(state, KeepRun(scene.traces, NameOfShown(scene), scene.snapshot->t));
}

void KeepRecordedRun(WindowState* state, const std::filesystem::path& folder) {
  if (!HasRoom(state)) return;
  if (!state->ghost_folder.empty()) return ShowToast(state, "Another run is being read", true);
  state->ghost_folder = folder.string();
  state->ghost_lane.Forget();
}

std::vector<std::filesystem::path> RecordedRuns(const WindowState& state) {
  std::vector<std::filesystem::path> found;
  const std::filesystem::path where = state.recordings.empty() ? "." : state.recordings;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(where, error)) {
    std::error_code ignored;
    if (std::filesystem::exists(entry.path() / "run.json", ignored)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

void RemoveGhost(WindowState* state, std::size_t index) {
  state->ghosts.erase(state->ghosts.begin() + static_cast<std::ptrdiff_t>(index));
}

void PollGhosts(WindowState* state) {
  if (state->ghost_folder.empty()) return;
  state->ghost_lane.Update(state->ghost_folder, [](const std::string& folder) {
    return [folder] { return LoadGhost(folder); };
  });
  const LoadedGhost loaded = state->ghost_lane.result();
  if (loaded.run == nullptr && loaded.error.empty()) return;
  state->ghost_folder.clear();
  state->ghost_lane.Forget();
  if (loaded.run != nullptr) {
    Keep(state, std::move(*loaded.run));
  } else {
    Tell(state, loaded.error, true);
  }
}

}  // namespace civita
