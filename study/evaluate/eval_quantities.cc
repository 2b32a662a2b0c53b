#include "civita/study/evaluate/eval_quantities.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "civita/centroidal.h"
#include "civita/christoffel_layout.h"
#include "civita/com_decoupled.h"
#include "civita/error.h"
#include "civita/regressor.h"
#include "civita/study/evaluate/evaluator.h"
#include "civita/suggest.h"
#include "study/evaluate/eval_rows.h"

namespace civita {
namespace {

using Terms = Quantity::Terms;
using enum Terms::Velocities;

constexpr Terms kOfTask{.of = kTree};
constexpr Terms kMaximal{.in_all = false}, kOnlyTree{.of = kTree, .in_all = false};
constexpr Terms kDecoupled{.of = kTree, .in_all = false, .check = CheckComDecoupling};
constexpr Terms kOfChanged{.of = kChanged}, kNeedsMotion{.needs = {"v_r", "vdot_r"}};
constexpr Terms kNeedsRate{.needs = {"v_r"}}, kNeedsTorque{.needs = {"tau"}};
constexpr Terms kNeedsWrenches{.needs = {"wrenches"}};

/// Those that are no StateQuantity.
constexpr std::array kOthers = std::to_array<Quantity>({
    {"C", "nv × nv", "kg·m²/s", "kg/s", "Coriolis matrix C(q,v) of the factorization", rows::C},
    {"Gamma", "nv × nv × nv", "kg·m²", "kg/m",
     "symbols of the factorization: C[i][k] = Σ_j Gamma[i][j][k] v[j]", rows::Gamma},
    {"passive", "nv", "N·m", "N",
     "forces of springs, damping and dry friction f_c tanh(v / 0.02), in none of the others",
     rows::Passive},
    {"tau", "nv", "N·m", "N", "inverse dynamics H a + C v + g − tau_ext", rows::Tau},
    {"CTv", "nv", "N·m", "N", "Cᵀ v of the factorization", rows::CTv},
    {"tau_r", "nv", "N·m", "N", "H vdot_r + C v_r + g of the factorization", rows::TauR,
     kNeedsMotion},
    {"Cv_r", "nv", "N·m", "N", "C v_r of the factorization", rows::CvR, kNeedsRate},
    {"vdot", "nv", "rad/s²", "m/s²",
     "forward dynamics H⁻¹ (tau + tau_ext − C v − g), tau the state's", rows::Vdot, kNeedsTorque},
    {"tau_ext", "nv", "N·m", "N", "Jᵀ f, the generalized forces of the state's wrenches",
     rows::TauExt, kNeedsWrenches},
    {"Gamma2", "nv × nv × nv", "1", "1/m",
     "symbols of the second kind: H⁻¹ Gamma, first index raised", rows::Gamma2},
    {"GammaSym", "nv × nv × nv", "kg·m²", "kg/m",
     "½ (Gamma[i][j][k] + Gamma[i][k][j]), what geodesics know of it", rows::GammaSym},
    {"Christoffel", "nv × nv × nv", "kg·m²", "kg/m",
     "symbols of the Riemannian connection, whatever the factorization", rows::Christoffel},
    {"Gamma_packed", "np", "kg·m²", "kg/m", "Christoffel symbols, each nonzero one once",
     rows::GammaPacked, kOnlyTree},
    {"structure", "nv × nv × nv", "1", "1/m",
     "structure constants: [e_j, e_k] = Σ_l structure[l][j][k] e_l", rows::Structure},
    {"torsion", "nv × nv × nv", "kg·m²", "kg/m",
     "Gamma[i][j][k] − Gamma[i][k][j] − ⟨e_i, [e_j, e_k]⟩ of the factorization", rows::Torsion},
    {"contorsion", "nv × nv × nv", "kg·m²", "kg/m",
     "Gamma less the Christoffel symbols, −D of [WES]", rows::Contorsion},
    {"three_form", "nv × nv × nv", "kg·m²", "kg/m",
     "totally antisymmetric part of contorsion: all of it, but for alpha", rows::ThreeForm},
    {"Gamma_partner", "nv × nv × nv", "kg·m²", "kg/m",
     "torsion-free connection with the geodesics of Gamma", rows::GammaPartner},
    {"Gamma_riemannian", "nv × nv × nv", "kg·m²", "kg/m",
     "Gamma less the contorsion of its torsion: Christoffel, but for alpha", rows::GammaRiemannian},
    {"residuals", "3", "kg·m²", "kg/m",
     "largest e_j(H_ik) − Gamma[i][j][k] − Gamma[k][j][i], torsion, GammaSym less Christoffel's",
     rows::Residuals},
    {"dtau_dq", "nv × nv", "N·m", "N/m", "∂tau/∂q at constant v and a, along q ⊕ δ e_j",
     rows::DtauDq},
    {"dtau_dv", "nv × nv", "N·m·s", "N·s/m", "∂tau/∂v", rows::DtauDv},
    {"J:BODY", "6 × nv", "1; m", "0; 1", "Jacobian of a body's frame: J v = [ω; velocity]",
     rows::J},
    {"Jdot:BODY", "6 × nv", "1/s; m/s", "0; 1/s", "rate of that Jacobian along v", rows::Jdot},
    {"Y", "nv × 10·nb", "N·m / pi", "N / pi", "regressor: Y pi = tau + tau_ext, without armature",
     rows::Y},
    {"pi", "10·nb", "kg; kg·m; kg·m²", "kg; kg·m; kg·m²", "the model's inertial parameters",
     rows::Pi},
    {"H_max", "6·nm × 6·nm", "kg·m²; kg·m; kg", "kg·m²; kg·m; kg",
     "block-diagonal mass matrix of all body twists", rows::HMax, kMaximal},
    {"C_max", "6·nm × 6·nm", "kg·m²/s; kg·m/s; kg/s", "kg·m²/s; kg·m/s; kg/s",
     "block-diagonal Coriolis matrix of all body twists", rows::CMax, kMaximal},
    {"J_max", "6·nm × nv", "1; m", "0; 1", "stacked Jacobian: J_max v are the body twists",
     rows::JMax, kMaximal},
    {"Jdot_max", "6·nm × nv", "1/s; m/s", "0; 1/s", "its rate along v", rows::JdotMax, kMaximal},
    {"H_com", "nv × nv", "kg; kg·m²", "kg", "H with the velocity of com for that of the base",
     rows::HCom, kDecoupled},
    {"C_com", "nv × nv", "kg/s; kg·m²/s", "kg/s", "C with the velocity of com for that of the base",
     rows::CCom, kDecoupled},
    {"Lambda:TASK", "nx × nx", "kg; kg·m²", "kg", "task mass matrix Λ = (J H⁻¹ Jᵀ)⁻¹", rows::Lambda,
     kOfTask},
    {"Lambdadot:TASK", "nx × nx", "kg/s; kg·m²/s", "kg/s",
     "rate of Λ along v; it equals C_xx + C_xxᵀ, but for alpha", rows::Lambdadot, kOfTask},
    {"C_xx:TASK", "nx × nx", "kg/s; kg·m²/s", "kg/s", "Coriolis matrix of the task by its velocity",
     rows::CXx, kOfTask},
    {"C_xn:TASK", "nx × nn", "kg·m/s; kg·m²/s", "kg/s", "Coriolis matrix of the task by n",
     rows::CXn, kOfTask},
    {"C_nx:TASK", "nn × nx", "kg·m/s; kg·m²/s", "kg/s", "−C_xnᵀ, but for alpha", rows::CNx,
     kOfTask},
    {"C_nn:TASK", "nn × nn", "kg·m²/s", "kg/s", "Coriolis matrix of the null space", rows::CNn,
     kOfTask},
    {"H_nn:TASK", "nn × nn", "kg·m²", "kg", "mass matrix of the null space, NᵀH N", rows::HNn,
     kOfTask},
    {"N:TASK", "nv × nn", "1", "1", "basis of the null space: J N = 0", rows::N, kOfTask},
    {"A", "nv × nw", "1", "1", "with --reduced or --coordinates: velocities of all joints, A w",
     rows::A, kOfChanged},
});

constexpr std::string_view kBodyMark = ":BODY", kTaskMark = ":TASK";

std::vector<Quantity> MakeQuantities() {
  std::vector<Quantity> rows;
  for (const StateQuantity& of : StateQuantities()) {
    rows.push_back({of.name, of.shape, of.angle_unit, of.length_unit, of.doc, nullptr, {}, &of});
  }
  rows.insert(rows.end(), kOthers.begin(), kOthers.end());
  return rows;
}

bool IsThere(const Quantity& row, bool changed) {
  return row.terms.of == kAny || (row.terms.of == kChanged) == changed;
}

bool WantsBody(const Quantity& row) {
  return row.name.ends_with(kBodyMark) || row.name.ends_with(kTaskMark);
}

bool IsInAll(const Quantity& row) {
  return row.terms.in_all && row.terms.needs.front().empty() && !WantsBody(row);
}

std::vector<std::string> KnownNames(bool changed) {
  std::vector<std::string> names;
  names.reserve(Quantities().size() + 1);
  for (const Quantity& row : Quantities()) {
    if (IsThere(row, changed)) names.emplace_back(row.name);
  }
  names.emplace_back("all");
  return names;
}

void AddOnce(const QuantityRequest& request, std::vector<QuantityRequest>* found) {
  if (std::find(found->begin(), found->end(), request) == found->end()) found->push_back(request);
}

/// Rows of a body's Jacobian that a task consists of.
struct TaskRows {
  std::string_view suffix;
  int first, num;
};
constexpr std::array<TaskRows, 3> kTaskRows = {
    {{":position", 3, 3}, {":rotation", 0, 3}, {":pose", 0, 6}}};

/// Sets the rows of the task "hand:pose", "hand" for "hand:position". @returns the body's name.
std::string TakeRows(const std::string& task, const Model& model, QuantityRequest* request) {
  const auto* rows = std::ranges::find_if(
      kTaskRows, [&](const TaskRows& choice) { return task.ends_with(choice.suffix); });
  std::string body = task;
  if (rows == kTaskRows.end()) {
    rows = kTaskRows.begin();
  } else {
    body.resize(body.size() - rows->suffix.size());
  }
  request->first_row = rows->first;
  request->num_rows = rows->num;
  request->task = body + std::string(rows->suffix);
  if (rows->num < model.nv()) return body;
  throw UserError("a task of " + std::to_string(rows->num) +
                  " rows leaves no null space of nv = " + std::to_string(model.nv()));
}

/// The request "J:hand" from the row "J:BODY".
QuantityRequest Request(const Quantity& row, const std::string& name, const Model& model,
                        const Factorization& factorization, const OptionNames& called) {
  try {
    if (row.terms.check != nullptr) row.terms.check(model, factorization);
    if (!WantsBody(row)) return {&row, std::string(row.name)};
    QuantityRequest request{&row, name};
    std::string body = name.substr(std::min(name.find(':'), name.size() - 1) + 1);
    if (row.name.ends_with(kTaskMark)) body = TakeRows(body, model, &request);
    request.frame = &model.FindFrame(body);
    return request;
  } catch (const UserError& error) {
    throw UserError(called("quantities") + ": " + name + ": " + error.what());
  }
}

bool IsMeant(const Quantity& row, const std::string& name) {
  if (!WantsBody(row)) return name == row.name || (name == "all" && IsInAll(row));
  return name.substr(0, name.find(':')) == row.name.substr(0, row.name.find(':'));
}

[[noreturn]] void RefuseName(const std::string& name, bool changed, const OptionNames& called) {
  const std::string changes =
      called("reduced") + (changed ? " and " : " or ") + called("coordinates");
  if (std::ranges::any_of(Quantities(), [&](const Quantity& row) { return IsMeant(row, name); })) {
    throw UserError(called("quantities") + ": " + name + " exists " +
                    (changed ? "without " : "with ") + changes +
                    " only; valid: " + internal::Join(KnownNames(changed), ", "));
  }
  throw UserError(called("quantities") + ": " + UnknownName("quantity", name, KnownNames(changed)));
}

/// The parts of a text between separators.
std::vector<std::string_view> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + separator.size());
  }
  return parts;
}

