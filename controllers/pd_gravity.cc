#include "civita/controllers/pd_gravity.h"

#include "civita/error.h"
#include "civita/mass_matrix.h"
#include "civita/space_dynamics.h"

namespace civita {
constinit const LawInfo kPdGravityLaw =
    LawInW<PdGravity>("pd_gravity", {.title = "PD + gravity",
                                     .law = "τ = g − K_P e − K_D (v − v_d)",
                                     .parameters = kPdGravityParameters});

PdGravity::PdGravity(const Model& model, const ControllerOptions& options)
    : Controller(model, kPdGravityLaw, options),
      stiffness_scale_(Eigen::VectorXd::Ones(model.nv())),
      damping_scale_(Eigen::VectorXd::Ones(nw())),
      K_P_e_(Eigen::VectorXd::Zero(model.nv())),
      scratch_(K_P_e_),
      s_(Eigen::VectorXd::Zero(nw())),
      K_D_s_(s_),
      tau_(s_) {
  if (gain_form() == GainForm::kMass) TakeInertiaAt(options.q_start);
  if (!space_.has_loops()) return;
  if (gain_form() == GainForm::kMass) stiffness_scale_(space_.independent()) = damping_scale_;
  for (int iv = 0; iv < model.nv(); ++iv) {
    if (space_.dependent(iv)) stiffness_scale_[iv] = 0;
  }
}

void PdGravity::TakeInertiaAt(const Eigen::VectorXd& q_start) {
  CIVITA_CHECK(q_start.size() == model_.nq(),
               "q_start has " << q_start.size() << " numbers, the model wants " << model_.nq());
  const Eigen::VectorXd at_rest = Eigen::VectorXd::Zero(model_.nv());
  if (!UpdateKinematicsAlong<double>(space_, q_start, at_rest, at_).ok()) {
    throw UserError("pd_gravity: the loops or coordinates are singular at the start");
  }
  CalcMassMatrix(model_, workspace_, H_);
  stiffness_scale_ = H_.diagonal();
  Eigen::MatrixXd H_start(nw(), nw());
  CalcMassMatrix<double>(space_, at_, H_start);
  damping_scale_ = H_start.diagonal();
}

Status PdGravity::CalcControl(const Measurement& measured, const ReferenceState& reference,
                              ControlOutput& output) {
  if (const Status status = BeginControl(measured, reference, output); !status) return status;
  SetReference(error().v_d, error().vdot_d, s_, output);
  K_P_e_ = gain(kKP).cwiseProduct(stiffness_scale_).cwiseProduct(output.e);
  K_D_s_ = gain_w(kKD).cwiseProduct(damping_scale_).cwiseProduct(s_);

  tau_ = g_w();
  AddTreeForces(tau_, [&](Eigen::VectorXd& tau) {
    CalcErrorForce(model_, output.e, K_P_e_, scratch_);
    tau -= scratch_;
  });
  tau_ -= K_D_s_;
  AddTreeForces(tau_, [&](Eigen::VectorXd& tau) { AddPassiveForces(measured.q, v_r(), tau); });
  return FinishControl(tau_, output);
}

StorageState PdGravity::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  StorageState storage = CalcKineticStorage(plant, output);
  storage.V += 0.5 * output.e.dot(K_P_e_);
  storage.Vdot += K_P_e_.dot(tree_error().edot);
  storage.P = s_.dot(K_D_s_) + CalcPassiveDissipation(v_r(), output.s);
  return storage;
}

}  // namespace civita
