#include "civita/sim/torque_terms.h"

#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/rnea.h"

namespace civita {

TorqueTerms::TorqueTerms(int nv)
    : inertial(Eigen::VectorXd::Zero(nv)),
      coriolis(inertial),
      gravity(inertial),
      feedback(inertial),
      torsion(inertial) {}

bool HasTorqueTerms(const SceneData& scene) {
  return scene.law->uses_factorization && scene.legs == nullptr;
}

TorqueSplitter::TorqueSplitter(const Model& model)
    : model_(model),
      workspace_(model),
      v_r_(Eigen::VectorXd::Zero(model.nv())),
      C_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      H_(C_) {}

void TorqueSplitter::Split(const Measurement& measured, const Controller& controller,
                           const ControlOutput& output, TorqueTerms* terms) {
  v_r_ = measured.v - output.s;
  terms->inertial.noalias() = controller.H() * output.sdot_ref;
  terms->coriolis.noalias() = controller.C() * v_r_;
  UpdateKinematics<double>(model_, measured.q, measured.v, workspace_);
  CalcGravityForces<double>(model_, workspace_, terms->gravity);
  terms->feedback = output.tau - terms->inertial - terms->coriolis - terms->gravity;
  terms->torsion.setZero();
  if (controller.factorization().torsion_free()) return;
  CalcCoriolisMatrix<double>(model_, Factorization(), workspace_, {.C = C_, .H = H_});
  terms->torsion = terms->coriolis;
  terms->torsion.noalias() -= C_ * v_r_;
}

}  // namespace civita
