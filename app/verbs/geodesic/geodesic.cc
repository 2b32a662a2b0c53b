#include "app/verbs/geodesic/geodesic.h"

#include <cmath>
#include <utility>

#include "app/interrupt.h"
#include "app/progress_line.h"
#include "app/verbs/geodesic/carry.h"
#include "civita/error.h"
#include "civita/geometry/transport.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A geodesic on its way: W holds v and the carried frame.
struct Traveller {
  ConnectionFunction connection;
  VectorXd q;
  MatrixXd W;
};

void AddRow(double t, const std::vector<Traveller>& travellers, CarriedCurves* carried) {
  carried->t.push_back(t);
  for (std::size_t i = 0; i < travellers.size(); ++i) {
    const Traveller& at = travellers[i];
    CarriedCurve& curve = carried->curves[i];
    curve.q.push_back(at.q);
    curve.v.emplace_back(at.W.col(0));
    curve.frame.emplace_back(at.W.rightCols(at.W.cols() - 1));
  }
}

}  // namespace

int RunGeodesic(const GeodesicOptions& options) {
  const Model model = LoadCarryModel(options.carry);
  const std::vector<CarryForm> forms = ReadForms(options.carry, model);
  if (!(std::isfinite(options.duration_s) && options.duration_s > 0)) {
    throw UserError("--duration: not a positive number of seconds");
  }
  const long steps = CountSteps(options.duration_s, options.carry.step_s);
  const VectorXd q =
      options.q.empty() ? model.DefaultPosition() : ReadConfiguration("--q", options.q, model);
  const VectorXd v = options.v.empty() ? VectorXd(VectorXd::Ones(model.nv()))
                                       : ReadVelocity("--v", options.v, model);
  if (v.isZero(0)) throw UserError("--v: all zero, the geodesic stays where it is");
  const MatrixXd H = MetricAt(model, q, options.q.empty() ? "the model's own q" : "--q");
  MatrixXd W(model.nv(), 1 + model.nv());
  W << v, OrthonormalFrame(H, v);
  CarriedCurves carried{.verb = "geodesic", .model_name = options.carry.model, .geodesic = true};
  SetVectors(options.carry, model, H, W.rightCols(model.nv()), &carried);
  std::vector<Traveller> travellers;
  for (const CarryForm& form : forms) {
    carried.curves.push_back({.name = form.name, .admissible = form.factorization.admissible()});
    travellers.push_back({ConnectionOf(model, form.factorization), q, W});
  }
  const InterruptGuard guard;
  ProgressLine progress;
  const double dt = options.duration_s / static_cast<double>(steps);
  const long stride = RowStride(steps);
  AddRow(0, travellers, &carried);
  for (long step = 1; step <= steps && !carried.interrupted; ++step) {
    for (Traveller& at : travellers) StepGeodesic(model, at.connection, dt, at.q, at.W);
    if (step % stride == 0 || step == steps) {
      AddRow(dt * static_cast<double>(step), travellers, &carried);
    }
    if (progress.Due()) {
      progress.Show(std::to_string(step) + " of " + std::to_string(steps) + " steps",
                    static_cast<double>(step) / static_cast<double>(steps));
    }
    carried.interrupted = guard.interrupted();
  }
  carried.step_s = dt;
  AddFigures(model, &carried);
  return ReportCarried(options.carry, model, carried);
}

}  // namespace civita
