#pragma once

#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/space_kinematics.h"

namespace civita {

/// How far coupled joints and loops, which a simulator closes by soft constraints, come apart in a
/// run.
class CouplingWatch {
 public:
  /// The scene must outlive it.
  explicit CouplingWatch(const Scene& scene);

  /// Measures the configuration q (nq) at t. Allocates nothing.
  void Add(double t, const Eigen::VectorXd& q);

  /// Largest violation of a coupling so far, rad or m; 0 without couplings.
  double largest() const;
  /// A line for each coupling that was violated by more than kMost of its joint's range, of one
  /// without limits by that of 1 rad or 0.1 m, and for each group of loops that was open by more
  /// than kMost of its size.
  std::vector<std::string> Notes() const;

  static constexpr double kMost = 0.01;

 private:
  struct Worst {
    double violation = 0, t = 0;
    void Add(double now, double at) {
      if (now > violation) violation = now, t = at;
    }
  };

  const Scene& scene_;
  std::optional<SpaceWorkspace<double>> workspace_;  ///< if there are loops of frames
  std::vector<Worst> couplings_, clusters_;          ///< those of clusters in their length
};

}  // namespace civita
