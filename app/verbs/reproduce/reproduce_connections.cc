// Figure 3 of [WES]: parallel transport along the geodesics of four connections of Euclidean space,
// a point mass of 1 kg. Left column: compatible with the metric; top row: its geodesics.

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/report/space_plot.h"
#include "app/report/svg_plot.h"
#include "app/verbs/reproduce/printed/equations.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/coriolis.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/geometry/torsion.h"
#include "civita/geometry/transport.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/rnea.h"
#include "civita/study/model/load_model.h"

namespace civita {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kDuration = 3;  // s, at an initial speed of 1 m/s
constexpr int kSteps = 600;
constexpr int kStepsPerFrame = 100;
constexpr double kExact = 1e-12;
constexpr double kIntegrated = 1e-8;

/// C w of a constant connection of Euclidean space, H = 1.
using Product = Vector3d (*)(const Vector3d& v, const Vector3d& w);

struct Example {
  const char* name;   ///< in file columns
  const char* title;  ///< in the figure
  bool metric_compatible, same_geodesics, torsion_free;
  Product product;
};

constexpr double kTwist = 1.6, kTurn = 3.0, kLift = 0.25;  // kg/m
const Vector3d kShear(0, 0.45, 0.9);                       // kg/m
const Vector3d kUp = Vector3d::UnitZ();

/// A three-form: geodesics are straight, and transported vectors turn about them.
Vector3d Twist(const Vector3d& v, const Vector3d& w) { return kTwist * v.cross(w); }
/// Straight geodesics, C v = 0; transported vectors are sheared.
Vector3d Shear(const Vector3d& v, const Vector3d& w) { return kShear.cwiseProduct(v.cross(w)); }
/// Turns everything about the vertical: lengths and angles are kept, geodesics become helices.
Vector3d Turn(const Vector3d& v, const Vector3d& w) { return -kTurn * v.dot(kUp) * kUp.cross(w); }
/// Symmetric in v and w: no torsion.
Vector3d Lift(const Vector3d& v, const Vector3d& w) { return -kLift * v.dot(w) * kUp; }

constexpr std::array kExamples = {
    Example{"metric_same", "Metric-compatible, same geodesics", true, true, false, &Twist},
    Example{"other_same", "Not metric-compatible, same geodesics", false, true, false, &Shear},
    Example{"metric_other", "Metric-compatible, other geodesics", true, false, false, &Turn},
    Example{"other_other", "Neither (torsion-free)", false, false, true, &Lift},
};

Tensor3 Coefficients(Product product) {
  return MakeTensor3(
      3, [&](int i, int j, int k) { return product(Vector3d::Unit(j), Vector3d::Unit(k))[i]; });
}

/// Orthonormal, the first vector along the initial velocity.
Matrix3d StartFrame() {
  Matrix3d W;
  W << 0.8, -0.6, 0,  //
      0, 0, -1,       //
      0.6, 0.8, 0;
  return W;
}

/// Positions and transported frames by step.
struct Motion3 {
  std::vector<Vector3d> p;
  std::vector<Matrix3d> W;
};

Motion3 Follow(const Tensor3& Gamma, const Model& model) {
  const ConnectionFunction connection = [&](const VectorXd&, const VectorXd& v,
                                            CoriolisOut<double> out) {
    out.C = Contract(Gamma, v);
    out.H.setIdentity();
  };
  Motion3 motion;
  VectorXd q = Vector3d::Zero();
  MatrixXd W = StartFrame();
  for (int i = 0; i <= kSteps; ++i) {
    motion.p.emplace_back(q);
    motion.W.emplace_back(W);
    (void)StepGeodesic(model, connection, kDuration / kSteps, q, W);
  }
  return motion;
}

/// End point of the geodesic, in closed form.
Vector3d EndPoint(const Example& example) {
  const Vector3d v = StartFrame().col(0);
  if (example.same_geodesics) return kDuration * v;
  if (example.metric_compatible) {  // a helix: the horizontal velocity turns at −H⁻¹C
    const double rate = kTurn * v.z(), angle = rate * kDuration;
    return {v.x() * std::sin(angle) / rate, v.x() * (1 - std::cos(angle)) / rate,
            v.z() * kDuration};
  }
  // v̇_z = k(v_h² + v_z²): v_z = v_h tan(k v_h t + φ), z its integral.
  const double phi = std::atan2(v.z(), v.x()), end = kLift * v.x() * kDuration + phi;
  return {v.x() * kDuration, 0, std::log(std::cos(phi) / std::cos(end)) / kLift};
}

/// Frame transported to the end, in closed form.
Matrix3d EndFrame(const Example& example) {
  const Matrix3d W = StartFrame();
  const Vector3d v = W.col(0);
  if (example.product == &Twist) {
    return Eigen::AngleAxisd(-kTwist * kDuration, v).toRotationMatrix() * W;
  }
  if (example.product == &Turn) {
    return Eigen::AngleAxisd(kTurn * v.z() * kDuration, kUp).toRotationMatrix() * W;
  }
  if (example.product == &Lift) {  // dw_z = k (v_x w_x + v_z w_z) dt, v_x and w_x constant
    const double phi = std::atan2(v.z(), v.x()), end = kLift * v.x() * kDuration + phi;
    Matrix3d carried = W;
    for (int k = 0; k < 3; ++k) {
      carried(2, k) =
          (W(2, k) * std::cos(phi) + W(0, k) * (std::sin(end) - std::sin(phi))) / std::cos(end);
    }
    return carried;
  }
  // Shear: C is constant on a line, so that W = exp(−C t) W_0, by its series.
  const MatrixXd C = Contract(Coefficients(example.product), v);
  Matrix3d sum = W, term = W;
  for (int n = 1; n < 60; ++n) {
    term = -kDuration / n * C * term;
    sum += term;
  }
  return sum;
}

void CheckExample(const Example& example, const Tensor3& Gamma, const Motion3& motion,
                  Reproduction* reproduction) {
  const ConnectionResiduals rest = CalcConnectionResiduals(Gamma, Tensor3(3), Tensor3(3));
  const std::string name = std::string(example.title) + ": ";
  const auto expect = [&](const char* what, bool holds, double residual, double limit = kExact) {
    if (holds) {
      reproduction->ExpectAtMost(name + what, residual, limit);
    } else {
      reproduction->ExpectAtLeast(name + what, residual, 0.1);
    }
  };
  expect("metric residual, kg/m", example.metric_compatible, rest.metric);
  expect("geodesic residual, kg/m", example.same_geodesics, rest.geodesics);
  expect("torsion, kg/m", example.torsion_free, rest.torsion);
  double bend = 0, deformation = 0;
  const Vector3d along = motion.W[0].col(0);
  for (const Vector3d& p : motion.p) bend = std::max(bend, p.cross(along).norm());
  for (const Matrix3d& W : motion.W) {
    const Matrix3d gap = W.transpose() * W - Matrix3d::Identity();
    deformation = std::max(deformation, gap.cwiseAbs().maxCoeff());
  }
  expect("geodesic's distance from a line, m", example.same_geodesics, bend, kIntegrated);
  expect("frame's departure from orthonormal", example.metric_compatible, deformation, kIntegrated);
  reproduction->ExpectAtMost(name + "end point against closed form, m",
                             (motion.p.back() - EndPoint(example)).norm(), kIntegrated);
  reproduction->ExpectAtMost(name + "carried frame against closed form",
                             (motion.W.back() - EndFrame(example)).norm(), kIntegrated);
}

SvgPlot DrawExample(const Example& example, const Motion3& motion) {
  constexpr double kLength = 0.36;  // m, of a unit vector
  constexpr std::array<Rgb, 3> colors = {kLightTheme.series[6], kLightTheme.series[2],
                                         kLightTheme.series[0]};
  constexpr std::array names = {"velocity v", "second vector", "third vector"};
  SvgPlot plot{.title = example.title, .picture = true};
  for (std::size_t k = 0; k < 3; ++k) {
    SvgSeries vectors{.label = names[k], .color = colors[k], .width = 2};
    for (std::size_t i = 0; i < motion.p.size(); i += kStepsPerFrame) {
      const Vector3d vector = motion.W[i].col(static_cast<Eigen::Index>(k));
      DrawArrow(Seen(motion.p[i]), Seen(motion.p[i] + kLength * vector), &vectors);
    }
    plot.series.push_back(std::move(vectors));
  }
  SvgSeries curve{.label = "geodesic", .color = kLightTheme.text, .width = 1.2};
  for (const Vector3d& p : motion.p) {
    curve.Add(Seen(p));
  }
  plot.series.push_back(std::move(curve));
  return plot;
}

void WriteCurves(const Example& example, const Motion3& motion, Reproduction* reproduction) {
  const std::vector<std::string> columns = {"t",    "x",    "y",    "z",    "w0_x", "w0_y", "w0_z",
                                            "w1_x", "w1_y", "w1_z", "w2_x", "w2_y", "w2_z"};
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < motion.p.size(); ++i) {
    std::vector<double> row = {kDuration * static_cast<double>(i) / kSteps};
    row.insert(row.end(), motion.p[i].begin(), motion.p[i].end());
    row.insert(row.end(), motion.W[i].data(), motion.W[i].data() + 9);
    rows.push_back(std::move(row));
  }
  reproduction->WriteCsv("_" + std::string(example.name) + ".csv", columns, rows);
}

