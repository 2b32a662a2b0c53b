#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "civita/batch_dynamics.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"
#include "civita/suggest.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/dynamics.h"

// For civita.bench: what the calls cost in C++.

namespace civita::python {
namespace {

using Eigen::MatrixXd;

/// A calculation for the states of a batch, one by one and together.
struct Timed {
  std::string name;
  std::function<void(Index state)> one;
  std::function<void()> all;  ///< empty if there is no batch kernel
};

/// Processor time of a call, s: the fastest of five runs of some milliseconds each.
double Time(const std::function<void()>& call) {
  const auto seconds = [&](int repetitions) {
    const double start = internal::CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < repetitions; ++i) call();
    return internal::CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  };
  constexpr double kRun = 0.02;
  int repetitions = 1;
  while (seconds(repetitions) < kRun) repetitions *= 2;
  double best = seconds(repetitions);
  for (int run = 0; run < 4; ++run) best = std::min(best, seconds(repetitions));
  return best / repetitions;
}

/// Processor time per state in C++, s, one by one and in a batch (0: none), at Q and V.
std::pair<double, double> TimeInCpp(const Dynamics& d, const std::string& name, nb::handle Q_in,
                                    nb::handle V_in) {
  const Model& model = d.model();
  const int n = model.nv();
  const MatrixXd Q = ReadArray(Q_in, "Q", model.nq()).columns(),
                 V = ReadArray(V_in, "V", n).columns();
  const Index m = Q.cols();
  Workspace<double> at(model);
  BatchDynamics batch(model, d.threads());
  MatrixXd H(n, n), C(n, n), D(n, n), Hs(n, n * m), Cs(n, n * m), taus(n, m);
  Eigen::VectorXd tau(n);
  const auto set = [&](Index s) { UpdateKinematics<double>(model, Q.col(s), V.col(s), at); };
  const std::vector<Timed> table = {
      {"mass_matrix",
       [&](Index s) {
         UpdateKinematics<double>(model, Q.col(s), at);
         CalcMassMatrix<double>(model, at, H);
       },
       [&] { batch.CalcMassMatrices(Q, Hs); }},
      {"coriolis_matrix",
       [&](Index s) {
         set(s);
         CalcCoriolisMatrix<double>(model, d.factorization(), at, {.C = C, .H = H});
       },
       [&] { batch.CalcCoriolisMatrices(Q, V, {.C = Cs, .H = Hs}); }},
      {"rnea",
       [&](Index s) {
         set(s);
         CalcInverseDynamics<double>(model, V.col(s), at, tau);
       },
       [&] { batch.CalcInverseDynamics(Q, V, V, taus); }},
      {"rnea_derivatives",
       [&](Index s) {
         set(s);
         CalcInverseDynamicsDerivatives<double>(model, V.col(s), at, C, D, H);
       },
       {}},
  };
  std::vector<std::string> names;
  for (const Timed& timed : table) {
    names.push_back(timed.name);
    if (timed.name != name) continue;
    const nb::gil_scoped_release release;
    Index state = 0;
    const double one = Time([&] {
      timed.one(state);
      state = (state + 1) % m;
    });
    return {one, timed.all ? Time(timed.all) / static_cast<double>(m) : 0};
  }
  throw UserError(UnknownName("quantity", name, names));
}

}  // namespace

void BindTiming(nb::module_& module) {
  module.def(
      "time_in_cpp", TimeInCpp, nb::arg("dynamics"), nb::arg("name"), nb::arg("Q"), nb::arg("V"),
      nb::sig("def time_in_cpp(dynamics: Dynamics, name: str, Q: ArrayLike, V: ArrayLike) -> "
              "tuple[float, float]"),
      "Processor time per state in C++, s, one by one and in a batch (0: no batch kernel).");
}

}  // namespace civita::python
