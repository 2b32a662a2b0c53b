// What a law promises of its storage function, on the plant's true motion.
#pragma once

#include <Eigen/Core>

#include "civita/model.h"

namespace civita {

/// The plant at a control step: the true motion, which may differ from what the law measures.
struct PlantState {
  const Model& model;
  const Eigen::VectorXd &q, &v, &vdot;  ///< vdot: the plant's actual acceleration
  const Eigen::MatrixXd &H, &Hdot;
};

/// A storage function at one time: V in J (or the law's own unit), its rate with the motion's
/// actual acceleration, and the dissipation P that the law guarantees: V̇ = −P except for model
/// errors and external forces.
struct StorageState {
  double V = 0, Vdot = 0, P = 0;
  double V_estimation = 0;  ///< the part of V due to errors of the law's own estimates
};

}  // namespace civita
