#pragma once

#include <Eigen/Core>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "civita/space_dynamics.h"
#include "tests/oracles/mujoco/mujoco_tree.h"

namespace civita {

/// A mechanism with closed loops, in MuJoCo and as a VelocitySpace.
struct ClosedChain {
  std::unique_ptr<mjModel, MujocoDeleter> mj;
  std::unique_ptr<mjData, MujocoDeleter> data;
  std::unique_ptr<VelocitySpace> model;
};

/// Names of all closed chains: files of the directory, and MJCF of special cases (ball joints,
/// free bodies in a loop, overconstrained loops, polynomials, several loops).
const std::vector<std::string>& ClosedChainNames();

/// @throws std::runtime_error with MuJoCo's message.
ClosedChain LoadClosedChain(const std::string& directory, const std::string& name,
                            const LoopOptions& options = {});
ClosedChain LoadClosedChainText(const std::string& mjcf, const LoopOptions& options = {});

/// A random closed configuration near the start of the model, reached by steps of order `distance`
/// along the manifold.
Eigen::VectorXd RandomClosedPosition(const VelocitySpace& model, std::mt19937* random,
                                     double distance = 0.3);

/// Moves along the constraint manifold with velocity v = A w for a time, then closes the loops.
Eigen::VectorXd SlideAlong(const VelocitySpace& model, const Eigen::VectorXd& q,
                           const Eigen::VectorXd& v, double time);

/// v̇ of the equations of motion with K v = 0 as constraints for given τ, all from MuJoCo: its
/// mass matrix, bias, and the rows of its equality constraints, differentiated along v. Solves [H
/// Kᵀ; K 0] [v̇; −λ] = [τ − bias; −K̇v] with redundant rows allowed.
Eigen::VectorXd MujocoConstrainedAcceleration(const ClosedChain& chain, const Eigen::VectorXd& q,
                                              const Eigen::VectorXd& v, const Eigen::VectorXd& tau);

/// Rows of MuJoCo's equality constraints at q, and their residuals.
struct MujocoRows {
  Eigen::MatrixXd K;
  Eigen::VectorXd gap;
};
MujocoRows CalcMujocoRows(const ClosedChain& chain, const Eigen::VectorXd& q);

}  // namespace civita
