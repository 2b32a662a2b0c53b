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

Json ToJson(const BenchReport& report, const BenchRow& row) {
  return {{"model", row.model},
          {"quantity", row.quantity},
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
One core, double. A call begins with the state (`UpdateKinematics`, sines and cosines included) and
ends with all output written; each call takes another of 64 random states. A sample is as many calls
as fill 10 µs; min, median and p99 are those of the samples' means. The mechanisms have hinges about
random axes and random physical inertias from a fixed seed; biped and quadruped float.

Flops (kflop) are those of the plain algorithm, counted by running it with a number that counts:
additions, multiplications, divisions and square roots are one each, a sine or cosine is twenty.
Beside them (kernel) is what the fast kernels do, counted by running them with vectors of four such
numbers, padded and masked lanes included; the share of the peak is theirs. The peak is that of a
loop of multiply-adds on this core by vectors of the same instruction set, measured in the same run.
The share of writing is that of the time which storing as many numbers takes alone, one after the
other. Where both are small, it is the other instructions that bound: shuffles between bodies and
lanes, loads and stores of what does not fit the registers, and, for one state at a time, the latency
of the chain of poses.
)";

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
    table.AddRow(name, texts);
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
         record.method + "\n## Times\n\n" + ToMarkdown(record.times) + record.rest;
}

}  // namespace civita
