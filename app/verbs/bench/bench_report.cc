#include "app/verbs/bench/bench_report.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.h"
#include "civita/build_info.h"
#include "civita/sim/run_json.h"
#include "civita/workspace.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

const std::array<std::string, 2> kPeers = {"pinocchio", "mujoco"};

/// "–" for what is not known.
std::string Fixed(double value, int decimals) {
  return std::isnan(value) ? "–" : internal::WithDecimals(value, decimals);
}

double Microseconds(double seconds) { return 1e6 * seconds; }

Json ToJson(const BenchReport& report, const BenchRow& row) {
  Json json = {{"model", row.model},
               {"quantity", row.quantity},
               {"batch", row.batch},
               {"threads", row.threads},
               {"min_us", Microseconds(row.times.min)},
               {"median_us", Microseconds(row.times.median)},
               {"p99_us", Microseconds(row.times.p99)},
               {"flops", row.flops},
               {"kernel_flops", row.kernel_flops},
               {"share_of_peak", report.ShareOfPeak(row)},
               {"share_of_writing", BenchReport::ShareOfWriting(row)},
               {"peers", Json::object()}};
  for (const std::string& peer : kPeers) {
    const PeerResult* fastest = report.FastestPeer(row, peer);
    if (fastest == nullptr) continue;
    json["peers"][peer] = {{"call", fastest->call},
                           {"min_us", Microseconds(fastest->times.min)},
                           {"median_us", Microseconds(fastest->times.median)},
                           {"ratio", fastest->ratio()},
                           {"civita_min_us", Microseconds(fastest->civita.min)},
                           {"relative_error", fastest->error}};
  }
  return json;
}

Json ToJson(const ScalingSeries& series) {
  Json points = Json::array();
  for (const ScalingPoint& point : series.points) {
    points.push_back({{"joints", point.joints},
                      {"min_us", Microseconds(point.times.min)},
                      {"median_us", Microseconds(point.times.median)},
                      {"flops", point.flops}});
  }
  return {{"kind", series.kind},
          {"quantity", series.quantity},
          {"slope", series.TimeSlope(kSlopeFrom)},
          {"flop_slope", series.FlopSlope(kSlopeFrom)},
          {"points", points}};
}

void AppendMachine(const BenchReport& report, std::string* text) {
  const Json& machine = report.machine;
  *text += "| | |\n|---|---|\n";
  for (const auto& [key, value] : machine.items()) {
    *text +=
        "| " + key + " | " + (value.is_string() ? value.get<std::string>() : value.dump()) + " |\n";
  }
}

void AppendTable(const BenchReport& report, const std::string& model, std::string* text) {
  *text += "\n### " + model +
           "\n\n| µs a state | min | median | p99 | kflop | kernel | of peak | of writing | "
           "Pinocchio | | "
           "MuJoCo | |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const BenchRow& row : report.rows) {
    if (row.model != model) continue;
    *text += "| " + row.quantity;
    if (row.batch > 1) *text += ", batch of " + std::to_string(row.batch);
    if (row.threads > 1) *text += " on " + std::to_string(row.threads) + " threads";
    for (const double time : {row.times.min, row.times.median, row.times.p99}) {
      *text += " | " + Fixed(Microseconds(time), 3);
    }
    *text += " | " + Fixed(1e-3 * row.flops, 1) + " | " + Fixed(1e-3 * row.kernel_flops, 1) +
             " | " + Fixed(100 * report.ShareOfPeak(row), 0) +
             (std::isnan(row.kernel_flops) ? " | " : " % | ") +
             Fixed(100 * BenchReport::ShareOfWriting(row), 0) + " %";
    for (const std::string& peer : kPeers) {
      const PeerResult* fastest = report.FastestPeer(row, peer);
      *text += fastest == nullptr ? " | |"
                                  : " | " + Fixed(Microseconds(fastest->times.min), 2) + " | " +
                                        Fixed(fastest->ratio(), 1) + "×";
    }
    *text += " |\n";
  }
}

