#pragma once

#include "civita/controllers/legs/gait.h"
#include "civita/controllers/legs/quadratic_program.h"

namespace civita {

/// Alternating steps of two flat feet whose foothold and time are chosen anew in every control
/// step (Khadiv et al. 2016): with u the next foothold, b = ξ(T) − u the DCM relative to it at
/// touchdown, and τ = e^{ω(T − t)},
///   min |u − u_n|² + w_t (τ/τ_n − 1)² + w_b |b − b_n|²,  u + b = p + (ξ − p) τ,
/// over u within reach on the foot's own side and T between the minimum and the maximum duration;
/// u_n, τ_n and b_n are those of the steady walk at the commanded velocity. The centre of pressure
/// p is chosen first, inside the stance sole, so that u and T stay nominal if p suffices.
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
    Point2 b, b_n;  ///< DCM from u at touchdown: planned, and of the steady walk; heading axes
  };
  Plan MakePlan(const LegKinematics& legs, const LegState& state, size_t swing, double phase,
                const Point2& v);
  static double Side(const LegState& state, size_t foot);
  static SupportPolygon Sole(const LegKinematics& legs, size_t foot);
  static Point2 Velocity(const GaitInput& in, const LegState& state);
  void BeginStep(int swing, LegState& state) const;
  void BeginShift(const LegKinematics& legs, int swing, LegState& state) const;
  /// Lowers the trunk where the feet are far apart.
  void LowerTrunk(const GaitInput& in, const LegState& state, TrunkReference& trunk) const;
  void MoveFoot(LegState::Foot& foot, LegState& state) const;
  void Touchdown(const GaitInput& in, size_t swing, LegState& state) const;

  QuadraticProgram program_;
};

}  // namespace civita
