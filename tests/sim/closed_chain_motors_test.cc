// Motors of closed chains: own ones and such that act on several coordinates, more and fewer than
// the chain has independent velocities.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "civita/loop_drive.h"
#include "civita/space_dynamics.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/mujoco/closed_chain.h"
#include "tests/oracles/random_model.h"

namespace civita {
namespace closed_chain_motors_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A chain at a random configuration with random motors, and what they make of a random torque.
struct Driven {
  Driven(const std::string& name, int own_motors, int shared_motors, unsigned seed)
      : random(seed), chain(LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", name)) {
    const VelocitySpace& closed = *chain.model;
    const int nv = closed.nv();
    std::vector<bool> own(static_cast<size_t>(nv), false);
    for (int k = 0; k < own_motors; ++k) own[static_cast<size_t>((3 * k + 1) % nv)] = true;
    MatrixXd shared(nv, shared_motors);
    for (int k = 0; k < shared_motors; ++k) shared.col(k) = RandomVector(nv, &random);
    int columns = 0;
    B = MatrixXd::Zero(nv, own_motors + shared_motors);
    for (int iv = 0; iv < nv; ++iv) {
      if (own[static_cast<size_t>(iv)]) B(iv, columns++) = 1;
    }
    B.rightCols(shared_motors) = shared;
    drive.emplace(closed, Transmission(own, shared), "law");
    const VectorXd q = RandomClosedPosition(closed, &random);
    SpaceWorkspace<double> workspace(closed);
    EXPECT_TRUE(UpdateKinematics<double>(closed, q, VectorXd::Zero(closed.nw()), workspace).ok());
    A = MatrixXd(nv, closed.nw());
    CalcVelocityMap<double>(closed, workspace, A);
    H = CalcCoreDynamics(closed.tree(), q, VectorXd::Zero(nv)).H;
    tau = wanted = RandomVector(nv, &random);
    MatrixXd H_w(closed.nw(), closed.nw());
    CalcMassMatrix<double>(closed, workspace, H_w);
    VectorXd tau_w = A.transpose() * wanted;
    EXPECT_TRUE(drive->Distribute(workspace.map(closed), H, H_w, tau_w, tau));
  }

  std::mt19937 random;
  ClosedChain chain;
  std::optional<LoopDrive> drive;
  MatrixXd A, B, H;
  VectorXd wanted, tau;
};

/// By name: independent velocities of the file's chain.
const std::vector<std::pair<std::string, int>>& Chains() {
  static const std::vector<std::pair<std::string, int>> chains = {
      {"four_bar", 1}, {"geared_arm", 3}, {"palletizer", 3}, {"leg_linkage", 4}};
  return chains;
}

template <typename F>
void ForMotors(F&& f) {
  for (const auto& [name, ignored] : Chains()) {
    for (const int own : {0, 1, 2, 3}) {
      for (const int shared : {0, 1, 2}) {
        for (unsigned seed = 0; seed < 3; ++seed) {
          SCOPED_TRACE(name + ", " + std::to_string(own) + " own, " + std::to_string(shared) +
                       " shared, seed " + std::to_string(seed));
          Driven driven(name, own, shared, seed);
          f(driven);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

// What is missing of the work is a best fit: BᵀA H̄⁻¹ r = 0.
TEST(ClosedChainMotors, GiveTheBestFitOfTheWork) {
  int short_of = 0, enough = 0;
  ForMotors([&](const Driven& d) {
    const MatrixXd moments = d.B.transpose() * d.A;
    VectorXd work = d.A.transpose() * d.wanted;
    for (Eigen::Index a = 0; a < work.size(); ++a) {
      if (moments.col(a).isZero(1e-14)) work[a] = 0;  // no motor reaches it
    }
    const VectorXd left = d.A.transpose() * d.tau - work;
    const MatrixXd H_w = d.A.transpose() * d.H * d.A;
    const VectorXd missing = moments * linear::SolvePositive(H_w, left);
    const double scale = moments.norm() * linear::SolvePositive(H_w, work).norm();
    EXPECT_LE(missing.norm(), 1e-9 * scale);
    const bool all = d.drive->num_undriven() == 0;
    if (all) {
      EXPECT_LE(left.norm(), 1e-9 * (1 + work.norm()));
    }
    ++(all ? enough : short_of);
    // Torques are those of motors.
    if (d.B.cols() == 0) {
      EXPECT_TRUE(d.tau.isZero(0));
      return;
    }
    const VectorXd u = linear::LeastSquares(d.B, d.tau);
    EXPECT_LE((d.B * u - d.tau).norm(), 1e-9 * (1 + d.tau.norm()));
  });
  EXPECT_GT(short_of, 20);
  EXPECT_GT(enough, 20);
}

// Of all torques of motors with the same work the least: orthogonal, in the norm of H⁻¹, to those
// that do none.
TEST(ClosedChainMotors, ShareTheWorkByTheLeastTorque) {
  int several = 0;
  ForMotors([&](Driven& d) {
    if (d.B.cols() == 0) return;
    const MatrixXd idle = d.B * linear::Kernel(d.A.transpose() * d.B);
    if (idle.isZero(1e-12)) return;
    ++several;
    const VectorXd left = idle.transpose() * linear::SolvePositive(d.H, d.tau);
    EXPECT_LE(left.norm(), 1e-8 * idle.norm() * linear::SolvePositive(d.H, d.tau).norm());
  });
  EXPECT_GT(several, 20);
}

}  // namespace closed_chain_motors_test
}  // namespace civita