void AppendCalls(const BenchReport& report, std::string* text) {
  std::vector<std::string> lines;
  for (const BenchRow& row : report.rows) {
    for (const std::string& peer : kPeers) {
      const PeerResult* fastest = report.FastestPeer(row, peer);
      if (fastest == nullptr) continue;
      const std::string line = "| " + row.quantity + " | " + peer + " | " + fastest->call + " |\n";
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  }
  if (lines.empty()) return;
  std::ranges::sort(lines);
  *text += "\n## What the peers do\n\n| for | peer | its call |\n|---|---|---|\n";
  for (const std::string& line : lines) *text += line;
}

void AppendScaling(const BenchReport& report, std::string* text) {
  if (report.scaling.empty()) return;
  *text +=
      "\n## Growth\n\n![Times over the number of joints](benchmarks.svg)\n\n| | time ~ N^ | "
      "flops ~ N^ |";
  for (const ScalingPoint& point : report.scaling.front().points) {
    *text += " N = " + std::to_string(point.joints) + " |";
  }
  *text += "\n|---|---|---|";
  for (std::size_t i = 0; i < report.scaling.front().points.size(); ++i) *text += "---|";
  *text += "\n";
  for (const ScalingSeries& series : report.scaling) {
    *text += "| " + series.kind + ", " + series.quantity + ", µs | " +
             Fixed(series.TimeSlope(kSlopeFrom), 2) + " | " +
             Fixed(series.FlopSlope(kSlopeFrom), 2) + " |";
    for (const ScalingPoint& point : series.points) {
      *text += " " + Fixed(Microseconds(point.times.min), point.times.min < 1e-5 ? 2 : 0) + " |";
    }
    *text += "\n";
  }
  *text += "\nSlopes are fitted from N = " + std::to_string(kSlopeFrom) + " on.\n";
}

constexpr const char* kMethod = R"(
One core, double. A call begins with the state (`UpdateKinematics`, sines and cosines included) and
ends with all output written; each call takes another of 64 random states. A sample is as many calls
as fill 10 µs; min, median and p99 are those of the samples' means. The mechanisms have hinges about
random axes and random physical inertias from a fixed seed; biped and quadruped float.

Flops (kflop) are those of the plain algorithm, counted by running it with a number that counts:
additions, multiplications, divisions and square roots are one each, a sine or cosine is twenty.
Beside them (kernel) is what the fast kernels do, counted by running them with vectors of four such
numbers, padded and masked lanes included; the share of the peak is theirs. The peak is that of a
loop of multiply-adds on this core, measured in the same run. The share of writing is that of the
time which storing as many numbers takes alone, one after the other. Where both are small, it is the
other instructions that bound: shuffles between bodies and lanes, loads and stores of what does not
fit the registers, and, for one state at a time, the latency of the chain of poses.

Peers compute on the same mechanisms and states; their numbers are compared with ours first
(relative error below 1e-9), then both are timed in turn. The factor is the peer's minimum over
ours. MuJoCo's H stays sparse; Pinocchio's C is timed without H, and its second-order derivatives
are more than the Christoffel symbols that they contain.
)";

}  // namespace

const PeerResult* BenchReport::FastestPeer(const BenchRow& row, const std::string& peer) const {
  const PeerResult* fastest = nullptr;
  for (const PeerResult& each : row.peers) {
    if (each.peer != peer) continue;
    if (fastest == nullptr || each.ratio() < fastest->ratio()) fastest = &each;
  }
  return fastest;
}

double BenchReport::ShareOfPeak(const BenchRow& row) const {
  return row.kernel_flops / row.times.min / (peak * row.threads);
}

double BenchReport::ShareOfWriting(const BenchRow& row) {
  return row.write / (row.times.min * row.threads);
}

void DescribeBenchMachine(BenchReport* report) {
  report->peak = MeasurePeak();
  const Model model = Build(MakeBenchModel("chain1").value());
  report->machine = DescribeMachine();
  report->machine.update(Json{{"compiler", __VERSION__},
                              {"flags", CIVITA_FLAGS},
                              {"civita", kVersion},
                              {"source", kGitDescribe},
                              {"instruction_set", Workspace<double>(model).instruction_set()},
                              {"peak_gflops", 1e-9 * report->peak}});
}

Json ToJson(const BenchReport& report) {
  Json json = {{"machine", report.machine}, {"results", Json::array()}};
  for (const BenchRow& row : report.rows) json["results"].push_back(ToJson(report, row));
  for (const ScalingSeries& series : report.scaling) json["scaling"].push_back(ToJson(series));
  return json;
}

std::string ToMarkdown(const BenchReport& report) {
  std::string text = "# Benchmarks\n\nWritten by `civita bench`; do not edit.\n\n";
  AppendMachine(report, &text);
  text += kMethod;
  std::vector<std::string> models;
  for (const BenchRow& row : report.rows) {
    if (std::ranges::find(models, row.model) == models.end()) models.push_back(row.model);
  }
  text += "\n## Times\n";
  for (const std::string& model : models) AppendTable(report, model, &text);
  AppendCalls(report, &text);
  AppendScaling(report, &text);
  return text;
}

std::string ToSvg(const BenchReport& report) {
  SvgFigure figure{.columns = 2, .width = 560, .height = 340};
  for (const std::string kind : {"chain", "tree"}) {
    std::vector<ScalingSeries> series;
    for (const ScalingSeries& each : report.scaling) {
      if (each.kind == kind) series.push_back(each);
    }
    if (series.empty()) continue;
    figure.plots.push_back(PlotScaling(kind == "chain" ? "Serial chains" : "Binary trees", series));
    for (const std::string quantity : {"C+H", "Gamma"}) {
      SvgSeries line{.label = quantity == "C+H" ? "Pinocchio, C" : "Pinocchio, ∂²τ",
                     .style = SvgSeries::Style::kPoints,
                     .color = kLightTheme.muted};
      for (const PeerResult& peer : report.scaling_peers) {
        if (!peer.model.starts_with(kind) || peer.quantity != quantity) continue;
        line.x.push_back(std::stoi(peer.model.substr(kind.size())));
        line.y.push_back(Microseconds(peer.times.min));
      }
      if (!line.x.empty()) figure.plots.back().series.push_back(line);
    }
  }
  return FormatSvg(figure);
}

}  // namespace civita
