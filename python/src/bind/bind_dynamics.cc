#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/factorization_text.h"
#include "civita/forward_dynamics.h"
#include "civita/geometry/connection.h"
#include "civita/rnea.h"
#include "civita/scenes/schema/formula.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/docs.h"
#include "python/src/bind/dynamics.h"
#include "python/src/support/arguments.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/signatures.h"

namespace civita::python {
namespace {

using Eigen::VectorXd;

using VectorMap = Eigen::Map<VectorXd>;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;

/// A view of columns by state, for BatchDynamics.
auto Part(const ArrayIn& in, Index begin, Index count) {
  return Eigen::Map<const Eigen::MatrixXd>(in.data + begin * in.size, in.size, count);
}

nb::object MassMatrix(Dynamics& d, nb::handle q_in, nb::handle out) {
  const int n = d.nw();
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{n, n}}, out, {&q});
  const ArrayOut& H = results.array(0);
  if (!q.count || !d.space().is_tree()) {
    d.ForEachState(q.count, [&](Worker& at, Index s) {
      d.Update(at, s, q[s]);
      CalcMassMatrix<double>(d.space(), at.workspace, MatrixMap(H[s], n, n));
    });
  } else {
    d.ForEachPart(*q.count, 0, [&](BatchDynamics& batch, double*, Index begin, Index count) {
      batch.CalcMassMatrices(Part(q, begin, count), MatrixMap(H[begin], n, n * count));
    });
  }
  return H.object;
}

nb::object CoriolisMatrix(Dynamics& d, nb::handle q_in, nb::handle v_in, nb::handle out) {
  const int n = d.nw();
  ArrayIn q = ReadArray(q_in, "q", d.nq()), v = ReadArray(v_in, "v", n);
  const std::optional<Index> count = CountOf({&q, &v});
  const Results<2> results(count, {{n, n}, {n, n}}, out, {&q, &v});
  const ArrayOut &H = results.array(0), &C = results.array(1);
  if (count && d.space().is_tree() && d.factorization().torsion_free()) {
    d.ForEachPart(*count, 0, [&](BatchDynamics& batch, double*, Index begin, Index m) {
      batch.CalcTransposedCoriolisMatrices(
          Part(q, begin, m), Part(v, begin, m),
          {.C = MatrixMap(C[begin], n, n * m), .H = MatrixMap(H[begin], n, n * m)});
    });
  } else {
    d.ForEachState(count, [&](Worker& at, Index s) {
      d.Update(at, s, q[s], v[s]);
      MatrixMap to_C(C[s], n, n);
      CalcCoriolisMatrix<double>(d.space(), at.factorization, at.workspace,
                                 {.C = to_C, .H = MatrixMap(H[s], n, n)});
      to_C.transposeInPlace();
    });
  }
  return results.ToPython();
}

/// A vector at every q, v and x: of batches of a tree without external forces by `calc_batch`, else
/// by calc(worker, x, result, forces) at each state.
template <typename CalcBatch, typename Calc>
nb::object VectorUnderForces(Dynamics& d, const AtState& state, nb::handle forces_in,
                             nb::handle out, const CalcBatch& calc_batch, const Calc& calc) {
  const int n = d.nw();
  const char* const name = state.x.name;
  ArrayIn q = ReadArray(state.q, "q", d.nq()), v = ReadArray(state.v, "v", n),
          x = ReadArray(state.x.argument, name, n);
  const std::optional<Index> count = CountOf({&q, &v, &x});
  const Results<1> results(count, {{n}}, out, {&q, &v, &x});
  const ArrayOut& y = results.array(0);
  const Wrenches forces(d.model(), forces_in, count);
  if (!count || !forces.empty() || !d.space().is_tree()) {
    d.ForEachState(count, [&](Worker& at, Index s) {
      d.Update(at, s, q[s], v[s]);
      calc(at, x[s], VectorMap(y[s], n), forces.At(s));
    });
  } else {
    d.ForEachPart(*count, 0, [&](BatchDynamics& batch, double*, Index begin, Index m) {
      (batch.*calc_batch)(Part(q, begin, m), Part(v, begin, m), Part(x, begin, m),
                          MatrixMap(y[begin], n, m));
    });
  }
  return y.object;
}

nb::object Rnea(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot, nb::handle forces,
                nb::handle out) {
  return VectorUnderForces(d, {q, v, {vdot, "vdot"}}, forces, out,
                           &BatchDynamics::CalcInverseDynamics,
                           [&](Worker& at, const auto& x, const VectorMap& tau, const auto& f) {
                             CalcInverseDynamics<double>(d.space(), x, at.workspace, tau, f);
                           });
}

