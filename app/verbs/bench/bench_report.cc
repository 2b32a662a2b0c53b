#include "app/verbs/bench/bench_report.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

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
    for (const PeerResult& each : row.peers) {
      if (each.peer != peer || each.code.empty()) continue;
      json["peers"][peer]["code"] = fastest->code;
      json["peers"][peer]["min_us_by_code"][each.code] = Microseconds(each.times.min);
    }
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

std::string MachineTable(const BenchReport& report) {
  Table table;
  table.columns = {{.is_text = true}};
  for (const auto& [key, value] : report.machine.items()) {
    table.AddRow(key, {value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return ToMarkdown(table);
}

std::string Percent(double share) {
  return std::isnan(share) ? "–" : internal::WithDecimals(100 * share, 0) + " %";
}

std::string CallsTable(const BenchReport& report) {
  std::map<std::vector<std::string>, std::set<std::string>> calls;  // codes that were the faster
  for (const BenchRow& row : report.rows) {
    for (const std::string& peer : kPeers) {
      const PeerResult* fastest = report.FastestPeer(row, peer);
      if (fastest != nullptr) calls[{row.quantity, peer, fastest->call}].insert(fastest->code);
    }
  }
  if (calls.empty()) return "";
  Table table;
  table.names.title = "for";
  table.columns = {{.title = "peer", .is_text = true},
                   {.title = "its call", .is_text = true},
                   {.title = "compiled for", .is_text = true}};
  for (const auto& [call, codes] : calls) {
    std::string code = *codes.begin();
    if (codes.size() > 1) code += " or " + *codes.rbegin();
    table.AddRow(call[0], {call[1], call[2], code.empty() ? "–" : code});
  }
  return "\n## What the peers do\n\n" + ToMarkdown(table);
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

Peers are called from C++, as civita is, on the same mechanisms and states; their numbers are
compared with ours first (relative error below 1e-9), then both are timed in turn. The factor is the
peer's minimum over ours. Pinocchio is timed twice, in a process each: as its wheel has it, compiled
for plain x86-64, and its headers compiled with -O3 -march=x86-64-v3. The faster one of them is in
the tables; benchmarks.json has both. MuJoCo's H stays sparse; Pinocchio's C is timed without H, and
its second-order derivatives are more than the Christoffel symbols that they contain. "–" stands
where a peer has no such function.
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

Table BenchTable(const BenchReport& report) {
  Table table{.bars = "median; least to p99",
              .summary =
                  "Times of a state. Kernel: operations of its vectors. Of peak: share of the "
                  "machine's. Hdot is Ḣ, Gamma Γ; ×8: eight states at once."};
  table.columns = {
      {.title = "min, µs", .is_detail = true},   {.title = "median, µs"},    {.title = "p99, µs"},
      {.title = "kflop", .is_detail = true},     {.title = "kernel, kflop"}, {.title = "of peak"},
      {.title = "of writing", .is_detail = true}};
  std::vector<std::string> peers;
  for (const std::string& peer : kPeers) {
    const auto has = [&](const BenchRow& row) { return report.FastestPeer(row, peer) != nullptr; };
    if (std::ranges::none_of(report.rows, has)) continue;
    peers.push_back(peer);
    table.columns.push_back({.title = peer + ", µs"});
    table.columns.push_back({.title = "to ours"});
  }
  std::map<std::string, double> longest;  // median of each model
  for (const BenchRow& row : report.rows) {
    longest[row.model] = std::max(longest[row.model], row.times.median);
  }
  std::string model;
  for (const BenchRow& row : report.rows) {
    std::string name = row.quantity;
    if (row.batch > 1) name += " ×" + std::to_string(row.batch);
    if (row.threads > 1) name += ", " + std::to_string(row.threads) + " threads";
    std::vector<std::string> texts;
    for (const double time : {row.times.min, row.times.median, row.times.p99}) {
      texts.push_back(Fixed(Microseconds(time), 3));
    }
    for (const double flops : {row.flops, row.kernel_flops}) {
      texts.push_back(Fixed(1e-3 * flops, 1));
    }
    for (const double share : {report.ShareOfPeak(row), BenchReport::ShareOfWriting(row)}) {
      texts.push_back(Percent(share));
    }
    for (const std::string& peer : peers) {
      const PeerResult* fastest = report.FastestPeer(row, peer);
      texts.push_back(fastest == nullptr ? "–" : Fixed(Microseconds(fastest->times.min), 2));
      texts.push_back(fastest == nullptr ? "–" : Fixed(fastest->ratio(), 1) + "×");
    }
    table.AddRow(name, texts);
    if (row.model != model) table.rows.back().heading = model = row.model;
    const double all = longest[model];
    table.rows.back().bar = {row.times.median / all, row.times.min / all,
                             std::min(1.0, row.times.p99 / all)};
  }
  return table;
}

Table ScalingTable(const BenchReport& report) {
  Table table;
  table.names.title = "growth";
  table.columns = {{.title = "time ~ N^"}, {.title = "flops ~ N^"}};
  for (const ScalingPoint& point : report.scaling.front().points) {
    table.columns.push_back({.title = "N = " + std::to_string(point.joints)});
  }
  for (const ScalingSeries& series : report.scaling) {
    std::vector<std::string> texts = {Fixed(series.TimeSlope(kSlopeFrom), 2),
                                      Fixed(series.FlopSlope(kSlopeFrom), 2)};
    for (const ScalingPoint& point : series.points) {
      texts.push_back(Fixed(Microseconds(point.times.min), point.times.min < 1e-5 ? 2 : 0));
    }
    table.AddRow(series.kind + ", " + series.quantity, texts);
  }
  return table;
}

std::string ToMarkdown(const BenchReport& report) {
  std::string text = "# Benchmarks\n\nWritten by `civita bench`; do not edit.\n\n";
  text += MachineTable(report) + kMethod + "\n## Times\n\n" + ToMarkdown(BenchTable(report)) +
          CallsTable(report);
  if (report.scaling.empty()) return text;
  return text + "\n## Growth\n\n![Times over the number of joints](benchmarks.svg)\n\n" +
         ToMarkdown(ScalingTable(report)) +
         "\nTimes in µs; slopes are fitted from N = " + std::to_string(kSlopeFrom) + " on.\n";
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
      std::map<int, double> times;
      for (const auto& [_, peer] : report.scaling_peers) {
        if (!peer.model.starts_with(kind) || peer.quantity != quantity) continue;
        times[std::stoi(peer.model.substr(kind.size()))] = Microseconds(peer.times.min);
      }
      for (const auto& [joints, time] : times) line.Add(joints, time);
      if (!line.x.empty()) figure.plots.back().series.push_back(line);
    }
  }
  return FormatSvg(figure);
}

}  // namespace civita
