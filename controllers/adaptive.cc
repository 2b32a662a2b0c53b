#include "civita/controllers/adaptive.h"

namespace civita {

constinit const LawInfo kAdaptiveLaw =
    LawInW<Adaptive>("adaptive", {.title = "Adaptive passivity-based tracking",
                                  .law = "τ = Y(q, v, v_r, v̇_r) π̂ − (K_D + G) s",
                                  .parameters = kAdaptiveParameters,
                                  .options = kAdaptOptions,
                                  .uses_factorization = true});

Adaptive::Adaptive(const Model& model, const ControllerOptions& options)
    : SlotineLi(model, kAdaptiveLaw, options), estimates_(model, AdaptOptions::Of(options_.own)) {
  DefineState(static_cast<int>(estimates_.size()));
  DefineSignals(estimates_.Signals());
  estimates_.Reset(state_.head(estimates_.size()));
}

void Adaptive::ResetLaw(const Measurement& /*start*/, const ReferenceState& /*reference*/,
                        Eigen::Ref<Eigen::VectorXd> x) {
  estimates_.Reset(x);
}

void Adaptive::AddToTorque(ControlOutput& output, Eigen::VectorXd& tau_w) {
  estimates_.Update(state_);
  estimates_.FillSignals(output.signals);
  AddTreeForces(tau_w, [&](Eigen::VectorXd& tau) {
    estimates_.AddTorque(factorization(), v_r(), output.sdot_ref, output.s, H_, workspace_, tau);
  });
}

void Adaptive::CalcLawRate(const Eigen::VectorXd& /*tau_applied*/, const ControlOutput& /*output*/,
                           Eigen::Ref<Eigen::VectorXd> xdot) {
  estimates_.CalcRate(gain(kGamma)[0], xdot);
}

StorageState Adaptive::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  StorageState storage = SlotineLi::CalcStorage(plant, output);
  estimates_.AddStorage(plant.model, gain(kGamma)[0], &storage);
  return storage;
}

}  // namespace civita