/// Whether the batch kernels have it: a member of the family t alone.
bool IsOfFamily(const Factorization& f) {
  return f.admissible() && !f.has_coordinate_injections() && f.body_injections.empty();
}

nb::object PassivityRnea(Dynamics& d, nb::handle q_in, nb::handle v_in, nb::handle v_r_in,
                         nb::handle vdot_r_in, nb::handle out) {
  const int n = d.nw();
  ArrayIn q = ReadArray(q_in, "q", d.nq()), v = ReadArray(v_in, "v", n),
          v_r = ReadArray(v_r_in, "v_r", n), vdot_r = ReadArray(vdot_r_in, "vdot_r", n);
  const std::optional<Index> count = CountOf({&q, &v, &v_r, &vdot_r});
  const Results<1> results(count, {{n}}, out, {&q, &v, &v_r, &vdot_r});
  const ArrayOut& tau = results.array(0);
  if (count && d.space().is_tree() && IsOfFamily(d.factorization())) {
    d.ForEachPart(*count, 0, [&](BatchDynamics& batch, double*, Index begin, Index m) {
      batch.CalcPassivityInverseDynamics(d.factorization().t, Part(q, begin, m), Part(v, begin, m),
                                         Part(v_r, begin, m), Part(vdot_r, begin, m),
                                         MatrixMap(tau[begin], n, m));
    });
  } else {
    d.ForEachState(count, [&](Worker& at, Index s) {
      d.Update(at, s, q[s], v[s]);
      CalcPassivityInverseDynamics<double>(d.space(), at.factorization, v_r[s], vdot_r[s],
                                           at.workspace, VectorMap(tau[s], n));
    });
  }
  return tau.object;
}

/// Writes a tensor in the order of ChristoffelIndex as an array: the other way round.
void ReverseIndices(const double* from, double* to, Index n) {
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) *to++ = from[(k * n + j) * n + i];
    }
  }
}

nb::object ChristoffelSymbols(Dynamics& d, nb::handle q_in, nb::handle out) {
  const Index n = d.nw(), numbers = n * n * n, of_tree = Index{d.nv()} * d.nv() * d.nv();
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{n, n, n}}, out, {&q});
  const ArrayOut& Gamma = results.array(0);
  const auto span = [](Eigen::MatrixXd& x) {
    return std::span(x.data(), static_cast<std::size_t>(x.size()));
  };
  if (!q.count || !d.space().is_tree()) {
    d.ForEachState(q.count, [&](Worker& at, Index s) {
      Eigen::MatrixXd &tree = at.matrices[0], &symbols = at.matrices[1];
      tree.resize(of_tree, 1);
      symbols.resize(numbers, 1);
      d.Update(at, s, q[s]);
      CalcChristoffelSymbols<double>(d.space(), at.workspace, span(tree), span(symbols));
      ReverseIndices(symbols.data(), Gamma[s], n);
    });
  } else {
    d.ForEachPart(*q.count, numbers,
                  [&](BatchDynamics& batch, double* memory, Index begin, Index m) {
                    batch.CalcChristoffelSymbols(Part(q, begin, m), MatrixMap(memory, numbers, m));
                    for (Index s = 0; s < m; ++s) {
                      ReverseIndices(memory + s * numbers, Gamma[begin + s], n);
                    }
                  });
  }
  return Gamma.object;
}

nb::object PackedChristoffelSymbols(Dynamics& d, nb::handle q, nb::handle out) {
  d.RequireTree("packed_christoffel_symbols",
                "it leaves out zeros that others do not have; christoffel_symbols has them all");
  const ChristoffelLayout layout(d.model());
  const auto size = static_cast<std::size_t>(layout.size());
  return AtQ(d, q, {{static_cast<Index>(size)}}, out, [&](Worker& at, const auto& to) {
    CalcPackedChristoffelSymbols<double>(d.model(), layout, at.tree(), std::span(to[0], size));
  });
}

nb::object Connection(Dynamics& d, nb::handle q_in, nb::handle out) {
  const int n = d.nw();
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{n, n, n}}, out, {&q});
  const ArrayOut& Gamma = results.array(0);
  d.ForEachState(q.count, [&](Worker& at, Index s) {
    Tensor3 symbols(n);
    d.Check(CalcConnection(d.space(), at.factorization, q[s], at.workspace, symbols), s);
    ReverseIndices(symbols.numbers().data(), Gamma[s], n);
  });
  return Gamma.object;
}

