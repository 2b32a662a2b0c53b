#include "app/verbs/eval/eval_quantities.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "app/verbs/eval/row_major.h"
#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/geometry/connection.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/geometry/torsion.h"
#include "civita/jacobian.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "civita/suggest.h"

namespace civita {
namespace {

void EvalH(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcMassMatrix(at.model, at.workspace, at.matrix);
  StoreMatrix(at.matrix, out);
}

void EvalC(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcCoriolisMatrix(at.model, at.factorization, at.workspace, at.matrix, at.unused);
  StoreMatrix(at.matrix, out);
}

/// The quantity does not exist at this state.
void StoreNothing(std::span<double> out) { std::ranges::fill(out, std::nan("")); }

void StoreTensor(const Tensor3& tensor, std::span<double> out) {
  auto number = out.begin();
  for (int i = 0; i < tensor.n(); ++i) {
    for (int j = 0; j < tensor.n(); ++j) {
      for (int k = 0; k < tensor.n(); ++k) *number++ = tensor(i, j, k);
    }
  }
}

Tensor3 Christoffel(Evaluator& at) {
  Tensor3 Gamma(at.model.nv());
  CalcChristoffelSymbols(at.model, at.workspace, Gamma.numbers());
  return Gamma;
}

Tensor3 Connection(Evaluator& at) {
  if (at.factorization.torsion_free()) return Christoffel(at);
  return CalcConnection(at.model, at.factorization, at.q, at.unit_workspace);
}

void EvalGamma(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  StoreTensor(Connection(at), out);
}

void EvalGamma2(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcMassMatrix(at.model, at.workspace, at.matrix);
  if (Eigen::LLT<Eigen::MatrixXd>(at.matrix).info() != Eigen::Success) return StoreNothing(out);
  StoreTensor(RaiseFirstIndex(at.matrix, Connection(at)), out);
}

void EvalGammaSym(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  StoreTensor(SymmetricPart(Connection(at)), out);
}

void EvalStructure(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  StoreTensor(CalcStructureConstants(at.model), out);
}

void EvalTorsion(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcMassMatrix(at.model, at.workspace, at.matrix);
  StoreTensor(Torsion(Connection(at), LowerFirstIndex(at.matrix, CalcStructureConstants(at.model))),
              out);
}

void EvalContorsion(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  StoreTensor(Connection(at) - Christoffel(at), out);
}

void EvalHdot(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcMassMatrixDerivative(at.model, at.workspace, at.matrix);
  StoreMatrix(at.matrix, out);
}

void EvalG(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcGravityForces(at.model, at.workspace, AsVector(out));
}

void EvalBias(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcBiasForces(at.model, at.workspace, AsVector(out));
}

void EvalTau(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcInverseDynamics(at.model, at.a, at.workspace, AsVector(out));
}

void EvalCTv(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcCoriolisTransposeProduct(at.model, at.factorization, at.v, at.workspace, AsVector(out));
}

void EvalDtauDq(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcInverseDynamicsDerivatives(at.model, at.a, at.workspace, at.matrix, at.unused, at.unused2);
  StoreMatrix(at.matrix, out);
}

void EvalDtauDv(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcInverseDynamicsDerivatives(at.model, at.a, at.workspace, at.unused, at.matrix, at.unused2);
  StoreMatrix(at.matrix, out);
}

void EvalJ(Evaluator& at, const Model::NamedFrame* frame, std::span<double> out) {
  CalcFrameJacobian(at.model, *frame, Eigen::Vector3d::Zero(), at.workspace, at.twist_rows);
  StoreMatrix(at.twist_rows, out);
}

void EvalJdot(Evaluator& at, const Model::NamedFrame* frame, std::span<double> out) {
  CalcFrameJacobianDerivative(at.model, *frame, Eigen::Vector3d::Zero(), at.workspace,
                              at.twist_rows);
  StoreMatrix(at.twist_rows, out);
}

/// For quantities that a massless model does not have.
template <void (*calc)(Evaluator& at, std::span<double> out)>
void OfMass(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  if (CalcTotalMass(at.model) > 0) return calc(at, out);
  StoreNothing(out);
}

void EvalCom(Evaluator& at, std::span<double> out) {
  AsVector(out) = CalcCenterOfMass(at.model, at.workspace);
}

void EvalJcom(Evaluator& at, std::span<double> out) {
  CalcCenterOfMassJacobian(at.model, at.workspace, at.point_rows);
  StoreMatrix(at.point_rows, out);
}

void EvalAG(Evaluator& at, std::span<double> out) {
  CalcCentroidalMomentumMatrix(at.model, at.workspace, at.twist_rows);
  StoreMatrix(at.twist_rows, out);
}

void EvalHG(Evaluator& at, std::span<double> out) {
  AsVector(out) = CalcCentroidalMomentum(at.model, at.workspace);
}

void EvalKinetic(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  out[0] = CalcKineticEnergy(at.model, at.workspace);
}

void EvalPotential(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  out[0] = CalcPotentialEnergy(at.model, at.workspace);
}

void EvalY(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  CalcRegressor(at.model, at.factorization, at.v, at.a, at.workspace, at.regressor, at.offset);
  StoreMatrix(at.regressor, out);
}

void EvalPi(Evaluator& at, const Model::NamedFrame*, std::span<double> out) {
  AsVector(out) = CalcModelParameters(at.model);
}

using enum QuantityShape;
constexpr std::array kQuantities = std::to_array<Quantity>({
    {"H", kMatrix, "kg·m²", "kg", "mass matrix H(q), symmetric", EvalH, EvalReducedH},
    {"C", kMatrix, "kg·m²/s", "kg/s", "Coriolis matrix C(q,v) of the factorization", EvalC,
     EvalReducedC},
    {"Gamma", kTensor, "kg·m²", "kg/m",
     "symbols of the factorization: C[i][k] = Σ_j Gamma[i][j][k] v[j]", EvalGamma,
     EvalReducedGamma},
    {"Hdot", kMatrix, "kg·m²/s", "kg/s", "rate of H along v; it equals C + Cᵀ", EvalHdot},
    {"g", kVector, "N·m", "N", "gravity forces g(q)", EvalG, EvalReducedG},
    {"bias", kVector, "N·m", "N", "C v + g, the same for every factorization", EvalBias,
     EvalReducedBias},
    {"tau", kVector, "N·m", "N", "inverse dynamics H a + C v + g", EvalTau, EvalReducedTau},
    {"CTv", kVector, "N·m", "N", "Cᵀ v of the factorization", EvalCTv},
    {"Gamma2", kTensor, "1", "1/m", "symbols of the second kind: H⁻¹ Gamma, first index raised",
     EvalGamma2},
    {"GammaSym", kTensor, "kg·m²", "kg/m",
     "½ (Gamma[i][j][k] + Gamma[i][k][j]), what geodesics know of it", EvalGammaSym},
    {"structure", kTensor, "1", "1/m",
     "structure constants: [e_j, e_k] = Σ_l structure[l][j][k] e_l", EvalStructure},
    {"torsion", kTensor, "kg·m²", "kg/m",
     "Gamma[i][j][k] − Gamma[i][k][j] − ⟨e_i, [e_j, e_k]⟩ of the factorization", EvalTorsion},
    {"contorsion", kTensor, "kg·m²", "kg/m", "Gamma less the Christoffel symbols", EvalContorsion},
    {"dtau_dq", kMatrix, "N·m", "N/m", "∂tau/∂q at constant v and a, along q ⊕ δ e_j", EvalDtauDq},
    {"dtau_dv", kMatrix, "N·m·s", "N·s/m", "∂tau/∂v", EvalDtauDv},
    {"J:BODY", kTwistJacobian, "1; m", "0; 1", "Jacobian of a body's frame: J v = [ω; velocity]",
     EvalJ},
    {"Jdot:BODY", kTwistJacobian, "1/s; m/s", "0; 1/s", "rate of that Jacobian along v", EvalJdot},
    {"com", kPoint, "m", "m", "centre of mass, in world axes", OfMass<EvalCom>},
    {"Jcom", kPointJacobian, "m", "1", "its Jacobian: Jcom v is its velocity", OfMass<EvalJcom>},
    {"hG", kTwist, "kg·m²/s; kg·m/s", "kg·m²/s; kg·m/s", "centroidal momentum [angular; linear]",
     OfMass<EvalHG>},
    {"AG", kTwistJacobian, "kg·m²; kg·m", "kg·m; kg", "centroidal momentum matrix: AG v = hG",
     OfMass<EvalAG>},
    {"kinetic", kNumber, "J", "J", "kinetic energy ½ vᵀH v", EvalKinetic},
    {"potential", kNumber, "J", "J", "potential energy of gravity, zero at the world's origin",
     EvalPotential},
    {"Y", kRegressor, "N·m / pi", "N / pi", "regressor: Y pi = tau, without armature", EvalY},
    {"pi", kParameters, "kg; kg·m; kg·m²", "kg; kg·m; kg·m²", "the model's inertial parameters",
     EvalPi},
    {"A", kFrame, "1", "1", "with --reduced only: velocities of all joints, A w", nullptr,
     EvalReducedA},
});

bool IsThere(const Quantity& row, bool reduced) {
  return reduced ? row.calc_reduced != nullptr : row.calc != nullptr;
}

constexpr std::string_view kBodyMark = ":BODY";

std::vector<std::string> KnownNames(bool reduced) {
  std::vector<std::string> names;
  names.reserve(kQuantities.size() + 1);
  for (const Quantity& row : kQuantities) {
    if (IsThere(row, reduced)) names.emplace_back(row.name);
  }
  names.emplace_back("all");
  return names;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool WantsBody(const Quantity& row) { return row.name.ends_with(kBodyMark); }

void AddOnce(const QuantityRequest& request, std::vector<QuantityRequest>* found) {
  if (std::find(found->begin(), found->end(), request) == found->end()) found->push_back(request);
}

/// The request "J:hand" from the row "J:BODY".
QuantityRequest Request(const Quantity& row, const std::string& name, const Model& model) {
  if (!WantsBody(row)) return {&row, std::string(row.name)};
  const size_t mark = std::min(name.find(':'), name.size() - 1);
  const std::string body = name.substr(mark + 1);
  try {
    return {&row, name, &model.FindFrame(body)};
  } catch (const UserError& error) {
    throw UserError("--quantities: " + name + ": " + error.what());
  }
}

bool IsMeant(const Quantity& row, const std::string& name) {
  if (!WantsBody(row)) return name == "all" || name == row.name;
  return name.substr(0, name.find(':')) == row.name.substr(0, row.name.find(':'));
}

}  // namespace

const char* ToString(QuantityShape shape) {
  switch (shape) {
    case kNumber:
      return "1";
    case kPoint:
      return "3";
    case kTwist:
      return "6";
    case kVector:
      return "nv";
    case kMatrix:
      return "nv × nv";
    case kTensor:
      return "nv × nv × nv";
    case kPointJacobian:
      return "3 × nv";
    case kTwistJacobian:
      return "6 × nv";
    case kParameters:
      return "10·nb";
    case kRegressor:
      return "nv × 10·nb";
    case kFrame:
      return "nv × nw";
  }
  return "";
}

std::span<const Quantity> Quantities() { return kQuantities; }

std::vector<std::size_t> ShapeOf(QuantityShape shape, const Model& model, std::optional<int> nw) {
  const auto nv = static_cast<std::size_t>(nw.value_or(model.nv()));
  const std::size_t parameters = kNumBodyParameters * model.frames().size();
  switch (shape) {
    case kNumber:
      return {};
    case kPoint:
      return {3};
    case kTwist:
      return {6};
    case kVector:
      return {nv};
    case kMatrix:
      return {nv, nv};
    case kTensor:
      return {nv, nv, nv};
    case kPointJacobian:
      return {3, nv};
    case kTwistJacobian:
      return {6, nv};
    case kParameters:
      return {parameters};
    case kRegressor:
      return {nv, parameters};
    case kFrame:
      return {static_cast<std::size_t>(model.nv()), nv};
  }
  return {};
}

bool HasBodies(QuantityShape shape) { return shape == kParameters || shape == kRegressor; }

std::vector<QuantityRequest> FindQuantities(const std::vector<std::string>& names,
                                            const Model& model, bool reduced) {
  if (names.empty()) {
    throw UserError("--quantities: says what to compute; valid: " + Joined(KnownNames(reduced)));
  }
  std::vector<QuantityRequest> found;
  for (const std::string& name : names) {
    bool known = false;
    for (const Quantity& row : kQuantities) {
      if (!IsThere(row, reduced) || !IsMeant(row, name)) continue;
      AddOnce(Request(row, name, model), &found);
      known = true;
    }
    if (!known) {
      throw UserError("--quantities: " + UnknownName("quantity", name, KnownNames(reduced)));
    }
  }
  return found;
}

std::string DescribeQuantities() {
  std::string text;
  for (const Quantity& row : kQuantities) {
    std::string line = "  " + std::string(row.name);
    line.resize(13, ' ');
    text += line + std::string(row.doc) + " (" + ToString(row.shape) + ")\n";
  }
  return text;
}

Evaluator::Evaluator(const Model& model_in, Factorization factorization_in)
    : model(model_in),
      factorization(std::move(factorization_in)),
      workspace(model),
      unit_workspace(model),
      q(model.nq()),
      v(model.nv()),
      a(model.nv()),
      matrix(model.nv(), model.nv()),
      unused(model.nv(), model.nv()),
      unused2(model.nv(), model.nv()),
      point_rows(3, model.nv()),
      twist_rows(6, model.nv()),
      regressor(model.nv(), kNumBodyParameters * static_cast<int>(model.frames().size())),
      offset(model.nv()) {}

void Evaluator::SetState(std::span<const double> q_in, std::span<const double> v_in,
                         std::span<const double> a_in) {
  std::copy(q_in.begin(), q_in.end(), q.begin());
  std::copy(v_in.begin(), v_in.end(), v.begin());
  std::copy(a_in.begin(), a_in.end(), a.begin());
  UpdateKinematics(model, q, v, workspace);
}

}  // namespace civita
