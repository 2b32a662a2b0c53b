// Section I and figure 1 of [WES]: compatible with the metric (Ḣ = C + Cᵀ), with its geodesics (C v
// is correct), free of torsion. Where connections lie, and that constraints keep it.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/report/svg_plot.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/geometry/connection.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/geometry/torsion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/sim/metric_table.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kExactSymbols = 1e-13;  // of symbols of order 1
constexpr double kApart = 0.01;

/// A connection with the properties that it must have.
struct Place {
  std::string name;
  bool metric, geodesics, torsion_free;
  Tensor3 Gamma;
};

/// One row for the properties that it has, one for those that it lacks.
void ExpectPlace(const std::string& name, const Place& place, const ConnectionResiduals& rest,
                 Reproduction* reproduction) {
  std::string has, lacks;
  double most = 0, least = HUGE_VAL;
  const auto sort = [&](const char* property, bool holds, double residual) {
    std::string& list = holds ? has : lacks;
    list += (list.empty() ? "" : ", ") + std::string(property);
    if (holds) most = std::max(most, residual);
    if (!holds) least = std::min(least, residual);
  };
  sort("metric kept", place.metric, rest.metric);
  sort("geodesics kept", place.geodesics, rest.geodesics);
  sort("no torsion", place.torsion_free, rest.torsion);
  if (!has.empty())
    reproduction->ExpectAtMost(name + ": residual of “" + has + "”", most, kExactSymbols);
  if (lacks.empty()) return;
  reproduction->ExpectAtLeast(name + ": residual of “" + lacks + "”, which it lacks", least,
                              kApart);
}

/// An arm of a ball joint and two hinges at a configuration.
struct Arm {
  Arm();
  Tensor3 Connection(const Factorization& factorization) {
    return CalcConnection(model, factorization, q, workspace);
  }
  Model model;
  Workspace<double> workspace;
  VectorXd q;
  MatrixXd H;
  Tensor3 rates, constants;
};

Model BuildArm() {
  ModelBuilder builder;
  int parent = ModelBuilder::kWorld;
  const std::array<const char*, 3> names = {"upper arm", "forearm", "hand"};
  for (int i = 0; i < 3; ++i) {
    const Vector3d inertia(0.02, 0.05, 0.04);
    parent = builder.AddBody(names[static_cast<std::size_t>(i)], parent,
                             {Eigen::Matrix3d::Identity(), {i ? 0.5 : 0, 0, 0.1}},
                             {1.5 - 0.4 * i, Vector3d(0.25, 0.05, -0.03), inertia.asDiagonal()});
    const JointType type = i == 0 ? JointType::kBall : JointType::kHinge;
    builder.AddJoint(parent, type,
                     {.name = "q" + std::to_string(i),
                      .axis = i == 1 ? Vector3d(0, 1, 0) : Vector3d(0.2, 0, 1)});
  }
  return builder.Build();
}

Arm::Arm()
    : model(BuildArm()),
      workspace(model),
      q(model.nq()),
      H(model.nv(), model.nv()),
      rates(0),
      constants(CalcStructureConstants(model)) {
  q << 0.7, 0.1, -0.5, 0.5, 0.9, -0.6;
  q.head<4>().normalize();
  UpdateKinematics(model, q, workspace);
  CalcMassMatrix(model, workspace, H);
  rates = CalcMetricRates(model, q);
}

