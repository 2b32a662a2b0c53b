#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "app/program.h"
#include "app/report/html.h"
#include "app/report/space_plot.h"
#include "app/report/svg_plot.h"
#include "app/terminal.h"
#include "app/verbs/eval/eval_output.h"
#include "app/verbs/geodesic/carry.h"
#include "civita/build_info.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Json = nlohmann::ordered_json;

/// Greatest drift of an invariant at which a result counts.
constexpr double kMaxDrift = 1e-6;

double Greatest(const CarriedCurve& curve, double CarriedRow::*figure) {
  return curve.rows.empty() ? 0 : std::ranges::max(curve.rows, {}, figure).*figure;
}

/// Greatest relative change of the kinetic energy along a curve.
double EnergyDrift(const CarriedCurve& curve) {
  const double first = curve.rows.front().speed;
  double drift = 0;
  for (const CarriedRow& row : curve.rows) {
    drift = std::max(drift, std::abs(row.speed * row.speed / (first * first) - 1));
  }
  return drift;
}

/// Whether the invariants of all admissible curves are kept to kMaxDrift.
bool KeepsInvariants(const CarriedCurves& carried) {
  return std::ranges::all_of(carried.curves, [&](const CarriedCurve& curve) {
    return (!carried.is_geodesic() || EnergyDrift(curve) <= kMaxDrift) &&
           (!curve.admissible || Greatest(curve, &CarriedRow::gram) <= kMaxDrift);
  });
}

/// Angle at the end between a carried vector of two curves, rad.
double AngleAtEnd(const MatrixXd& H, const VectorXd& a, const VectorXd& b) {
  const double lengths = std::sqrt(a.dot(H * a) * b.dot(H * b));
  return std::acos(std::clamp(a.dot(H * b) / lengths, -1.0, 1.0));
}

/// A figure of the curves side by side.
struct CarriedFigure {
  std::string key;             ///< in JSON
  std::string label;           ///< with its unit
  std::vector<double> values;  ///< by curve
};

std::vector<CarriedFigure> CarriedFigures(const CarriedCurves& carried) {
  std::vector<CarriedFigure> figures;
  const auto add = [&](const std::string& key, const std::string& label, auto f) {
    CarriedFigure& figure = figures.emplace_back(CarriedFigure{key, label, {}});
    for (std::size_t i = 0; i < carried.curves.size(); ++i) figure.values.push_back(f(i));
  };
  const auto at = [&](std::size_t i) -> const CarriedCurve& { return carried.curves[i]; };
  if (carried.is_geodesic()) {
    add("energy_drift", "kinetic energy: greatest change, relative",
        [&](std::size_t i) { return EnergyDrift(at(i)); });
  }
  add("inner_product_drift", "inner products of the frame: greatest change",
      [&](std::size_t i) { return Greatest(at(i), &CarriedRow::gram); });
  std::vector<std::vector<double>> angles;  // of the holonomy, by curve and plane
  for (const MatrixXd& R : carried.holonomy) angles.push_back(RotationAngles(R));
  for (std::size_t plane = 0; !angles.empty() && plane < angles[0].size(); ++plane) {
    const std::string number = std::to_string(plane + 1);
    add("holonomy_" + number + "_rad", "holonomy of the loop: angle in plane " + number + ", rad",
        [&](std::size_t i) { return angles[i][plane]; });
  }
  if (carried.curves.size() == 1) return figures;
  if (carried.is_geodesic()) {
    add("distance", "distance from the first geodesic over its length: greatest",
        [&](std::size_t i) { return Greatest(at(i), &CarriedRow::gap) / carried.length; });
  }
  add("turn_rad", "frame turned against the first at the end, rad",
      [&](std::size_t i) { return at(i).rows.back().turn; });
  const std::size_t last = carried.t.size() - 1;
  const MatrixXd H = MetricAt(carried.model, at(0).rows[last].q, "the end");
  const bool frame = carried.coefficients.isIdentity(0);
  for (Eigen::Index k = 0; !frame && k < carried.coefficients.cols(); ++k) {
    const std::string name = "w" + std::to_string(k + 1);
    add(name + "_turn_rad", name + " turned against the first at the end, rad", [&](std::size_t i) {
      return AngleAtEnd(H, carried.Vectors(0, last).col(k), carried.Vectors(i, last).col(k));
    });
  }
  return figures;
}