constexpr std::string_view kTimes = " × ", kDot = "·";

}  // namespace

std::span<const Quantity> Quantities() {
  static const std::vector<Quantity> kRows = MakeQuantities();
  return kRows;
}

std::vector<std::size_t> ShapeOf(const QuantityRequest& request, const Model& model, int nw) {
  const std::string_view shape = request.row->shape;
  const auto size = [&](std::string_view symbol) -> std::size_t {
    if (symbol == "nw") return static_cast<std::size_t>(nw);
    if (symbol == "nv") {
      return static_cast<std::size_t>(HasDimension(shape, "nw") ? model.nv() : nw);
    }
    if (symbol == "nb") return BodyFrames(model).size();
    if (symbol == "nm") return model.bodies().size();
    if (symbol == "np") return ChristoffelLayout(model).size();
    if (symbol == "nx") return static_cast<std::size_t>(request.num_rows);
    if (symbol == "nn") return static_cast<std::size_t>(nw - request.num_rows);
    std::size_t number = 0;
    std::from_chars(symbol.data(), symbol.data() + symbol.size(), number);
    CIVITA_CHECK(number > 0, "the shape " << shape << " has a factor " << symbol);
    return number;
  };
  std::vector<std::size_t> dimensions;
  if (shape == "1") return dimensions;
  for (const std::string_view dimension : Split(shape, kTimes)) {
    dimensions.push_back(1);
    for (const std::string_view factor : Split(dimension, kDot)) dimensions.back() *= size(factor);
  }
  return dimensions;
}

