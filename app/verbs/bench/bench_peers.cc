#include "app/verbs/bench/bench_peers.h"

#include <mujoco/mujoco.h>

#include <array>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "app/child_process.h"
#include "app/terminal.h"
#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/measure.h"
#include "civita/scenes/plant/model_file.h"

namespace civita {
namespace {

MjModelPtr Compile(const BenchModel& model) {
  std::array<char, 500> error{};
  const SpecPtr spec(mj_parseXMLString(ToMjcf(model).c_str(), nullptr, error.data(), error.size()));
  if (!spec) throw std::runtime_error(model.name + " in MuJoCo: " + error.data());
  MjModelPtr m(mj_compile(spec.get(), nullptr));
  if (!m) throw std::runtime_error(model.name + " in MuJoCo: " + mjs_getError(spec.get()));
  return m;
}

}  // namespace

void TimeMujoco(const BenchModel& of, double seconds, const std::function<bool(PeerResult)>& take) {
  PeerBench bench(of, seconds);
  const MjModelPtr m = Compile(of);
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m.get()));
  Eigen::VectorXd force(m->nv);
  Eigen::MatrixXd H(m->nv, m->nv);
  std::size_t at = 0;
  const auto set_state = [&](bool with_velocity) {
    at = (at + 1) % bench.states().size();
    const PeerBench::State& x = bench.states()[at];
    Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = x.q;
    Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = x.v;
    Eigen::Map<Eigen::VectorXd>(d->qacc, m->nv) = x.vdot;
    mj_kinematics(m.get(), d.get());
    mj_comPos(m.get(), d.get());
    if (with_velocity) mj_comVel(m.get(), d.get());
  };
  const auto mass_matrix = [&] {
    set_state(false);
    mj_makeM(m.get(), d.get());
  };
  const auto inverse_dynamics = [&] {
    set_state(true);
    mj_rne(m.get(), d.get(), 1, force.data());
  };
  const auto bias = [&] {
    set_state(true);
    mj_rne(m.get(), d.get(), 0, force.data());
  };
  const auto ours = [&] { return bench.NumbersAt(bench.states()[at]); };
  mass_matrix();
  mj_fullM(m.get(), d.get(), H.data());
  const std::string forces = "mj_kinematics, mj_comPos, mj_comVel, mj_rne";
  if (!take(bench.Time("H", "mujoco", "mj_kinematics, mj_comPos, mj_makeM", PeerError(ours().H, H),
                       mass_matrix))) {
    return;
  }
  inverse_dynamics();
  if (!take(bench.Time("RNEA", "mujoco", forces, PeerError(ours().tau, force), inverse_dynamics))) {
    return;
  }
  bias();
  take(bench.Time("bias", "mujoco", forces, PeerError(ours().bias, force), bias));
}

bool TimePinocchio(const std::vector<std::string>& models, const std::string& quantities,
                   double seconds, const std::function<bool(PeerResult)>& take) {
  const auto wheel = BesideThisProgram("civita_peer_pinocchio_wheel"),
             v3 = BesideThisProgram("civita_peer_pinocchio_v3");
  if (!std::filesystem::exists(wheel) || !std::filesystem::exists(v3)) return false;
  std::vector<std::filesystem::path> programs = {wheel};
  if (HasAvx2()) {
    programs.push_back(v3);
  } else {
    PrintNote("Pinocchio compiled for x86-64-v3 is left out: this CPU has no AVX2");
  }
  bool go_on = true;
  for (const std::filesystem::path& program : programs) {
    if (!go_on) break;
    std::vector<std::string> command = {program, std::to_string(seconds), quantities};
    command.insert(command.end(), models.begin(), models.end());
    ChildProcess child(command);
    std::string line;
    while (go_on && child.ReadLine(&line)) go_on = take(ParsePeerResult(line));
    if (go_on) child.Finish();
  }
  return true;
}

}  // namespace civita
