#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/verbs/bench/measure.h"
#include "civita/study/table.h"

namespace civita {

/// Timing of a quantity of a model.
struct BenchRow {
  std::string model = {}, quantity = {};
  int batch = 1;         ///< states per call
  int threads = 1;       ///< number of threads that share them
  CallTimes times = {};  ///< per state, s
  double flops = 0;      ///< of the plain algorithm, per state
  /// of the kernel's vectors; of the plain algorithm if there is no kernel
  double kernel_flops = 0;
  double write = 0;  ///< time for merely writing as many numbers, s
};

/// The results of `civita bench`.
struct BenchReport {
  nlohmann::ordered_json machine;
  double peak = 0;  ///< of one core, flop/s
  std::vector<BenchRow> rows;

  /// Share of the peak of the cores in use, and of the time for merely writing.
  double ShareOfPeak(const BenchRow& row) const;
  static double ShareOfWriting(const BenchRow& row);
};

/// CPU, compiler, flags, version, instruction set of the kernels; measures the peak.
void DescribeBenchMachine(BenchReport* report);

/// What is printed and written of a report.
struct BenchRecord {
  nlohmann::ordered_json json;  ///< all of it; `peers` of a result, if any, are another program's
  /// A row for each quantity of each model, in µs a state; ×8: of eight states in a call.
  Table times;
  std::string method;  ///< of the page: how it was measured
  std::string rest;    ///< of the page: what follows the times
};

BenchRecord MakeRecord(const BenchReport& report);
/// The page, for docs: of the times the least ones of each quantity, the models side by side.
std::string ToMarkdown(const BenchRecord& record);

}  // namespace civita
