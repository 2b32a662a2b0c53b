#include "civita/controllers/kinetic_storage.h"

namespace civita {

StorageState CalcKineticStorage(const PlantState& plant, const ControlOutput& output,
                                Eigen::VectorXd& scratch) {
  const Eigen::VectorXd& s = output.s;
  StorageState storage;
  scratch.noalias() = plant.H * s;
  storage.V = 0.5 * s.dot(scratch);
  storage.Vdot = scratch.dot(plant.vdot) - scratch.dot(output.sdot_ref);
  scratch.noalias() = plant.Hdot * s;
  storage.Vdot += 0.5 * s.dot(scratch);
  return storage;
}

}  // namespace civita
