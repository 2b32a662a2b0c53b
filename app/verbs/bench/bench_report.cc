#include "app/verbs/bench/bench_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/verbs/bench/bench_models.h"
#include "base/number_text.h"
#include "civita/build_info.h"
#include "civita/sim/run_json.h"
#include "civita/workspace.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

/// "–" for what is not known.
std::string Fixed(double value, int decimals) {
  return std::isnan(value) ? "–" : internal::WithDecimals(value, decimals);
}

double Microseconds(double seconds) { return 1e6 * seconds; }

/// "H ×4, 2 threads".
std::string NameOf(const BenchRow& row) {
  std::string name = row.quantity;
  if (row.batch > 1) name += " ×" + std::to_string(row.batch);
  if (row.threads > 1) name += ", " + std::to_string(row.threads) + " threads";
  return name;
}

Json ToJson(const BenchReport& report, const BenchRow& row) {
  return {{"model", row.model},
          {"quantity", row.quantity},
          {"name", NameOf(row)},
          {"batch", row.batch},
          {"threads", row.threads},
          {"min_us", Microseconds(row.times.min)},
          {"median_us", Microseconds(row.times.median)},
          {"p99_us", Microseconds(row.times.p99)},
          {"flops", row.flops},
          {"kernel_flops", row.kernel_flops},
          {"share_of_peak", report.ShareOfPeak(row)},
          {"share_of_writing", BenchReport::ShareOfWriting(row)}};
}

std::string Percent(double share) {
  return std::isnan(share) ? "–" : internal::WithDecimals(100 * share, 0) + " %";
}

constexpr const char* kMethod = R"(
Least times of a state, µs, double, on one core. A call begins with the state (`UpdateKinematics`,
sines and cosines included) and ends with all output written; each call takes another of 64 random
states. A sample is as many calls as fill 10 µs; benchmarks.json has the least, the median and p99
of the samples' means. The mechanisms have hinges about random axes and random physical inertias
from a fixed seed; biped and quadruped float. Hdot is Ḣ, Gamma Γ; ×4: four states in a call.

benchmarks.json also has the operations of the plain algorithm (flops), counted by running it with a
number that counts: additions, multiplications, divisions and square roots are one each, a sine or
cosine is twenty; those of the fast kernels (kernel_flops), padded and masked lanes included; the
share of the peak that these are, the peak being that of a loop of multiply-adds on this core by
vectors of the same instruction set; and that of the time which storing as many numbers takes alone.
Where both shares are small, other instructions bound: shuffles between bodies and lanes, loads and
stores of what does not fit the registers, and the latency of the chain of poses.
)";

/// By how much a result's fastest peer takes longer; infinite if it has none.
double RatioToPeers(const Json& result) {
  double least = HUGE_VAL;
  if (!result.contains("peers")) return least;
  for (const Json& peer : result["peers"]) least = std::min(least, peer["ratio"].get<double>());
  return least;
}

/// A row for each quantity, the models side by side, and before it what a peer is faster at.
std::string PageTimes(const Json& results) {
  Table table;
  std::string slower;
  std::map<std::string, std::size_t> column_of, row_of;
  for (const Json& result : results) {
    const auto model = result["model"].get<std::string>(), name = result["name"].get<std::string>();
    const auto column = column_of.try_emplace(model, column_of.size()).first->second;
    if (column == table.columns.size()) table.columns.push_back({.title = model});
    const auto [row, is_new] = row_of.try_emplace(name, row_of.size());
    if (is_new) table.AddRow(name, {});
    const double ratio = RatioToPeers(result);
    std::string text = Fixed(result["min_us"].get<double>(), 3);
    if (std::isfinite(ratio)) text += " (" + Fixed(ratio, 1) + "×)";
    if (ratio < 1) {
      slower.append(", ").append(name).append(" of ").append(model);
      slower.append(" (").append(Fixed(ratio, 2)).append("×)");
    }
    std::vector<Table::Cell>& cells = table.rows[row->second].cells;
    cells.resize(column, {.is_empty = true});
    cells.push_back({.text = text});
  }
  for (Table::Row& row : table.rows) row.cells.resize(table.columns.size(), {.is_empty = true});
  return (slower.empty() ? "" : "Slower than a peer: " + slower.substr(2) + ".\n\n") +
         ToMarkdown(table);
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
  std::map<std::string, double> longest;  // median of each model
  for (const BenchRow& row : report.rows) {
    longest[row.model] = std::max(longest[row.model], row.times.median);
  }
  std::string model;
  for (const BenchRow& row : report.rows) {
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
    table.AddRow(NameOf(row), texts);
    if (row.model != model) table.rows.back().heading = model = row.model;
    const double all = longest[model];
    table.rows.back().bar = {row.times.median / all, row.times.min / all,
                             std::min(1.0, row.times.p99 / all)};
  }
  return table;
}

}  // namespace

double BenchReport::ShareOfPeak(const BenchRow& row) const {
  return row.kernel_flops / row.times.min / (peak * row.threads);
}

double BenchReport::ShareOfWriting(const BenchRow& row) {
  return row.write / (row.times.min * row.threads);
}

void DescribeBenchMachine(BenchReport* report) {
  const Model model = Build(MakeBenchModel("chain1").value());
  const std::string instruction_set = Workspace<double>(model).instruction_set();
  report->peak = MeasurePeak(instruction_set);
  report->machine = DescribeMachine();
  report->machine.update(Json{{"compiler", __VERSION__},
                              {"flags", CIVITA_FLAGS},
                              {"civita", kVersion},
                              {"source", kGitDescribe},
                              {"instruction_set", instruction_set},
                              {"peak_gflops", 1e-9 * report->peak}});
}

BenchRecord MakeRecord(const BenchReport& report) {
  BenchRecord record;
  record.method = kMethod;
  record.times = BenchTable(report);
  record.json = {{"machine", report.machine}, {"results", Json::array()}};
  for (const BenchRow& row : report.rows) record.json["results"].push_back(ToJson(report, row));
  return record;
}

std::string ToMarkdown(const BenchRecord& record) {
  Table machine;
  machine.columns = {{.is_text = true}};
  for (const auto& [key, value] : record.json.at("machine").items()) {
    machine.AddRow(key, {value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return "# Benchmarks\n\nWritten by `civita bench`; do not edit.\n\n" + ToMarkdown(machine) +
         record.method + "\n## Times\n\n" +
         (record.json.contains("results") ? PageTimes(record.json["results"])
                                          : ToMarkdown(record.times)) +
         record.rest;
}

}  // namespace civita
