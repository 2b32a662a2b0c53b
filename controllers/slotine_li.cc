#include "civita/controllers/slotine_li.h"

#include <algorithm>

#include "civita/controllers/damping_force.h"

namespace civita {

constinit const LawInfo kSlotineLiLaw =
    LawInW<SlotineLi>("slotine_li", {.title = "Passivity-based tracking",
                                     .law = "τ = H v̇_r + C v_r + g − (K_D + G) s",
                                     .parameters = kSlotineLiParameters,
                                     .damping = DampingForm::kInertia,
                                     .uses_factorization = true});

SlotineLi::SlotineLi(const Model& model, const ControllerOptions& options)
    : SlotineLi(model, kSlotineLiLaw, options) {}

SlotineLi::SlotineLi(const Model& model, const LawInfo& info, const ControllerOptions& options)
    : Controller(model, info, options),
      w_r_(Eigen::VectorXd::Zero(nw())),
      wdot_r_(w_r_),
      s_(w_r_),
      K_D_s_(w_r_),
      G_s_(w_r_),
      scratch_(w_r_),
      tau_(w_r_) {
  const auto skew = std::ranges::find(parameters(), GainShape::kSkew, &ParameterInfo::shape);
  if (skew != parameters().end()) skew_gain_ = static_cast<int>(skew - parameters().begin());
}

/// Sets G_s_.
void SlotineLi::CalcSkewForce() {
  if (skew_gain_ < 0 || gain_w(skew_gain_).size() == 0) {
    G_s_.setZero();
    return;
  }
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  G_s_.noalias() = Eigen::Map<const Rows>(gain_w(skew_gain_).data(), nw(), nw()) * s_;
}

void SlotineLi::CalcReferenceVelocity(const ReferenceState& /*reference*/,
                                      ControlOutput& /*output*/) {
  const Eigen::VectorXd& Lambda = gain_w(kLambda);
  w_r_ = error().v_d - Lambda.cwiseProduct(error().e);
  wdot_r_ = error().vdot_d - Lambda.cwiseProduct(error().edot);
}

Status SlotineLi::CalcControl(const Measurement& measured, const ReferenceState& reference,
                              ControlOutput& output) {
  if (const Status status = BeginControl(measured, reference, output); !status) return status;
  CalcReferenceVelocity(reference, output);
  SetReference(w_r_, wdot_r_, s_, output);
  CalcDampingForce(gain_form(), gain_w(kKD), H_w(), s_, scratch_, K_D_s_);
  CalcSkewForce();

  tau_ = g_w() - K_D_s_ - G_s_;
  tau_.noalias() += H_w() * wdot_r_;
  tau_.noalias() += C_w() * w_r_;
  AddTreeForces(tau_, [&](Eigen::VectorXd& tau) { AddPassiveForces(measured.q, v_r(), tau); });
  AddToTorque(output, tau_);
  return FinishControl(tau_, output);
}

StorageState SlotineLi::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  StorageState storage = CalcKineticStorage(plant, output);
  storage.P = s_.dot(K_D_s_) + CalcPassiveDissipation(v_r(), output.s);
  return storage;
}

}  // namespace civita
