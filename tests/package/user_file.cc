// A minimal user's source file; headers_test.cmake counts what it includes.
#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/model.h"

int main() {
  civita::ModelBuilder builder;
  const int link = builder.AddBody("link", civita::ModelBuilder::kWorld, {}, {.mass = 1});
  builder.AddJoint(link, civita::JointType::kHinge, {.name = "joint", .armature = 1});
  const civita::Model model = builder.Build();
  civita::Workspace<double> workspace(model);
  Eigen::MatrixXd C(1, 1), H(1, 1);
  civita::UpdateKinematics(model, Eigen::VectorXd::Ones(1), Eigen::VectorXd::Ones(1), workspace);
  civita::CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
}