/// What the figures say of the connections.
std::vector<std::string> Sentences(const CarriedCurves& carried) {
  std::vector<std::string> sentences;
  if (!carried.stopped.empty()) sentences.push_back("The curves end early: " + carried.stopped);
  for (const CarriedCurve& curve : carried.curves) {
    if (curve.admissible) continue;
    sentences.push_back(curve.name +
                        " is not admissible: with the same C v it has the same geodesics, but its "
                        "connection is not that of the metric and does not keep inner products");
  }
  if (!KeepsInvariants(carried)) {
    sentences.push_back("An invariant drifted by more than " + FormatValue(kMaxDrift) +
                        ": take a smaller --step");
  }
  return sentences;
}

std::string Title(const CarriedCurves& carried) {
  std::string text = carried.is_geodesic() ? "geodesic of " : "transport along a motion of ";
  return text + carried.options.model;
}

std::string Extent(const CarriedCurves& carried) {
  return FormatValue(carried.t.back() - carried.t.front()) + " s in steps of at most " +
         FormatValue(carried.step_s) + " s, length " + FormatValue(carried.length) +
         " in the metric H";
}

Table FiguresTable(const std::vector<CarriedFigure>& figures, const CarriedCurves& carried) {
  Table table;
  for (const CarriedCurve& curve : carried.curves) table.columns.push_back({.title = curve.name});
  for (const CarriedFigure& figure : figures) {
    Table::Row& row = table.rows.emplace_back(Table::Row{.name = figure.label});
    for (const double value : figure.values) row.cells.push_back({.estimate = {.mean = value}});
  }
  return table;
}

