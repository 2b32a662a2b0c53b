#include "python/src/bind/python_law.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <variant>

#include "civita/controllers/damping_force.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/passivity_rnea.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/signal_watch.h"

namespace civita::python {
namespace {

using Eigen::VectorXd;
using Ref = Eigen::Ref<const Eigen::MatrixXd>;

/// The exception as Python prints it, the last line first.
std::string TextOf(const nb::python_error& error) {
  try {
    const nb::object lines =
        nb::module_::import_("traceback").attr("format_exception")(error.value());
    const nb::object all = nb::str("").attr("join")(lines).attr("rstrip")();
    return nb::cast<std::string>(nb::str(all));
  } catch (...) {
    return error.what();
  }
}

/// " (laws.py:12, in __init__)": where it was raised; "" outside of Python.
std::string PlaceOf(const nb::python_error& error) {
  try {
    const nb::object frames =
        nb::module_::import_("traceback").attr("extract_tb")(error.value().attr("__traceback__"));
    if (nb::len(frames) == 0) return "";
    const nb::object last = frames[nb::len(frames) - 1];
    const std::filesystem::path file = nb::cast<std::string>(last.attr("filename"));
    return " (" + file.filename().string() + ":" +
           std::to_string(nb::cast<int>(last.attr("lineno"))) + ", in " +
           nb::cast<std::string>(last.attr("name")) + ")";
  } catch (...) {
    return "";
  }
}

/// "an array of shape (3,)", "NoneType".
std::string Describe(const nb::object& value) {
  if (!nb::hasattr(value, "shape")) {
    return nb::cast<std::string>(value.type().attr("__name__"));
  }
  const nb::object shape = value.attr("shape");
  return "an array of shape " + nb::cast<std::string>(nb::str(shape));
}

void Copy(const Eigen::Ref<const VectorXd>& from, const ArrayOut& to) {
  Eigen::Map<VectorXd>(to.data, from.size()) = from;
}

}  // namespace

PythonLaw::PythonLaw(const Model& model, const PythonLawRow& row, const ControllerOptions& options)
    : Controller(model, row.info, options),
      row_(row),
      error_(model.nv()),
      force_(VectorXd::Zero(model.nv())) {
  int size = 0;
  for (const LawNumbers& state : row.states) size += state.size(model.nv());
  DefineState(size);
  std::vector<SignalInfo> signals;
  for (const LawNumbers& signal : row.signals) {
    signals.push_back(
        {"/" + signal.attribute, signal.unit,
         signal.width == LawNumbers::kScalar ? SignalInfo::kScalar : signal.size(model.nv()),
         signal.doc});
  }
  DefineSignals(std::move(signals));
  const nb::gil_scoped_acquire acquire;
  try {
    Make();
  } catch (const nb::python_error& error) {
    Release();
    const auto text = nb::cast<std::string>(nb::str(error.value()));
    // As in C++, what begins with a key is shown with the key's place in the config.
    if (error.matches(PyExc_ValueError) && text.starts_with("controller.")) throw UserError(text);
    throw UserError(row.name + ": " +
                    nb::cast<std::string>(nb::str(error.type().attr("__name__"))) + ": " + text +
                    PlaceOf(error));
  } catch (...) {
    Release();
    throw;
  }
}

PythonLaw::~PythonLaw() {
  const nb::gil_scoped_acquire acquire;
  Release();
}

void PythonLaw::Release() {
  if (handle_.is_valid()) nb::cast<LawHandle&>(handle_).law = nullptr;
  gains_.clear();
  signals_.clear();
  states_.clear();
  for (Shown* shown : {&q_, &v_, &e_, &edot_, &foot_force_, &q_d_, &v_d_, &vdot_d_, &H_shown_,
                       &C_shown_, &g_shown_, &s_, &sdot_ref_}) {
    *shown = {};
  }
  for (nb::object* object :
       {&law_, &control_, &measured_, &reference_, &dynamics_, &t_name_, &handle_}) {
    object->reset();
  }
}

PythonLaw::Shown PythonLaw::Show(nb::handle owner, const char* name, const Shape& shape) const {
  Shown shown{MakeArray({}, shape), nb::str(name), shape.axes == 0};
  Index size = shown.array.size;
  Eigen::Map<VectorXd>(shown.array.data, size).setZero();
  nb::setattr(owner, shown.name, shown.array.object);
  return shown;
}

void PythonLaw::Make() {
  const Index n = model_.nv();
  const nb::module_ laws = nb::module_::import_("civita.laws");
  const nb::object model = nb::cast(std::make_shared<LoadedModel>(
      LoadedModel{model_, row_.name + "'s model of the robot", {}, {}, "it is not known"}));
  handle_ = nb::cast(LawHandle{this});
  law_ = row_.law_class.attr("__new__")(row_.law_class);
  measured_ = laws.attr("Measured")();
  reference_ = laws.attr("Reference")();
  dynamics_ = laws.attr("LawDynamics")(model, handle_);
  t_name_ = nb::str("t");
  q_ = Show(measured_, "q", {model_.nq()});
  v_ = Show(measured_, "v", {n});
  e_ = Show(measured_, "e", {n});
  edot_ = Show(measured_, "edot", {n});
  foot_force_ = Show(measured_, "foot_force", {0});
  q_d_ = Show(reference_, "q", {model_.nq()});
  v_d_ = Show(reference_, "v", {n});
  vdot_d_ = Show(reference_, "vdot", {n});
  H_shown_ = Show(dynamics_, "H", {n, n});
  C_shown_ = Show(dynamics_, "C", {n, n});
  g_shown_ = Show(dynamics_, "g", {n});
  dynamics_.attr("_q") = q_.array.object;
  dynamics_.attr("_v") = v_.array.object;
  s_ = Show(law_, "s", {n});
  sdot_ref_ = Show(law_, "sdot_ref", {n});
  for (const ParameterInfo& parameter : row_.parameters) {
    const bool scalar = parameter.shape == GainShape::kScalar;
    const std::string key(parameter.key);
    gains_.push_back(scalar ? Show(law_, key.c_str(), {}) : Show(law_, key.c_str(), {n}));
    Eigen::Map<VectorXd>(gains_.back().array.data, scalar ? 1 : n)
        .setConstant(parameter.default_value);
  }
  const auto show = [&](const LawNumbers& numbers) {
    const char* name = numbers.attribute.c_str();
    return numbers.width == LawNumbers::kScalar ? Show(law_, name, {})
                                                : Show(law_, name, {numbers.size(model_.nv())});
  };
  SetOptions();
  for (const LawNumbers& signal : row_.signals) signals_.push_back(show(signal));
  for (const LawNumbers& state : row_.states) states_.push_back(show(state));
  law_.attr("__init__")(model);
  control_ = law_.attr("control");
  has_storage_ = nb::hasattr(law_, "storage");
  has_dissipation_ = nb::hasattr(law_, "dissipation");
}

void PythonLaw::SetOptions() {
  for (const OptionInfo& option : row_.options) {
    const std::string key(option.key);
    nb::setattr(
        law_, key.c_str(),
        std::visit([](const auto& value) { return nb::cast(value); }, *options_.own.Find(key)));
  }
}

template <typename Work>
void PythonLaw::Guard(const char* method, Work work) {
  const nb::gil_scoped_acquire acquire;
  std::string text;
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      work();
      return;
    } catch (const nb::python_error& error) {
      // Ctrl-C ends the run after this step, which is computed again.
      const bool is_exception = error.matches(PyExc_Exception);
      if (attempt == 0 && !is_exception && SignalWatch::Keep(error)) continue;
      text = TextOf(error);
    } catch (const nb::builtin_exception& error) {
      text = row_.name + "." + method + ": " + error.what();
    }
    break;
  }
  throw Error(text);
}

