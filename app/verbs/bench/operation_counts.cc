#include "app/verbs/bench/operation_counts.h"

#include <filesystem>
#include <limits>
#include <mutex>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "app/child_process.h"
#include "app/terminal.h"
#include "app/verbs/bench/bench_quantities.h"

namespace civita {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr OperationCounts kNotCounted = {kNone, kNone, kNone};

std::filesystem::path Counter() { return BesideThisProgram("civita_count_operations"); }

/// Parses its lines: the three counts, then the quantity, whose name may contain spaces.
std::map<std::string, OperationCounts> Count(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), Counter());
  ChildProcess child(std::move(arguments));
  std::map<std::string, OperationCounts> counts;
  for (std::string line; child.ReadLine(&line);) {
    std::istringstream in(line);
    OperationCounts count;
    std::string quantity;
    in >> count.plain >> count.kernel >> count.batch_kernel >> std::ws;
    std::getline(in, quantity);
    counts[quantity] = count;
  }
  child.Finish();
  return counts;
}

}  // namespace

std::map<std::string, OperationCounts> CountOperations(const std::string& model) {
  if (HasOperationCounter()) return Count({model});
  std::map<std::string, OperationCounts> none;
  for (const BenchQuantity<double>& quantity : BenchQuantities()) {
    none[std::string(quantity.name)] = kNotCounted;
  }
  return none;
}

OperationCounts CountOperations(const std::string& model, const std::string& quantity) {
  return HasOperationCounter() ? Count({model, quantity}).at(quantity) : kNotCounted;
}

std::string WhyNoOperationCounts() {
  std::error_code ignored;
  if (std::filesystem::exists(Counter(), ignored)) return "";
  return "operations are counted by " + Counter().string() +
         ", which is not there: cmake --build BUILD_DIR --target civita_count_operations";
}

bool HasOperationCounter() {
  const std::string why = WhyNoOperationCounts();
  static std::once_flag told;
  if (!why.empty()) std::call_once(told, [&] { PrintNote("operations are left out: " + why); });
  return why.empty();
}

}  // namespace civita
