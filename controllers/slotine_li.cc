#include "civita/controllers/slotine_li.h"

#include "civita/controllers/closed_slotine_li.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/kinetic_storage.h"

namespace civita {
namespace {

std::unique_ptr<Controller> Make(const Model& model, const ControllerOptions& options) {
  return options.closed ? MakeLaw<ClosedSlotineLi>(model, options)
                        : MakeLaw<SlotineLi>(model, options);
}

}  // namespace

constinit const LawInfo kSlotineLiLaw = {
    .type = "slotine_li",
    .title = "Passivity-based tracking",
    .law = "τ = H v̇_r + C v_r + g − K_D s",
    .parameters = kSlotineLiParameters,
    .make = &Make,
    .damping = DampingForm::kInertia,
    .uses_factorization = true,
    .knows_loops = true,
};

SlotineLi::SlotineLi(const Model& model, const ControllerOptions& options)
    : SlotineLi(model, kSlotineLiLaw, options) {}

SlotineLi::SlotineLi(const Model& model, const LawInfo& info, const ControllerOptions& options)
    : Controller(model, info, options),
      error_(model.nv()),
      v_r_(Eigen::VectorXd::Zero(model.nv())),
      K_D_s_(v_r_),
      scratch_(v_r_) {}

ControlStatus SlotineLi::CalcControl(const Measurement& measured, const ReferenceState& reference,
                                     ControlOutput& output) {
  CalcTorque(measured, reference, output);
  return FinishControl(output);
}

void SlotineLi::CalcReferenceVelocity(const Eigen::VectorXd& /*v*/,
                                      const ReferenceState& /*reference*/, ControlOutput& output) {
  const Eigen::VectorXd& Lambda = gain(kLambda);
  v_r_ = error_.v_d - Lambda.cwiseProduct(error_.e);
  output.sdot_ref = error_.vdot_d - Lambda.cwiseProduct(error_.edot);
}

void SlotineLi::CalcTorque(const Measurement& measured, const ReferenceState& reference,
                           ControlOutput& output) {
  const Eigen::VectorXd& q = measured.q;
  const Eigen::VectorXd& v = measured.v;
  UpdateDynamics(q, v, output);
  CalcTrackingError(model_, q, v, reference, error_);
  CalcReferenceVelocity(v, reference, output);
  output.e = error_.e;
  output.s = v - v_r_;

  CalcDampingForce(gain_form(), gain(kKD), H_, output.s, scratch_, K_D_s_);

  output.tau = g_ - K_D_s_;
  output.tau.noalias() += H_ * output.sdot_ref;
  output.tau.noalias() += C_ * v_r_;
  AddPassiveForces(q, v_r_, output.tau);
}

StorageState SlotineLi::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  const Eigen::VectorXd& s = output.s;
  StorageState storage = CalcKineticStorage(plant, output, scratch_);
  storage.P = s.dot(K_D_s_) + CalcPassiveDissipation(v_r_, s);
  return storage;
}

}  // namespace civita
