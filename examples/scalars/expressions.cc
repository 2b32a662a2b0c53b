// H, C and inverse dynamics as expressions of CasADi, of which it makes functions, derivatives and
// C code. They are held against the library's numbers.
#include <algorithm>
#include <casadi/casadi.hpp>
#include <cmath>
#include <cstdio>

#include "formulas.h"

int main() {
  using casadi::SX;
  const SX q = SX::sym("q", kNumJoints), v = SX::sym("v", kNumJoints), a = SX::sym("a", kNumJoints);
  const auto formulas = CalcDynamics(q.nonzeros(), v.nonzeros(), a.nonzeros());
  const casadi::Function dynamics("dynamics", {q, v, a},
                                  {SX(formulas.H), SX(formulas.C), SX(formulas.tau)});

  const std::vector<double> q_at = {0.4, -0.9, 1.2, 0.3}, v_at = {1, -2, 0.5, 3},
                            a_at = {2, 1, -1, 4};
  const auto numbers = CalcDynamics(q_at, v_at, a_at);
  const std::vector<casadi::DM> out = dynamics(std::vector<casadi::DM>{q_at, v_at, a_at});
  double error = 0;
  const std::vector<double>* expected[] = {&numbers.H, &numbers.C, &numbers.tau};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> x = casadi::DM::densify(out[i]).nonzeros();
    for (std::size_t k = 0; k < x.size(); ++k)
      error = std::max(error, std::abs(x[k] - (*expected[i])[k]));
  }
  std::printf("%lld operations; H, C and tau less the library's: %.1e\n",
              static_cast<long long>(dynamics.n_instructions()), error);
  return error < 1e-12 ? 0 : 1;
}
