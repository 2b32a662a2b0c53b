#pragma once

#include "civita/controllers/legs/gait.h"
#include "civita/controllers/legs/quadratic_program.h"

namespace civita {

/// Steps of two flat feet, one after the other, with where and when chosen anew in every control
/// step (Khadiv et al. 2016): with u the next foothold, b = ξ(T) − u where the DCM then is from it,
/// and τ = e^{ω(T − t)},
///   min |u − u_n|² + w_t (τ/τ_n − 1)² + w_b |b − b_n|²,  u + b = p + (ξ − p) τ,
/// over u in reach on the foot's own side and T between the shortest and the longest step; u_n, τ_n
/// and b_n those of the steady walk that the command asks for. First the centre of pressure p is
/// chosen in the sole that stands, so that nothing else need change if that suffices.
class SoleGait final : public Gait {
 public:
  SoleGait(const Model& model, const LegOptions& legs);

 protected:
  void MaybeStep(const GaitInput& in, LegState& state) override;
  void Step(const GaitInput& in, LegState& state, TrunkReference& trunk) override;

 private:
  struct Plan {
    bool solved = false;
    Point2 p, u;    ///< centre of pressure, foothold; world
    double T = 0;   ///< duration of the step, s
    Point2 b, b_n;  ///< as wished and as reached, from u, axes of the heading
  };
  Plan MakePlan(const LegKinematics& legs, const LegState& state, size_t swing, double phase,
                const Point2& v);
  static double Side(const LegState& state, size_t foot);
  static SupportPolygon Sole(const LegKinematics& legs, size_t foot);
  static Point2 Velocity(const GaitInput& in, const LegState& state);
  void BeginStep(int swing, LegState& state) const;
  void BeginShift(const LegKinematics& legs, int swing, LegState& state) const;
  /// The trunk goes down where the feet are far apart.
  void LowerTrunk(const GaitInput& in, const LegState& state, TrunkReference& trunk) const;
  void MoveFoot(LegState::Foot& foot, LegState& state) const;
  void Touchdown(const GaitInput& in, size_t swing, LegState& state) const;

  QuadraticProgram program_;
};

}  // namespace civita