void PythonLaw::FillInputs(const Measurement& measured, const ReferenceState& reference) {
  nb::setattr(measured_, t_name_, nb::float_(measured.t));
  Copy(measured.q, q_.array);
  Copy(measured.v, v_.array);
  Copy(error_.e, e_.array);
  Copy(error_.edot, edot_.array);
  if (foot_force_.array.size != measured.foot_force.size()) {
    foot_force_ = Show(measured_, "foot_force", {measured.foot_force.size()});
  }
  Copy(measured.foot_force, foot_force_.array);
  Copy(reference.q, q_d_.array);
  Copy(error_.v_d, v_d_.array);
  Copy(error_.vdot_d, vdot_d_.array);
  if (reference.task.given) {
    const TaskTarget& task = reference.task;
    reference_.attr("task") =
        nb::make_tuple(ToArray(VectorXd(task.p)), ToArray(Ref(task.R)), ToArray(VectorXd(task.V)),
                       ToArray(VectorXd(task.Vdot)));
  }
  for (std::size_t i = 0; i < gains_.size(); ++i) {
    Copy(gain(static_cast<int>(i)), gains_[i].array);
  }
  FillState();
}

void PythonLaw::FillState() {
  Index at = 0;
  for (const Shown& state : states_) {
    const Index size = state.array.size;
    Copy(state_.segment(at, size), state.array);
    at += size;
  }
}