/// The caption's last sentence: with the torsion taken off, the frame keeps its orientation. In
/// cylinder coordinates and for a connection that turns everything about a tilted axis, so that
/// neither the metric's own symbols nor the parts of the torsion vanish.
void CheckWithoutTorsion(const Model& model, Reproduction* reproduction) {
  const Vector3d axis(0.6, 0, 0.8);
  const auto frame = [](const VectorXd& q) {  // of velocities in (r, φ, z)
    const double c = std::cos(q[1]), s = std::sin(q[1]);
    Matrix3d J;
    J << c, -q[0] * s, 0, s, q[0] * c, 0, 0, 0, 1;
    return J;
  };
  const auto point = [](const VectorXd& q) {
    return Vector3d(q[0] * std::cos(q[1]), q[0] * std::sin(q[1]), q[2]);
  };
  const auto gamma = [&](const VectorXd& q) {
    const Matrix3d J = frame(q);
    return MakeTensor3(3, [&](int i, int j, int k) {
      const Vector3d turned = J.col(j).dot(axis) * axis.cross(J.col(k));
      double rate = 0;  // of J.col(k) along j, in the direction of J.col(i)
      if (j == 1 && k == 1 && i == 0) rate = -q[0];
      if (i == 1 && j + k == 1) rate = q[0];
      return rate - kTurn * J.col(i).dot(turned);
    });
  };
  const auto rotation = [&](bool without) {
    VectorXd q = Vector3d(1.2, 0.4, 0);
    const Vector3d start = point(q);
    const Matrix3d J = frame(q);
    MatrixXd W = J.inverse() * StartFrame();
    const ConnectionFunction connection = [&](const VectorXd& at, const VectorXd& v,
                                              CoriolisOut<double> out) {
      const Tensor3 Gamma = gamma(at);
      out.C = Contract(without ? TorsionFreeSameMetric(Gamma, Tensor3(3)) : Gamma, v);
      out.H = frame(at).transpose() * frame(at);
    };
    for (int i = 0; i < kSteps; ++i) {
      (void)StepGeodesic(model, connection, kDuration / kSteps, q, W);
    }
    const double bend = (point(q) - start - kDuration * StartFrame().col(0)).norm();
    return std::max(bend, (frame(q) * W - StartFrame()).norm());
  };
  reproduction->ExpectAtMost("turned, without its torsion: path and frame off a line",
                             rotation(true), kIntegrated);
  reproduction->ExpectAtLeast("turned, with its torsion: the same", rotation(false), 0.1);
}

