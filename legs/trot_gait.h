#pragma once

#include "civita/controllers/legs/gait.h"

namespace civita {

/// Trot of four point feet: diagonal pairs alternate with steps of `step_s`, in the first
/// `exchange_s` of which load passes between the pairs. A step that begins with the DCM at ξ and
/// the centre of pressure at p ends with the DCM at p + (ξ − p)e^{ωT}; the swing feet are placed
/// so that the next step begins with the DCM where a steady walk at the commanded velocity has it,
/// b = v T/(e^{ωT} − 1) ahead. Stepping begins with a push or a command and ends after three
/// touchdowns in succession at ease. A standing robot also steps when a foot is away from its
/// place.
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
