#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/ground_surface.h"

namespace civita {

struct StepRecord;

/// A fall of a floating robot, by the first rule that its base meets:
///   lower    below 60 % of its nominal height above the ground
///   tilted   by more than 60°
///   freely   where no floor can hold it: lower than on the straight line of its first velocity by
///            1 cm and by half of g t²/2, that is: gravity moves it and nothing else does
/// The nominal height of a robot with legs is that at home, of others the one at the start, where
/// 5 cm are none.
struct Fall {
  bool fallen = false, freely = false;
  double t = 0;                           ///< s
  double height = 0, nominal_height = 0;  ///< m
  double tilt = 0;                        ///< rad
  double sunk = 0;                        ///< m, of a free fall
  /// since when it has been up again, s; NaN while it lies or falls freely
  double up_t = std::numeric_limits<double>::quiet_NaN();
};

/// Text for the user: "fell at t = 1.2 s: the base at 0.17 m, below 60 % of 0.3 m".
std::string Describe(const Fall& fall);

/// Records the first fall of a run, from its start with a robot's Simulation::nominal_height.
class FallWatch {
 public:
  explicit FallWatch(double nominal_height = 0) { fall_.nominal_height = nominal_height; }
  explicit FallWatch(const Fall& fall) : fall_(fall) {}

  void Add(double t, double height, double tilt) {
    AddAbove(t, height, fall_.nominal_height, tilt);
  }
  /// With a nominal height of its own, m; 0: none.
  void AddAbove(double t, double height, double nominal_height, double tilt);
  /// `sunk`: how much lower the base is than on its straight line, m; `gravity`: m/s².
  void AddSunk(double t, double sunk, double gravity);
  const Fall& fall() const { return fall_; }

 private:
  Fall fall_;
};

/// Whether a scene's run is watched for falls: a robot that floats where there is gravity.
bool CanFall(const Scene& scene);

/// Reads from records what FallWatch judges: of robots with legs from LegReading, of others from
/// the position of their floating bases.
class FallProbe {
 public:
  /// The scene must outlive it.
  explicit FallProbe(const Scene& scene);

  /// Allocates nothing.
  void Add(const StepRecord& record, FallWatch* watch);

 private:
  struct Base {
    int body = 0;
    Eigen::Vector3d p_start, v_start;
    Eigen::Vector3d up;         ///< the vertical at the start, in the base's axes
    bool on_floor = false;      ///< the floor is below it at the start, and can hold it
    double nominal_height = 0;  ///< m; on_floor
  };

  const Scene& scene_;
  double gravity_ = 0;  ///< m/s²
  Eigen::Vector3d up_ = Eigen::Vector3d::UnitZ();
  std::vector<Base> bases_;
  GroundSurface ground_;
  std::unique_ptr<mjData, MjDataDeleter> data_;  ///< for kinematics; null without bases
};

}  // namespace civita
