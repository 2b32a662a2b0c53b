#pragma once

#include <Eigen/Core>
#include <memory>

namespace civita {

/// Minimizes ½xᵀG x + gᵀx subject to B x + b ≥ 0 and A x + a = 0 by the dual active-set method of
/// Goldfarb and Idnani (eiquadprog). Sized once; Solve allocates nothing.
class QuadraticProgram {
 public:
  enum class Status { kOptimal, kInfeasible, kIterations };
  static constexpr int kMaxIterations = 100;

  QuadraticProgram(int num_variables, int num_rows, int num_equalities = 0,
                   int max_iterations = kMaxIterations);
  ~QuadraticProgram();
  QuadraticProgram(QuadraticProgram&&) noexcept;
  QuadraticProgram& operator=(QuadraticProgram&&) noexcept;

  Eigen::MatrixXd G;  ///< n × n, positive definite
  Eigen::VectorXd g;  ///< n
  Eigen::MatrixXd B;  ///< rows × n
  Eigen::VectorXd b;  ///< rows
  Eigen::MatrixXd A;  ///< equalities × n, independent
  Eigen::VectorXd a;  ///< equalities
  Eigen::VectorXd x;  ///< n: the solution; undefined unless kOptimal

  Status Solve();
  int iterations() const;
  /// Multiplier λ ≥ 0 of a row of B in G x + g = Bᵀλ + Aᵀμ at the solution.
  double multiplier(int row) const;

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace civita
