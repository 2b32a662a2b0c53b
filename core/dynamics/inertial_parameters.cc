#include <vector>

#include "civita/centroidal.h"
#include "civita/error.h"
#include "civita/regressor.h"
#include "core/model/internal/placed_mass.h"

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

/// The inverse of CalcBodyParameters. What rounding leaves about the centre of a point mass is
/// zero.
MassProperties CalcMassProperties(const BodyParameters& parameters) {
  constexpr double kRounding = 1e-12;
  const auto& x = parameters;
  MassProperties mass{.mass = x[0]};
  if (!x.segment<3>(1).isZero(0)) mass.com = x.segment<3>(1) / x[0];
  Eigen::Matrix3d I;
  I << x[4], x[7], x[8], x[7], x[5], x[9], x[8], x[9], x[6];
  mass.inertia = I - internal::PointInertia(mass.mass, mass.com);
  if (mass.inertia.norm() <= kRounding * I.norm()) mass.inertia.setZero();
  return mass;
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

Model WithModelParameters(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& parameters,
                          bool any_moments) {
  const auto wanted = kNumBodyParameters * static_cast<Eigen::Index>(BodyFrames(model).size());
  CIVITA_CHECK(parameters.size() == wanted,
               parameters.size() << " parameters, the model's bodies have " << wanted);
  ModelBuilder changed(model);
  if (any_moments) changed.allow_impossible_moments();
  std::vector<bool> taken(model.bodies().size(), false);
  Eigen::Index first = 0;
  for (size_t b = 0; b < model.frames().size(); ++b) {
    if (model.frames()[b].body < 0) continue;
    MassProperties mass;
    if (IsFirst(model.frames()[b], &taken)) {
      mass = CalcMassProperties(parameters.segment<kNumBodyParameters>(first));
      first += kNumBodyParameters;
    }
    changed.SetMass(static_cast<int>(b), mass);
  }
  return changed.Build();
}

}  // namespace civita