// Equations of [WES] in their own terms beside the algorithms of this program: Hamel's equations,
// (6), and C by differentiation, (29) to (32).

/// Numbers of order 1 that are the same everywhere.
VectorXd Wave(int size, double phase) {
  return VectorXd::NullaryExpr(
      size, [=](Eigen::Index i) { return std::sin(phase + 1.7 * static_cast<double>(i)); });
}

template <typename A, typename B>
double Apart(const A& a, const B& b) {
  return (a - b).norm() / b.norm();
}

void CheckRobot(const std::string& scene, bool constant_axes, Reproduction* reproduction) {
  const Model model = LoadModel(scene, {.loops = false}).model;
  const int nv = model.nv();
  VectorXd q(model.nq());
  IntegratePosition(model, model.DefaultPosition(), Wave(nv, 0.3), 1, q);
  const VectorXd v = Wave(nv, 1.1), vdot = Wave(nv, 2.3);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  VectorXd tau(nv);
  MatrixXd C(nv, nv), H(nv, nv);
  CalcInverseDynamics(model, vdot, workspace, tau);
  CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
  const Tensor3 constants = CalcStructureConstants(model);
  const auto expect = [&](const char* what, double residual) {
    reproduction->ExpectAtMost(scene + ": " + what, residual, kExact);
  };
  expect("τ of Hamel's equations (6)",
         Apart(printed::CalcHamelForces(model, constants, q, v, vdot), tau));
  reproduction->ExpectAtLeast(scene + ": τ of (6) without its structure constants",
                              Apart(printed::CalcHamelForces(model, Tensor3(nv), q, v, vdot), tau),
                              0.01);
  const MatrixXd half = printed::CalcHalfDerivative(model, q, v);
  const MatrixXd lowered = Contract(LowerFirstIndex(H, constants), v);
  expect("C of (29), structure constants lowered", Apart(MatrixXd(half + 0.5 * lowered), C));
  expect("C of (30)", Apart(printed::CalcCoriolisByDifferentiation(model, constants, q, v), C));
  reproduction->ExpectAtLeast(scene + ": ½ ∂(C v)/∂v alone", Apart(half, C), 0.01);
  if (!constant_axes) return;
  expect("C of (32), K by the joints' axes",
         Apart(MatrixXd(half + 0.5 * H * printed::CalcJointBrackets(model, q, v)), C));
}

}  // namespace