/// Of a factorization each, and connections that no C of the equations of motion has.
std::vector<Place> PlacesOf(Arm* arm) {
  const Tensor3 christoffel = arm->Connection({}), s = LowerFirstIndex(arm->H, arm->constants);
  Factorization alpha = Factorization::Torsion(1);
  alpha.alpha = 0.5;
  // Antisymmetric in the first and the third index: keeps the metric and bends geodesics.
  const auto turn = [](int i, int j, int k) { return (1 + j) * 0.1 * (i - k) * (1 + i * k); };
  const Tensor3 turned = christoffel + MakeTensor3(arm->model.nv(), turn);
  // Symmetric in the second and the third index: no torsion.
  const auto bend = [](int i, int j, int k) { return 0.05 * (1 + i) * (j + k + j * k); };
  const Tensor3 bent = christoffel + MakeTensor3(arm->model.nv(), bend);
  const Tensor3 plain = arm->Connection(Factorization::Torsion(1));
  return {{"christoffel", true, true, true, christoffel},
          {"plain, t:1", true, true, false, plain},
          {"other, t:-1", true, true, false, arm->Connection(Factorization::Torsion(-1))},
          {"plain, torsion taken off at the same geodesics", true, true, true,
           TorsionFreeSameGeodesics(plain, s)},
          {"alpha:0.5", false, true, false, arm->Connection(alpha)},
          {"turned", true, false, false, turned},
          {"turned, torsion taken off at the same metric", true, true, true,
           TorsionFreeSameMetric(turned, s)},
          {"bent", false, false, true, bent},
          {"turned and bent", false, false, false, turned + bent - christoffel}};
}

/// The arm with its last hinge a function f of the one before: v = A v̄.
struct Constraint {
  explicit Constraint(const Arm& arm);
  MatrixXd A;
  std::vector<MatrixXd> A_rates;
  Tensor3 rates, s;  ///< of H̄ = AᵀHA
};

Constraint::Constraint(const Arm& arm)
    : A(MatrixXd::Identity(5, 4)), A_rates(4, MatrixXd::Zero(5, 4)), rates(4), s(4) {
  const double elbow = arm.q[4];  // f = 0.4 q² + 0.3 sin q
  A(4, 3) = 0.8 * elbow + 0.3 * std::cos(elbow);
  A_rates[3](4, 3) = 0.8 - 0.3 * std::sin(elbow);
  for (int b = 0; b < 4; ++b) {
    const MatrixXd& A_rate = A_rates[static_cast<std::size_t>(b)];
    const MatrixXd one_side = A.transpose() * arm.H * A_rate;
    rates.Direction(b) =
        A.transpose() * Contract(arm.rates, A.col(b)) * A + one_side + one_side.transpose();
  }
  // The ball joint's velocities are among the reduced ones, the others commute.
  const Tensor3 constants = MakeTensor3(
      4, [&](int l, int j, int k) { return l < 3 && j < 3 && k < 3 ? arm.constants(l, j, k) : 0; });
  s = LowerFirstIndex(A.transpose() * arm.H * A, constants);
}

/// Where a place is drawn: the circles' lens, either side, the drop that touches its tip, outside.
Vector2d Spot(const Place& place, int before) {
  const double step = 0.26 * before;
  if (place.metric && place.geodesics && place.torsion_free) return {0, 0.866};
  if (place.metric && place.geodesics) return {-0.3, 0.2 - step};
  if (place.geodesics) return {0.75, 0.1 - step};
  if (place.metric) return {-1.2, 0.1 - step};
  if (place.torsion_free) return {-0.15, 1.75 - step};
  return {-1.7, 1.7 - step};
}

void AddCircle(double x, double y, double radius, SvgSeries* line) {
  for (int i = 0; i <= 120; ++i) {
    const double angle = 2 * M_PI * i / 120;
    line->Add(x + radius * std::cos(angle), y + radius * std::sin(angle));
  }
  line->Break();
}