Json Rows(const MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const VectorXd row = matrix.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

Json DescribeCarried(const std::vector<CarriedFigure>& figures, const CarriedCurves& carried) {
  Json json = {{"verb", carried.options.verb},
               {"model", carried.options.model},
               {"civita", VersionText()},
               {"duration_s", carried.t.back() - carried.t.front()},
               {"step_s", carried.step_s},
               {"length", carried.length},
               {"invariants_kept", KeepsInvariants(carried)},
               {"stopped", carried.stopped},
               {"interrupted", carried.interrupted},
               {"factorizations", Json::array()}};
  for (std::size_t i = 0; i < carried.curves.size(); ++i) {
    Json one = {{"name", carried.curves[i].name}, {"admissible", carried.curves[i].admissible}};
    for (const CarriedFigure& figure : figures) one[figure.key] = figure.values[i];
    if (!carried.holonomy.empty()) one["holonomy"] = Rows(carried.holonomy[i]);
    json["factorizations"].push_back(std::move(one));
  }
  return json;
}

std::string FormatHtml(const std::vector<CarriedFigure>& figures, const SvgFigure& plots,
                       const CarriedCurves& carried) {
  std::string html = "<p>" + EscapeXml(Extent(carried)) + ".</p>\n";
  for (const std::string& sentence : Sentences(carried)) {
    html += "<p>" + EscapeXml(sentence) + ".</p>\n";
  }
  html += ToHtml(FiguresTable(figures, carried));
  std::string title = Title(carried);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return HtmlPage(title, html + FormatHtmlFigure(plots));
}

constexpr std::size_t kArrows = 9;        ///< moments with arrows along a path
constexpr Eigen::Index kMostVectors = 3;  ///< drawn

/// The frame whose path is drawn: of the body with the most coordinates before it.
const Model::NamedFrame& FarthestFrame(const Model& model) {
  const auto depth = [&](const Model::NamedFrame& frame) {
    if (frame.body < 0) return -1;
    const Model::Body& body = model.bodies()[static_cast<std::size_t>(frame.body)];
    return body.depth + body.nv;
  };
  return *std::ranges::max_element(model.frames(), {}, depth);
}

/// The centre of mass of a frame's body and its Jacobian, 3 × nv.
struct Point {
  Vector3d p;
  MatrixXd J;
};
Point PointAt(const Model& model, const Model::NamedFrame& frame, const VectorXd& q,
              Workspace<double>& workspace) {
  const MassProperties& mass = model.bodies()[static_cast<std::size_t>(frame.body)].mass;
  const Vector3d com = frame.X_BF.R.transpose() * (mass.com - frame.X_BF.p);
  UpdateKinematics(model, q, workspace);
  const Pose pose = CalcFramePose(model, frame, workspace);
  MatrixXd J(6, model.nv());
  CalcFrameJacobian(model, {frame, com}, workspace, J);
  return {pose.R * com + pose.p, J.bottomRows<3>()};
}

/// The path of a body, with the velocities of it that the carried vectors mean.
SvgPlot DrawPath(const CarriedCurves& carried, std::size_t index) {
  const Model& model = carried.model;
  const Model::NamedFrame& frame = FarthestFrame(model);
  Workspace<double> workspace(model);
  const CarriedCurve& curve = carried.curves[index];
  SvgSeries path{.label = "path", .color = kLightTheme.text, .width = 1.2};
  std::vector<Point> points;
  const std::size_t last = carried.t.size() - 1;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kArrows; ++i) rows.push_back(last * i / (kArrows - 1));
  Vector2d low = Vector2d::Constant(HUGE_VAL), high = -low;
  for (std::size_t row = 0; row <= last; ++row) {
    const Vector2d seen = Seen(PointAt(model, frame, curve.rows[row].q, workspace).p);
    low = low.cwiseMin(seen);
    high = high.cwiseMax(seen);
    path.Add(seen);
  }
  double longest = 0;
  for (const std::size_t row : rows) {
    points.push_back(PointAt(model, frame, curve.rows[row].q, workspace));
    longest = std::max(longest,
                       (points.back().J * carried.Vectors(index, row)).colwise().norm().maxCoeff());
  }
  const double scale = 0.25 * std::max((high - low).norm(), 1e-3) / std::max(longest, 1e-12);
  constexpr std::array<Rgb, kMostVectors> colors = {kLightTheme.series[6], kLightTheme.series[2],
                                                    kLightTheme.series[0]};
  SvgPlot plot{.title = curve.name + ": path of " + frame.name, .picture = true};
  for (Eigen::Index k = 0; k < std::min(kMostVectors, carried.coefficients.cols()); ++k) {
    SvgSeries arrows{.label = "w" + std::to_string(k + 1),
                     .color = colors[static_cast<std::size_t>(k)],
                     .width = 1.8};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Vector3d w = points[i].J * carried.Vectors(index, rows[i]).col(k);
      DrawArrow(Seen(points[i].p), Seen(points[i].p + scale * w), &arrows);
    }
    plot.series.push_back(std::move(arrows));
  }
  plot.series.push_back(std::move(path));
  return plot;
}

SvgPlot OverTime(const CarriedCurves& carried, const char* title, const std::string& unit,
                 double CarriedRow::*figure, bool log) {
  SvgPlot plot{.title = title, .x = {.label = "time, s"}, .y = {.label = unit, .log = log}};
  for (const CarriedCurve& curve : carried.curves) {
    SvgSeries& line = plot.series.emplace_back(SvgSeries{.label = curve.name, .x = carried.t});
    for (const CarriedRow& row : curve.rows) line.y.push_back(row.*figure);
  }
  return plot;
}

SvgPlot PlotCoordinates(const CarriedCurves& carried) {
  SvgPlot plot{
      .title = "Coordinates of the curve", .x = {.label = "time, s"}, .y = {.label = "rad, m"}};
  for (int i = 0; i < carried.model.nq(); ++i) {
    SvgSeries line{.label = "q" + std::to_string(i + 1), .x = carried.t};
    for (const CarriedRow& row : carried.curves.front().rows) line.y.push_back(row.q[i]);
    plot.series.push_back(std::move(line));
  }
  return plot;
}

