#include "civita/controllers/pd_gravity.h"

#include "civita/controllers/kinetic_storage.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"

namespace civita {
constinit const LawInfo kPdGravityLaw = {
    .type = "pd_gravity",
    .title = "PD + gravity",
    .law = "τ = g − K_P e − K_D (v − v_d)",
    .parameters = kPdGravityParameters,
    .make = &MakeLaw<PdGravity>,
    .knows_loops = true,
};

PdGravity::PdGravity(const Model& model, const ControllerOptions& options)
    : Controller(model, kPdGravityLaw, options),
      error_(model.nv()),
      scale_(loops_ ? loops_->independent() : Eigen::VectorXd(Eigen::VectorXd::Ones(model.nv()))),
      K_P_e_(Eigen::VectorXd::Zero(model.nv())),
      K_D_s_(K_P_e_),
      scratch_(K_P_e_) {
  if (gain_form() == GainForm::kMass) {
    CIVITA_CHECK(
        options.q_start.size() == model.nq(),
        "q_start has " << options.q_start.size() << " numbers, the model wants " << model.nq());
    UpdateKinematics(model_, options.q_start, workspace_);
    CalcMassMatrix(model_, workspace_, H_);
    scale_ = loops_ ? InertiaInLoops() : Eigen::VectorXd(H_.diagonal());
  }
}

Eigen::VectorXd PdGravity::InertiaInLoops() {
  if (loops_->Update(options_.q_start, Eigen::VectorXd::Zero(model_.nv()))) {
    return loops_->InertiaDiagonal();
  }
  throw UserError("pd_gravity: the loops are singular at the start");
}

ControlStatus PdGravity::CalcControl(const Measurement& measured, const ReferenceState& reference,
                                     ControlOutput& output) {
  const Eigen::VectorXd& q = measured.q;
  const Eigen::VectorXd& v = measured.v;
  UpdateDynamics(q, v, output);
  CalcTrackingError(model_, q, v, reference, error_);
  output.e = error_.e;
  if (loops_) loops_->CloseMotion(error_.v_d, error_.vdot_d);
  output.s = v - error_.v_d;
  output.sdot_ref = error_.vdot_d;

  K_P_e_ = gain(kKP).cwiseProduct(scale_).cwiseProduct(output.e);
  K_D_s_ = gain(kKD).cwiseProduct(scale_).cwiseProduct(output.s);
  CalcErrorForce(model_, output.e, K_P_e_, scratch_);
  output.tau = g_ - scratch_ - K_D_s_;
  AddPassiveForces(q, error_.v_d, output.tau);
  return FinishControl(output);
}

StorageState PdGravity::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  const Eigen::VectorXd& s = output.s;
  StorageState storage = CalcKineticStorage(plant, output, scratch_);
  storage.V += 0.5 * output.e.dot(K_P_e_);
  storage.Vdot += K_P_e_.dot(error_.edot);
  storage.P = s.dot(K_D_s_) + CalcPassiveDissipation(error_.v_d, s);
  return storage;
}

}  // namespace civita
