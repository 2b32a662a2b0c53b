#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "civita/constrained_dynamics.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/suggest.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/constraint_docs.h"
#include "python/src/support/arguments.h"
#include "python/src/support/arrays.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/signatures.h"
#include "python/src/support/worker_threads.h"
#include "python/src/support/wrenches.h"

// The class ConstrainedDynamics.

namespace civita::python {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using VectorMap = Eigen::Map<VectorXd>;
using MatrixMap = Eigen::Map<MatrixXd>;

/// Sets `to` to the value of a key. @throws nb::type_error.
template <typename T>
void Read(const std::string& key, nb::handle value, T& to) {
  if (!nb::try_cast(value, to)) {
    throw nb::type_error(("constraints: " + key + " is not of its type").c_str());
  }
}

std::string ReadText(const std::string& key, nb::handle value) {
  std::string text;
  Read(key, value, text);
  return text;
}

/// Whether `key` is one that all constraints have.
template <typename Constraint>
bool ReadCommon(const std::string& key, nb::handle value, Constraint& c) {
  if (key == "name") {
    Read(key, value, c.name);
  } else if (key == "stiffness") {
    Read(key, value, c.stiffness);
  } else if (key == "damping") {
    Read(key, value, c.damping);
  } else {
    return false;
  }
  return true;
}

[[noreturn]] void RefuseKey(const std::string& key, const std::vector<std::string>& keys) {
  throw nb::key_error(UnknownName("key of a constraint", key, keys).c_str());
}

/// read(key, value) of all items of a dict.
template <typename ReadItem>
void ForEachItem(const nb::dict& given, const ReadItem& read) {
  for (const auto& [word, value] : given) {
    std::string key;
    if (!nb::try_cast(word, key)) throw nb::type_error("constraints: a key is not a text");
    read(key, value);
  }
}

/// A dict of members of RigidConstraint.
RigidConstraint ReadRigid(const Model& model, const nb::dict& given) {
  RigidConstraint c;
  bool has_B = false;
  ForEachItem(given, [&](const std::string& key, nb::handle value) {
    if (ReadCommon(key, value, c)) return;
    if (key == "A" || key == "B") {
      if (value.is_none() && key == "A") return;
      (key == "A" ? c.A : c.B) = FrameOf(model, ReadText(key, value));
      has_B |= key == "B";
    } else if (key == "point_A") {
      c.point_A = ReadVector(value, "point_A", 3);
    } else if (key == "point_B") {
      c.point_B = ReadVector(value, "point_B", 3);
    } else if (key == "fixes_rotation") {
      Read(key, value, c.fixes_rotation);
    } else {
      RefuseKey(key,
                {"name", "A", "B", "point_A", "point_B", "damping", "stiffness", "fixes_rotation"});
    }
  });
  if (!has_B) throw UserError("constraints: one has no frame B and no joint");
  return c;
}

/// A dict of members of JointConstraint, with joints by name.
JointConstraint ReadJoint(const Model& model, const nb::dict& given) {
  JointConstraint c;
  ForEachItem(given, [&](const std::string& key, nb::handle value) {
    if (ReadCommon(key, value, c)) return;
    if (key == "joint" || key == "leader") {
      if (value.is_none() && key == "leader") return;
      (key == "joint" ? c.joint : c.leader) = CoupledJoint(model, ReadText(key, value));
    } else if (key == "polynomial") {
      const auto numbers = static_cast<Index>(nb::len(value));
      if (numbers < 1 || numbers > 5) {
        throw nb::value_error(("constraints: polynomial has " + std::to_string(numbers) +
                               " coefficients, 1 to 5 are possible")
                                  .c_str());
      }
      Eigen::VectorXd::Map(c.polynomial.data(), numbers) = ReadVector(value, "polynomial", numbers);
    } else if (key == "reference") {
      Read(key, value, c.reference);
    } else if (key == "leader_reference") {
      Read(key, value, c.leader_reference);
    } else {
      RefuseKey(key, {"name", "joint", "leader", "polynomial", "reference", "leader_reference",
                      "damping", "stiffness"});
    }
  });
  return c;
}

/// `loops`: false, true, or a dict of Baumgarte terms.
void AddLoops(const LoadedModel& loaded, nb::handle loops, Constraints& constraints) {
  RigidConstraint terms;
  bool wanted = true;
  if (nb::isinstance<nb::dict>(loops)) {
    ForEachItem(nb::cast<nb::dict>(loops), [&](const std::string& key, nb::handle value) {
      if (key == "name" || !ReadCommon(key, value, terms)) {
        RefuseKey(key, {"damping", "stiffness"});
      }
    });
  } else if (!nb::try_cast(loops, wanted)) {
    throw nb::type_error("loops: not a bool and not a dict of stiffness and damping");
  }
  if (!wanted) return;
  if (!loaded.loops_error.empty()) throw UserError("loops: " + loaded.loops_error);
  if (loaded.loops.empty()) {
    throw UserError("loops: " + loaded.source + " has no closed loops and no coupled joints");
  }
  const auto add = [&](const auto& from, auto& to) {
    for (auto constraint : from) {
      constraint.stiffness = terms.stiffness;
      constraint.damping = terms.damping;
      to.push_back(constraint);
    }
  };
  add(loaded.loops.rigid, constraints.rigid);
  add(loaded.loops.joints, constraints.joints);
}

Constraints ReadConstraints(const LoadedModel& loaded, nb::handle given, nb::handle loops) {
  Constraints constraints;
  for (const nb::handle each : nb::list(given)) {
    if (!nb::isinstance<nb::dict>(each)) throw nb::type_error("constraints: each must be a dict");
    const auto item = nb::cast<nb::dict>(each);
    if (item.contains("joint")) {
      constraints.joints.push_back(ReadJoint(loaded.model, item));
    } else {
      constraints.rigid.push_back(ReadRigid(loaded.model, item));
    }
  }
  AddLoops(loaded, loops, constraints);
  return constraints;
}

/// What a thread computes with.
struct ConstraintWorker : MatrixMemory {
  ConstraintWorker(const Model& model, const ConstrainedDynamics& of)
      : workspace(model), dynamics(of), rest(VectorXd::Zero(model.nv())) {}

