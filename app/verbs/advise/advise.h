#pragma once

#include <string>

#include "civita/study/open_scene.h"

namespace civita {

struct AdviseOptions {
  SceneChoice scene;
  std::string factorization;    ///< empty: the scene's, and t:1 where that is torsion-free
  bool measures_limit = false;  ///< finds the largest stable multiple of the torsion by runs, too
};

/// Prints what the choice of C does along a scene's reference, and writes advice.json and
/// advice.html into a folder; an empty `out` is none. @returns an ExitCode. @throws UserError.
int RunAdvise(const AdviseOptions& options, const std::string& out);

}  // namespace civita
