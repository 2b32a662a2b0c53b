#include <algorithm>
#include <array>
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
#include "base/typeset_number.h"
#include "civita/build_info.h"
#include "civita/error.h"
#include "civita/jacobian.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Json = nlohmann::ordered_json;

/// Angle at the end between a carried vector of two curves, rad.
double AngleAtEnd(const MatrixXd& H, const VectorXd& a, const VectorXd& b) {
  const double lengths = std::sqrt(a.dot(H * a) * b.dot(H * b));
  return std::acos(std::clamp(a.dot(H * b) / lengths, -1.0, 1.0));
}

template <typename F>
CarriedFigure Figure(const CarriedCurves& carried, std::string key, std::string label, F&& f) {
  CarriedFigure figure{std::move(key), std::move(label), {}};
  for (std::size_t i = 0; i < carried.curves.size(); ++i) figure.values.push_back(f(i));
  return figure;
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
  std::string text = carried.geodesic ? "geodesic of " : "transport along a motion of ";
  return text + carried.model_name;
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

void PrintFigures(const std::vector<CarriedFigure>& figures, const CarriedCurves& carried) {
  PrintOut(Title(carried) + ": " + Extent(carried) + "\n" +
           ToTerminal(FiguresTable(figures, carried)));
  for (const std::string& sentence : Sentences(carried)) PrintOut("  " + sentence + ".\n");
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
  Json json = {{"verb", carried.verb},
               {"model", carried.model_name},
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

/// The arrays of the curves' file: t, q and v (by factorization for geodesics), W, and figures.
std::vector<EvalArray> ArraysOf(const Model& model, const CarriedCurves& carried) {
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  const auto k = static_cast<std::size_t>(carried.coefficients.cols());
  const std::size_t n = carried.curves.size();
  return {{"t", {}}, {"q", {n, nq}}, {"v", {n, nv}}, {"W", {n, nv, k}}, {"turn", {n}}};
}

/// The numbers of a row in the arrays' order.
std::vector<std::vector<double>> RowOf(const CarriedCurves& carried, std::size_t row) {
  std::vector<std::vector<double>> values(5);
  values[0] = {carried.t[row]};
  for (std::size_t i = 0; i < carried.curves.size(); ++i) {
    const CarriedCurve& curve = carried.curves[i];
    values[1].insert(values[1].end(), curve.q[row].begin(), curve.q[row].end());
    values[2].insert(values[2].end(), curve.v[row].begin(), curve.v[row].end());
    const MatrixXd W = carried.Vectors(i, row).transpose();  // row-major
    values[3].insert(values[3].end(), W.data(), W.data() + W.size());
    values[4].push_back(curve.turn[row]);
  }
  return values;
}

/// W of factorization f, coordinate i, vector k: "W/f/i/k".
void NameColumns(const EvalArray& array, const std::string& name, std::size_t depth,
                 std::vector<std::string>* names) {
  if (depth == array.shape.size()) return names->push_back(name);
  for (std::size_t i = 0; i < array.shape[depth]; ++i) {
    NameColumns(array, name + "/" + std::to_string(i), depth + 1, names);
  }
}

void WriteCsv(const std::filesystem::path& path, const std::vector<EvalArray>& arrays,
              const CarriedCurves& carried) {
  std::vector<std::string> names;
  for (const EvalArray& array : arrays) NameColumns(array, array.name, 0, &names);
  CsvFile file(path, OutputFile::Kind::kWhole, names);
  for (std::size_t row = 0; row < carried.t.size(); ++row) {
    std::vector<double> numbers;
    for (const std::vector<double>& values : RowOf(carried, row)) {
      numbers.insert(numbers.end(), values.begin(), values.end());
    }
    file.AddRow(numbers);
  }
  file.Commit();
}

template <typename Writer>
void WriteArrays(const std::filesystem::path& path, const Json& header,
                 const std::vector<EvalArray>& arrays, const CarriedCurves& carried) {
  Writer writer(path.string(), header, arrays, OutputFile::Kind::kWhole);
  for (std::size_t row = 0; row < carried.t.size(); ++row) {
    const std::vector<std::vector<double>> values = RowOf(carried, row);
    writer.AddState(std::vector<std::span<const double>>(values.begin(), values.end()));
  }
  writer.Finish(carried.interrupted);
}

void WriteFolder(const CarryOptions& options, const Model& model, const CarriedCurves& carried,
                 const std::vector<CarriedFigure>& figures) {
  const std::filesystem::path out = options.out;
  const OutputFolder folder(out);
  const Json json = DescribeCarried(figures, carried);
  const SvgFigure plots = PlotCarried(model, carried);
  WriteWhole(out / (carried.verb + ".json"), json.dump(2) + "\n");
  WriteWhole(out / "plots.svg", FormatSvg(plots));
  WriteWhole(out / "report.html", FormatHtml(figures, plots, carried));
  const std::vector<EvalArray> arrays = ArraysOf(model, carried);
  const std::filesystem::path curves = out / ("curves." + options.format);
  if (options.format == "csv") WriteCsv(curves, arrays, carried);
  if (options.format == "json") WriteArrays<EvalJsonWriter>(curves, json, arrays, carried);
  if (options.format == "npz") WriteArrays<EvalNpzWriter>(curves, json, arrays, carried);
  PrintOut("  report: " + (out / "report.html").string() + "\n");
}

using Eigen::Vector2d;
using Eigen::Vector3d;

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
  CalcFrameJacobian(model, frame, com, workspace, J);
  return {pose.R * com + pose.p, J.bottomRows<3>()};
}

/// The path of a body, with the velocities of it that the carried vectors mean.
SvgPlot DrawPath(const Model& model, const CarriedCurves& carried, std::size_t index) {
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
    const Vector2d seen = Seen(PointAt(model, frame, curve.q[row], workspace).p);
    low = low.cwiseMin(seen);
    high = high.cwiseMax(seen);
    path.Add(seen);
  }
  double longest = 0;
  for (const std::size_t row : rows) {
    points.push_back(PointAt(model, frame, curve.q[row], workspace));
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
                 std::vector<double> CarriedCurve::*values, bool log) {
  SvgPlot plot = PlotOverTime(title, unit, log);
  for (const CarriedCurve& curve : carried.curves) {
    plot.series.push_back({.label = curve.name, .x = carried.t, .y = curve.*values});
  }
  return plot;
}

SvgPlot PlotCoordinates(const Model& model, const CarriedCurves& carried) {
  SvgPlot plot = PlotOverTime("Coordinates of the curve", "rad, m");
  for (int i = 0; i < model.nq(); ++i) {
    SvgSeries line{.label = "q" + std::to_string(i + 1), .x = carried.t};
    for (const VectorXd& q : carried.curves.front().q) line.y.push_back(q[i]);
    plot.series.push_back(std::move(line));
  }
  return plot;
}

}  // namespace

std::vector<CarriedFigure> CarriedFigures(const Model& model, const CarriedCurves& carried) {
  std::vector<CarriedFigure> figures;
  const auto add = [&](const std::string& key, const std::string& label, auto f) {
    figures.push_back(Figure(carried, key, label, f));
  };
  const auto at = [&](std::size_t i) -> const CarriedCurve& { return carried.curves[i]; };
  if (carried.geodesic) {
    add("energy_drift", "kinetic energy: greatest change, relative",
        [&](std::size_t i) { return EnergyDrift(at(i)); });
  }
  add("inner_product_drift", "inner products of the frame: greatest change",
      [&](std::size_t i) { return Greatest(at(i).gram); });
  std::vector<std::vector<double>> angles;  // of the holonomy, by curve and plane
  for (const MatrixXd& R : carried.holonomy) angles.push_back(RotationAngles(R));
  for (std::size_t plane = 0; !angles.empty() && plane < angles[0].size(); ++plane) {
    const std::string number = std::to_string(plane + 1);
    add("holonomy_" + number + "_rad", "holonomy of the loop: angle in plane " + number + ", rad",
        [&](std::size_t i) { return angles[i][plane]; });
  }
  if (carried.curves.size() == 1) return figures;
  if (carried.geodesic) {
    add("distance", "distance from the first geodesic over its length: greatest",
        [&](std::size_t i) { return Greatest(at(i).gap) / carried.length; });
  }
  add("turn_rad", "frame turned against the first at the end, rad",
      [&](std::size_t i) { return at(i).turn.back(); });
  const std::size_t last = carried.t.size() - 1;
  const MatrixXd H = MetricAt(model, at(0).q[last], "the end");
  const bool frame = carried.coefficients.isIdentity(0);
  for (Eigen::Index k = 0; !frame && k < carried.coefficients.cols(); ++k) {
    const std::string name = "w" + std::to_string(k + 1);
    add(name + "_turn_rad", name + " turned against the first at the end, rad", [&](std::size_t i) {
      return AngleAtEnd(H, carried.Vectors(0, last).col(k), carried.Vectors(i, last).col(k));
    });
  }
  return figures;
}

int ReportCarried(const CarryOptions& options, const Model& model, const CarriedCurves& carried) {
  const std::vector<CarriedFigure> figures = CarriedFigures(model, carried);
  PrintFigures(figures, carried);
  if (!options.out.empty()) WriteFolder(options, model, carried, figures);
  if (carried.interrupted) {
    PrintError("interrupted at t = " + FormatValue(carried.t.back()) + " s");
    return kExitInterrupted;
  }
  return carried.stopped.empty() && KeepsInvariants(carried) ? kExitDone : kExitFailed;
}

SvgFigure PlotCarried(const Model& model, const CarriedCurves& carried) {
  constexpr int kMostCoordinates = 8;
  SvgFigure figure{.columns = 2, .height = 320};
  for (std::size_t i = 0; i < carried.curves.size(); ++i) {
    figure.plots.push_back(DrawPath(model, carried, i));
  }
  if (model.nq() <= kMostCoordinates) figure.plots.push_back(PlotCoordinates(model, carried));
  if (carried.curves.size() > 1) {
    figure.plots.push_back(
        OverTime(carried, "Frame turned against the first", "rad", &CarriedCurve::turn, false));
  }
  figure.plots.push_back(
      OverTime(carried, "Inner products: change", "", &CarriedCurve::gram, true));
  return figure;
}

}  // namespace civita
