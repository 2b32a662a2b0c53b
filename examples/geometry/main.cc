// The connections of two factorizations of C. Both keep the metric H and have the same geodesics;
// one has torsion, and turns what is carried along them another way.
#include <cstdio>

#include "civita/geometry/connection.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/geometry/torsion.h"
#include "civita/geometry/transport.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/model.h"

int main() {
  // A rod on a ball joint that an arm on a hinge carries.
  civita::ModelBuilder builder;
  const Eigen::Matrix3d inertia = Eigen::Vector3d(0.02, 0.025, 0.01).asDiagonal();
  const int arm = builder.AddBody("arm", builder.kWorld, {}, {1, {0.2, 0, 0}, inertia});
  builder.AddJoint(arm, civita::JointType::kHinge, {.name = "hinge", .axis = {0, 0, 1}});
  const int rod = builder.AddBody("rod", arm, {.p = {0.4, 0, 0}}, {1, {0.1, 0, -0.2}, inertia});
  builder.AddJoint(rod, civita::JointType::kBall, {.name = "ball"});
  const civita::Model model = builder.Build();
  const int nv = model.nv();

  civita::Workspace<double> workspace(model);
  const auto mass_matrix = [&](const Eigen::VectorXd& q) {
    Eigen::MatrixXd H(nv, nv);
    civita::UpdateKinematics(model, q, workspace);
    civita::CalcMassMatrix(model, workspace, H);
    return H;
  };
  const Eigen::VectorXd q0 = model.DefaultPosition();
  const civita::Tensor3 s =
      civita::LowerFirstIndex(mass_matrix(q0), civita::CalcStructureConstants(model));
  const civita::Tensor3 rates = civita::CalcMetricRates(model, q0);
  civita::Factorization factorization;  // the Christoffel-consistent one, then with torsion
  Eigen::VectorXd end[2], carried[2];
  bool ok = true;
  for (const int t : {0, 1}) {
    factorization.t = t;
    const auto Gamma = civita::CalcConnection(model, factorization, q0, workspace);
    const auto residuals = civita::CalcConnectionResiduals(Gamma, rates, s);
    // One second along the geodesic of column 0, with a second vector that is carried in parallel.
    const auto connection = civita::ConnectionOf(model, factorization);
    Eigen::VectorXd q = q0;
    Eigen::MatrixXd W(nv, 2);
    W << Eigen::Vector4d(1, 2, -1, 0.5), Eigen::Vector4d::UnitY();
    const Eigen::MatrixXd before = W.transpose() * mass_matrix(q0) * W;
    for (int k = 0; k < 500 && ok; ++k) {
      ok = civita::StepGeodesic(model, connection, 0.002, q, W).ok();
    }
    const double drift = (W.transpose() * mass_matrix(q) * W - before).norm();
    end[t] = q, carried[t] = W.col(1);
    std::printf("t = %d: torsion %.1e, residual of the metric %.1e, drift of lengths %.1e\n", t,
                residuals.torsion, residuals.metric, drift);
    ok = ok && residuals.metric < 1e-12 && drift < 1e-8 && (residuals.torsion > 1e-3) == (t == 1);
  }
  const double ends = (end[1] - end[0]).norm(), turned = (carried[1] - carried[0]).norm();
  std::printf("ends of the geodesics apart %.1e, carried vectors %.2f\n", ends, turned);
  return ok && ends < 1e-8 && turned > 0.1 ? 0 : 1;
}
