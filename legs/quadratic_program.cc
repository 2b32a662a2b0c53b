#include "civita/controllers/legs/quadratic_program.h"

#include <eiquadprog/eiquadprog-fast.hpp>

namespace civita {

struct QuadraticProgram::Solver {
  eiquadprog::solvers::EiquadprogFast solve;
};

QuadraticProgram::QuadraticProgram(int num_variables, int num_rows)
    : G(Eigen::MatrixXd::Identity(num_variables, num_variables)),
      g(Eigen::VectorXd::Zero(num_variables)),
      B(Eigen::MatrixXd::Zero(num_rows, num_variables)),
      b(Eigen::VectorXd::Zero(num_rows)),
      x(g),
      solver_(std::make_unique<Solver>()),
      no_rows_(0, num_variables),
      no_numbers_(0) {
  solver_->solve.reset(static_cast<size_t>(num_variables), 0, static_cast<size_t>(num_rows));
  solver_->solve.setMaxIter(kMaxIterations);
  Solve();  // makes the solver allocate its memory
}

QuadraticProgram::~QuadraticProgram() = default;
QuadraticProgram::QuadraticProgram(QuadraticProgram&&) noexcept = default;
QuadraticProgram& QuadraticProgram::operator=(QuadraticProgram&&) noexcept = default;

QuadraticProgram::Status QuadraticProgram::Solve() {
  namespace solvers = eiquadprog::solvers;
  switch (solver_->solve.solve_quadprog(G, g, no_rows_, no_numbers_, B, b, x)) {
    case solvers::EIQUADPROG_FAST_OPTIMAL:
      return Status::kOptimal;
    case solvers::EIQUADPROG_FAST_MAX_ITER_REACHED:
      return Status::kIterations;
    default:
      return Status::kInfeasible;
  }
}

int QuadraticProgram::iterations() const { return solver_->solve.getIteratios(); }

}  // namespace civita
