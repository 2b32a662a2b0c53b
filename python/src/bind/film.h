#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "civita/sim/simulation.h"

namespace civita::python {

/// How pictures are to be.
struct FilmLook {
  int width = 0, height = 0;
  bool is_light = false;

  bool operator==(const FilmLook&) const = default;
};

/// Pictures of the states of a scene, without a display, from any thread; several films take turns.
class Film {
 public:
  /// Rows from the top, three bytes a pixel: red, green, blue.
  using Pixels = std::vector<std::uint8_t>;

  /// The simulation's scene must outlive it, its state does not count. @throws UserError, also
  /// where the machine has no OpenGL.
  Film(const Simulation& simulation, const FilmLook& look);
  ~Film();

  const FilmLook& look() const { return look_; }
  /// Takes a state into the trail: time, s, and configuration.
  void Follow(double t, std::span<const double> q);
  /// A picture of it; with hard edges, if it is to be `fast`.
  Pixels Draw(double t, std::span<const double> q, bool fast);

  /// Begins a video, FILE.mp4, of what is followed from now on. @throws UserError.
  void Write(const std::string& file);
  /// Ends it. @returns where it is. @throws WriteError when it is not complete.
  std::string Finish();

 private:
  struct Parts;
  FilmLook look_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace civita::python
