#include "civita/controllers/legs/quadratic_program.h"

#include <eiquadprog/eiquadprog-fast.hpp>

namespace civita {

struct QuadraticProgram::Solver {
  eiquadprog::solvers::EiquadprogFast solve;
};

QuadraticProgram::QuadraticProgram(int num_variables, int num_rows, int num_equalities,
                                   int max_iterations)
    : G(Eigen::MatrixXd::Identity(num_variables, num_variables)),
      g(Eigen::VectorXd::Zero(num_variables)),
      B(Eigen::MatrixXd::Zero(num_rows, num_variables)),
      b(Eigen::VectorXd::Zero(num_rows)),
      A(Eigen::MatrixXd::Zero(num_equalities, num_variables)),
      a(Eigen::VectorXd::Zero(num_equalities)),
      x(g),
      solver_(std::make_unique<Solver>()) {
  solver_->solve.reset(static_cast<size_t>(num_variables), static_cast<size_t>(num_equalities),
                       static_cast<size_t>(num_rows));
  solver_->solve.setMaxIter(max_iterations);
  Solve();  // makes the solver allocate its memory
}

QuadraticProgram::~QuadraticProgram() = default;
QuadraticProgram::QuadraticProgram(QuadraticProgram&&) noexcept = default;
QuadraticProgram& QuadraticProgram::operator=(QuadraticProgram&&) noexcept = default;

QuadraticProgram::Status QuadraticProgram::Solve() {
  namespace solvers = eiquadprog::solvers;
  switch (solver_->solve.solve_quadprog(G, g, A, a, B, b, x)) {
    case solvers::EIQUADPROG_FAST_OPTIMAL:
      return Status::kOptimal;
    case solvers::EIQUADPROG_FAST_MAX_ITER_REACHED:
      return Status::kIterations;
    default:
      return Status::kInfeasible;
  }
}

int QuadraticProgram::iterations() const { return solver_->solve.getIteratios(); }

double QuadraticProgram::multiplier(int row) const {
  const auto active = solver_->solve.getActiveSet().head(
      static_cast<Eigen::Index>(solver_->solve.getActiveSetSize()));
  for (Eigen::Index i = 0; i < active.size(); ++i) {
    if (active[i] == row) return solver_->solve.getLagrangeMultipliers()[i];
  }
  return 0;
}

}  // namespace civita