void PythonLaw::TakeList(const Shown& shown, Eigen::Ref<VectorXd> to) const {
  const nb::object value = nb::getattr(law_, shown.name);
  if (value.is(shown.array.object)) {
    to = Eigen::Map<const VectorXd>(shown.array.data, to.size());
    return;
  }
  const std::string name = "self." + nb::cast<std::string>(shown.name);
  if (shown.is_scalar) {
    to[0] = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw nb::type_error((name + ": " + Describe(value) + ", not a number").c_str());
    }
  } else {
    to = ReadVector(value, name.c_str(), to.size());
  }
}

void PythonLaw::TakeResults(nb::handle tau, ControlOutput& output) {
  const Index n = model_.nv();
  if (tau.is_none()) throw nb::type_error("control gave None for tau: is a return missing?");
  output.tau = ReadVector(tau, "tau", n);
  TakeList(s_, output.s);
  TakeList(sdot_ref_, output.sdot_ref);
  Index at = 0;
  for (const Shown& signal : signals_) {
    const Index size = signal.array.size;
    TakeList(signal, output.signals.segment(at, size));
    at += size;
  }
}

Status PythonLaw::CalcControl(const Measurement& measured, const ReferenceState& reference,
                              ControlOutput& output) {
  UpdateDynamics(measured.q, measured.v, output);
  CalcTrackingError(model_, measured.q, measured.v, reference, error_);
  Controller::CloseMotion(error_.v_d, error_.vdot_d);
  output.e = error_.e;
  output.s = measured.v - error_.v_d;
  Guard("control", [&] {
    const Index n = model_.nv();
    FillInputs(measured, reference);
    Eigen::Map<Eigen::MatrixXd>(H_shown_.array.data, n, n) = H_;
    Eigen::Map<Eigen::MatrixXd>(C_shown_.array.data, n, n) = C_.transpose();
    Copy(g_, g_shown_.array);
    Copy(output.s, s_.array);
    Copy(error_.vdot_d, sdot_ref_.array);
    const nb::object tau = control_(measured_, reference_, dynamics_);
    TakeResults(tau, output);
  });
  return FinishControl(output);
}

StorageState PythonLaw::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  StorageState storage = CalcKineticStorage(plant, output);
  if (has_storage_) {
    Guard("storage", [&] {
      const nb::object result = law_.attr("storage")(ToArray(Ref(plant.H)),
                                                     ToArray(Ref(plant.Hdot)), ToArray(plant.vdot));
      if (!nb::isinstance<nb::tuple>(result) || nb::len(result) != 3) {
        throw nb::value_error("not a tuple (V, Vdot, P)");
      }
      storage.V = nb::cast<double>(nb::float_(result[0]));
      storage.Vdot = nb::cast<double>(nb::float_(result[1]));
      storage.P = nb::cast<double>(nb::float_(result[2]));
    });
  } else if (has_dissipation_) {
    Guard("dissipation",
          [&] { storage.P = nb::cast<double>(nb::float_(law_.attr("dissipation")())); });
  }
  return storage;
}

