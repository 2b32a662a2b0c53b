#pragma once

#include <optional>

#include "app/window/model/window_state.h"

namespace civita {

/// Tells in the log, and marks in the plots, what happened to the run since the last call: falls,
/// limits, missed deadlines, failures, each once and with its cause.
void NoteRunEvents(WindowState* state);

/// Takes a paused run to a simulated time as fast as it goes, and leaves it paused there.
class RunUp {
 public:
  /// nullopt: the run stays where it is.
  explicit RunUp(std::optional<double> to_s) : to_s_(to_s) {}

  /// Asks for the next steps, if they are due. @returns whether nothing is left to do: the run is
  /// there, its record ends earlier, it has failed, or the user has taken over.
  bool Advance(WindowState* state);

 private:
  std::optional<double> to_s_;
  long asked_for_ = 0;  ///< the step that the last request leads to
};

}  // namespace civita
