#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/christoffel.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/regressor.h"
#include "civita/space_dynamics.h"
#include "python/src/arguments.h"
#include "python/src/bind.h"
#include "python/src/closed_chain_docs.h"
#include "python/src/closed_chain_dynamics.h"
#include "python/src/compute.h"
#include "python/src/keyword_out.h"
#include "python/src/signatures.h"
#include "python/src/wrenches.h"

// The class ClosedChainDynamics.

namespace civita::python {
namespace {

using Chains = ClosedChainDynamics;
using At = ClosedChainWorker;
using VectorMap = Eigen::Map<Eigen::VectorXd>;

/// A vector of nw numbers at q, w and x, under external forces: calc(worker, x, forces, vector).
template <typename Calc>
nb::object UnderForces(Chains& d, nb::handle q_in, nb::handle w_in, const Extra& extra,
                       nb::handle forces_in, nb::handle out, const Calc& calc) {
  const int n = d.nw();
  const ArrayIn q = ReadArray(q_in, "q", d.nq()), w = ReadArray(w_in, "w", n),
                x = ReadArray(extra.argument, extra.name, n);
  const std::optional<Index> count = CountOf({&q, &w, &x}, {"q", "w", extra.name});
  const Results<1> results(count, {{n}}, out, {&q, &w, &x});
  const Wrenches forces(d.model(), forces_in, count);
  d.ForEachState(count, [&](At& at, Index s) {
    d.Update(at, s, q[s], w[s]);
    calc(at, x[s], forces.At(s), VectorMap(results[s][0], n));
  });
  return results.ToPython();
}

nb::object Close(Chains& d, nb::handle q_in, nb::handle out) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{d.nq()}}, out, {&q});
  d.ForEachState(q.count, [&](At& at, Index s) {
    Eigen::VectorXd closed = q[s];
    d.Check(CloseLoops(d.chain(), at.workspace, closed), s);
    VectorMap(results[s][0], d.nq()) = closed;
  });
  return results.ToPython();
}

nb::object Condition(Chains& d, nb::handle q_in) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{}}, nb::none(), {&q});
  d.ForEachState(q.count, [&](At& at, Index s) {
    *results[s][0] = UpdateKinematics<double>(d.chain(), q[s], at.workspace).condition;
  });
  return ToNumber(results.ToPython());
}

nb::object VelocityMapOf(Chains& d, nb::handle q, nb::handle out) {
  return MatrixAtQ(d, q, d.nv(), out, [&](At& at, Eigen::MatrixXd& A) {
    CalcVelocityMap<double>(d.chain(), at.workspace, A);
  });
}

nb::object VelocityMapDerivative(Chains& d, nb::handle q, nb::handle w, nb::handle out) {
  return MatrixAtQV(d, q, w, d.nv(), out, [&](At& at, Eigen::MatrixXd& Adot) {
    Adot = at.workspace.map(d.chain()).Adot;
  });
}

nb::object TreeVelocity(Chains& d, nb::handle q, nb::handle w, nb::handle out) {
  return AtQV(d, {q, w}, {{d.nv()}}, out, [&](At& at, const auto& to, const auto&) {
    VectorMap(to[0], d.nv()) = at.workspace.tree().v();
  });
}

nb::object TreeAcceleration(Chains& d, nb::handle q_in, nb::handle w_in, nb::handle wdot_in,
                            nb::handle out) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq()), w = ReadArray(w_in, "w", d.nw()),
                wdot = ReadArray(wdot_in, "wdot", d.nw());
  const std::optional<Index> count = CountOf({&q, &w, &wdot}, {"q", "w", "wdot"});
  const Results<1> results(count, {{d.nv()}}, out, {&q, &w, &wdot});
  d.ForEachState(count, [&](At& at, Index s) {
    d.Update(at, s, q[s], w[s]);
    CalcTreeAcceleration<double>(d.chain(), w[s], wdot[s], at.workspace,
                                 VectorMap(results[s][0], d.nv()));
  });
  return results.ToPython();
}

