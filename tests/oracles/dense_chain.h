#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/constraint.h"
#include "civita/factorization.h"
#include "civita/velocity_space.h"
#include "tests/oracles/random_case.h"

namespace civita {

/// The equations of motion of closed chains in their independent velocities w, by dense matrices
/// and without the core's algorithms for loops: K from the Jacobians of the loops' frames, A by
/// K A = 0 and A's rows of independent coordinates, rates of A by fourth-order differences.
class DenseChain {
 public:
  /// `model` and `loops`, those that it was made with, must outlive it.
  DenseChain(const VelocitySpace& model, const Constraints& loops) : model_(model), loops_(loops) {}

  /// At a configuration with closed loops, v = A w.
  struct Equations {
    Eigen::MatrixXd A, Adot, H, C;
    Eigen::VectorXd v;
    Eigen::VectorXd g;     ///< ḡ
    Eigen::VectorXd bias;  ///< C̄ w + ḡ
  };
  Equations Calc(const Eigen::VectorXd& q, const Eigen::VectorXd& w,
                 const Factorization& factorization) const;
  /// The matrices Γ̄_abc over a and c, by b.
  std::vector<Eigen::MatrixXd> CalcSymbols(const Eigen::VectorXd& q) const;

  /// Rows of all loops.
  Eigen::MatrixXd K(const Eigen::VectorXd& q) const;
  /// The rate of K along v (nv numbers).
  Eigen::MatrixXd RateOfK(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  Eigen::MatrixXd A(const Eigen::VectorXd& q) const;
  /// The rate of A along v (nv numbers).
  Eigen::MatrixXd RateOfA(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

 private:
  template <typename Matrix>
  Eigen::MatrixXd RateOf(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Matrix matrix) const;

  const VelocitySpace& model_;
  const Constraints& loops_;
};

/// A random tree of random loops: one or two of frames that meet at the tree's configuration, with
/// parallel axes or not, and joints that follow others, by polynomials of fourth degree. The same
/// seed gives the same chain.
struct RandomChain {
  Case tree;
  Constraints loops;
  VelocitySpace model;
};
RandomChain MakeRandomChain(unsigned seed);

}  // namespace civita
