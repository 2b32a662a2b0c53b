#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "app/window/model/window_state.h"

namespace civita {

/// At most so many runs stay in the plots.
inline constexpr std::size_t kMostGhosts = 6;

/// Keeps run A up to the clock in the plots, whatever is done with the run: a ghost.
void KeepShownRun(WindowState* state);
/// Reads the run of a folder in the background, and keeps it.
void KeepRecordedRun(WindowState* state, const std::filesystem::path& folder);
/// The folders of runs where recordings go.
std::vector<std::filesystem::path> RecordedRuns(const WindowState& state);
void RemoveGhost(WindowState* state, std::size_t index);
/// Takes a run that has been read. Call once a frame.
void PollGhosts(WindowState* state);

}  // namespace civita