  Workspace<double> workspace;
  ConstrainedDynamics dynamics;
  VectorXd rest;  ///< v = 0
};

using At = ConstraintWorker;

/// The Python class: a model, its constraints and the memory to compute with them.
class Constrained {
 public:
  Constrained(std::shared_ptr<LoadedModel> loaded, nb::handle constraints, nb::handle q,
              double max_condition, nb::handle loops, int threads)
      : loaded_(std::move(loaded)),
        dynamics_(model(), ReadConstraints(*loaded_, constraints, loops),
                  q.is_none() ? model().DefaultPosition() : ReadVector(q, "q", model().nq()),
                  max_condition),
        workers_(threads, model().nv(), [this] { return At(model(), dynamics_); }),
        made_of_(nb::make_tuple(loaded_, constraints, q, max_condition, loops, threads)) {}

  const Model& model() const { return loaded_->model; }
  const ConstrainedDynamics& dynamics() const { return dynamics_; }
  const std::shared_ptr<LoadedModel>& loaded() const { return loaded_; }
  const nb::tuple& made_of() const { return made_of_; }
  int rows() const { return dynamics_.num_rows(); }
  int threads() const { return workers_.threads(); }

  // What compute.h asks for.
  static constexpr const char* kVelocity = "v";
  int nq() const { return model().nq(); }
  int num_velocities() const { return model().nv(); }
  /// At any configuration: J, J̇ v and inverse dynamics have their values at singular ones, too.
  template <typename Q, typename V>
  void Update(At& at, Index state, const Q& q, const V& v) const {
    (void)Factor(at, state, q, v, 0);
  }
  template <typename Q>
  void Update(At& at, Index state, const Q& q) const {
    Update(at, state, q, at.rest);
  }
  template <typename Q, typename V>
  Status Factor(At& at, Index, const Q& q, const V& v, double damping) const {
    UpdateKinematics<double>(model(), q, v, at.workspace);
    return at.dynamics.Update(at.workspace, damping);
  }
  /// Calls calc(worker, state) for every state, as WorkerThreads does.
  template <typename Calc>
  void ForEachState(std::optional<Index> count, const Calc& calc) {
    workers_.ForEachState(count, calc);
  }

