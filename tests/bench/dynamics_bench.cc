#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/christoffel.h"
#include "core/coriolis.h"
#include "core/dynamics_derivatives.h"
#include "core/kinematics.h"
#include "core/manifold.h"
#include "core/mass_matrix.h"
#include "core/passivity_rnea.h"
#include "core/rnea.h"
#include "core/workspace.h"
#include "scenes/scene.h"

// Times of the dynamics of the plants of some scenes, each call with another state, so that
// nothing can be kept from call to call. One state costs what another costs.

namespace civita {
namespace {

constexpr std::size_t kStates = 64;

/// A plant with its scratch and a ring of random states.
class Bench {
 public:
  explicit Bench(const char* scene)
      : scene_(LoadScene(ReadConfig(scene))), workspace_(scene_->plant) {
    const int nv = scene_->plant.nv();
    H_ = C_ = Eigen::MatrixXd::Zero(nv, nv);
    force_ = Eigen::VectorXd::Zero(nv);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const auto draw = [&] {
      Eigen::VectorXd x(nv);
      for (double& xi : x) xi = normal(random);
      return x;
    };
    for (std::size_t k = 0; k < kStates; ++k) {
      Eigen::VectorXd q = scene_->plant.DefaultPosition();
      IntegratePosition(scene_->plant, q, draw(), 1, q);
      q_.push_back(q);
      v_.push_back(draw());
    }
  }

  const Model& model() const { return scene_->plant; }
  Workspace<double>& workspace() { return workspace_; }
  Eigen::MatrixXd& H() { return H_; }
  Eigen::MatrixXd& C() { return C_; }
  Eigen::VectorXd& force() { return force_; }

  void NextState() {
    next_ = (next_ + 1) % kStates;
    UpdateKinematics(model(), q_[next_], v_[next_], workspace_);
  }

  const Eigen::VectorXd& v() const { return v_[next_]; }

 private:
  std::unique_ptr<Scene> scene_;
  Workspace<double> workspace_;
  Eigen::MatrixXd H_, C_;
  Eigen::VectorXd force_;
  std::vector<Eigen::VectorXd> q_, v_;
  std::size_t next_ = 0;
};

/// Kinematics alone: part of every other time here.
void Kinematics(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  for (auto _ : state) {
    bench.NextState();
    benchmark::DoNotOptimize(bench.workspace().bodies.data());
    benchmark::ClobberMemory();
  }
}

/// H and C in one call, with kinematics.
void Coriolis(benchmark::State& state, const char* scene, const char* factorization_text) {
  Bench bench(scene);
  const Factorization factorization = Factorization::Parse(factorization_text, bench.model());
  for (auto _ : state) {
    bench.NextState();
    CalcCoriolisMatrix(bench.model(), factorization, bench.workspace(), bench.C(), bench.H());
    benchmark::DoNotOptimize(bench.C().data());
    benchmark::DoNotOptimize(bench.H().data());
    benchmark::ClobberMemory();
  }
}

/// The dense tensor.
void Christoffel(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  const int nv = bench.model().nv();
  std::vector<double> Gamma(ChristoffelIndex(nv, 0, 0, nv));
  for (auto _ : state) {
    bench.NextState();
    CalcChristoffelSymbols(bench.model(), bench.workspace(), std::span<double>(Gamma));
    benchmark::DoNotOptimize(Gamma.data());
    benchmark::ClobberMemory();
  }
}

/// Each symbol once.
void PackedChristoffel(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  const ChristoffelLayout layout(bench.model());
  std::vector<double> packed(layout.size());
  for (auto _ : state) {
    bench.NextState();
    CalcPackedChristoffelSymbols(bench.model(), layout, bench.workspace(),
                                 std::span<double>(packed));
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
}

/// ∂τ/∂q, ∂τ/∂v and H of inverse dynamics, at v̇ = 0.
void InverseDynamicsDerivatives(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  Eigen::MatrixXd dtau_dv = bench.C();
  for (auto _ : state) {
    bench.NextState();
    CalcInverseDynamicsDerivatives(bench.model(), bench.force(), bench.workspace(), bench.C(),
                                   dtau_dv, bench.H());
    benchmark::DoNotOptimize(bench.C().data());
    benchmark::DoNotOptimize(dtau_dv.data());
    benchmark::DoNotOptimize(bench.H().data());
    benchmark::ClobberMemory();
  }
}

void MassMatrix(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  for (auto _ : state) {
    bench.NextState();
    CalcMassMatrix(bench.model(), bench.workspace(), bench.H());
    benchmark::DoNotOptimize(bench.H().data());
    benchmark::ClobberMemory();
  }
}

void MassMatrixRate(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  for (auto _ : state) {
    bench.NextState();
    CalcMassMatrixDerivative(bench.model(), bench.workspace(), bench.H());
    benchmark::DoNotOptimize(bench.H().data());
    benchmark::ClobberMemory();
  }
}

/// C v + g by the recursive Newton–Euler algorithm.
void Bias(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  for (auto _ : state) {
    bench.NextState();
    CalcBiasForces(bench.model(), bench.workspace(), bench.force());
    benchmark::DoNotOptimize(bench.force().data());
    benchmark::ClobberMemory();
  }
}

void InverseDynamics(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  for (auto _ : state) {
    bench.NextState();
    CalcInverseDynamics(bench.model(), bench.v(), bench.workspace(), bench.force());
    benchmark::DoNotOptimize(bench.force().data());
    benchmark::ClobberMemory();
  }
}

/// H v̇_r + C v_r + g.
void PassivityInverseDynamics(benchmark::State& state, const char* scene) {
  Bench bench(scene);
  for (auto _ : state) {
    bench.NextState();
    CalcPassivityInverseDynamics(bench.model(), {}, bench.v(), bench.v(), bench.workspace(),
                                 bench.force());
    benchmark::DoNotOptimize(bench.force().data());
    benchmark::ClobberMemory();
  }
}

double Smallest(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

const bool kRegistered = [] {
  const auto add = [](const std::string& name, auto function, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { function(state, arguments...); })
        ->ComputeStatistics("min", Smallest)
        ->Unit(benchmark::kMicrosecond);
  };
  for (const char* scene : {"chain20", "tree20", "arm7"}) {
    const std::string prefix = std::string(scene) + "/";
    add(prefix + "coriolis/christoffel", Coriolis, scene, "christoffel");
    add(prefix + "coriolis/t:0.5", Coriolis, scene, "t:0.5");
    add(prefix + "christoffel_symbols/dense", Christoffel, scene);
    add(prefix + "christoffel_symbols/packed", PackedChristoffel, scene);
    add(prefix + "inverse_dynamics_derivatives", InverseDynamicsDerivatives, scene);
    add(prefix + "kinematics", Kinematics, scene);
    add(prefix + "mass_matrix", MassMatrix, scene);
    add(prefix + "mass_matrix_rate", MassMatrixRate, scene);
    add(prefix + "bias", Bias, scene);
    add(prefix + "inverse_dynamics", InverseDynamics, scene);
    add(prefix + "passivity_inverse_dynamics", PassivityInverseDynamics, scene);
  }
  return true;
}();

}  // namespace
}  // namespace civita