nb::object CoriolisProduct(Dynamics& d, nb::handle q, nb::handle v, nb::handle w, nb::handle out) {
  return AtQV(d, {q, v, {w, "w"}}, {{d.nw()}}, out, [&](Worker& at, const auto& to, const auto& x) {
    CalcCoriolisProduct<double>(d.space(), at.factorization, x[0], at.workspace,
                                VectorMap(to[0], d.nw()));
  });
}

nb::object CoriolisTransposeProduct(Dynamics& d, nb::handle q, nb::handle v, nb::handle w,
                                    nb::handle out) {
  return AtQV(d, {q, v, {w, "w"}}, {{d.nw()}}, out, [&](Worker& at, const auto& to, const auto& x) {
    CalcCoriolisTransposeProduct<double>(d.space(), at.factorization, x[0], at.workspace,
                                         VectorMap(to[0], d.nw()));
  });
}

nb::object ForwardDynamics(Dynamics& d, nb::handle q, nb::handle v, nb::handle tau,
                           nb::handle forces, nb::handle out) {
  return VectorUnderForces(
      d, {q, v, {tau, "tau"}}, forces, out, &BatchDynamics::CalcForwardDynamics,
      [&](Worker& at, const auto& x, const VectorMap& vdot, const auto& f) {
        if (d.space().is_tree()) {
          CalcForwardDynamics<double>(d.model(), x, at.tree(), vdot, f);
        } else {
          RefuseSingular(CalcForwardDynamics<double>(d.space(), x, at.workspace, vdot, f));
        }
      });
}

nb::object GeneralizedForces(Dynamics& d, nb::handle q_in, nb::handle forces_in, nb::handle out) {
  const int n = d.nw();
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{n}}, out, {&q});
  const ArrayOut& tau = results.array(0);
  const Wrenches forces(d.model(), forces_in, q.count);
  d.ForEachState(q.count, [&](Worker& at, Index s) {
    d.Update(at, s, q[s]);
    CalcGeneralizedForces<double>(d.space(), forces.At(s), at.workspace, VectorMap(tau[s], n));
  });
  return tau.object;
}

std::string Repr(const Dynamics& d) {
  std::string text = "<civita.Dynamics of '" + d.loaded()->source + "', ";
  if (const Coordinates* coordinates = d.space().coordinates()) {
    text += "coordinates " + coordinates->text + ", ";
  } else if (d.options().loops) {
    text += "loops, nw " + std::to_string(d.nw()) + " of nv " + std::to_string(d.nv()) + ", ";
  }
  return text + ToString(d.factorization()) + ", threads " + std::to_string(d.threads()) + ">";
}

nb::object Reduce(nb::handle self) {
  const auto& d = nb::cast<const Dynamics&>(self);
  const DynamicsOptions& o = d.options();
  nb::object start = nb::none(), coordinates = nb::none();
  if (o.start.size() > 0) start = ToArray(o.start);
  if (!o.coordinates.empty()) coordinates = nb::str(o.coordinates.c_str());
  return nb::make_tuple(
      self.type(),
      nb::make_tuple(self.attr("model"), d.given_factorization(), d.threads(), o.instruction_set,
                     o.loops, coordinates, o.independent, start, o.max_condition, o.max_gap));
}

