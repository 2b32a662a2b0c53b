#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "civita/constrained_dynamics.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/suggest.h"
#include "python/src/arguments.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"
#include "python/src/constraint_docs.h"
#include "python/src/loaded_model.h"
#include "python/src/wrenches.h"

// The class ConstrainedDynamics.

namespace civita::python {
namespace {

using Eigen::VectorXd;
using VectorMap = Eigen::Map<VectorXd>;

/// Sets `to` to the value of a key. @throws nb::type_error.
template <typename T>
void Read(const std::string& key, nb::handle value, T& to) {
  if (!nb::try_cast(value, to)) {
    throw nb::type_error(("constraints: " + key + " is not of its type").c_str());
  }
}

/// Whether `key` is one that all constraints have.
bool ReadCommon(const std::string& key, nb::handle value, std::string& name, double& stiffness,
                double& damping) {
  if (key == "name") {
    Read(key, value, name);
  } else if (key == "stiffness") {
    Read(key, value, stiffness);
  } else if (key == "damping") {
    Read(key, value, damping);
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
    if (ReadCommon(key, value, c.name, c.stiffness, c.damping)) return;
    if (key == "A" || key == "B") {
      if (value.is_none() && key == "A") return;
      std::string frame;
      Read(key, value, frame);
      (key == "A" ? c.A : c.B) = FrameOf(model, frame);
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

/// A dict of members of JointClosure and JointConstraint, with joints by name.
JointConstraint ReadJoint(const Model& model, const nb::dict& given) {
  JointConstraint c;
  JointClosure& coupling = c.coupling;
  ForEachItem(given, [&](const std::string& key, nb::handle value) {
    if (ReadCommon(key, value, coupling.name, c.stiffness, c.damping)) return;
    if (key == "joint" || key == "leader") {
      if (value.is_none() && key == "leader") return;
      std::string joint;
      Read(key, value, joint);
      (key == "joint" ? coupling.joint : coupling.leader) = CoupledJoint(model, joint);
    } else if (key == "polynomial") {
      const auto numbers = static_cast<Index>(nb::len(value));
      if (numbers < 1 || numbers > 5) {
        throw nb::value_error(("constraints: polynomial has " + std::to_string(numbers) +
                               " coefficients, 1 to 5 are possible")
                                  .c_str());
      }
      Eigen::VectorXd::Map(coupling.polynomial.data(), numbers) =
          ReadVector(value, "polynomial", numbers);
    } else if (key == "reference") {
      Read(key, value, coupling.reference);
    } else if (key == "leader_reference") {
      Read(key, value, coupling.leader_reference);
    } else {
      RefuseKey(key, {"name", "joint", "leader", "polynomial", "reference", "leader_reference",
                      "damping", "stiffness"});
    }
  });
  return c;
}

/// `loops`: false, true, or a dict of Baumgarte terms.
void AddLoops(const LoadedModel& loaded, nb::handle loops, Constraints& constraints) {
  double stiffness = 0, damping = 0;
  bool wanted = true;
  if (nb::isinstance<nb::dict>(loops)) {
    std::string name;
    ForEachItem(nb::cast<nb::dict>(loops), [&](const std::string& key, nb::handle value) {
      if (key == "name" || !ReadCommon(key, value, name, stiffness, damping)) {
        RefuseKey(key, {"damping", "stiffness"});
      }
    });
  } else if (!nb::try_cast(loops, wanted)) {
    throw nb::type_error("loops: not a bool and not a dict of stiffness and damping");
  }
  if (!wanted) return;
  if (!loaded.closures_error.empty()) throw UserError("loops: " + loaded.closures_error);
  if (loaded.closures.empty()) {
    throw UserError("loops: " + loaded.source + " has no closed loops and no coupled joints");
  }
  const Constraints closures = ToConstraints(loaded.model, loaded.closures, stiffness, damping);
  constraints.rigid.insert(constraints.rigid.end(), closures.rigid.begin(), closures.rigid.end());
  constraints.joints.insert(constraints.joints.end(), closures.joints.begin(),
                            closures.joints.end());
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

/// The Python class: a model, its constraints and the memory to compute with them.
class Constrained {
 public:
  Constrained(std::shared_ptr<LoadedModel> loaded, nb::handle constraints, nb::handle q,
              double max_condition, nb::handle loops)
      : loaded_(std::move(loaded)),
        workspace_(model()),
        dynamics_(model(), ReadConstraints(*loaded_, constraints, loops),
                  q.is_none() ? model().DefaultPosition() : ReadVector(q, "q", model().nq()),
                  max_condition) {}

  const Model& model() const { return loaded_->model; }
  const ConstrainedDynamics& dynamics() const { return dynamics_; }
  const std::shared_ptr<LoadedModel>& loaded() const { return loaded_; }

  nb::object ForwardDynamics(nb::handle q_in, nb::handle v_in, nb::handle tau_in,
                             nb::handle forces_in, double damping) {
    const ArrayIn q = Q(q_in), v = V(v_in, "v"), tau = V(tau_in, "tau");
    const std::optional<Index> count = CountOf({&q, &v, &tau}, {"q", "v", "tau"});
    const Wrenches forces(model(), forces_in, count);
    const ArrayOut vdot = MakeArray(count, {model().nv()}), lambda = MakeArray(count, {rows()});
    for (Index s = 0; s < count.value_or(1); ++s) {
      Update(q[s], v[s], damping, s);
      (void)dynamics_.CalcForwardDynamics(tau[s], workspace_, VectorMap(vdot[s], model().nv()),
                                          VectorMap(lambda[s], rows()), forces.At(s));
    }
    return nb::make_tuple(vdot.object, lambda.object);
  }

  nb::object Impulse(nb::handle q_in, nb::handle v_in, double restitution, double damping) {
    const ArrayIn q = Q(q_in), v = V(v_in, "v");
    const std::optional<Index> count = CountOf({&q, &v}, {"q", "v"});
    const ArrayOut after = MakeArray(count, {model().nv()}), Lambda = MakeArray(count, {rows()});
    for (Index s = 0; s < count.value_or(1); ++s) {
      Update(q[s], v[s], damping, s);
      (void)dynamics_.CalcImpulse(v[s], restitution, VectorMap(after[s], model().nv()),
                                  VectorMap(Lambda[s], rows()));
    }
    return nb::make_tuple(after.object, Lambda.object);
  }

  nb::object InverseDynamics(nb::handle q_in, nb::handle v_in, nb::handle vdot_in,
                             nb::handle lambda_in) {
    const ArrayIn q = Q(q_in), v = V(v_in, "v"), vdot = V(vdot_in, "vdot"),
                  lambda = ReadArray(lambda_in, "lambda_", rows());
    const std::optional<Index> count =
        CountOf({&q, &v, &vdot, &lambda}, {"q", "v", "vdot", "lambda_"});
    const ArrayOut tau = MakeArray(count, {model().nv()});
    for (Index s = 0; s < count.value_or(1); ++s) {
      UpdateKinematics<double>(model(), q[s], v[s], workspace_);
      (void)dynamics_.Update(workspace_);
      dynamics_.CalcInverseDynamics(vdot[s], lambda[s], workspace_,
                                    VectorMap(tau[s], model().nv()));
    }
    return tau.object;
  }

  nb::object OperationalSpaceInertia(nb::handle q_in, double damping) {
    const ArrayIn q = Q(q_in);
    const Index m = rows();
    const ArrayOut inertia = MakeArray(q.count, {m, m});
    const VectorXd zero = VectorXd::Zero(model().nv());
    for (Index s = 0; s < q.count.value_or(1); ++s) {
      Update(q[s], zero, damping, s);
      if (dynamics_.CalcOperationalSpaceInertia(Eigen::Map<Eigen::MatrixXd>(inertia[s], m, m)) !=
          Status::kOk) {
        Refuse(s);
      }
    }
    return inertia.object;
  }

  nb::object Jacobian(nb::handle q_in) {
    const ArrayIn q = Q(q_in);
    const Index m = rows(), n = model().nv();
    const ArrayOut J = MakeArray(q.count, {m, n});
    const VectorXd zero = VectorXd::Zero(n);
    for (Index s = 0; s < q.count.value_or(1); ++s) {
      UpdateKinematics<double>(model(), q[s], zero, workspace_);
      (void)dynamics_.Update(workspace_);
      Eigen::Map<Eigen::MatrixXd>(J[s], n, m) = dynamics_.J().transpose();
    }
    return J.object;
  }

  nb::object Error(nb::handle q_in) {
    const ArrayIn q = Q(q_in);
    const ArrayOut error = MakeArray(q.count, {rows()});
    const VectorXd zero = VectorXd::Zero(model().nv());
    for (Index s = 0; s < q.count.value_or(1); ++s) {
      UpdateKinematics<double>(model(), q[s], zero, workspace_);
      (void)dynamics_.Update(workspace_);
      VectorMap(error[s], rows()) = dynamics_.error();
    }
    return error.object;
  }

 private:
  using Status = ConstrainedDynamics::Status;

  Index rows() const { return dynamics_.num_rows(); }
  ArrayIn Q(nb::handle q) const { return ReadArray(q, "q", model().nq()); }
  ArrayIn V(nb::handle v, const char* name) const { return ReadArray(v, name, model().nv()); }

  [[noreturn]] void Refuse(Index state) const {
    internal::MessageStream text;
    text << "state " << state << ": the constraints have rank " << dynamics_.rank() << " of "
         << dynamics_.num_rows() << " rows, expected " << dynamics_.expected_rank()
         << ", condition " << dynamics_.condition() << "; damping > 0 bounds their forces";
    throw UserError(text.str());
  }

  template <typename V>
  void Update(const Eigen::Map<const VectorXd>& q, const V& v, double damping, Index state) {
    if (!(damping >= 0)) throw UserError("damping: negative");
    UpdateKinematics<double>(model(), q, v, workspace_);
    switch (dynamics_.Update(workspace_, damping)) {
      case Status::kSingularMassMatrix:
        throw UserError("state " + std::to_string(state) + ": the mass matrix is singular");
      case Status::kSingularConstraints:
        Refuse(state);
      case Status::kOk:
        break;
    }
  }

  std::shared_ptr<LoadedModel> loaded_;
  Workspace<double> workspace_;
  ConstrainedDynamics dynamics_;
};

}  // namespace

void BindConstraints(nb::module_& module) {
  const auto q = nb::arg("q"), v = nb::arg("v");
  const auto damping = nb::arg("damping") = 0.0;
  nb::class_<Constrained>(module, "ConstrainedDynamics", kConstrainedDynamicsDoc)
      .def(nb::init<std::shared_ptr<LoadedModel>, nb::handle, nb::handle, double, nb::handle>(),
           nb::arg("model"), nb::arg("constraints") = nb::make_tuple(), nb::arg("q") = nb::none(),
           nb::arg("max_condition") = 1e6, nb::arg("loops") = false,
           nb::sig("def __init__(self, model: Model, constraints: "
                   "collections.abc.Iterable[dict[str, typing.Any]] = (), q: ArrayLike | None = "
                   "None, max_condition: float = 1e6, loops: bool | dict[str, float] = False) -> "
                   "None"))
      .def("forward_dynamics", &Constrained::ForwardDynamics, q, v, nb::arg("tau"),
           nb::arg("forces") = nb::none(), damping, kConstrainedForwardDynamicsDoc,
           nb::sig("def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, forces: "
                   "Wrenches | None = None, damping: float = 0.0) -> tuple[Array, Array]"))
      .def("impulse", &Constrained::Impulse, q, v, nb::arg("restitution") = 0.0, damping,
           kImpulseDoc,
           nb::sig("def impulse(self, q: ArrayLike, v: ArrayLike, restitution: float = 0.0, "
                   "damping: float = 0.0) -> tuple[Array, Array]"))
      .def("inverse_dynamics", &Constrained::InverseDynamics, q, v, nb::arg("vdot"),
           nb::arg("lambda_"), kConstrainedInverseDynamicsDoc,
           nb::sig("def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, "
                   "lambda_: ArrayLike) -> Array"))
      .def("operational_space_inertia", &Constrained::OperationalSpaceInertia, q, damping,
           kOperationalSpaceInertiaDoc,
           nb::sig("def operational_space_inertia(self, q: ArrayLike, damping: float = 0.0) -> "
                   "Array"))
      .def("jacobian", &Constrained::Jacobian, q,
           nb::sig("def jacobian(self, q: ArrayLike) -> Array"),
           "J of all rows, (m, nv) or (N, m, nv).")
      .def("error", &Constrained::Error, q, nb::sig("def error(self, q: ArrayLike) -> Array"),
           "Errors e of all rows, (m,) or (N, m): rotation vectors, rad, and distances, m, of B in "
           "A's axes.")
      .def_prop_ro("model", &Constrained::loaded)
      .def_prop_ro(
          "num_rows", [](const Constrained& c) { return c.dynamics().num_rows(); },
          "Rows m of all constraints.")
      .def_prop_ro(
          "expected_rank", [](const Constrained& c) { return c.dynamics().expected_rank(); },
          "Rank of J at the q of the constructor.");
}

}  // namespace civita::python
