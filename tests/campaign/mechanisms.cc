// civita_mechanisms [LIMIT [SEED]]: random mechanisms of 0 to 300 joints with masses from 1e-9 to
// 1e9 kg, up to the limit. At each the laws must hold, and every instruction set of this
// machine must give what the plain algorithms give. Prints the number of mechanisms and the largest
// relative differences; exits with 1 at the first that is too large, with its seed.

#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>

#include "app/interrupt.h"
#include "civita/christoffel.h"
#include "civita/error.h"
#include "civita/passivity_rnea.h"
#include "tests/campaign/limit.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace {

/// Sums of products of up to 300 joints' numbers round to this, relative to the norms.
constexpr double kTolerance = 1e-10;
constexpr int kMostBodies = 300;
/// Γ has n³ numbers.
constexpr int kMostForSymbols = 60;

/// The seed's mechanism: half have at most ten bodies, half have one factor on all masses, the
/// others one on each.
TreeSpec MakeMechanism(unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double lo, double hi) {
    return std::uniform_real_distribution<>(lo, hi)(random);
  };
  RandomTreeOptions options = OptionsForKernels(seed);
  options.bodies = static_cast<int>(
      seed % 2 == 0 ? uniform(1, 10) : std::pow(10, uniform(0, std::log10(kMostBodies))));
  options.bushy = uniform(0, 1) < 0.5;
  options.armature = uniform(0, 1) < 0.5;
  options.passive = uniform(0, 1) < 0.2;
  TreeSpec spec = RandomTree(seed, options);
  const bool together = uniform(0, 1) < 0.5;
  double factor = std::pow(10, uniform(-9, 9));
  for (TreeSpec::Body& body : spec.bodies) {
    if (!together) factor = std::pow(10, uniform(-9, 9));
    body.mass.mass *= factor;
    body.mass.inertia *= factor;
  }
  return spec;
}

/// What numbers of C are compared with: it may vanish while its terms, of the order of H v, do not.
double ScaleOf(const Eigen::MatrixXd& C, const Eigen::MatrixXd& H, const Eigen::VectorXd& v) {
  return C.norm() + 1e-4 * H.norm() * v.norm();
}

/// The largest relative difference of each comparison.
class Differences {
 public:
  /// @returns whether `ours` is near enough; `scale`: norm of the largest numbers summed.
  template <typename A, typename B>
  bool Compare(const std::string& name, const A& ours, const B& theirs, double scale) {
    const double difference = (ours - theirs).norm() / (scale > 0 ? scale : 1);
    double& largest = largest_[name];
    // A NaN is the largest of all.
    if (!(difference <= largest)) largest = difference;
    return difference <= kTolerance;
  }
  void Print() const {
    for (const auto& [name, largest] : largest_)
      std::printf("  %-28s %.1e\n", name.c_str(), largest);
  }

 private:
  std::map<std::string, double> largest_;
};

bool CheckLaws(const Case& c, const Factorization& factorization, Differences* differences) {
  const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
  const double scale = ScaleOf(d.C, d.H, c.v);
  const Eigen::VectorXd vdot = Eigen::VectorXd::Constant(c.model.nv(), 0.7);
  const Eigen::VectorXd tau = CalcCoreInverseDynamics(c.model, c.q, c.v, vdot);
  const double of_forces = d.H.norm() * vdot.norm() + scale * c.v.norm() + d.g.norm();
  bool good = differences->Compare("dH/dt = C + C^T", d.Hdot, d.C + d.C.transpose(), scale);
  good &= differences->Compare("C v + g = bias", d.C * c.v + d.g, d.bias, of_forces);
  good &=
      differences->Compare("H a + C v + g = RNEA", d.H * vdot + d.C * c.v + d.g, tau, of_forces);
  good &= differences->Compare("H of both algorithms", d.H_of_C, d.H, d.H.norm());
  return good;
}

