#include "civita/scenes/plant/body_inertia.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace civita {

void SetBodyInertia(const MassProperties& mass, int body, mjModel* m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(mass.inertia);
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1;
  const Eigen::Quaterniond q(axes);
  m->body_mass[body] = mass.mass;
  Eigen::Map<Eigen::Vector3d>(m->body_ipos + 3 * body) = mass.com;
  Eigen::Map<Eigen::Vector3d>(m->body_inertia + 3 * body) = principal.eigenvalues();
  Eigen::Map<Eigen::Vector4d>(m->body_iquat + 4 * body) << q.w(), q.x(), q.y(), q.z();
  m->body_sameframe[body] = mjSAMEFRAME_NONE;
}

}  // namespace civita