Model PointMass(int axes) {
  ModelBuilder builder;
  const int mass =
      builder.AddBody("mass", ModelBuilder::kWorld, {}, {1.0, Vector3d::Zero(), Matrix3d::Zero()});
  for (int i = 0; i < axes; ++i) {
    builder.AddJoint(
        mass, JointType::kSlide,
        {.name = std::string(1, static_cast<char>('x' + i)), .axis = Vector3d::Unit(i)});
  }
  return builder.Build();
}

void ReproduceConnections(Reproduction* reproduction) {
  const Model model = PointMass(3);
  SvgFigure figure{.columns = 2, .width = 400, .height = 300, .legend = true};
  for (const Example& example : kExamples) {
    const Tensor3 Gamma = Coefficients(example.product);
    const Motion3 motion = Follow(Gamma, model);
    CheckExample(example, Gamma, motion, reproduction);
    WriteCurves(example, motion, reproduction);
    figure.plots.push_back(DrawExample(example, motion));
  }
  CheckWithoutTorsion(model, reproduction);
  reproduction->AddFigure(
      ".svg", std::move(figure),
      "Figure 3 of [WES] carries three vectors along a geodesic of four connections of space. They "
      "stay orthonormal where the connection keeps the metric, in the first and the third picture; "
      "the geodesic is a straight line in the first and the second. The first has torsion: the "
      "vectors turn about the line.");
  ReproduceTwoFactorizations(reproduction);
  ReproduceRoadmap(reproduction);
  ReproduceSurface(reproduction);
  ReproduceEquations(reproduction);
}

void ReproduceEquations(Reproduction* reproduction) {
  CheckRobot("ball_arm", true, reproduction);
  // A free joint's velocity is in world axes, so that its columns change in the body's.
  CheckRobot("space_arm", false, reproduction);
}

}  // namespace civita
