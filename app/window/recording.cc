#include <filesystem>
#include <string>
#include <utility>

#include "app/window/actions.h"

// The record button: a run folder, and beside its files a video of the window.

namespace civita {

void ToggleRecording(WindowState* state) {
  if (state->scene->snapshot->is_recording) {
    Post(state, command::StopRecording{});
    if (!state->recording) return;  // of the command line
    const std::string directory = state->recording->directory.string();
    state->recording.reset();
    ShowToast(state, "Saved " + directory);
    state->scene->log.Add(
        {state->scene->snapshot->t, "Saved " + directory, LogLine::Kind::kAction});
    return;
  }
  const std::filesystem::path directory = TimestampedName("run", "", state->recordings);
  Post(state, command::StartRecording{directory});
  state->recording = {directory, state->now};
  state->scene->log.Add(
      {state->scene->snapshot->t, "Recording to " + directory.string(), LogLine::Kind::kAction});
}

}  // namespace civita
