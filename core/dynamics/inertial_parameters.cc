#include <vector>

#include "civita/centroidal.h"
#include "civita/regressor.h"

namespace civita {
namespace {

BodyParameters Stack(double m, const Eigen::Vector3d& h, const Eigen::Matrix3d& I) {
  BodyParameters parameters;
  parameters << m, h, I.diagonal(), I(0, 1), I(0, 2), I(1, 2);
  return parameters;
}

}  // namespace

double CalcTotalMass(const Model& model) {
  double mass = 0;
  for (const Model::Body& body : model.bodies()) mass += body.mass.mass;
  return mass;
}

BodyParameters CalcBodyParameters(const MassProperties& mass) {
  const Eigen::Matrix3d c = Skew<double>(mass.com);
  return Stack(mass.mass, mass.mass * mass.com, mass.inertia - mass.mass * c * c);
}

BodyParameters CalcFrameParameters(const Model& model, const Model::NamedFrame& frame) {
  if (frame.body < 0) return BodyParameters::Zero();
  const MassProperties& mass = model.bodies()[static_cast<size_t>(frame.body)].mass;
  const Eigen::Matrix3d R_FB = frame.X_BF.R.transpose();
  return CalcBodyParameters(
      {mass.mass, R_FB * (mass.com - frame.X_BF.p), R_FB * mass.inertia * frame.X_BF.R});
}

Eigen::VectorXd CalcModelParameters(const Model& model) {
  Eigen::VectorXd parameters =
      Eigen::VectorXd::Zero(kNumBodyParameters * static_cast<Eigen::Index>(model.frames().size()));
  std::vector<bool> given(model.bodies().size(), false);
  for (size_t f = 0; f < model.frames().size(); ++f) {
    const Model::NamedFrame& frame = model.frames()[f];
    if (frame.body < 0 || given[static_cast<size_t>(frame.body)]) continue;
    given[static_cast<size_t>(frame.body)] = true;
    parameters.segment<kNumBodyParameters>(kNumBodyParameters * static_cast<Eigen::Index>(f)) =
        CalcFrameParameters(model, frame);
  }
  return parameters;
}

}  // namespace civita