void DrawRoadmap(const std::vector<Place>& places, Reproduction* reproduction) {
  SvgPlot plot{.title = "Figure 1: where connections lie", .picture = true};
  SvgSeries points{.style = SvgSeries::Style::kPoints, .color = kLightTheme.text};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const auto with = [&](const Place& other) {
      return other.metric == place.metric && other.geodesics == place.geodesics &&
             other.torsion_free == place.torsion_free;
    };
    const long before = std::count_if(places.begin(), places.begin() + static_cast<long>(i), with);
    const bool riemannian = place.metric && place.geodesics && place.torsion_free;
    if (riemannian && before > 0) continue;  // there is one
    const Vector2d spot = Spot(place, static_cast<int>(before));
    points.Add(spot);
    points.Break();
    plot.notes.push_back(
        {spot.x(), spot.y(), riemannian ? "the Riemannian one" : place.name, true});
  }
  plot.series.push_back(std::move(points));
  SvgSeries metric{.label = "metric-compatible, Ḣ = C + Cᵀ", .color = kLightTheme.series[0]};
  SvgSeries geodesics{.label = "the metric's geodesics, C v = c", .color = kLightTheme.series[1]};
  SvgSeries drop{.label = "torsion-free", .color = kLightTheme.series[2]};
  AddCircle(-0.5, 0, 1, &metric);
  AddCircle(0.5, 0, 1, &geodesics);
  // The drop's sides leave the tip at 30° from upright and meet its circle.
  constexpr double kTip = 0.866, kRadius = 0.45, kHalf = M_PI / 6;
  drop.Add(0, kTip);
  for (int i = 0; i <= 80; ++i) {
    const double angle = -kHalf + (M_PI + 2 * kHalf) * i / 80;
    drop.Add(kRadius * std::cos(angle),
             kTip + kRadius / std::sin(kHalf) + kRadius * std::sin(angle));
  }
  drop.Add(0, kTip);
  for (SvgSeries* line : {&metric, &geodesics, &drop}) plot.series.push_back(std::move(*line));
  reproduction->AddFigure(
      "_roadmap.svg", {.plots = {plot}, .columns = 1, .width = 720, .height = 460, .legend = true},
      "Figure 1 of [WES] is a roadmap of the properties of a connection and of its C. Here each "
      "factorization lies where its measured residuals put it: those that keep the metric, those "
      "that keep the geodesics, and, at the tip of the drop without torsion, Christoffel's alone "
      "in all three.");
}

}  // namespace

/// c = [v₁v₂; 0] is what the metric [q₂ + 3, q₁/2; q₁/2, 2] gives.
void ReproduceTwoFactorizations(Reproduction* reproduction) {
  Tensor3 rates(2);
  rates(0, 1, 0) = 1;
  rates(0, 0, 1) = rates(1, 0, 0) = 0.5;
  const Vector2d v(0.3, -1.2);
  for (const double alpha : {1.0, 0.0, 0.5, -0.7}) {
    Tensor3 Gamma(2);  // of α C_a + (1 − α) C_b, C_a = [v₂ 0; 0 0], C_b = [0 v₁; 0 0]
    Gamma(0, 1, 0) = alpha;
    Gamma(0, 0, 1) = 1 - alpha;
    const ConnectionResiduals rest = CalcConnectionResiduals(Gamma, rates, Tensor3(2));
    const std::string name = alpha == 1   ? "section I, C_a"
                             : alpha == 0 ? "section I, C_b"
                                          : "section I, α = " + FormatValue(alpha);
    reproduction->ExpectAtMost(name + ": C v less c",
                               (Contract(Gamma, v) * v - Vector2d(v[0] * v[1], 0)).norm(), 1e-15);
    const double apart = std::abs(2 * alpha - 1);
    reproduction->ExpectAtMost(name + ": metric residual less |2α − 1|",
                               std::abs(rest.metric - apart), 1e-15);
    reproduction->ExpectAtMost(name + ": torsion less |2α − 1|", std::abs(rest.torsion - apart),
                               1e-15);
  }
}

void ReproduceRoadmap(Reproduction* reproduction) {
  Arm arm;
  const Tensor3 s = LowerFirstIndex(arm.H, arm.constants);
  const std::vector<Place> places = PlacesOf(&arm);
  const Constraint constraint(arm);
  for (const Place& place : places) {
    ExpectPlace("roadmap, " + place.name, place, CalcConnectionResiduals(place.Gamma, arm.rates, s),
                reproduction);
  }
  for (const Place& place : places) {
    const Tensor3 Gamma = ProjectConnection(place.Gamma, arm.H, constraint.A, constraint.A_rates);
    ExpectPlace("constrained, " + place.name, place,
                CalcConnectionResiduals(Gamma, constraint.rates, constraint.s), reproduction);
  }
  DrawRoadmap(places, reproduction);
}

}  // namespace civita
