#include <nanobind/nanobind.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "civita/study/evaluate/eval_quantities.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/docs.h"
#include "python/src/bind/dynamics.h"
#include "python/src/support/arguments.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/signatures.h"

// The methods of Dynamics that are StateQuantities.

namespace civita::python {
namespace {

Shape ShapeOf(const Quantity& row, const Dynamics& d) {
  Shape shape = {};
  if (row.shape == "1") return shape;
  if (row.shape.size() == 1) return {row.shape[0] - '0'};  // at every call
  for (const std::size_t n : ShapeOf({.row = &row, .name = {}}, d.model(), d.nw())) {
    shape.size.at(shape.axes++) = static_cast<Index>(n);
  }
  return shape;
}

/// The quantity at every q and v; without a `v` at every q.
nb::object Calc(const Quantity& row, Dynamics& d, nb::handle q, nb::handle v, nb::handle out) {
  const StateQuantity& quantity = *row.of_state;
  if (quantity.needs_mass) CheckMass(d.model());
  const Shape shapes[] = {ShapeOf(row, d)};
  const Index rows = shapes[0].axes > 0 ? shapes[0].size[0] : 1;
  const Index columns = shapes[0].axes > 1 ? shapes[0].size[1] : 1;
  const auto calc = [&](Worker& at, double* to) {
    if (columns == 1) {
      return quantity.calc(d.space(), at.workspace, Eigen::Map<Eigen::MatrixXd>(to, rows, 1));
    }
    at.Fill(to, rows, columns,
            [&](Eigen::MatrixXd& X) { quantity.calc(d.space(), at.workspace, X); });
  };
  if (!v.is_valid()) {
    return AtQ(d, q, shapes, out, [&](Worker& at, const auto& to) { calc(at, to[0]); });
  }
  return AtQV(d, {q, v}, shapes, out,
              [&](Worker& at, const auto& to, const auto&) { calc(at, to[0]); });
}

/// "(6, nv)", and "(N, 6, nv)" with `states`; "(6,)" of a vector.
std::string ShapeText(std::string_view shape, bool states) {
  std::string text = states ? "(N, " : "(";
  bool is_vector = !states;
  for (std::size_t at = 0; at < shape.size();) {
    constexpr std::string_view kTimes = " × ";
    const std::size_t end = std::min(shape.find(kTimes, at), shape.size());
    text += shape.substr(at, end - at);
    if (end < shape.size()) text += ", ", is_vector = false;
    at = end + kTimes.size();
  }
  return text + (is_vector ? ",)" : ")");
}

std::string DocOf(const StateQuantity& of) {
  const bool is_number = of.shape == "1", moves = of.stage == Stage::kVelocity;
  std::string text(of.doc);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  text += std::string(".") + (moves ? CIVITA_DOC_QV : CIVITA_DOC_Q);
  text += is_number ? "\nReturns\n-------\n" : CIVITA_DOC_OUT;
  text += std::string(of.name) + " : ";
  text += is_number ? "float or ndarray, (N,)"
                    : "ndarray, " + ShapeText(of.shape, false) + " or " + ShapeText(of.shape, true);
  text += "\n    " + std::string(of.angle_unit);
  if (of.length_unit != of.angle_unit) {
    text += " for angles, " + std::string(of.length_unit) + " for lengths";
  }
  return text + ".";
}

void BindNumber(nb::class_<Dynamics>& c, const Quantity& row, const char* name, const char* doc) {
  const auto q = nb::arg("q"), v = nb::arg("v");
  const std::string begin = "def " + std::string(name) + "(self, q: ArrayLike";
  if (row.of_state->stage == Stage::kVelocity) {
    c.def(
        name,
        [&row](Dynamics& d, nb::handle at_q, nb::handle at_v) {
          return Calc(row, d, at_q, at_v, nb::none());
        },
        q, v, doc, nb::sig((begin + ", v: ArrayLike) -> typing.Any").c_str()));
    return;
  }
  c.def(
      name, [&row](Dynamics& d, nb::handle at_q) { return Calc(row, d, at_q, {}, nb::none()); }, q,
      doc, nb::sig((begin + ") -> typing.Any").c_str()));
}

void BindArray(nb::class_<Dynamics>& c, const Quantity& row, const char* name, const char* doc) {
  const auto q = nb::arg("q"), v = nb::arg("v");
  const auto out = nb::arg("out") = nb::none();
  if (row.of_state->stage == Stage::kVelocity) {
    const auto method = [&row](Dynamics& d, nb::handle at_q, nb::handle at_v, nb::handle to) {
      return Calc(row, d, at_q, at_v, to);
    };
    c.def(name, WithMore<Dynamics&, nb::handle, nb::handle>(name, method), q, v, More(), out, doc,
          SigQV(name));
    return;
  }
  const auto method = [&row](Dynamics& d, nb::handle at_q, nb::handle to) {
    return Calc(row, d, at_q, {}, to);
  };
  c.def(name, WithMore<Dynamics&, nb::handle>(name, method), q, More(), out, doc, SigQ(name));
}

}  // namespace

void BindQuantities(nb::class_<Dynamics>& c) {
  for (const Quantity& row : Quantities()) {
    if (row.of_state == nullptr || row.of_state->method.empty()) continue;
    const std::string name(row.of_state->method), doc = DocOf(*row.of_state);
    (row.shape == "1" ? BindNumber : BindArray)(c, row, name.c_str(), doc.c_str());
  }
}

}  // namespace civita::python
