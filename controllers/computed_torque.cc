#include "civita/controllers/computed_torque.h"

#include "civita/passive_forces.h"
#include "civita/velocity_map.h"

namespace civita {

constinit const LawInfo kComputedTorqueLaw = LawInW<ComputedTorque>(
    "computed_torque", {.title = "Computed torque",
                        .law = "τ = H (v̇_d − K_D (v − v_d) − K_P e) + C v + g",
                        .parameters = kComputedTorqueParameters,
                        .units = {.storage = "1/s²", .rate = "1/s³"}});

ComputedTorque::ComputedTorque(const Model& model, const ControllerOptions& options)
    : Controller(model, kComputedTorqueLaw, options),
      is_independent_(Eigen::VectorXd::Ones(model.nv())),
      K_P_e_(Eigen::VectorXd::Zero(model.nv())),
      scratch_(K_P_e_),
      s_(Eigen::VectorXd::Zero(nw())),
      K_D_s_(s_),
      a_(s_),
      tau_(s_),
      H_plant_(Eigen::MatrixXd::Zero(nw(), nw())),
      products_(Eigen::MatrixXd::Zero(model.nv(), nw())),
      llt_(nw()) {
  for (int iv = 0; iv < model.nv() && space_.has_loops(); ++iv) {
    if (space_.dependent(iv)) is_independent_[iv] = 0;
  }
}

Status ComputedTorque::CalcControl(const Measurement& measured, const ReferenceState& reference,
                                   ControlOutput& output) {
  if (const Status status = BeginControl(measured, reference, output); !status) return status;
  SetReference(error().v_d, error().vdot_d, s_, output);
  K_P_e_ = gain(kKP).cwiseProduct(is_independent_).cwiseProduct(output.e);
  K_D_s_ = gain_w(kKD).cwiseProduct(s_);

  a_ = error().vdot_d - K_D_s_;
  AddTreeForces(a_, [&](Eigen::VectorXd& a) {
    CalcErrorForce(model_, output.e, K_P_e_, scratch_);
    a -= scratch_;
  });
  tau_ = g_w();
  AddTreeForces(tau_, [&](Eigen::VectorXd& tau) {
    // Damping at v instead of v_d.
    AddDampingForces(model_, measured.v, -1, tau);
    AddDampingForces(model_, v_r(), 1, tau);
  });
  tau_.noalias() += H_w() * a_;
  tau_.noalias() += C_w() * w();
  AddTreeForces(tau_, [&](Eigen::VectorXd& tau) { AddPassiveForces(measured.q, v_r(), tau); });
  return FinishControl(tau_, output);
}

StorageState ComputedTorque::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  CalcSpaceAcceleration<double>(space_, w(), plant.vdot, at_, a_);
  StorageState storage;
  storage.V = 0.5 * s_.squaredNorm() + 0.5 * output.e.dot(K_P_e_);
  storage.Vdot = s_.dot(a_) - s_.dot(error().vdot_d) + K_P_e_.dot(tree_error().edot);
  storage.P = s_.dot(K_D_s_);
  return storage;
}

double ComputedTorque::CalcExternalPower(const PlantState& plant, const Eigen::VectorXd& tau_ext,
                                         const ControlOutput& /*output*/) {
  CalcReducedForces<double>(space_, tau_ext, at_, tau_);
  if (space_.is_tree()) {
    H_plant_ = plant.H;
  } else {
    ChangeMassMatrix<double>(at_.map(space_), plant.H, products_, H_plant_);
  }
  llt_.compute(H_plant_);
  llt_.solveInPlace(tau_);
  return s_.dot(tau_);
}

}  // namespace civita
