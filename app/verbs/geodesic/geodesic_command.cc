#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "app/interrupt.h"
#include "app/verbs/geodesic/carry.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "civita/error.h"
#include "civita/geometry/transport.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Options of `civita geodesic`.
struct GeodesicOptions {
  CarryOptions carry;
  std::string q;  ///< nq numbers; empty: the model's own configuration
  std::string v;  ///< nv numbers; empty: 1 each
  double duration_s = 1;
};

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

/// Integrates and reports. @returns an ExitCode. @throws UserError.
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
  const double dt = options.duration_s / static_cast<double>(steps);
  const auto take = [&](long) {
    for (Traveller& at : travellers) StepGeodesic(model, at.connection, dt, at.q, at.W);
  };
  const auto keep = [&](long step) {
    AddRow(dt * static_cast<double>(step), travellers, &carried);
  };
  TakeSteps(steps, take, keep, &carried);
  carried.step_s = dt;
  AddFigures(model, &carried);
  return ReportCarried(options.carry, model, carried);
}

constexpr const char* kGeodesicAbout =
    "Follows a geodesic of a robot, H dv/dt + C(q,v) v = 0, its motion without gravity and forces, "
    "and carries vectors along it, H dw/dt + C(q,v) w = 0, by the connection of a factorization.";

constexpr const char* kGeodesicFooter = R"(
q, v and w are lists of numbers in MuJoCo's order and conventions, as for civita eval. All
factorizations have the same geodesics; admissible ones keep every inner product of carried vectors,
and differ by how they turn them. Closed loops are cut open; damping, dry friction and springs do
not count.

Examples:
  civita geodesic arm7
  civita geodesic arm7 --v 1,0.5,0,0,1,0,0 --duration 3 --factorization christoffel,t:1,t:-1
  civita geodesic point_mass --carry 0,1,0 --factorization joint:-1 --out spiral

The folder (--out) gets geodesic.json, curves.csv (or .json, .npz), plots.svg, and report.html that
holds figures and plots; files of the same names are replaced.
Exit codes: 0 done, 1 an invariant drifted by more than 1e-6 or the geodesic ends early, 2 bad
input, 130 interrupted (what was done is kept).
)";

}  // namespace

std::function<int()> AddGeodesic(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<GeodesicOptions>();
  command->description(kGeodesicAbout);
  command->footer(kGeodesicFooter);
  AddCarryOptions(command, &options->carry);
  command->add_option("--q", options->q, "start; default: the model's own configuration")
      ->type_name("Q");
  command->add_option("--v", options->v, "velocity at the start; default: 1 in each coordinate")
      ->type_name("V");
  command->add_option("--duration", options->duration_s, "time along the geodesic")
      ->type_name("SECONDS")
      ->capture_default_str();
  return [options] { return RunGeodesic(*options); };
}

void AddCarryOptions(CLI::App* command, CarryOptions* options) {
  AddModel(command, &options->model);
  command
      ->add_option("--factorization", options->factorizations,
                   "whose connection; several are put side by side")
      ->type_name("FORM,…")
      ->capture_default_str();
  AddRepeatable(command, "--carry", "W",
                "a vector to carry, nv numbers as v; default: a frame that is orthonormal in H",
                &options->carry);
  command->add_option("--step", options->step_s, "longest step of the integration, s")
      ->type_name("SECONDS")
      ->capture_default_str();
  AddBase(command, &options->base);
  AddOutDirectory(command, "write the files into DIR", &options->out);
  AddChoice(command, "--format", "of the curves in the folder", {"csv", "json", "npz"},
            &options->format);
}

}  // namespace civita
