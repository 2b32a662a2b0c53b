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

/// Whether the frame moves, on a body that is not taken yet, and takes it.
bool IsFirst(const Model::NamedFrame& frame, std::vector<bool>* taken) {
  if (frame.body < 0 || (*taken)[static_cast<size_t>(frame.body)]) return false;
  (*taken)[static_cast<size_t>(frame.body)] = true;
  return true;
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

std::vector<Model::NamedFrame> BodyFrames(const Model& model) {
  std::vector<bool> taken(model.bodies().size(), false);
  std::vector<Model::NamedFrame> frames;
  for (const Model::NamedFrame& frame : model.frames()) {
    if (IsFirst(frame, &taken)) frames.push_back(frame);
  }
  return frames;
}

Eigen::VectorXd CalcModelParameters(const Model& model, std::span<const Model::NamedFrame> frames) {
  Eigen::VectorXd parameters =
      Eigen::VectorXd::Zero(kNumBodyParameters * static_cast<Eigen::Index>(frames.size()));
  std::vector<bool> taken(model.bodies().size(), false);
  for (size_t f = 0; f < frames.size(); ++f) {
    if (!IsFirst(frames[f], &taken)) continue;
    parameters.segment<kNumBodyParameters>(kNumBodyParameters * static_cast<Eigen::Index>(f)) =
        CalcFrameParameters(model, frames[f]);
  }
  return parameters;
}

}  // namespace civita