bool CheckSymbols(const Case& c, Differences* differences) {
  const Eigen::Index n = c.model.nv();
  if (n > kMostForSymbols) return true;
  Workspace<double> workspace(c.model);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  Eigen::MatrixXd C(n, n), H(n, n);
  CalcCoriolisMatrix(c.model, {}, workspace, {.C = C, .H = H});
  Eigen::VectorXd Gamma(n * n * n);
  CalcChristoffelSymbols(c.model, workspace,
                         std::span(Gamma.data(), static_cast<std::size_t>(n * n * n)));
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
  const int nv = c.model.nv();
  for (int i = 0; i < nv; ++i) {
    for (int j = 0; j < nv; ++j) {
      for (int k = 0; k < nv; ++k) {
        sum(i, k) += Gamma[static_cast<Eigen::Index>(ChristoffelIndex(nv, i, j, k))] * c.v[j];
      }
    }
  }
  return differences->Compare("C = Gamma v", sum, C, ScaleOf(C, H, c.v));
}

bool CheckKernels(const Case& c, const Factorization& factorization, Differences* differences) {
  const Eigen::Index n = c.model.nv();
  struct Results {
    Eigen::MatrixXd H, C;
    Eigen::VectorXd bias, tau;
  };
  const auto calc = [&](const std::string& name) {
    Results r = {Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, n), Eigen::VectorXd(n),
                 Eigen::VectorXd(n)};
    Workspace<double> workspace(c.model, name);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    CalcCoriolisMatrix(c.model, factorization, workspace, {.C = r.C, .H = r.H});
    CalcBiasForces(c.model, workspace, r.bias);
    CalcPassivityInverseDynamics(c.model, factorization, c.v, c.v, workspace, r.tau);
    return r;
  };
  const Results plain = calc("plain");
  bool good = true;
  for (const std::string& name : InstructionSets()) {
    if (name == "plain") continue;
    const Results r = calc(name);
    const double scale = ScaleOf(plain.C, plain.H, c.v);
    const double of_forces = scale * c.v.norm() + plain.bias.norm();
    good &= differences->Compare("H, " + name, r.H, plain.H, plain.H.norm());
    good &= differences->Compare("C, " + name, r.C, plain.C, scale);
    good &= differences->Compare("bias, " + name, r.bias, plain.bias, of_forces);
    good &= differences->Compare("tau, " + name, r.tau, plain.tau,
                                 of_forces + plain.H.norm() * c.v.norm());
  }
  return good;
}

int CheckMechanisms(const Limit& limit, unsigned seed) {
  const InterruptGuard guard;
  Differences differences;
  long mechanisms = 0;
  for (; limit.Allows(mechanisms) && !guard.interrupted(); ++seed, ++mechanisms) {
    TreeSpec spec = MakeMechanism(seed);
    Model model = BuildTree(spec);
    std::mt19937 random(seed + 1);
    Eigen::VectorXd q = RandomPosition(spec, &random), v = RandomVector(spec.nv, &random);
    const Case c = {std::move(spec), model, std::move(q), std::move(v)};
    if (c.model.nv() == 0) continue;
    const Factorization torsion =
        Factorization::Torsion(std::uniform_real_distribution<>(-3, 3)(random));
    bool good = CheckSymbols(c, &differences);
    for (const Factorization& each : {Factorization::Christoffel(), torsion}) {
      good = CheckLaws(c, each, &differences) && good;
      good = CheckKernels(c, each, &differences) && good;
    }
    if (!good) {
      std::printf("a law fails for seed %u, a mechanism of %d coordinates:\n", seed, c.model.nv());
      differences.Print();
      return 1;
    }
  }
  std::printf("%ld mechanisms; largest relative differences:\n", mechanisms);
  differences.Print();
  return 0;
}

}  // namespace
}  // namespace civita

int main(int argc, char** argv) {
  return civita::MainOfCampaign(argc, argv, "10s", civita::CheckMechanisms);
}
