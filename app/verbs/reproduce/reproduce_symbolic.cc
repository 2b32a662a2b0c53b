
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/verbs/bench/measure.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "app/verbs/reproduce/tube_tree.h"
#include "civita/christoffel.h"
#include "civita/kinematics.h"
#include "study/symbolic/algebra.h"
#include "study/symbolic/symbolic_model.h"

namespace civita {
namespace {

constexpr double kTolerance = 1e-12;
constexpr int kStates = 3;

/// From this size on the times of a planar chain are long enough to compare.
constexpr int kTimedChain = 5;

/// Table 2 of [EW], s.
struct PaperTimes {
  int bodies;
  double algorithm2, partials;
};
constexpr std::array<PaperTimes, 3> kTable2 = {
    {{5, 0.97, 1.23}, {10, 3.11, 7.83}, {15, 5.88, 27.1}}};
/// Of algorithm 2 on the planar chain of 10, s: the 26.8 minutes of [EW], section 5.
constexpr double kPaperChain10 = 26.8 * 60;

/// Maximum difference of the formulas' values from CalcChristoffelSymbols at random states,
/// relative to the maximum symbol.
double CalcDifference(const Model& model, const Formulas& formulas) {
  std::mt19937_64 random(1);
  Workspace<double> workspace(model);
  const int nv = model.nv();
  std::vector<double> Gamma(formulas.entries.size());
  double worst = 0;
  for (int state = 0; state < kStates; ++state) {
    const Eigen::VectorXd q = UniformVector(model.nq(), 2 * std::numbers::pi, &random);
    UpdateKinematics(model, q, workspace);
    CalcChristoffelSymbols(model, workspace, std::span<double>(Gamma));
    std::map<std::string, double> symbols;
    for (int k = 0; k < nv; ++k) symbols["q" + std::to_string(k)] = q[k];
    const std::vector<double> numbers = Evaluate(formulas, symbols);
    double difference = 0, largest = 0;
    auto number = numbers.begin();
    for (int i = 0; i < nv; ++i) {
      for (int j = 0; j < nv; ++j) {
        for (int k = 0; k < nv; ++k) {
          const double numeric = Gamma[ChristoffelIndex(nv, i, j, k)];
          const double one = std::abs(*number++ - numeric);
          difference = std::isnan(one) ? HUGE_VAL : std::max(difference, one);
          largest = std::max(largest, std::abs(numeric));
        }
      }
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

struct Outcome {
  double seconds, difference;  ///< processor time
};

/// Measures the ways to Γ on the mechanisms; a way that is stopped has no outcome.
class SymbolicTable {
 public:
  explicit SymbolicTable(Reproduction* reproduction) : reproduction_(reproduction) {}

  void AddTree(int bodies) {
    const std::string name = "binary tree of " + std::to_string(bodies);
    const Model model = TubeTree(BinaryTreeParents(bodies), std::numbers::pi / 3);
    const auto paper = std::ranges::find(kTable2, bodies, &PaperTimes::bodies);
    const bool in_paper = paper != kTable2.end();
    const auto algorithm2 = Algorithm2(name, model, false), partials = Partials(name, model, false);
    if (!algorithm2 || !partials) return;
    reproduction_->ExpectAtMost(name + ": algorithm 2, s",
                                in_paper ? std::optional(paper->algorithm2) : std::nullopt,
                                algorithm2->seconds, partials->seconds);
    reproduction_->Record(name + ": partials of H, s",
                          in_paper ? std::optional(paper->partials) : std::nullopt,
                          partials->seconds);
    Add(name, bodies, true, false, *algorithm2, *partials);
  }

  /// Times of a chain, without verdict where nothing is multiplied out.
  void AddChain(int bodies, bool expanded) {
    std::string name = "planar chain of " + std::to_string(bodies);
    const Model model = TubeTree(ChainParents(bodies), 0);
    if (expanded) name += ", multiplied out";
    const auto algorithm2 = Algorithm2(name, model, expanded),
               partials = Partials(name, model, expanded);
    if (!algorithm2 || !partials) return;
    reproduction_->Record(name + ": algorithm 2, s", algorithm2->seconds);
    reproduction_->Record(name + ": partials of H, s", partials->seconds);
    if (expanded && bodies >= kTimedChain) {
      reproduction_->ExpectTimes(name + ": time of algorithm 2 over partials", std::nullopt,
                                 algorithm2->seconds / partials->seconds, 1);
    }
    Add(name, bodies, false, expanded, *algorithm2, *partials);
  }

  /// Algorithm 2 alone on the planar chain of 10, nothing multiplied out.
  void AddChain10() {
    const Model model = TubeTree(ChainParents(10), 0);
    const auto outcome = Algorithm2("planar chain of 10", model, false);
    if (!outcome) return;
    reproduction_->Record(
        "planar chain of 10, not multiplied out: algorithm 2, s",
        Expected(kPaperChain10, "[EW], section 5"), outcome->seconds,
        "the paper does not say whether MATLAB simplified; if so, its time is one "
        "of formulas multiplied out, and not of the same work");
    Workspace<double> workspace(model);
    Tensor3 Gamma(model.nv());
    UpdateKinematics(model, Eigen::VectorXd::Ones(model.nq()), workspace);
    const double once =
        TimeCalls(0.02, [&] { CalcChristoffelSymbols(model, workspace, Gamma); }).median;
    reproduction_->Record("planar chain of 10: evaluations of all symbols in 26.8 min",
                          Expected(1e7, "[EW], section 5"), kPaperChain10 / once);
    reproduction_->ExpectAtMost("planar chain of 10: |formulas − numbers| / max |Γ|",
                                outcome->difference, kTolerance);
  }

  void WriteCsv() const {
    reproduction_->WriteCsv(".csv",
                            {"bodies", "branched", "multiplied_out", "algorithm2_s", "partials_s",
                             "algorithm2_difference", "partials_difference"},
                            rows_);
  }

 private:
  std::optional<Outcome> Measure(const std::string& progress, const Model& model,
                                 const std::function<Formulas(const ShouldStop&)>& calc) {
    const ShouldStop should_stop = [&] { return reproduction_->ShouldStop(progress); };
    if (should_stop()) return std::nullopt;
    const std::clock_t start = std::clock();
    const Formulas Gamma = calc(should_stop);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (Gamma.entries.empty()) return std::nullopt;
    return Outcome{seconds, CalcDifference(model, Gamma)};
  }

  std::optional<Outcome> Algorithm2(const std::string& name, const Model& model, bool expanded) {
    return Measure(name + ", algorithm 2", model, [&](const ShouldStop& should_stop) {
      Formulas Gamma = SymbolicModel(model).Gamma();
      return expanded ? MultiplyOut(Gamma, should_stop) : Gamma;
    });
  }

  std::optional<Outcome> Partials(const std::string& name, const Model& model, bool expanded) {
    return Measure(name + ", partials of H", model, [&](const ShouldStop& should_stop) {
      return DifferentiateMassMatrix(SymbolicModel(model).H(), model.nv(), expanded, should_stop);
    });
  }

  void Add(const std::string& name, int bodies, bool branched, bool expanded,
           const Outcome& algorithm2, const Outcome& partials) {
    reproduction_->ExpectAtMost(name + ": |formulas − numbers| / max |Γ|",
                                std::max(algorithm2.difference, partials.difference), kTolerance);
    rows_.push_back({static_cast<double>(bodies), branched ? 1.0 : 0.0, expanded ? 1.0 : 0.0,
                     algorithm2.seconds, partials.seconds, algorithm2.difference,
                     partials.difference});
  }

  Reproduction* reproduction_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace

void ReproduceSymbolicFor(Reproduction* reproduction, std::span<const int> trees,
                          std::span<const int> chains, std::span<const int> expanded) {
  if (!HasAlgebra()) {
    reproduction->Skip("needs a build of civita with Debian's libginac-dev; this one is without");
    return;
  }
  SymbolicTable table(reproduction);
  for (const int bodies : trees) table.AddTree(bodies);
  for (const int bodies : chains) table.AddChain(bodies, false);
  for (const int bodies : expanded) table.AddChain(bodies, true);
  table.AddChain10();
  table.WriteCsv();
}

void ReproduceSymbolic(Reproduction* reproduction) {
  constexpr std::array kTrees = {5, 10, 15};
  constexpr std::array kChains = {3, 4, 5, 6};
  ReproduceSymbolicFor(reproduction, kTrees, kChains, kChains);
}

}  // namespace civita
