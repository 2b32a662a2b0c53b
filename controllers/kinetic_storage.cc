#include "civita/controllers/kinetic_storage.h"

#include "civita/error.h"

namespace civita {

StorageState CalcKineticStorage(const PlantState& plant, const ControlOutput& output,
                                Eigen::VectorXd& scratch) {
  const Eigen::VectorXd& s = output.s;
  CIVITA_CHECK(
      plant.H.rows() == s.size() && plant.Hdot.rows() == s.size() && plant.vdot.size() == s.size(),
      "the plant has nv = " << plant.H.rows() << ", the law " << s.size());
  StorageState storage;
  scratch.noalias() = plant.H * s;
  storage.V = 0.5 * s.dot(scratch);
  storage.Vdot = scratch.dot(plant.vdot) - scratch.dot(output.sdot_ref);
  scratch.noalias() = plant.Hdot * s;
  storage.Vdot += 0.5 * s.dot(scratch);
  return storage;
}

}  // namespace civita