  /// @throws UserError of a state for all but kOk.
  void Check(const At& at, const Status& status, Index state) const {
    if (status) return;
    internal::MessageStream text;
    text << "state " << state << ": ";
    if (status == Status::kSingularMassMatrix) {
      text << Describe(status);
    } else {
      text << "the constraints have rank " << at.dynamics.rank() << " of " << rows()
           << " rows, expected " << dynamics_.expected_rank() << ", condition "
           << at.dynamics.condition() << "; damping > 0 bounds their forces";
    }
    throw UserError(text.str());
  }

 private:
  std::shared_ptr<LoadedModel> loaded_;
  ConstrainedDynamics dynamics_;  ///< which the workers copy
  WorkerThreads<At> workers_;
  nb::tuple made_of_;  ///< the arguments of Python's constructor
};

std::string ReprOfConstrained(const Constrained& c) {
  return "<civita.ConstrainedDynamics of '" + c.loaded()->source + "', " +
         std::to_string(c.rows()) + " rows, threads " + std::to_string(c.threads()) + ">";
}

void CheckNumber(const char* name, double x) {
  if (!(x >= 0) || !std::isfinite(x))
    throw UserError(name + std::string(": negative or not finite"));
}

nb::object ForwardDynamics(Constrained& c, nb::handle q_in, nb::handle v_in, nb::handle tau_in,
                           nb::handle forces_in, double damping, nb::handle out) {
  const int n = c.model().nv(), m = c.rows();
  CheckNumber("damping", damping);
  ArrayIn q = ReadArray(q_in, "q", c.nq()), v = ReadArray(v_in, "v", n),
          tau = ReadArray(tau_in, "tau", n);
  const std::optional<Index> count = CountOf({&q, &v, &tau});
  const Results<2> results(count, {{n}, {m}}, out, {&q, &v, &tau});
  const Wrenches forces(c.model(), forces_in, count);
  c.ForEachState(count, [&](At& at, Index s) {
    c.Check(at, c.Factor(at, s, q[s], v[s], damping), s);
    (void)at.dynamics.CalcForwardDynamics(tau[s], at.workspace, VectorMap(results[s][0], n),
                                          VectorMap(results[s][1], m), forces.At(s));
  });
  return results.ToPython();
}

nb::object Impulse(Constrained& c, nb::handle q_in, nb::handle v_in, double restitution,
                   double damping, nb::handle out) {
  const int n = c.model().nv(), m = c.rows();
  CheckNumber("damping", damping);
  CheckNumber("restitution", restitution);
  ArrayIn q = ReadArray(q_in, "q", c.nq()), v = ReadArray(v_in, "v", n);
  const std::optional<Index> count = CountOf({&q, &v});
  const Results<2> results(count, {{n}, {m}}, out, {&q, &v});
  c.ForEachState(count, [&](At& at, Index s) {
    c.Check(at, c.Factor(at, s, q[s], v[s], damping), s);
    (void)at.dynamics.CalcImpulse(v[s], restitution, VectorMap(results[s][0], n),
                                  VectorMap(results[s][1], m));
  });
  return results.ToPython();
}

nb::object InverseDynamics(Constrained& c, nb::handle q, nb::handle v, nb::handle vdot,
                           nb::handle lambda, nb::handle out) {
  const int n = c.model().nv();
  return AtQV(c, {q, v, {vdot, "vdot"}, {lambda, "lambda_", c.rows()}}, {{n}}, out,
              [&](At& at, const auto& to, const auto& x) {
                at.dynamics.CalcInverseDynamics(x[0], x[1], at.workspace, VectorMap(to[0], n));
              });
}

nb::object Residual(Constrained& c, nb::handle q, nb::handle v, nb::handle vdot, nb::handle out) {
  return AtQV(c, {q, v, {vdot, "vdot"}}, {{c.rows()}}, out,
              [&](At& at, const auto& to, const auto& x) {
                const ConstrainedDynamics& d = at.dynamics;
                VectorMap(to[0], c.rows()) = d.J() * x[0] + d.J_rate_v() - d.baumgarte();
              });
}

nb::object OperationalSpaceInertia(Constrained& c, nb::handle q_in, double damping,
                                   nb::handle out) {
  const int m = c.rows();
  CheckNumber("damping", damping);
  const ArrayIn q = ReadArray(q_in, "q", c.nq());
  const Results<1> results(q.count, {{m, m}}, out, {&q});
  c.ForEachState(q.count, [&](At& at, Index s) {
    c.Check(at, c.Factor(at, s, q[s], at.rest, damping), s);
    c.Check(at, at.dynamics.CalcOperationalSpaceInertia(MatrixMap(results[s][0], m, m)), s);
  });
  return results.ToPython();
}

nb::object Jacobian(Constrained& c, nb::handle q, nb::handle out) {
  return MatrixAtQ(c, q, c.rows(), out, [](At& at, MatrixXd& J) { J = at.dynamics.J(); });
}

nb::object ErrorOf(Constrained& c, nb::handle q, nb::handle out) {
  return AtQ(c, q, {{c.rows()}}, out,
             [&](At& at, const auto& to) { VectorMap(to[0], c.rows()) = at.dynamics.error(); });
}

}  // namespace

