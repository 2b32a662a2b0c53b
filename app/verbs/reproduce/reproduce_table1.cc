#include <array>
#include <optional>
#include <string>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/bench_quantities.h"
#include "app/verbs/bench/measure.h"
#include "app/verbs/bench/operation_counts.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"

// Table 1 of [EW]: times of algorithms 1 and 2, shown beside the paper's, which are from another
// machine. What must agree is the saving by branching, in operation counts and in times of one
// run, with a tolerance for a busy machine.

namespace civita {
namespace {

constexpr double kSeconds = 0.02;
constexpr int kRounds = 4;  // the fastest counts

struct Row {
  const char* model;
  double C_us, Gamma_us;  ///< the paper's values
};
constexpr std::array<Row, 4> kRows = {
    {{"chain20", 18, 122}, {"tree20", 10, 33}, {"biped20", 13, 64}, {"quadruped20", 10, 37}}};

struct Measured {
  double time = 0, flops = 0;
};

/// Keeps the minimum of this time and an earlier one, unless that is zero. @returns false when
/// stopped.
bool MeasureQuantity(Reproduction* reproduction, const char* name, const char* quantity_name,
                     Measured* measured) {
  if (reproduction->ShouldStop(std::string(name) + ", " + quantity_name)) return false;
  const BenchQuantity<double>& quantity = FindBenchQuantity(quantity_name);
  const Model model = Build(MakeBenchModel(name).value());
  BenchTask<double> task(model);
  const double time = TimeCalls(kSeconds, [&] { quantity.call(task); }).min;
  if (measured->time == 0) measured->flops = CountOperations(name, quantity_name).plain;
  if (measured->time == 0 || time < measured->time) measured->time = time;
  return true;
}

/// Compares the saving of the second mechanism over the first one.
void CompareRatio(Reproduction* reproduction, const std::string& what, double paper,
                  const Measured& first, const Measured& second, double flops_at_least) {
  reproduction->ExpectAtLeast("operations of " + what, std::nullopt, first.flops / second.flops,
                              flops_at_least);
  reproduction->ExpectAtLeast("time of " + what, paper, first.time / second.time, 0.7);
}

}  // namespace

void ReproduceTable1(Reproduction* reproduction) {
  RequireOperationCounter();
  std::array<Measured, kRows.size()> C, Gamma;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      if (!MeasureQuantity(reproduction, kRows[i].model, "C+H", &C[i])) return;
      if (!MeasureQuantity(reproduction, kRows[i].model, "Gamma", &Gamma[i])) return;
    }
  }
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const std::string model = kRows[i].model;
    reproduction->Record(model + ": C (ours with H), µs", kRows[i].C_us, 1e6 * C[i].time);
    reproduction->Record(model + ": Γ, µs", kRows[i].Gamma_us, 1e6 * Gamma[i].time);
    rows.push_back({static_cast<double>(i), kRows[i].C_us, 1e6 * C[i].time, C[i].flops,
                    kRows[i].Gamma_us, 1e6 * Gamma[i].time, Gamma[i].flops});
  }
  reproduction->WriteCsv(
      ".csv", {"row", "paper_C_us", "C_us", "C_flops", "paper_Gamma_us", "Gamma_us", "Gamma_flops"},
      rows);
  CompareRatio(reproduction, "C, chain over tree", 18.0 / 10, C[0], C[1], 1.2);
  CompareRatio(reproduction, "Γ, chain over tree", 122.0 / 33, Gamma[0], Gamma[1], 2.5);
  CompareRatio(reproduction, "C, biped over quadruped", 13.0 / 10, C[2], C[3], 1.05);
  CompareRatio(reproduction, "Γ, biped over quadruped", 64.0 / 37, Gamma[2], Gamma[3], 1.25);
  CompareRatio(reproduction, "Γ over C, chain", 122.0 / 18, Gamma[0], C[0], 1.8);
}

}  // namespace civita