nb::object ReducedForces(Chains& d, nb::handle q_in, nb::handle tau_in, nb::handle out) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq()), tau = ReadArray(tau_in, "tau", d.nv());
  const std::optional<Index> count = CountOf({&q, &tau}, {"q", "tau"});
  const Results<1> results(count, {{d.nw()}}, out, {&q, &tau});
  d.ForEachState(count, [&](At& at, Index s) {
    d.Update(at, s, q[s]);
    CalcReducedForces<double>(d.chain(), tau[s], at.workspace, VectorMap(results[s][0], d.nw()));
  });
  return results.ToPython();
}

nb::object MassMatrix(Chains& d, nb::handle q, nb::handle out) {
  return MatrixAtQ(d, q, d.nw(), out, [&](At& at, Eigen::MatrixXd& H) {
    CalcMassMatrix<double>(d.chain(), at.workspace, H);
  });
}

nb::object MassMatrixDerivative(Chains& d, nb::handle q, nb::handle w, nb::handle out) {
  return MatrixAtQV(d, q, w, d.nw(), out, [&](At& at, Eigen::MatrixXd& Hdot) {
    CalcMassMatrixDerivative<double>(d.chain(), at.workspace, Hdot);
  });
}

nb::object CoriolisMatrix(Chains& d, nb::handle q, nb::handle w, nb::handle out) {
  const int n = d.nw();
  return AtQV(d, {q, w}, {{n, n}, {n, n}}, out, [&](At& at, const auto& to, const auto&) {
    at.Fill(to, n, n, [&](auto& M) {
      CalcCoriolisMatrix<double>(d.chain(), at.factorization, at.workspace, {.C = M[1], .H = M[0]});
    });
  });
}

nb::object CoriolisProduct(Chains& d, nb::handle q, nb::handle w, nb::handle x, nb::handle out) {
  return AtQV(d, {q, w, {x, "x"}}, {{d.nw()}}, out, [&](At& at, const auto& to, const auto& y) {
    CalcCoriolisProduct<double>(d.chain(), at.factorization, y[0], at.workspace,
                                VectorMap(to[0], d.nw()));
  });
}

nb::object CoriolisTransposeProduct(Chains& d, nb::handle q, nb::handle w, nb::handle x,
                                    nb::handle out) {
  return AtQV(d, {q, w, {x, "x"}}, {{d.nw()}}, out, [&](At& at, const auto& to, const auto& y) {
    CalcCoriolisTransposeProduct<double>(d.chain(), at.factorization, y[0], at.workspace,
                                         VectorMap(to[0], d.nw()));
  });
}

/// The order of ChristoffelIndex is the other way round than an array's.
nb::object ChristoffelSymbols(Chains& d, nb::handle q, nb::handle out) {
  const Index n = d.nw(), m = d.nv();
  return AtQ(d, q, {{n, n, n}}, out, [&](At& at, const auto& to) {
    Eigen::MatrixXd &tree = at.matrices[0], &Gamma = at.matrices[1];
    tree.resize(m * m * m, 1);
    Gamma.resize(n * n * n, 1);
    const auto span = [](Eigen::MatrixXd& x) {
      return std::span(x.data(), static_cast<std::size_t>(x.size()));
    };
    CalcChristoffelSymbols<double>(d.chain(), at.workspace, span(tree), span(Gamma));
    double* number = to[0];
    for (Index a = 0; a < n; ++a) {
      for (Index b = 0; b < n; ++b) {
        for (Index c = 0; c < n; ++c) *number++ = Gamma((c * n + b) * n + a);
      }
    }
  });
}

nb::object Connection(Chains& d, nb::handle q_in, nb::handle out) {
  const int n = d.nw();
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{n, n, n}}, out, {&q});
  d.ForEachState(q.count, [&](At& at, Index s) {
    Tensor3 Gamma(n);
    d.Check(CalcConnection(d.chain(), at.factorization, q[s], at.workspace, Gamma), s);
    double* number = results[s][0];
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        for (int c = 0; c < n; ++c) *number++ = Gamma(a, b, c);
      }
    }
  });
  return results.ToPython();
}

