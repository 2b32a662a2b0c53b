#pragma once

#include "civita/controllers/legs/gait.h"

namespace civita {

/// Steps of four point feet: diagonal pairs in turn, a step of `step_s` each, of which `exchange_s`
/// the load passes over. Where a step begins with the DCM at ξ over the centre of pressure p, it
/// ends at p + (ξ − p)e^{ωT}; the feet that swing are set so that the next step begins with the DCM
/// where a steady walk with the commanded velocity would have it, b = v T/(e^{ωT} − 1) ahead.
/// Triggered by a push or by the command; stands again when three touchdowns in a row were at ease;
/// tidies feet that stand away from their places.
class TrotGait final : public Gait {
 public:
  TrotGait(const Model& model, const LegOptions& legs) : Gait(model, legs) {}

 protected:
  void MaybeStep(const GaitInput& in, LegState& state) override;
  void Step(const GaitInput& in, LegState& state, TrunkReference& trunk) override;

 private:
  struct Pair {
    size_t a, b;
  };
  static Pair PairOf(const LegState& state, int which);
  Point2 Pressure(const LegKinematics& legs, const Pair& stance) const;
  Point2 DcmAfter(const LegKinematics& legs, const Pair& stance, double time) const;
  static double Displacement(const LegKinematics& legs, const LegState& state);
  void BeginStep(const LegKinematics& legs, LegState& state) const;
  Point2 MoveTrunk(const GaitInput& in, const Pair& stance, LegState& state,
                   TrunkReference& trunk) const;
  void PlaceFeet(const LegKinematics& legs, const Pair& swing, const Pair& stance, const Point2& b,
                 LegState& state) const;
  void MoveFeet(const Pair& swing, double remaining, LegState& state) const;
  void Touchdown(const GaitInput& in, const Pair& swing, LegState& state) const;
};

}  // namespace civita
