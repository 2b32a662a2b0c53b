#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <Eigen/Core>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/error.h"
#include "civita/scenes/control/law_loader.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/suggest.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/python_law.h"
#include "python/src/support/arguments.h"
#include "python/src/support/loaded_model.h"

namespace civita::python {
namespace {

/// A law that is stepped from a loop of one's own; its state is integrated from step to step.
class LawStepper {
 public:
  using Gains = std::map<std::string, Eigen::VectorXd>;
  using Options = std::map<std::string, std::string>;

  /// Options are YAML by key. @throws UserError, also for laws of legs or of a frame's task, which
  /// need a scene.
  LawStepper(std::shared_ptr<const LoadedModel> model, const std::string& type,
             const Factorization& factorization, GainForm gain_form, const Eigen::VectorXd& q_start,
             const Gains& gains, const Options& options);

  /// The torque at t; valid until the next call. The first call, and one after Reset, starts the
  /// law's state. @throws UserError where t is before the last step, or there is no finite torque.
  const Eigen::VectorXd& Step(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              const ReferenceState& reference);
  void Reset() { last_t_.reset(); }

  Controller& controller() { return *controller_; }
  const ControlOutput& output() const { return *output_; }

 private:
  std::shared_ptr<const LoadedModel> model_;
  std::unique_ptr<Controller> controller_;
  std::optional<ControlOutput> output_;
  Measurement measured_;
  Eigen::VectorXd rate_, next_;
  std::optional<double> last_t_;
  std::mutex mutex_;
};

using Eigen::VectorXd;

nb::object MatrixToArray(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  return ToArray(matrix);
}

/// Lets configs name laws that Python's `load(name, directory)` makes.
void SetLoader(nb::handle load) {
  auto* const kept = new nb::object(nb::borrow(load));  // for the process
  SetLawLoader([kept](const std::string& name, const std::filesystem::path& directory) {
    const nb::gil_scoped_acquire acquire;
    try {
      return nb::cast<std::string>((*kept)(name, directory.string()));
    } catch (const nb::python_error& error) {
      throw UserError(nb::cast<std::string>(nb::str(error.value())));
    }
  });
}

PythonLaw& LawOf(const LawHandle& handle) {
  if (handle.law == nullptr) throw UserError("dynamics: its run is over");
  return *handle.law;
}

/// A method of the law behind a handle.
template <typename Result, typename... Arguments>
auto OfLaw(Result (PythonLaw::*method)(Arguments...)) {
  return [method](const LawHandle& h, Arguments... of) { return (LawOf(h).*method)(of...); };
}

std::unique_ptr<LawStepper> MakeStepper(std::shared_ptr<LoadedModel> model, const std::string& type,
                                        nb::handle factorization, bool diagonal, nb::handle q_start,
                                        const nb::dict& gains, const LawStepper::Options& options) {
  const Model& m = model->model;
  LawStepper::Gains values;
  for (const auto& [key, value] : gains) {
    const nb::object array =
        nb::module_::import_("numpy").attr("ravel")(value);  // of matrices their rows
    values[nb::cast<std::string>(key)] =
        ReadVector(array, nb::cast<std::string>(key).c_str(), nb::cast<Index>(array.attr("size")));
  }
  const Factorization parsed = ReadFactorization(factorization, m);
  const VectorXd start = ReadVector(q_start, "q_start", m.nq());
  return std::make_unique<LawStepper>(std::move(model), type, parsed,
                                      diagonal ? GainForm::kDiagonal : GainForm::kMass, start,
                                      values, options);
}

nb::object StepLaw(LawStepper& law, double t, nb::handle q_in, nb::handle v_in, nb::handle q_d,
                   nb::handle v_d, nb::handle vdot_d) {
  const Model& m = law.controller().model();
  const VectorXd q = ReadVector(q_in, "q", m.nq()), v = ReadVector(v_in, "v", m.nv());
  ReferenceState reference;
  reference.q = ReadVector(q_d, "reference.q", m.nq());
  reference.v = ReadVector(v_d, "reference.v", m.nv());
  reference.vdot = ReadVector(vdot_d, "reference.vdot", m.nv());
  const VectorXd* tau = nullptr;
  {
    const nb::gil_scoped_release release;
    tau = &law.Step(t, q, v, reference);
  }
  return ToArray(*tau);
}

void BindHandle(nb::module_& module) {
  nb::class_<LawHandle>(module, "LawHandle", "The law behind its `dynamics`.")
      .def("passivity_rnea", OfLaw(&PythonLaw::PassivityRnea), nb::arg("v_r"), nb::arg("vdot_r"),
           nb::sig("def passivity_rnea(self, v_r: ArrayLike, vdot_r: ArrayLike) -> Array"))
      .def("passive_forces", OfLaw(&PythonLaw::PassiveForces), nb::arg("v_r"),
           nb::sig("def passive_forces(self, v_r: ArrayLike) -> Array"))
      .def("damping_force", OfLaw(&PythonLaw::DampingForce), nb::arg("k"), nb::arg("s"),
           nb::sig("def damping_force(self, k: ArrayLike, s: ArrayLike) -> Array"))
      .def("error_force", OfLaw(&PythonLaw::ErrorForce), nb::arg("p"),
           nb::sig("def error_force(self, p: ArrayLike) -> Array"))
      .def("close_motion", OfLaw(&PythonLaw::CloseMotion), nb::arg("v_r"), nb::arg("vdot_r"),
           nb::sig(
               "def close_motion(self, v_r: ArrayLike, vdot_r: ArrayLike) -> tuple[Array, Array]"))
      .def_prop_ro(
          "independent", [](const LawHandle& h) { return LawOf(h).Independent(); },
          nb::sig("def independent(self) -> Array"))
      .def(
          "passive_dissipation",
          [](const LawHandle& h, nb::handle v_r, nb::handle s) {
            return LawOf(h).PassiveDissipation(v_r, s);
          },
          nb::arg("v_r"), nb::arg("s"),
          nb::sig("def passive_dissipation(self, v_r: ArrayLike, s: ArrayLike) -> float"))
      .def_prop_ro("factorization",
                   [](const LawHandle& h) { return LawOf(h).FactorizationText(); });
}

void BindStepper(nb::module_& module) {
  nb::class_<LawStepper>(module, "LawStepper", "See civita.Law.")
      .def("step", StepLaw, nb::arg("t"), nb::arg("q"), nb::arg("v"), nb::arg("q_d"),
           nb::arg("v_d"), nb::arg("vdot_d"),
           nb::sig("def step(self, t: float, q: ArrayLike, v: ArrayLike, q_d: ArrayLike, v_d: "
                   "ArrayLike, vdot_d: ArrayLike) -> Array"))
      .def("reset", &LawStepper::Reset)
      .def_prop_ro(
          "e", [](LawStepper& law) { return ToArray(law.output().e); },
          nb::sig("def e(self) -> Array"))
      .def_prop_ro(
          "s", [](LawStepper& law) { return ToArray(law.output().s); },
          nb::sig("def s(self) -> Array"))
      .def_prop_ro(
          "H", [](LawStepper& law) { return MatrixToArray(law.controller().H()); },
          nb::sig("def H(self) -> Array"))
      .def_prop_ro(
          "C", [](LawStepper& law) { return MatrixToArray(law.controller().C()); },
          nb::sig("def C(self) -> Array"))
      .def_prop_ro(
          "state", [](LawStepper& law) { return ToArray(law.controller().state()); },
          nb::sig("def state(self) -> Array"));
}

LawOptions ReadOptions(const LawInfo& law, const LawStepper::Options& texts) {
  LawOptions read;
  for (const auto& [key, text] : texts) {
    const auto option = std::ranges::find(law.options, key, &OptionInfo::key);
    if (option == law.options.end()) {
      std::vector<std::string> keys;
      for (const OptionInfo& each : law.options) keys.emplace_back(each.key);
      throw UserError(UnknownName("option", key, keys));
    }
    const std::string place = "options." + key;
    read.Set(key, internal::ReadOption(*option, ParseYamlArgument(text, place), place));
  }
  return read;
}

}  // namespace

void BindLaw(nb::module_& module) {
  BindHandle(module);
  BindStepper(module);
  module.def("make_stepper", MakeStepper, nb::arg("model"), nb::arg("type"),
             nb::arg("factorization"), nb::arg("diagonal"), nb::arg("q_start"), nb::arg("gains"),
             nb::arg("options"),
             nb::sig("def make_stepper(model: Model, type: str, factorization: typing.Any, "
                     "diagonal: bool, q_start: ArrayLike, gains: dict[str, typing.Any], options: "
                     "dict[str, str]) -> LawStepper"));
  module.def("register_law", RegisterPythonLaw, nb::arg("type"), nb::arg("law_class"),
             nb::arg("description"),
             nb::sig("def register_law(type: str, law_class: type, description: dict[str, "
                     "typing.Any]) -> None"));
  module.def(
      "set_law_loader", SetLoader, nb::arg("load"),
      nb::sig("def set_law_loader(load: collections.abc.Callable[[str, str], str]) -> None"));
}

LawStepper::LawStepper(std::shared_ptr<const LoadedModel> model, const std::string& type,
                       const Factorization& factorization, GainForm gain_form,
                       const Eigen::VectorXd& q_start, const Gains& gains, const Options& own)
    : model_(std::move(model)) {
  const LawInfo& info = FindLaw(type);
  ControllerOptions options;
  options.own = ReadOptions(info, own);
  if (info.needs_legs || info.MovesFrame(options.own)) {
    throw UserError(type + " needs a scene, with its feet or its task; use civita.run");
  }
  options.factorization = factorization;
  options.gain_form = gain_form;
  options.q_start = q_start;
  controller_ = info.make(model_->model, options);
  for (const auto& [key, value] : gains) controller_->set_gain(key, value);
  output_.emplace(*controller_);
  rate_ = next_ = controller_->state();
}

const Eigen::VectorXd& LawStepper::Step(double t, const Eigen::VectorXd& q,
                                        const Eigen::VectorXd& v, const ReferenceState& reference) {
  const std::lock_guard lock(mutex_);
  measured_ = {t, q, v};
  if (!last_t_) {
    controller_->ResetState(measured_, reference);
  } else if (t < *last_t_) {
    throw UserError("t: before the last step; reset() starts anew");
  } else {
    controller_->CalcStateRate(output_->tau, *output_, rate_);
    controller_->CalcNextState(t - *last_t_, rate_, next_);
    controller_->set_state(next_);
  }
  last_t_ = t;
  if (!controller_->CalcControl(measured_, reference, *output_)) {
    throw UserError(std::string(controller_->info().type) + ": no finite torque at this state");
  }
  return output_->tau;
}

}  // namespace civita::python