bool HasDimension(std::string_view shape, std::string_view symbol) {
  return shape.find(symbol) != std::string_view::npos;
}

std::vector<QuantityRequest> FindQuantities(const std::vector<std::string>& names,
                                            const Model& model, const Factorization& factorization,
                                            bool changed, const OptionNames& called) {
  if (names.empty()) {
    throw UserError(called("quantities") +
                    ": says what to compute; valid: " + internal::Join(KnownNames(changed), ", "));
  }
  std::vector<QuantityRequest> found;
  for (const std::string& name : names) {
    bool known = false;
    for (const Quantity& row : Quantities()) {
      if (!IsThere(row, changed) || !IsMeant(row, name)) continue;
      AddOnce(Request(row, name, model, factorization, called), &found);
      known = true;
    }
    if (!known) RefuseName(name, changed, called);
  }
  return found;
}

std::vector<StateNeed> NeedsOf(const std::vector<QuantityRequest>& requests) {
  std::vector<StateNeed> needs;
  for (const QuantityRequest& request : requests) {
    for (const std::string_view key : request.row->terms.needs) {
      if (!key.empty()) needs.push_back({key, request.name});
    }
  }
  return needs;
}

namespace {

RowMajor CalcOfState(const QuantityRequest& request, Evaluator& at) {
  const StateQuantity& quantity = *request.row->of_state;
  if (quantity.needs_mass && !(CalcTotalMass(at.model) > 0)) return {};
  const std::vector<std::size_t> shape = ShapeOf(request, at.model, at.space.nw());
  const auto size = [&shape](std::size_t axis) {
    return static_cast<Eigen::Index>(axis < shape.size() ? shape[axis] : 1);
  };
  Eigen::MatrixXd X(size(0), size(1));
  quantity.calc(at.space, at.workspace, X);
  return X;
}

}  // namespace

void CalcQuantity(const QuantityRequest& request, Evaluator* at, std::vector<double>* result) {
  RowMajor value;
  if (at->trouble.empty()) {
    value = request.row->of_state != nullptr ? CalcOfState(request, *at)
                                             : request.row->calc(*at, request);
  }
  if (value.numbers.empty()) {
    std::ranges::fill(*result, std::nan(""));
    return;
  }
  CIVITA_CHECK(value.numbers.size() == result->size(), request.name
                                                           << " has " << value.numbers.size()
                                                           << " numbers, not " << result->size());
  *result = std::move(value.numbers);
}

std::string DescribeQuantities() {
  std::string text;
  for (const Quantity& row : Quantities()) {
    std::string line = "  " + std::string(row.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
    text += line + std::string(row.doc) + " (" + std::string(row.shape) + ")\n";
  }
  return text;
}

}  // namespace civita
