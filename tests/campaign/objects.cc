// civita_objects [LIMIT [SEED]]: objects of random mechanisms, up to the limit: two threads work on
// copies, results are written over arguments, objects of another model of the same size must be
// refused, and a factorization is written and read. Prints the number of mechanisms; exits with 1
// at the first whose numbers are not the same bits, or that is not refused.

#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include "civita/coordinates.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/forward_dynamics.h"
#include "civita/geometry/transport.h"
#include "civita/passivity_rnea.h"
#include "tests/campaign/limit.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kRounds = 30;

/// Of constants, which have a text of their own.
Factorization RandomFactorization(const Case& c, std::mt19937* random) {
  const auto uniform = [&] { return std::uniform_real_distribution<>(-2, 2)(*random); };
  const auto one = [&] { return uniform() < 0; };
  Factorization f = one() ? Factorization::Torsion(uniform()) : Factorization::Christoffel();
  if (one()) f.joint_injections = {{.beta = uniform(), .S = RandomS(c.model.nv(), random)}};
  if (const int nv = c.model.nv(); nv >= 4 && one()) {
    f.three_forms = {{.components = {{0, nv - 1, 1, uniform()}, {1, 2, nv - 1, uniform()}}}};
  }
  for (const Model::NamedFrame& frame : c.model.frames()) {
    if (frame.body < 0 || one()) continue;
    f = f.Inject(c.model, frame.name, Factorization::Part::kAngular, uniform());
  }
  return f;
}

struct Results {
  MatrixXd H, C;
  VectorXd bias, vdot, tau;
  bool operator==(const Results&) const = default;
};

Results Calc(const Case& c, const Factorization& f, Workspace<double>& workspace) {
  const Eigen::Index n = c.model.nv();
  Results r = {MatrixXd(n, n), MatrixXd(n, n), VectorXd(n), VectorXd(n), VectorXd(n)};
  UpdateKinematics(c.model, c.q, c.v, workspace);
  CalcCoriolisMatrix(c.model, f, workspace, {.C = r.C, .H = r.H});
  CalcBiasForces(c.model, workspace, r.bias);
  CalcForwardDynamics(c.model, c.v, workspace, r.vdot);
  CalcPassivityInverseDynamics(c.model, f, c.v, r.bias, workspace, r.tau);
  return r;
}

/// Runs f(0) and f(1) in two threads. @returns whether both are true.
bool BothOf(const std::function<bool(int)>& f) {
  bool first = false;
  std::thread other([&] { first = f(0); });
  const bool second = f(1);
  other.join();
  return first && second;
}

bool CopiesInTwoThreads(const Case& c, const Factorization& f) {
  const int n = c.model.nv();
  Workspace<double> workspace(c.model);
  const Results right = Calc(c, f, workspace);
  const ConnectionFunction connection = ConnectionOf(c.model, f);
  const Coordinates coordinates = MassOrthonormalCoordinates(c.model);
  VelocityMap<double> change(n, n);
  const bool exists = coordinates.update(workspace, change).ok();
  const ConnectionFunction connections[] = {connection, connection};
  const Coordinates both[] = {coordinates, coordinates};
  return BothOf([&](int thread) {
    Workspace<double> own(c.model);
    const Case mine = {c.spec, c.model, c.q, c.v};
    MatrixXd C(n, n), H(n, n);
    VelocityMap<double> again(n, n);
    bool good = true;
    for (int round = 0; round < kRounds; ++round) {
      good &= Calc(mine, f, own) == right;
      connections[thread](c.q, c.v, {.C = C, .H = H});
      good &= C == right.C;
      good &= both[thread].update(own, again).ok() == exists;
      good &= !exists || (again.A == change.A && again.Adot == change.Adot);
    }
    return good;
  });
}

bool IsRefused(const std::function<void()>& f) {
  try {
    f();
  } catch (const ContractError& error) {
    return std::string(error.what()).find("another model") != std::string::npos;
  }
  return false;
}

bool OtherModelIsRefused(const Case& c, const Factorization& f) {
  const Eigen::Index n = c.model.nv();
  const Model other = c.model.WithScaledInertia(1.5);
  Workspace<double> workspace(c.model);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  MassMatrixCholesky<double> factor(other);
  MatrixXd C(n, n), H(n, n);
  VectorXd x = c.v;
  return IsRefused([&] { CalcCoriolisMatrix(other, f, workspace, {.C = C, .H = H}); }) &&
         IsRefused([&] { CalcMassMatrix(other, workspace, H); }) &&
         IsRefused([&] { CalcBiasForces(other, workspace, x); }) &&
         IsRefused([&] { CalcForwardDynamics(other, c.v, workspace, x); }) &&
         IsRefused([&] { CalcPassivityInverseDynamics(other, f, c.v, c.v, workspace, x); }) &&
         IsRefused([&] { (void)CalcForwardDynamics(c.model, c.v, workspace, factor, x); });
}

bool ResultsOverArguments(const Case& c, const Factorization& f, std::mt19937* random) {
  const Eigen::Index n = c.model.nv();
  const Eigen::Index shift = std::uniform_int_distribution<>(-1, 1)(*random);
  Workspace<double> workspace(c.model);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  const auto agrees = [&](const auto& calc) {
    VectorXd apart(n), memory = VectorXd::Zero(n + 2);
    calc(c.v, apart);
    memory.segment(1, n) = c.v;
    calc(memory.segment(1, n), memory.segment(1 + shift, n));
    return memory.segment(1 + shift, n) == apart;
  };
  using In = const Eigen::Ref<const VectorXd>&;
  using Out = Eigen::Ref<VectorXd>;
  return agrees([&](In x, Out y) { CalcInverseDynamics(c.model, x, workspace, y); }) &&
         agrees([&](In x, Out y) { CalcForwardDynamics(c.model, x, workspace, y); }) &&
         agrees(
             [&](In x, Out y) { CalcPassivityInverseDynamics(c.model, f, x, x, workspace, y); }) &&
         agrees([&](In x, Out y) { CalcCoriolisTransposeProduct(c.model, f, x, workspace, y); });
}

bool TextIsRead(const Case& c, const Factorization& f) {
  const std::string text = ToString(f);
  const Factorization read = ParseFactorization(text, c.model);
  Workspace<double> workspace(c.model);
  const Results right = Calc(c, f, workspace);
  return ToString(read) == text && Calc(c, read, workspace) == right;
}

int CheckObjects(const Limit& limit, unsigned seed) {
  long mechanisms = 0;
  for (; limit.Allows(mechanisms); ++seed, ++mechanisms) {
    const Case c = MakeCase(seed, OptionsForKernels(seed));
    std::mt19937 random(seed);
    const Factorization f = RandomFactorization(c, &random);
    const char* wrong = nullptr;
    if (!CopiesInTwoThreads(c, f)) wrong = "copies in two threads give other numbers";
    if (!OtherModelIsRefused(c, f)) wrong = "an object of another model is not refused";
    if (!ResultsOverArguments(c, f, &random)) wrong = "a result over its argument is another one";
    if (!TextIsRead(c, f)) wrong = "the factorization written is read as another one";
    if (wrong == nullptr) continue;
    std::printf("%s: seed %u, %s\n", wrong, seed, ToString(f).c_str());
    return 1;
  }
  std::printf("%ld mechanisms\n", mechanisms);
  return 0;
}

}  // namespace
}  // namespace civita

int main(int argc, char** argv) {
  return civita::MainOfCampaign(argc, argv, "10s", civita::CheckObjects);
}
