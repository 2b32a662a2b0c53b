#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/plant/coordinates_text.h"
#include "civita/study/evaluate/eval_quantities.h"
#include "civita/study/evaluate/eval_states.h"
#include "civita/study/evaluate/evaluator.h"
#include "civita/suggest.h"
#include "civita/velocity_space.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/docs.h"
#include "python/src/support/arguments.h"
#include "python/src/support/arrays.h"
#include "python/src/support/loaded_model.h"

// civita.evaluate: the table of quantities of `civita eval`.

namespace civita::python {
namespace {

using Names = std::vector<std::string>;

/// The lists of EvalStates::kKeys, in their order.
using Lists = std::array<nb::handle, EvalStates::kNumLists>;

/// The states and whether they are a batch.
struct States {
  EvalStates states;
  std::optional<Index> count;
};

EvalWrench ReadWrench(nb::handle argument, const Model& model) {
  EvalWrench wrench;
  if (!nb::isinstance<nb::dict>(argument)) {
    const auto text = nb::cast<std::string>(nb::repr(argument));
    throw nb::type_error(("wrenches: a dict each, not " + text).c_str());
  }
  for (const auto& [key, value] : nb::cast<nb::dict>(argument)) {
    const auto word = nb::cast<std::string>(key);
    if (word == "body") {
      try {
        wrench.frame = &model.FindFrame(nb::cast<std::string>(value));
      } catch (const UserError& error) {
        throw nb::key_error(error.what());
      }
    } else if (word == "axes") {
      const auto axes = nb::cast<std::string>(value);
      if (axes != "world" && axes != "body") {
        throw UserError("axes: " + UnknownName("choice", axes, {"world", "body"}));
      }
      wrench.in_body_axes = axes == "body";
    } else if (word == "point" || word == "force" || word == "moment") {
      Eigen::Vector3d& vector = word == "point"   ? wrench.point
                                : word == "force" ? wrench.force
                                                  : wrench.moment;
      vector = ReadVector(value, word.c_str(), 3);
    } else {
      const Names keys = {"body", "point", "force", "moment", "axes"};
      throw nb::key_error(UnknownName("key of a wrench", word, keys).c_str());
    }
  }
  if (wrench.frame == nullptr) throw nb::key_error("a wrench needs the key 'body'");
  return wrench;
}

/// @throws UserError without a key that a quantity needs.
void CheckNeeds(const std::vector<StateNeed>& needs, const Lists& lists, nb::handle wrenches) {
  for (const StateNeed& need : needs) {
    for (std::size_t i = 0; i < EvalStates::kKeys.size(); ++i) {
      const nb::handle given = i < lists.size() ? lists.at(i) : wrenches;
      if (EvalStates::kKeys.at(i) == need.key && given.is_none()) {
        throw UserError(need.quantity + " needs the argument " + std::string(need.key));
      }
    }
  }
}

/// @throws nb::python_error if a signal's handler does, as that of Ctrl-C.
void CheckSignals() {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

States ReadStates(const Lists& lists, nb::handle wrenches_in, const Model& model, int nw) {
  std::array<ArrayIn, EvalStates::kNumLists> arrays;
  std::array<ArrayIn*, EvalStates::kNumLists> all;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    all.at(i) = &arrays.at(i);
    if (lists.at(i).is_none()) continue;
    const char* const name = EvalStates::kKeys.at(i).data();
    arrays.at(i) = ReadArray(lists.at(i), name, i == 0 ? model.nq() : nw);
  }
  std::vector<EvalWrench> wrenches;
  if (!wrenches_in.is_none()) {
    for (nb::handle each : wrenches_in) wrenches.push_back(ReadWrench(each, model));
  }
  States read{EvalStates(model.nq(), nw), CountOf(all)};
  const Eigen::VectorXd default_q = model.DefaultPosition();
  for (Index s = 0; s < read.count.value_or(1); ++s) {
    std::array<std::vector<double>, EvalStates::kNumLists> numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const ArrayIn& array = arrays.at(i);
      if (array.data != nullptr) {
        numbers.at(i).assign(array.data + s * array.size, array.data + (s + 1) * array.size);
      } else if (i == 0) {
        numbers.at(i).assign(default_q.begin(), default_q.end());
      } else {
        numbers.at(i).assign(static_cast<std::size_t>(nw), 0);
      }
    }
    read.states.Add(numbers, wrenches);
    if (s % 4096 == 4095) CheckSignals();
  }
  return read;
}

std::vector<QuantityRequest> Find(const Names& names, const Evaluator& at) {
  try {
    return FindQuantities(names, at.model, at.factorization, !at.space.is_tree());
  } catch (const UserError& error) {
    throw nb::key_error(error.what());
  }
}

nb::dict EvaluateAt(Evaluator* at, const Names& names, const Lists& lists, nb::handle wrenches) {
  const std::vector<QuantityRequest> requests = Find(names, *at);
  CheckNeeds(NeedsOf(requests), lists, wrenches);
  const int nw = at->space.nw();
  const States read = ReadStates(lists, wrenches, at->model, nw);
  const std::size_t count = read.states.size();
  std::vector<std::vector<double>> results(requests.size());
  std::vector<std::vector<std::size_t>> shapes;
  for (const QuantityRequest& request : requests) shapes.push_back(ShapeOf(request, at->model, nw));
  {
    const nb::gil_scoped_release release;
    for (std::size_t s = 0; s < count; ++s) {
      at->SetState(read.states, s);
      if (!at->trouble.empty()) {
        throw UserError((read.count ? "state " + std::to_string(s) + ": " : "") + at->trouble);
      }
      for (std::size_t i = 0; i < requests.size(); ++i) {
        std::size_t size = 1;
        for (const std::size_t dimension : shapes[i]) size *= dimension;
        std::vector<double> numbers(size);
        CalcQuantity(requests[i], at, &numbers);
        results[i].insert(results[i].end(), numbers.begin(), numbers.end());
      }
      if (s % 64 == 63) CheckSignals();
    }
  }
  nb::dict dict;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (read.count) shapes[i].insert(shapes[i].begin(), count);
    dict[requests[i].name.c_str()] = ToArray(results[i], shapes[i]);
  }
  return dict;
}

