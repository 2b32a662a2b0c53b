// Connections and the tensors by which they differ.

#include <optional>

#include "civita/christoffel.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/space_geometry.h"
#include "civita/geometry/three_form.h"
#include "civita/geometry/torsion.h"
#include "civita/study/evaluate/evaluator.h"
#include "study/evaluate/eval_rows.h"

namespace civita::rows {

RowMajor Gamma(Evaluator& at, const QuantityRequest&) { return at.Gamma(); }
RowMajor Christoffel(Evaluator& at, const QuantityRequest&) { return at.Riemannian(); }
RowMajor Structure(Evaluator& at, const QuantityRequest&) { return at.structure(); }
RowMajor GammaSym(Evaluator& at, const QuantityRequest&) { return SymmetricPart(at.Gamma()); }

RowMajor Gamma2(Evaluator& at, const QuantityRequest&) {
  const std::optional<Tensor3> raised = RaiseFirstIndex(at.H(), at.Gamma());
  return raised ? RowMajor(*raised) : RowMajor();
}

RowMajor GammaPacked(Evaluator& at, const QuantityRequest&) {
  const ChristoffelLayout layout(at.model);
  Eigen::VectorXd packed(static_cast<Eigen::Index>(layout.size()));
  CalcPackedChristoffelSymbols(at.model, layout, at.tree(), {packed.data(), layout.size()});
  return packed;
}

RowMajor Torsion(Evaluator& at, const QuantityRequest&) {
  return civita::Torsion(at.Gamma(), at.lowered_structure());
}

RowMajor Contorsion(Evaluator& at, const QuantityRequest&) { return at.Gamma() - at.Riemannian(); }

RowMajor ThreeForm(Evaluator& at, const QuantityRequest&) {
  return AntisymmetricPart(at.Gamma() - at.Riemannian());
}

RowMajor GammaPartner(Evaluator& at, const QuantityRequest&) {
  return TorsionFreeSameGeodesics(at.Gamma(), at.lowered_structure());
}

RowMajor GammaRiemannian(Evaluator& at, const QuantityRequest&) {
  return TorsionFreeSameMetric(at.Gamma(), at.lowered_structure());
}

RowMajor Residuals(Evaluator& at, const QuantityRequest&) {
  const ConnectionResiduals residuals = CalcConnectionResiduals(
      at.Gamma(), CalcMetricRates(at.space, at.workspace), at.lowered_structure());
  return Eigen::Vector3d(residuals.metric, residuals.torsion, residuals.geodesics);
}

}  // namespace civita::rows