void BindConstraints(nb::module_& module) {
  const auto q = nb::arg("q"), v = nb::arg("v");
  const auto damping = nb::arg("damping") = 0.0;
  constexpr const char* kDamping = "damping: float = 0.0";
  nb::class_<Constrained> c(module, "ConstrainedDynamics", kConstrainedDynamicsDoc);
  c.def(
      "__init__",
      [](Constrained* self, const std::shared_ptr<LoadedModel>& model, nb::handle constraints,
         nb::handle q_in, double max_condition, nb::handle loops, std::optional<int> threads) {
        new (self) Constrained(model, nb::tuple(constraints), q_in, max_condition, loops,
                               threads.value_or(DefaultThreads()));
      },
      nb::arg("model"), nb::arg("constraints") = nb::make_tuple(), nb::arg("q") = nb::none(),
      nb::arg("max_condition") = 1e6, nb::arg("loops") = false, nb::arg("threads") = nb::none(),
      nb::sig("def __init__(self, model: Model, constraints: "
              "collections.abc.Iterable[dict[str, typing.Any]] = (), q: ArrayLike | None = "
              "None, max_condition: float = 1e6, loops: bool | dict[str, float] = False, threads: "
              "int | None = None) -> None"));
  DefWithOut(c, "forward_dynamics", ForwardDynamics, kConstrainedForwardDynamicsDoc,
             SigTuple("forward_dynamics",
                      With("q: ArrayLike, v: ArrayLike, tau: ArrayLike, forces: Wrenches | None = "
                           "None",
                           kDamping),
                      2),
             q, v, nb::arg("tau"), nb::arg("forces") = nb::none(), damping);
  DefWithOut(c, "impulse", Impulse, kImpulseDoc,
             SigTuple("impulse",
                      With("q: ArrayLike, v: ArrayLike, restitution: float = 0.0", kDamping), 2),
             q, v, nb::arg("restitution") = 0.0, damping);
  DefWithOut(c, "inverse_dynamics", InverseDynamics, kConstrainedInverseDynamicsDoc,
             SigQV("inverse_dynamics", "vdot: ArrayLike, lambda_: ArrayLike"), q, v,
             nb::arg("vdot"), nb::arg("lambda_"));
  DefWithOut(c, "residual", Residual, kResidualDoc, SigQV("residual", "vdot: ArrayLike"), q, v,
             nb::arg("vdot"));
  DefWithOut(c, "operational_space_inertia", OperationalSpaceInertia, kOperationalSpaceInertiaDoc,
             SigQ("operational_space_inertia", kDamping), q, damping);
  DefWithOut(c, "jacobian", Jacobian, kConstraintJacobianDoc, SigQ("jacobian"), q);
  DefWithOut(c, "error", ErrorOf, kConstraintErrorDoc, SigQ("error"), q);
  c.def_prop_ro("model", &Constrained::loaded)
      .def_prop_ro("num_rows", &Constrained::rows, "Rows m of all constraints.")
      .def_prop_ro(
          "expected_rank", [](const Constrained& d) { return d.dynamics().expected_rank(); },
          "Rank of J at the q of the constructor.")
      .def_prop_ro("threads", &Constrained::threads,
                   "Number of threads for batches, at most four for each core.")
      .def("__repr__", ReprOfConstrained)
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(self.type(), nb::inst_ptr<Constrained>(self)->made_of());
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

}  // namespace civita::python
