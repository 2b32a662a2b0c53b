#include "app/verbs/reproduce/reproduce_symbolic.h"

#include <array>

#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"

#ifdef CIVITA_WITH_GINAC

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/verbs/reproduce/tube_tree.h"
#include "civita/christoffel.h"
#include "civita/kinematics.h"
#include "core/symbolic/christoffel.h"

namespace civita {
namespace {

constexpr double kTolerance = 1e-12;
constexpr int kStates = 3;

/// Table 2 of [EW], s.
struct PaperTimes {
  int bodies;
  double algorithm2, partials;
};
constexpr std::array<PaperTimes, 3> kTable2 = {
    {{5, 0.97, 1.23}, {10, 3.11, 7.83}, {15, 5.88, 27.1}}};

/// Maximum difference of the formulas' values from CalcChristoffelSymbols at random states,
/// relative to the maximum symbol.
double CalcDifference(const Model& model, const SymbolicChristoffel& symbolic) {
  std::mt19937_64 random(1);
  Workspace<double> workspace(model);
  std::vector<double> Gamma(symbolic.Gamma.size());
  double worst = 0;
  for (int state = 0; state < kStates; ++state) {
    const Eigen::VectorXd q = UniformVector(model.nq(), 2 * std::numbers::pi, &random);
    UpdateKinematics(model, q, workspace);
    CalcChristoffelSymbols(model, workspace, std::span<double>(Gamma));
    const std::vector<double> numbers = symbolic.Evaluate(q);
    double difference = 0, largest = 0;
    for (std::size_t n = 0; n < Gamma.size(); ++n) {
      const double one = std::abs(numbers[n] - Gamma[n]);
      difference = std::isnan(one) ? HUGE_VAL : std::max(difference, one);
      largest = std::max(largest, std::abs(Gamma[n]));
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

struct Outcome {
  double seconds, difference;
};
Outcome Measure(const Model& model, SymbolicChristoffel (*calc)(const Model&)) {
  const auto start = std::chrono::steady_clock::now();
  const SymbolicChristoffel symbolic = calc(model);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return {time.count(), CalcDifference(model, symbolic)};
}

struct Mechanism {
  std::string name;
  bool branched;
  Model model;
  const PaperTimes* paper;
};

std::vector<Mechanism> MakeMechanisms(std::span<const int> trees, std::span<const int> chains) {
  std::vector<Mechanism> mechanisms;
  for (const int bodies : trees) {
    const PaperTimes* paper = std::find_if(
        kTable2.begin(), kTable2.end(), [bodies](const auto& row) { return row.bodies == bodies; });
    mechanisms.push_back({"binary tree of " + std::to_string(bodies), true,
                          TubeTree(BinaryTreeParents(bodies), std::numbers::pi / 3),
                          paper == kTable2.end() ? nullptr : paper});
  }
  for (const int bodies : chains) {
    mechanisms.push_back({"planar chain of " + std::to_string(bodies), false,
                          TubeTree(ChainParents(bodies), 0), nullptr});
  }
  return mechanisms;
}

void Compare(Reproduction* reproduction, const Mechanism& mechanism, const Outcome& algorithm2,
             const Outcome& partials) {
  std::optional<double> paper_algorithm2, paper_partials;
  if (mechanism.paper != nullptr) {
    paper_algorithm2 = mechanism.paper->algorithm2;
    paper_partials = mechanism.paper->partials;
  }
  reproduction->ExpectAtMost(mechanism.name + ": algorithm 2, s", paper_algorithm2,
                             algorithm2.seconds, partials.seconds);
  reproduction->Record(mechanism.name + ": partials of H, s", paper_partials, partials.seconds);
  reproduction->ExpectAtMost(mechanism.name + ": |formulas − numbers| / max |Γ|", std::nullopt,
                             std::max(algorithm2.difference, partials.difference), kTolerance);
}

}  // namespace

void ReproduceSymbolicFor(Reproduction* reproduction, std::span<const int> trees,
                          std::span<const int> chains) {
  std::vector<std::vector<double>> rows;
  for (const Mechanism& mechanism : MakeMechanisms(trees, chains)) {
    if (reproduction->ShouldStop(mechanism.name + ", algorithm 2")) break;
    const Outcome algorithm2 = Measure(mechanism.model, &CalcSymbolicChristoffel);
    if (reproduction->ShouldStop(mechanism.name + ", partials of H")) break;
    const Outcome partials = Measure(mechanism.model, &CalcSymbolicChristoffelByPartials);
    Compare(reproduction, mechanism, algorithm2, partials);
    rows.push_back({static_cast<double>(mechanism.model.nv()), mechanism.branched ? 1.0 : 0.0,
                    algorithm2.seconds, partials.seconds, algorithm2.difference,
                    partials.difference});
  }
  reproduction->WriteCsv(".csv",
                         {"bodies", "branched", "algorithm2_s", "partials_s",
                          "algorithm2_difference", "partials_difference"},
                         rows);
}

}  // namespace civita

#else

namespace civita {

void ReproduceSymbolicFor(Reproduction* reproduction, std::span<const int>, std::span<const int>) {
  reproduction->Skip(
      "built without GiNaC; install Debian's libginac-dev, run cmake --preset release, build "
      "again");
}

}  // namespace civita

#endif

namespace civita {

void ReproduceSymbolic(Reproduction* reproduction) {
  constexpr std::array kTrees = {5, 10, 15};
  constexpr std::array kChains = {3, 4, 5, 6};
  ReproduceSymbolicFor(reproduction, kTrees, kChains);
}

}  // namespace civita
