#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/bench_quantities.h"
#include "app/verbs/bench/measure.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"

// Table 1 of [EW]: times of algorithms 1 and 2, shown beside the paper's, which are from another
// machine. What must agree is the saving by branching: in counted operations, in times of the
// plain algorithms, which are the paper's, and in times of the vector kernels.

namespace civita {
namespace {

constexpr double kTimedSeconds = 0.0005;
constexpr int kRounds = 60;  // all measurements in turn, of which the fastest counts

struct Row {
  const char* model;
  double C_us, Gamma_us;  ///< the paper's values
};
constexpr std::array<Row, 4> kRows = {
    {{"chain20", 18, 122}, {"tree20", 10, 33}, {"biped20", 13, 64}, {"quadruped20", 10, 37}}};
enum Mechanism : std::size_t { kChain, kTree, kBiped, kQuadruped };

constexpr std::array kQuantities = {"C+H", "Gamma", "Gamma packed"};
enum Quantity : std::size_t { kC, kGamma, kPacked };

/// Of each mechanism and quantity.
using Grid = std::array<std::array<double, kQuantities.size()>, kRows.size()>;

/// A mechanism with an instruction set and the minimum of its times so far.
struct Timing {
  std::unique_ptr<BenchTask<double>> task;
  std::array<double, kQuantities.size()>* times;
};

/// Times of the plain algorithms and, where the machine has them, of the kernels in use.
struct Times {
  Grid plain, kernels;
  std::string instruction_set;
};

std::vector<Model> MakeModels() {
  std::vector<Model> models;
  for (const Row& row : kRows) models.push_back(Build(MakeBenchModel(row.model).value()));
  return models;
}

/// @returns false when stopped.
bool Measure(Reproduction* reproduction, Times* times) {
  const std::vector<Model> models = MakeModels();
  std::vector<Timing> timings;
  for (std::size_t m = 0; m < models.size(); ++m) {
    times->plain[m].fill(HUGE_VAL);
    times->kernels[m].fill(HUGE_VAL);
    timings.push_back({std::make_unique<BenchTask<double>>(models[m], "plain"), &times->plain[m]});
    auto fastest = std::make_unique<BenchTask<double>>(models[m]);
    times->instruction_set = fastest->workspace.instruction_set();
    if (times->instruction_set == "plain") continue;
    timings.push_back({std::move(fastest), &times->kernels[m]});
  }
  for (int round = 1; round <= kRounds; ++round) {
    if (reproduction->ShouldStop("round " + std::to_string(round) + " of " +
                                 std::to_string(kRounds))) {
      return false;
    }
    for (const Timing& timing : timings) {
      for (std::size_t q = 0; q < kQuantities.size(); ++q) {
        const BenchQuantity<double>& quantity = FindBenchQuantity(kQuantities[q]);
        const double time = TimeCalls(kTimedSeconds, [&] { quantity.Run(*timing.task); }).min;
        (*timing.times)[q] = std::min((*timing.times)[q], time);
      }
    }
  }
  return true;
}

Grid CountAll() {
  const std::vector<Model> models = MakeModels();
  Grid flops{};
  for (std::size_t m = 0; m < kRows.size(); ++m) {
    for (std::size_t q = 0; q < kQuantities.size(); ++q) {
      flops[m][q] = CountOperations(models[m], kQuantities[q]).plain;
    }
  }
  return flops;
}

void ShowTimes(Reproduction* reproduction, const std::string& set, const Grid& times) {
  for (std::size_t m = 0; m < kRows.size(); ++m) {
    const std::string of = std::string(kRows[m].model) + ", " + set + ": ";
    reproduction->Record(of + "C (ours with H), µs", kRows[m].C_us, 1e6 * times[m][kC]);
    reproduction->Record(of + "Γ, µs", kRows[m].Gamma_us, 1e6 * times[m][kGamma]);
  }
}

/// The savings in operations and in times of the plain algorithms.
void CompareSavings(Reproduction* reproduction, const Grid& flops, const Grid& plain) {
  struct Saving {
    const char* what;
    double paper;
    Mechanism above, below;
    Quantity quantity;
    double flops_at_least, time_at_least;
  };
  constexpr std::array<Saving, 4> kSavings = {{
      {"C, chain over tree", 18.0 / 10, kChain, kTree, kC, 1.3, 1.03},
      {"Γ, chain over tree", 122.0 / 33, kChain, kTree, kGamma, 2.2, 2},
      {"C, biped over quadruped", 13.0 / 10, kBiped, kQuadruped, kC, 1.05, 1},
      {"Γ, biped over quadruped", 64.0 / 37, kBiped, kQuadruped, kGamma, 1.25, 1.1},
  }};
  for (const Saving& s : kSavings) {
    const std::string what = s.what;
    const auto ratio = [&s](const Grid& of) {
      return of[s.above][s.quantity] / of[s.below][s.quantity];
    };
    reproduction->ExpectAtLeast("operations of " + what, ratio(flops), s.flops_at_least);
    reproduction->ExpectTimes("time of " + what + ", plain", s.paper, ratio(plain),
                              s.time_at_least);
  }
  reproduction->ExpectAtLeast("operations of Γ over C, chain",
                              flops[kChain][kGamma] / flops[kChain][kC], 1.1);
  reproduction->ExpectTimes("time of Γ over C, chain, plain", 122.0 / 18,
                            plain[kChain][kGamma] / plain[kChain][kC], 1.5);
}

/// The savings in times of the kernels, which trade operations on zeros for whole vectors.
void CompareKernels(Reproduction* reproduction, const std::string& set, const Grid& times) {
  const std::string end = ", " + set;
  const auto saving = [&times](Mechanism above, Mechanism below, Quantity quantity) {
    return times[above][quantity] / times[below][quantity];
  };
  const char* written = "writing all n³ numbers, zeros included, takes most of the time";
  const auto expect = [&](const char* what, double paper, double ours, double limit,
                          const char* why = "not in these timings") {
    reproduction->ExpectTimes("time of " + (what + end), paper, ours, limit, HUGE_VAL, why);
  };
  expect("C, chain over tree", 18.0 / 10, saving(kChain, kTree, kC), 1.1,
         "the kernels compute in blocks of bodies and the zeros between branches with them");
  expect("Γ, chain over tree", 122.0 / 33, saving(kChain, kTree, kGamma), 1.3, written);
  expect("Γ packed, chain over tree", 122.0 / 33, saving(kChain, kTree, kPacked), 1.3);
  expect("C, biped over quadruped", 13.0 / 10, saving(kBiped, kQuadruped, kC), 0.85);
  expect("Γ, biped over quadruped", 64.0 / 37, saving(kBiped, kQuadruped, kGamma), 1.15, written);
  expect("Γ packed, biped over quadruped", 64.0 / 37, saving(kBiped, kQuadruped, kPacked), 1.02);
}

void WriteTable(Reproduction* reproduction, const Times& times, const Grid& flops) {
  std::vector<std::vector<double>> rows;
  for (std::size_t m = 0; m < kRows.size(); ++m) {
    rows.push_back({static_cast<double>(m), kRows[m].C_us, kRows[m].Gamma_us});
    for (const Grid* table : {&times.plain, &times.kernels}) {
      for (const double time : (*table)[m]) {
        rows.back().push_back(std::isfinite(time) ? 1e6 * time : NAN);
      }
    }
    rows.back().insert(rows.back().end(), flops[m].begin(), flops[m].end());
  }
  reproduction->WriteCsv(".csv",
                         {"row", "paper_C_us", "paper_Gamma_us", "plain_C_us", "plain_Gamma_us",
                          "plain_packed_us", "kernel_C_us", "kernel_Gamma_us", "kernel_packed_us",
                          "C_flops", "Gamma_flops", "packed_flops"},
                         rows);
}

}  // namespace

void ReproduceTable1(Reproduction* reproduction) {
  Times times;
  if (!Measure(reproduction, &times)) return;
  const bool kernels = times.instruction_set != "plain";
  const Grid flops = CountAll();
  ShowTimes(reproduction, "plain", times.plain);
  if (kernels) ShowTimes(reproduction, times.instruction_set, times.kernels);
  WriteTable(reproduction, times, flops);
  CompareSavings(reproduction, flops, times.plain);
  if (kernels) CompareKernels(reproduction, times.instruction_set, times.kernels);
}

}  // namespace civita
