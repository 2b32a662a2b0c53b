#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/passive_forces.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {

/// A random mechanism at a random state, and a random desired motion.
struct ControlCase {
  TreeSpec spec;
  Model model;
  Eigen::VectorXd q, v;
  ReferenceState reference;
};

inline ControlCase MakeControlCase(unsigned seed, bool passive = false) {
  TreeSpec spec = RandomTree(seed, {.passive = passive});
  Model model = BuildTree(spec);
  std::mt19937 random(seed + 9000);
  Eigen::VectorXd q = RandomPosition(spec, &random);
  Eigen::VectorXd v = RandomVector(spec.nv, &random);
  ReferenceState reference{RandomPosition(spec, &random), RandomVector(spec.nv, &random),
                           RandomVector(spec.nv, &random)};
  return {std::move(spec), model, std::move(q), std::move(v), std::move(reference)};
}

inline bool HasRotation(const Model& model) {
  for (const Model::NamedJoint& joint : model.joints()) {
    if (RotationOffset(joint.type) >= 0) return true;
  }
  return false;
}

/// The passive joint forces, with friction smoothed as in the laws' feedforward.
inline Eigen::VectorXd PassiveForces(const Model& model, const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& v) {
  Eigen::VectorXd force = Eigen::VectorXd::Zero(model.nv());
  AddPassiveForces(model, q, v, {.speed = kFrictionVelocity}, 1, force);
  return force;
}

/// v̇ of H v̇ + C v + g = τ + passive forces.
inline Eigen::VectorXd Accelerate(const Model& model, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {
  const CoreDynamics d = CalcCoreDynamics(model, q, v);
  return linear::SolvePositive(d.H, tau + PassiveForces(model, q, v) - d.bias);
}

/// One control step on a plant, and the storage at the plant's resulting acceleration.
struct StepResult {
  ControlOutput output;
  CoreDynamics plant;
  Eigen::VectorXd vdot;
  StorageState storage;
  /// Magnitude of the terms of V̇, for relative errors.
  double scale = 1;

  PlantState plant_state(const ControlCase& c) const {
    return {c.model, c.q, c.v, vdot, plant.H, plant.Hdot};
  }
};

inline StepResult RunStep(const ControlCase& c, Controller* controller,
                          const Eigen::VectorXd& tau_ext) {
  StepResult r{ControlOutput(*controller), CalcCoreDynamics(c.model, c.q, c.v), {}, {}, 1};
  EXPECT_TRUE(controller->CalcControl({0, c.q, c.v}, c.reference, r.output));
  r.vdot = Accelerate(c.model, c.q, c.v, r.output.tau + tau_ext);
  r.storage = controller->CalcStorage(r.plant_state(c), r.output);
  r.scale = std::max({1.0, std::abs(r.storage.P), std::abs(r.storage.Vdot),
                      r.output.s.norm() * (r.plant.H * r.vdot).norm()});
  return r;
}

inline StepResult RunStep(const ControlCase& c, Controller* controller) {
  return RunStep(c, controller, Eigen::VectorXd::Zero(c.model.nv()));
}

/// dV/dt by differences along a motion through the step's state with its acceleration; reference
/// and law state move too.
inline double DifferentiateStorage(const ControlCase& c, const StepResult& r,
                                   Controller* controller) {
  const Eigen::VectorXd x = controller->state();
  Eigen::VectorXd xdot = x;
  controller->CalcStateRate(r.output.tau, r.output, xdot);
  const auto V = [&](double t) {
    ControlCase at = c;
    at.q = SlowIntegrate(c.spec, c.q, c.v, t);
    at.v = c.v + t * r.vdot;
    at.reference.q = SlowIntegrate(c.spec, c.reference.q, c.reference.v, t);
    at.reference.v = c.reference.v + t * c.reference.vdot;
    controller->set_state(x + t * xdot);
    return RunStep(at, controller).storage.V;
  };
  const double h = 1e-3 / std::max({1.0, r.vdot.norm(), xdot.norm()});
  const double rate = (8 * (V(h) - V(-h)) - (V(2 * h) - V(-2 * h))) / (12 * h);
  controller->set_state(x);
  return rate;
}

/// Every factorization covered by the proofs, with an injection at the last moving body.
inline std::vector<Factorization> AdmissibleFactorizations(const Model& model) {
  std::vector<Factorization> all;
  for (const double t : {0.0, 1.0, -1.0, 0.3, -7.0}) all.push_back(Factorization::Torsion(t));
  Factorization joint;
  std::mt19937 random(1);
  Eigen::Matrix3Xd S(3, model.nv());
  for (int i = 0; i < 3; ++i) S.row(i) = RandomVector(model.nv(), &random);
  joint.joint_injections = {{.beta = -5, .S = S, .file = "S.csv"}};
  all.push_back(joint);
  for (const Model::NamedFrame& frame : model.frames()) {
    if (frame.body < 0) continue;
    using Part = Factorization::Part;
    all.push_back(Factorization::Christoffel()
                      .Inject(model, frame.name, Part::kAngular, 2.5)
                      .Inject(model, frame.name, Part::kLinear, -1.5));
  }
  return all;
}

inline std::unique_ptr<Controller> MakeController(std::string_view type, const Model& model,
                                                  GainForm gain_form = GainForm::kMass,
                                                  const Factorization& factorization = {}) {
  return FindLaw(type).make(
      model,
      {.factorization = factorization, .gain_form = gain_form, .q_start = model.DefaultPosition()});
}

}  // namespace civita