VelocitySpace SpaceOf(const LoadedModel& model, const std::string& coordinates, bool reduced,
                      const Names& independent) {
  if (!independent.empty() && !reduced) {
    throw UserError("independent: chooses the velocities of reduced=True");
  }
  if (!reduced) {
    if (coordinates == "v") return model.model;
    return {model.model, ReadCoordinates(coordinates, model.model, GenericPosition(model.model))};
  }
  if (coordinates != "v") throw UserError("coordinates: not with reduced=True");
  if (!model.loops_error.empty()) throw UserError(model.loops_error);
  if (model.loops.empty()) {
    throw UserError("reduced: " + model.source + " has no closed loops: no active equality");
  }
  return {model.model, model.loops, {.independent = independent}};
}

nb::dict Evaluate(const std::shared_ptr<LoadedModel>& model, nb::handle quantities, nb::handle q,
                  nb::handle v, nb::handle a, nb::handle v_r, nb::handle vdot_r, nb::handle tau,
                  nb::handle wrenches, nb::handle factorization_in, const std::string& coordinates,
                  bool reduced, const Names& independent) {
  const Names names = ReadNames(quantities, "quantities");
  const Lists lists = {q, v, a, v_r, vdot_r, tau};
  const Factorization factorization = ReadFactorization(factorization_in, model->model);
  Evaluator at(SpaceOf(*model, coordinates, reduced, independent), factorization);
  return EvaluateAt(&at, names, lists, wrenches);
}

nb::list ListQuantities() {
  nb::list rows;
  for (const Quantity& quantity : Quantities()) {
    const auto text = [](std::string_view of) { return nb::str(of.data(), of.size()); };
    nb::dict row;
    row["name"] = text(quantity.name);
    row["shape"] = text(quantity.shape);
    row["angle_unit"] = text(quantity.angle_unit);
    row["length_unit"] = text(quantity.length_unit);
    row["doc"] = text(quantity.doc);
    rows.append(row);
  }
  return rows;
}

}  // namespace

void BindEvaluate(nb::module_& module) {
  const auto none = [](const char* name) { return nb::arg(name).none() = nb::none(); };
  module.def(
      "evaluate", Evaluate, nb::arg("model"), nb::arg("quantities"), none("q"), none("v"),
      none("a"), nb::kw_only(), none("v_r"), none("vdot_r"), none("tau"), none("wrenches"),
      nb::arg("factorization") = "christoffel", nb::arg("coordinates") = "v",
      nb::arg("reduced") = false, nb::arg("independent") = nb::list(), kEvaluateDoc,
      nb::sig(
          "def evaluate(model: Model, quantities: str | collections.abc.Sequence[str], q: "
          "ArrayLike | None = None, v: ArrayLike | None = None, a: ArrayLike | None = None, *, "
          "v_r: ArrayLike | None = None, vdot_r: ArrayLike | None = None, tau: ArrayLike | None "
          "= None, wrenches: collections.abc.Sequence[dict[str, typing.Any]] | None = None, "
          "factorization: str | civita.factorization.Factorization = 'christoffel', coordinates: "
          "str = 'v', "
          "reduced: bool = False, independent: collections.abc.Sequence[str] = ()) -> "
          "dict[str, Array]"));
  module.def("quantities", ListQuantities, nb::sig("def quantities() -> list[dict[str, str]]"),
             "The table of quantities of evaluate: dicts with name, shape, angle_unit, length_unit "
             "and doc.");
}

}  // namespace civita::python
