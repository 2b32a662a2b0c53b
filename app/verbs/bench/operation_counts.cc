#include "app/verbs/bench/operation_counts.h"

#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "app/child_process.h"
#include "civita/error.h"

namespace civita {
namespace {

std::filesystem::path Counter() { return BesideThisProgram("civita_count_operations"); }

/// Parses its lines: the three counts, then the quantity, whose name may contain spaces.
std::map<std::string, OperationCounts> Count(std::vector<std::string> arguments) {
  RequireOperationCounter();
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
  return Count({model});
}

OperationCounts CountOperations(const std::string& model, const std::string& quantity) {
  return Count({model, quantity}).at(quantity);
}

std::string WhyNoOperationCounts() {
  if (std::filesystem::exists(Counter())) return "";
  return "operations are counted by " + Counter().string() +
         ", which is not there: cmake --build BUILD_DIR --target civita_count_operations";
}

void RequireOperationCounter() {
  if (const std::string why = WhyNoOperationCounts(); !why.empty()) throw UserError(why);
}

}  // namespace civita
