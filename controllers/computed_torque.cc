#include "civita/controllers/computed_torque.h"

#include "civita/passive_forces.h"

namespace civita {

constinit const LawInfo kComputedTorqueLaw = {
    .type = "computed_torque",
    .title = "Computed torque",
    .law = "τ = H (v̇_d − K_D (v − v_d) − K_P e) + C v + g",
    .parameters = kComputedTorqueParameters,
    .make = &MakeLaw<ComputedTorque>,
    .units = {.storage = "1/s²", .rate = "1/s³"},
    .knows_loops = true,
};

ComputedTorque::ComputedTorque(const Model& model, const ControllerOptions& options)
    : Controller(model, kComputedTorqueLaw, options),
      error_(model.nv()),
      K_P_e_(Eigen::VectorXd::Zero(model.nv())),
      K_D_s_(K_P_e_),
      a_(K_P_e_),
      independent_(loops_ ? loops_->independent()
                          : Eigen::VectorXd(Eigen::VectorXd::Ones(model.nv()))),
      s_(K_P_e_),
      scratch_(K_P_e_),
      llt_(model.nv()) {}

ControlStatus ComputedTorque::CalcControl(const Measurement& measured,
                                          const ReferenceState& reference, ControlOutput& output) {
  const Eigen::VectorXd& q = measured.q;
  const Eigen::VectorXd& v = measured.v;
  UpdateDynamics(q, v, output);
  CalcTrackingError(model_, q, v, reference, error_);
  output.e = error_.e;
  if (loops_) loops_->CloseMotion(error_.v_d, error_.vdot_d);
  output.s = v - error_.v_d;
  output.sdot_ref = error_.vdot_d;

  s_ = independent_.cwiseProduct(output.s);
  K_P_e_ = gain(kKP).cwiseProduct(independent_).cwiseProduct(output.e);
  K_D_s_ = gain(kKD).cwiseProduct(s_);
  CalcErrorForce(model_, output.e, K_P_e_, scratch_);
  if (loops_) loops_->ReduceForce(scratch_);
  a_ = output.sdot_ref - K_D_s_ - scratch_;
  scratch_ = v;
  if (loops_) loops_->CloseMotion(scratch_, a_);
  output.tau = g_;
  // Damping at v instead of v_d.
  AddDampingForces(model_, v, -1, output.tau);
  AddDampingForces(model_, error_.v_d, 1, output.tau);
  output.tau.noalias() += H_ * a_;
  output.tau.noalias() += C_ * v;
  AddPassiveForces(q, error_.v_d, output.tau);
  return FinishControl(output);
}

StorageState ComputedTorque::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  StorageState storage;
  storage.V = 0.5 * s_.squaredNorm() + 0.5 * output.e.dot(K_P_e_);
  storage.Vdot = s_.dot(plant.vdot) - s_.dot(output.sdot_ref) + K_P_e_.dot(error_.edot);
  storage.P = s_.dot(K_D_s_);
  return storage;
}

double ComputedTorque::CalcExternalPower(const PlantState& plant, const Eigen::VectorXd& tau_ext,
                                         const ControlOutput& /*output*/) {
  scratch_ = tau_ext;
  if (loops_) {
    loops_->CalcAcceleration(plant.H, scratch_);
  } else {
    llt_.compute(plant.H);
    llt_.solveInPlace(scratch_);
  }
  return s_.dot(scratch_);
}

}  // namespace civita
