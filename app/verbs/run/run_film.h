#pragma once

#include "civita/sim/simulation.h"

namespace civita {

/// A video of a headless run, written as it goes.
class RunFilm {
 public:
  virtual ~RunFilm() = default;

  /// Call after each step: adds a picture of the present state when one is due. @throws UserError,
  /// WriteError.
  virtual void Follow(const Simulation& simulation) = 0;
  /// Ends the video. @returns where it is. @throws WriteError when it is not complete.
  virtual std::string Finish() = 0;
};

}  // namespace civita