/// How it is made, told and copied.
void BindMaking(nb::class_<Dynamics>& c) {
  c.def(
       "__init__",
       [](Dynamics* self, const std::shared_ptr<LoadedModel>& model, nb::handle factorization,
          std::optional<int> threads, const std::string& instruction_set, bool loops,
          const std::optional<std::string>& coordinates,
          const std::vector<std::string>& independent, nb::handle q, double max_condition,
          double max_gap) {
         DynamicsOptions options{.threads = threads.value_or(DefaultThreads()),
                                 .instruction_set = instruction_set,
                                 .loops = loops,
                                 .coordinates = coordinates.value_or(""),
                                 .independent = independent,
                                 .start = {},
                                 .max_condition = max_condition,
                                 .max_gap = max_gap};
         if (!q.is_none()) options.start = ReadVector(q, "q", model->model.nq());
         new (self) Dynamics(model, ReadFactorization(factorization, model->model),
                             nb::borrow(factorization), std::move(options));
       },
       nb::arg("model"), nb::arg("factorization") = "christoffel", nb::arg("threads") = nb::none(),
       nb::arg("instruction_set") = "", nb::arg("loops") = false,
       nb::arg("coordinates") = nb::none(), nb::arg("independent") = nb::make_tuple(),
       nb::arg("q") = nb::none(), nb::arg("max_condition") = 1e6, nb::arg("max_gap") = 1e-3,
       nb::sig("def __init__(self, model: Model, factorization: str | "
               "civita.factorization.Factorization = "
               "'christoffel', threads: int | None = None, instruction_set: str = '', loops: bool "
               "= False, coordinates: str | None = None, independent: "
               "collections.abc.Sequence[str] = (), q: ArrayLike | None = None, max_condition: "
               "float = 1e6, max_gap: float = 1e-3) -> None"))
      .def_prop_ro(
          "model",
          [](const Dynamics& d) { return std::const_pointer_cast<LoadedModel>(d.loaded()); })
      .def_prop_ro(
          "factorization", [](const Dynamics& d) { return ToString(d.factorization()); },
          "The factorization as text.")
      .def_prop_ro("nq", &Dynamics::nq, "Numbers of q.")
      .def_prop_ro("nv", &Dynamics::nv, "Velocities of the tree.")
      .def_prop_ro("nw", &Dynamics::nw, "Velocities in which the equations are; nv of a tree.")
      .def_prop_ro(
          "velocity_names", [](const Dynamics& d) { return d.space().Names(); }, "Their names.")
      .def_prop_ro(
          "independent",
          [](const Dynamics& d) {
            return d.space().coordinates() ? std::vector<int>() : d.space().independent();
          },
          "Indices in the tree's velocities of theirs; none of coordinates.")
      .def_prop_ro(
          "closed_start", [](const Dynamics& d) { return ToArray(d.space().closed_start()); },
          "The start with closed loops, (nq,).", nb::sig("def closed_start(self) -> Array"))
      .def_prop_ro("threads", &Dynamics::threads,
                   "Number of threads for batches, at most four for each core.")
      .def_prop_ro("instruction_set", &Dynamics::instruction_set,
                   "Instruction set of the kernels: avx512, avx2 or plain.")
      .def("__repr__", Repr)
      .def("__reduce__", Reduce, nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

}  // namespace

void BindDynamics(nb::module_& module) {
  nb::class_<Dynamics> c(module, "Dynamics", nb::is_weak_referenceable(), kDynamicsDoc);
  BindMaking(c);
  const auto q = nb::arg("q"), v = nb::arg("v"), w = nb::arg("w");
  DefWithOut(c, "mass_matrix", MassMatrix, kMassMatrixDoc, SigQ("mass_matrix"), q);
  DefWithOut(c, "coriolis_matrix", CoriolisMatrix, kCoriolisMatrixDoc,
             SigTuple("coriolis_matrix", "q: ArrayLike, v: ArrayLike", 2), q, v);
  DefWithOut(c, "coriolis_product", CoriolisProduct, kCoriolisProductDoc,
             SigQV("coriolis_product", "w: ArrayLike"), q, v, w);
  DefWithOut(c, "coriolis_transpose_product", CoriolisTransposeProduct,
             kCoriolisTransposeProductDoc, SigQV("coriolis_transpose_product", "w: ArrayLike"), q,
             v, w);
  constexpr const char* kForces = "forces: Wrenches | None = None";
  const auto forces = nb::arg("forces") = nb::none();
  DefWithOut(c, "rnea", Rnea, kRneaDoc, SigQV("rnea", With("vdot: ArrayLike", kForces)), q, v,
             nb::arg("vdot"), forces);
  DefWithOut(c, "passivity_rnea", PassivityRnea, kPassivityRneaDoc,
             SigQV("passivity_rnea", "v_r: ArrayLike, vdot_r: ArrayLike"), q, v, nb::arg("v_r"),
             nb::arg("vdot_r"));
  DefWithOut(c, "forward_dynamics", ForwardDynamics, kForwardDynamicsDoc,
             SigQV("forward_dynamics", With("tau: ArrayLike", kForces)), q, v, nb::arg("tau"),
             forces);
  DefWithOut(c, "generalized_forces", GeneralizedForces, kGeneralizedForcesDoc,
             SigQ("generalized_forces", "forces: Wrenches"), q, nb::arg("forces"));
  DefWithOut(c, "christoffel_symbols", ChristoffelSymbols, kChristoffelSymbolsDoc,
             SigQ("christoffel_symbols"), q);
  DefWithOut(c, "packed_christoffel_symbols", PackedChristoffelSymbols,
             kPackedChristoffelSymbolsDoc, SigQ("packed_christoffel_symbols"), q);
  DefWithOut(c, "connection", Connection, kConnectionDoc, SigQ("connection"), q);
  BindLoops(c);
  BindFrames(c);
  BindQuantities(c);
  BindDerivatives(c);
  BindGeometry(c);
}

}  // namespace civita::python