/// The plots of the folder and the report.
SvgFigure PlotCarried(const CarriedCurves& carried) {
  constexpr int kMostCoordinates = 8;
  SvgFigure figure{.columns = 2, .height = 320};
  for (std::size_t i = 0; i < carried.curves.size(); ++i) {
    figure.plots.push_back(DrawPath(carried, i));
  }
  if (carried.model.nq() <= kMostCoordinates) figure.plots.push_back(PlotCoordinates(carried));
  if (carried.curves.size() > 1) {
    figure.plots.push_back(
        OverTime(carried, "Frame turned against the first", "rad", &CarriedRow::turn, false));
  }
  figure.plots.push_back(OverTime(carried, "Inner products: change", "", &CarriedRow::gram, true));
  return figure;
}

/// The arrays of the curves' file: t, q and v (by factorization for geodesics), W, and figures.
std::vector<EvalArray> ArraysOf(const CarriedCurves& carried) {
  const auto nq = static_cast<std::size_t>(carried.model.nq());
  const auto nv = static_cast<std::size_t>(carried.model.nv());
  const auto k = static_cast<std::size_t>(carried.coefficients.cols());
  const std::size_t n = carried.curves.size();
  return {{"t", {}}, {"q", {n, nq}}, {"v", {n, nv}}, {"W", {n, nv, k}}, {"turn", {n}}};
}

/// The numbers of a row in the arrays' order.
std::vector<std::vector<double>> RowOf(const CarriedCurves& carried, std::size_t row) {
  std::vector<std::vector<double>> values(5);
  values[0] = {carried.t[row]};
  for (std::size_t i = 0; i < carried.curves.size(); ++i) {
    const CarriedRow& at = carried.curves[i].rows[row];
    values[1].insert(values[1].end(), at.q.begin(), at.q.end());
    values[2].insert(values[2].end(), at.v.begin(), at.v.end());
    const MatrixXd W = carried.Vectors(i, row).transpose();  // row-major
    values[3].insert(values[3].end(), W.data(), W.data() + W.size());
    values[4].push_back(at.turn);
  }
  return values;
}

void WriteCurves(const std::string& path, const Json& header, const CarriedCurves& carried) {
  const auto writer = OpenEvalWriter(carried.options.format, path, header, ArraysOf(carried),
                                     OutputFile::Kind::kWhole);
  for (std::size_t row = 0; row < carried.t.size(); ++row) {
    const std::vector<std::vector<double>> values = RowOf(carried, row);
    writer->AddState(std::vector<std::span<const double>>(values.begin(), values.end()));
  }
  writer->Finish(carried.interrupted);
}

void WriteFolder(const CarriedCurves& carried, const std::vector<CarriedFigure>& figures) {
  const std::filesystem::path out = carried.options.out;
  const OutputFolder folder(out);
  const Json json = DescribeCarried(figures, carried);
  const SvgFigure plots = PlotCarried(carried);
  WriteWhole(out / (carried.options.verb + ".json"), json.dump(2) + "\n");
  WriteWhole(out / "plots.svg", FormatSvg(plots));
  WriteWhole(out / "report.html", FormatHtml(figures, plots, carried));
  WriteCurves((out / ("curves." + carried.options.format)).string(), json, carried);
  PrintOut("  report: " + (out / "report.html").string() + "\n");
}

}  // namespace

int ReportCarried(const CarriedCurves& carried) {
  const std::vector<CarriedFigure> figures = CarriedFigures(carried);
  PrintOut(Title(carried) + ": " + Extent(carried) + "\n" +
           ToTerminal(FiguresTable(figures, carried)));
  for (const std::string& sentence : Sentences(carried)) PrintOut("  " + sentence + ".\n");
  if (!carried.options.out.empty()) WriteFolder(carried, figures);
  if (carried.interrupted) {
    PrintError("interrupted at t = " + FormatValue(carried.t.back()) + " s");
    return kExitInterrupted;
  }
  return carried.stopped.empty() && KeepsInvariants(carried) ? kExitDone : kExitFailed;
}

}  // namespace civita