void PythonLaw::ResetLaw(const Measurement& start, const ReferenceState& reference,
                         Eigen::Ref<VectorXd> x) {
  x.setZero();
  CalcTrackingError(model_, start.q, start.v, reference, error_);
  Guard("reset", [&] {
    FillInputs(start, reference);
    if (!nb::hasattr(law_, "reset")) return;
    for (const Shown& state : states_) {
      Eigen::Map<VectorXd>(state.array.data, state.array.size).setZero();
    }
    law_.attr("reset")(measured_, reference_);
    Index at = 0;
    for (const Shown& state : states_) {
      TakeList(state, x.segment(at, state.array.size));
      nb::setattr(law_, state.name, state.array.object);
      at += state.array.size;
    }
  });
}

void PythonLaw::CalcLawRate(const VectorXd& tau_applied, const ControlOutput& /*output*/,
                            Eigen::Ref<VectorXd> xdot) {
  xdot.setZero();
  if (states_.empty()) return;
  Guard("rate", [&] {
    const nb::object rate = law_.attr("rate")(ToArray(tau_applied));
    xdot = ReadVector(rate, "rate", xdot.size());
  });
}

nb::object PythonLaw::PassivityRnea(nb::handle v_r, nb::handle vdot_r) {
  const Index n = model_.nv();
  const VectorXd v = ReadVector(v_r, "v_r", n), vdot = ReadVector(vdot_r, "vdot_r", n);
  const ArrayOut tau = MakeArray({}, {n});
  CalcPassivityInverseDynamics<double>(model_, factorization(), v, vdot, workspace_,
                                       Eigen::Map<VectorXd>(tau.data, n));
  return tau.object;
}

nb::object PythonLaw::PassiveForces(nb::handle v_r) {
  const VectorXd v = ReadVector(v_r, "v_r", model_.nv());
  const VectorXd q = Eigen::Map<const VectorXd>(q_.array.data, model_.nq());
  force_.setZero();
  AddPassiveForces(q, v, force_);
  return ToArray(force_);
}

nb::object PythonLaw::DampingForce(nb::handle k_in, nb::handle s_in) {
  const Index n = model_.nv();
  const VectorXd k = ReadVector(k_in, "k", n), s = ReadVector(s_in, "s", n);
  const std::vector<int>& independent = space_.independent();
  const VectorXd k_w = k(independent), s_w = s(independent);
  VectorXd scratch(nw()), K_D_s(nw());
  CalcDampingForce(gain_form(), k_w, H_w(), s_w, scratch, K_D_s);
  force_.setZero();
  force_(independent) = K_D_s;
  return ToArray(force_);
}

nb::object PythonLaw::ErrorForce(nb::handle p) {
  const VectorXd in = ReadVector(p, "p", model_.nv());
  CalcErrorForce(model_, error_.e, in, force_);
  return ToArray(force_);
}

nb::object PythonLaw::CloseMotion(nb::handle v_r, nb::handle vdot_r) {
  const Index n = model_.nv();
  VectorXd v = ReadVector(v_r, "v_r", n), vdot = ReadVector(vdot_r, "vdot_r", n);
  Controller::CloseMotion(v, vdot);
  return nb::make_tuple(ToArray(v), ToArray(vdot));
}

nb::object PythonLaw::Independent() const {
  VectorXd is_independent = VectorXd::Zero(model_.nv());
  is_independent(space_.independent()).setOnes();
  return ToArray(is_independent);
}

double PythonLaw::PassiveDissipation(nb::handle v_r, nb::handle s) const {
  return CalcPassiveDissipation(ReadVector(v_r, "v_r", model_.nv()),
                                ReadVector(s, "s", model_.nv()));
}

std::string PythonLaw::FactorizationText() const { return ToString(factorization()); }

}  // namespace civita::python
