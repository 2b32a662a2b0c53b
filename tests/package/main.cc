// Double pendulum: H and C from a MuJoCo model, with an installed civita.
#include <mujoco/mujoco.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/mujoco/convert.h"

namespace {

constexpr char kPendulum[] = R"(
<mujoco>
  <worldbody>
    <body>
      <joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>
      <body pos="0 0 -1">
        <joint axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>
      </body>
    </body>
  </worldbody>
</mujoco>)";

}  // namespace

int main() {
  char error[1000] = "";
  const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(
      mj_parseXMLString(kPendulum, nullptr, error, sizeof error), mj_deleteSpec);
  if (!spec) {
    std::cerr << error << '\n';
    return 1;
  }
  const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> mj(mj_compile(spec.get(), nullptr),
                                                               mj_deleteModel);
  const civita::Model model = civita::BuildModel(*mj);
  civita::Workspace<double> workspace(model);

  const Eigen::Vector2d q(0.3, -0.5);
  const Eigen::Vector2d v(1.0, 2.0);
  Eigen::MatrixXd C(2, 2);
  Eigen::MatrixXd H(2, 2);
  civita::UpdateKinematics(model, q, v, workspace);
  civita::CalcCoriolisMatrix(model, civita::Factorization{}, workspace, {.C = C, .H = H});
  std::cout << "H\n" << H << "\nC\n" << C << '\n';

  // With Christoffel symbols a planar double pendulum has C = h sin q2 [v2, v1 + v2; -v1, 0].
  const bool ok = std::abs(C(1, 1)) < 1e-12 && std::abs(C(0, 0) * 3 - C(0, 1) * 2) < 1e-12 &&
                  std::abs(C(0, 0) + 2 * C(1, 0)) < 1e-12 && std::abs(C(0, 0)) > 0.1;
  return ok ? 0 : 1;
}
