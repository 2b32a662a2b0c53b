#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/random_model.h"

namespace civita {

/// A random mechanism at a random state, for laws.
struct Case {
  TreeSpec spec;
  Model model;
  Eigen::VectorXd q, v;
};

inline Case MakeCase(unsigned seed, const RandomTreeOptions& options = {}) {
  TreeSpec spec = RandomTree(seed, options);
  Model model = BuildTree(spec);
  std::mt19937 random(seed + 5000);
  Eigen::VectorXd q = RandomPosition(spec, &random);
  Eigen::VectorXd v = RandomVector(spec.nv, &random);
  return {std::move(spec), model, std::move(q), std::move(v)};
}

inline Eigen::Matrix3Xd RandomS(int nv, std::mt19937* random) {
  Eigen::Matrix3Xd S(3, nv);
  for (int i = 0; i < 3; ++i) S.row(i) = RandomVector(nv, random);
  return S;
}

/// Every kind of factorization, alone and combined.
inline std::vector<Factorization> AllFactorizations(const Case& c, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Factorization> all;
  for (const double t : {0.0, 1.0, -1.0, 0.3, -7.0}) all.push_back(Factorization::Torsion(t));
  Factorization joint;
  joint.joint_injections = {{.beta = -1.7, .S = RandomS(c.model.nv(), &random), .file = "S.csv"}};
  all.push_back(joint);
  // Functions of q, two terms over the joints and a three-form.
  const auto wave = [](double phase) {
    return Coefficient("{wave}",
                       [phase](const Eigen::VectorXd& q) { return std::sin(phase + q.sum()); });
  };
  Factorization functions = joint;
  functions.joint_injections.push_back({wave(0.3), RandomS(c.model.nv(), &random), "S.csv"});
  if (const int nv = c.model.nv(); nv >= 4) {
    functions.three_forms = {{{{0, nv - 1, 1, 0.7}, {2, 1, nv - 1, wave(-1)}}, "omega.csv"}};
  }
  const auto moving = std::ranges::find_if(
      c.model.frames(), [](const Model::NamedFrame& frame) { return frame.body >= 0; });
  all.push_back(functions.Inject(c.model, moving->name, Factorization::Part::kLinear, wave(1)));
  Factorization together = joint;
  together.t = 0.4;
  for (const Model::NamedFrame& frame : c.model.frames()) {
    if (frame.body < 0) continue;
    using Part = Factorization::Part;
    for (const Part part : {Part::kAngular, Part::kLinear}) {
      all.push_back(Factorization::Christoffel().Inject(c.model, frame.name, part, 0.8));
      together = together.Inject(c.model, frame.name, part, -0.3);
    }
  }
  all.push_back(together);
  return all;
}

}  // namespace civita
