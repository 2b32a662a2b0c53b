#include <filesystem>
#include <string>
#include <utility>

#include "app/window/actions/actions.h"

// The record button: a run folder, and beside its files a video of the window.

namespace civita {

void ToggleRecording(WindowState* state) {
  if (state->scene->snapshot->is_recording) {
    Post(state, command::StopRecording{});
    if (!state->recording) return;  // of the command line
    state->saving = state->recording->directory;
    state->recording.reset();
    return;
  }
  const std::filesystem::path directory = TimestampedName("run", "", state->recordings);
  Post(state, command::StartRecording{directory});
  state->recording = {directory, state->now};
  state->scene->log.Add(
      {state->scene->snapshot->t, "Recording to " + directory.string(), LogLine::Kind::kAction});
}

void NoteSaved(WindowState* state) {
  const std::string text = "Saved " + state->saving.string();
  state->saving.clear();
  ShowToast(state, text);
  state->scene->log.Add({state->scene->snapshot->t, text, LogLine::Kind::kAction});
}

}  // namespace civita