nb::object Gravity(Chains& d, nb::handle q, nb::handle out) {
  return AtQ(d, q, {{d.nw()}}, out, [&](At& at, const auto& to) {
    CalcGravityForces<double>(d.chain(), at.workspace, VectorMap(to[0], d.nw()));
  });
}

nb::object BiasForces(Chains& d, nb::handle q, nb::handle w, nb::handle out) {
  return AtQV(d, {q, w}, {{d.nw()}}, out, [&](At& at, const auto& to, const auto&) {
    CalcBiasForces<double>(d.chain(), at.workspace, VectorMap(to[0], d.nw()));
  });
}

nb::object Rnea(Chains& d, nb::handle q, nb::handle w, nb::handle wdot, nb::handle forces,
                nb::handle out) {
  return UnderForces(d, q, w, {wdot, "wdot"}, forces, out,
                     [&](At& at, const auto& x, const auto& f, VectorMap tau) {
                       CalcInverseDynamics<double>(d.chain(), x, at.workspace, tau, f);
                     });
}

nb::object ForwardDynamics(Chains& d, nb::handle q, nb::handle w, nb::handle tau, nb::handle forces,
                           nb::handle out) {
  return UnderForces(
      d, q, w, {tau, "tau"}, forces, out,
      [&](At& at, const auto& x, const auto& f, VectorMap wdot) {
        RefuseSingular(CalcForwardDynamics<double>(d.chain(), x, at.workspace, wdot, f));
      });
}

nb::object PassivityRnea(Chains& d, nb::handle q, nb::handle w, nb::handle w_r, nb::handle wdot_r,
                         nb::handle out) {
  return AtQV(d, {q, w, {w_r, "w_r"}, {wdot_r, "wdot_r"}}, {{d.nw()}}, out,
              [&](At& at, const auto& to, const auto& x) {
                CalcPassivityInverseDynamics<double>(d.chain(), at.factorization, x[0], x[1],
                                                     at.workspace, VectorMap(to[0], d.nw()));
              });
}

nb::object GeneralizedForces(Chains& d, nb::handle q_in, nb::handle forces_in, nb::handle out) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{d.nw()}}, out, {&q});
  const Wrenches forces(d.model(), forces_in, q.count);
  d.ForEachState(q.count, [&](At& at, Index s) {
    d.Update(at, s, q[s]);
    CalcGeneralizedForces<double>(d.chain(), forces.At(s), at.workspace,
                                  VectorMap(results[s][0], d.nw()));
  });
  return results.ToPython();
}

nb::object Regressor(Chains& d, nb::handle q, nb::handle w, nb::handle w_r, nb::handle wdot_r,
                     nb::handle frames_in, nb::handle out) {
  const int n = d.nw();
  const Frames frames(*d.loaded(), frames_in);
  const int columns = frames.num_parameters();
  return AtQV(d, {q, w, {w_r, "w_r"}, {wdot_r, "wdot_r"}}, {{n, columns}, {n}}, out,
              [&](At& at, const auto& to, const auto& x) {
                at.tree_matrix.resize(d.nv(), columns);
                at.Fill(to[0], n, columns, [&](Eigen::MatrixXd& Y) {
                  CalcRegressor<double>(d.chain(), at.factorization, frames.all(), x[0], x[1],
                                        at.workspace, at.tree_matrix, Y, VectorMap(to[1], n));
                });
              });
}

std::string Repr(const Chains& d) {
  return "<civita.ClosedChainDynamics of '" + d.loaded()->source + "', nw " +
         std::to_string(d.nw()) + " of nv " + std::to_string(d.nv()) + ", " +
         ToString(d.factorization()) + ">";
}

