#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

class Reproduction;

/// A result of the papers that this program recomputes.
struct ReproductionInfo {
  std::string_view name;
  std::string_view line;    ///< description
  std::string_view source;  ///< of its expected numbers, where they do not name another
  void (*run)(Reproduction* reproduction);
};

/// All reproductions, in app/verbs/reproduce/reproduce_….cc.
std::span<const ReproductionInfo> Reproductions();

/// Options of `civita reproduce`.
struct ReproduceOptions {
  std::string name;  ///< one of Reproductions(), or "all"
  std::string out;   ///< folder for CSV, SVG and JSON; empty: none
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddReproduce(CLI::App* command, const Registry& registry);

/// Prints the expected values, of papers or as their source says, beside ours. @returns an
/// ExitCode: kExitFailed when one is outside its tolerance, else kExitSkipped when this build
/// cannot do one. @throws UserError.
int RunReproduce(const ReproduceOptions& options);

void ReproduceArm7(Reproduction* reproduction);
void ReproduceClusters(Reproduction* reproduction);
void ReproduceConnections(Reproduction* reproduction);
void ReproduceFigure2(Reproduction* reproduction);
void ReproduceFigure3(Reproduction* reproduction);
void ReproduceFigure4(Reproduction* reproduction);
void ReproducePayload(Reproduction* reproduction);
void ReproducePointMass(Reproduction* reproduction);
void ReproduceSymbolic(Reproduction* reproduction);
void ReproduceTable1(Reproduction* reproduction);
void ReproduceVerification(Reproduction* reproduction);

}  // namespace civita
