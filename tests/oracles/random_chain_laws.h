#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "civita/external_forces.h"
#include "civita/space_kinematics.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dense_chain.h"

namespace civita {

/// The random closed chain of a seed, with a motion and an external force.
class RandomChainLaws : public testing::TestWithParam<unsigned> {
 protected:
  const VelocitySpace& model() const { return chain_.model; }
  const Model& tree() const { return model().tree(); }
  int nv() const { return model().nv(); }
  int nw() const { return model().nw(); }
  const Eigen::MatrixXd& A() const { return workspace_.map(model()).A; }

  std::mt19937 random_{GetParam() + 40};
  RandomChain chain_ = MakeRandomChain(GetParam());
  SpaceWorkspace<double> workspace_{model()};
  Eigen::VectorXd w_ = RandomVector(nw(), &random_), wdot_ = RandomVector(nw(), &random_);
  std::vector<ExternalForce<double>> forces_ = {
      ForceOnFrame(tree().frames().back(), {0.1, -0.2, 0.3}, RandomVector(3, &random_),
                   RandomVector(3, &random_))};
};

}  // namespace civita