/// How it is made, told and copied.
void BindMaking(nb::class_<Chains>& c) {
  c.def(
       "__init__",
       [](Chains* self, const std::shared_ptr<LoadedModel>& model, nb::handle factorization,
          const std::vector<std::string>& independent, nb::handle q, double max_condition,
          double max_gap, std::optional<int> threads) {
         ClosedChainOptions options{.independent = independent,
                                    .start = {},
                                    .max_condition = max_condition,
                                    .max_gap = max_gap,
                                    .threads = threads.value_or(DefaultThreads())};
         if (!q.is_none()) options.start = ReadVector(q, "q", model->model.nq());
         new (self) Chains(model, ReadFactorization(factorization, model->model),
                           nb::borrow(factorization), std::move(options));
       },
       nb::arg("model"), nb::arg("factorization") = "christoffel",
       nb::arg("independent") = nb::make_tuple(), nb::arg("q") = nb::none(),
       nb::arg("max_condition") = 1e6, nb::arg("max_gap") = 1e-3, nb::arg("threads") = nb::none(),
       nb::sig("def __init__(self, model: Model, factorization: str | "
               "civita.factorization.Factorization = 'christoffel', independent: "
               "collections.abc.Sequence[str] = (), q: ArrayLike | None = None, max_condition: "
               "float = 1e6, max_gap: float = 1e-3, threads: int | None = None) -> None"))
      .def_prop_ro("model",
                   [](const Chains& d) { return std::const_pointer_cast<LoadedModel>(d.loaded()); })
      .def_prop_ro(
          "factorization", [](const Chains& d) { return ToString(d.factorization()); },
          "The factorization as text.")
      .def_prop_ro("nq", &Chains::nq, "Numbers of q, of the tree.")
      .def_prop_ro("nv", &Chains::nv, "Velocities v of the tree.")
      .def_prop_ro("nw", &Chains::nw, "Independent velocities w.")
      .def_prop_ro(
          "velocity_names", [](const Chains& d) { return d.chain().Names(); },
          "Names of the numbers of w.")
      .def_prop_ro(
          "independent",
          [](const Chains& d) {
            const std::vector<int>& places = d.chain().independent();
            return std::vector<int>(places.begin(), places.end());
          },
          "Indices in v of the numbers of w.")
      .def_prop_ro(
          "closed_start", [](const Chains& d) { return ToArray(d.chain().closed_start()); },
          "The start with closed loops, (nq,).", nb::sig("def closed_start(self) -> Array"))
      .def_prop_ro("threads", &Chains::threads,
                   "Number of threads for batches, at most four for each core.")
      .def("__repr__", Repr)
      .def(
          "__reduce__",
          [](nb::handle self) {
            const auto& d = nb::cast<const Chains&>(self);
            const ClosedChainOptions& o = d.options();
            nb::object start = nb::none();
            if (o.start.size() > 0) start = ToArray(o.start);
            return nb::make_tuple(
                self.type(),
                nb::make_tuple(self.attr("model"), d.given_factorization(), o.independent, start,
                               o.max_condition, o.max_gap, d.threads()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

constexpr const char* kWForces = "forces: Wrenches | None = None";

/// The loops, and what the tree does.
void BindLoops(nb::class_<Chains>& c) {
  const auto q = nb::arg("q"), w = nb::arg("w");
  DefWithOut(c, "close", Close, kCloseDoc, SigQ("close"), q);
  c.def("condition", Condition, q, kConditionDoc,
        nb::sig("def condition(self, q: ArrayLike) -> typing.Any"));
  DefWithOut(c, "velocity_map", VelocityMapOf, kVelocityMapDoc, SigQ("velocity_map"), q);
  DefWithOut(c, "velocity_map_derivative", VelocityMapDerivative, kVelocityMapDerivativeDoc,
             SigQW("velocity_map_derivative"), q, w);
  DefWithOut(c, "tree_velocity", TreeVelocity, kTreeVelocityDoc, SigQW("tree_velocity"), q, w);
  DefWithOut(c, "tree_acceleration", TreeAcceleration, kTreeAccelerationDoc,
             SigQW("tree_acceleration", "wdot: ArrayLike"), q, w, nb::arg("wdot"));
  DefWithOut(c, "reduced_forces", ReducedForces, kReducedForcesDoc,
             SigQ("reduced_forces", "tau: ArrayLike"), q, nb::arg("tau"));
}

void BindEquations(nb::class_<Chains>& c) {
  const auto q = nb::arg("q"), w = nb::arg("w"), x = nb::arg("x"), wdot = nb::arg("wdot"),
             w_r = nb::arg("w_r"), wdot_r = nb::arg("wdot_r");
  const auto forces = nb::arg("forces") = nb::none();
  constexpr const char* kReferenceMotion = "w_r: ArrayLike, wdot_r: ArrayLike";
  DefWithOut(c, "mass_matrix", MassMatrix, kClosedMassMatrixDoc, SigQ("mass_matrix"), q);
  DefWithOut(c, "mass_matrix_derivative", MassMatrixDerivative, kClosedMassMatrixDerivativeDoc,
             SigQW("mass_matrix_derivative"), q, w);
  DefWithOut(c, "coriolis_matrix", CoriolisMatrix, kClosedCoriolisMatrixDoc,
             SigTuple("coriolis_matrix", "q: ArrayLike, w: ArrayLike", 2), q, w);
  DefWithOut(c, "coriolis_product", CoriolisProduct, kClosedCoriolisProductDoc,
             SigQW("coriolis_product", "x: ArrayLike"), q, w, x);
  DefWithOut(c, "coriolis_transpose_product", CoriolisTransposeProduct,
             kClosedCoriolisTransposeProductDoc,
             SigQW("coriolis_transpose_product", "x: ArrayLike"), q, w, x);
  DefWithOut(c, "christoffel_symbols", ChristoffelSymbols, kClosedChristoffelSymbolsDoc,
             SigQ("christoffel_symbols"), q);
  DefWithOut(c, "connection", Connection, kClosedConnectionDoc, SigQ("connection"), q);
  DefWithOut(c, "gravity", Gravity, kClosedGravityDoc, SigQ("gravity"), q);
  DefWithOut(c, "bias_forces", BiasForces, kClosedBiasForcesDoc, SigQW("bias_forces"), q, w);
  DefWithOut(c, "rnea", Rnea, kClosedRneaDoc, SigQW("rnea", With("wdot: ArrayLike", kWForces)), q,
             w, wdot, forces);
  DefWithOut(c, "passivity_rnea", PassivityRnea, kClosedPassivityRneaDoc,
             SigQW("passivity_rnea", kReferenceMotion), q, w, w_r, wdot_r);
  DefWithOut(c, "forward_dynamics", ForwardDynamics, kClosedForwardDynamicsDoc,
             SigQW("forward_dynamics", With("tau: ArrayLike", kWForces)), q, w, nb::arg("tau"),
             forces);
  DefWithOut(c, "generalized_forces", GeneralizedForces, kClosedGeneralizedForcesDoc,
             SigQ("generalized_forces", "forces: Wrenches"), q, nb::arg("forces"));
  DefWithOut(
      c, "regressor", Regressor, kClosedRegressorDoc,
      SigTuple("regressor", With(With("q: ArrayLike, w: ArrayLike", kReferenceMotion), kFrames), 2),
      q, w, w_r, wdot_r, nb::arg("frames") = nb::none());
}

}  // namespace

void BindClosedChains(nb::module_& module) {
  nb::class_<Chains> c(module, "ClosedChainDynamics", nb::is_weak_referenceable(),
                       kClosedChainDynamicsDoc);
  BindMaking(c);
  BindLoops(c);
  BindEquations(c);
  BindClosedChainMotion(c);
  BindClosedChainDerivatives(c);
}

}  // namespace civita::python
