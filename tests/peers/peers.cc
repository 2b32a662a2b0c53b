#include "tests/peers/peers.h"

#include <mujoco/mujoco.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/child_process.h"
#include "app/terminal.h"
#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/measure.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/scenes/plant/model_file.h"

namespace civita {
namespace {

template <typename... Numbers>
std::string Text(Numbers... numbers) {
  std::string text;
  for (const double x : {static_cast<double>(numbers)...}) {
    if (!text.empty()) text += ' ';
    internal::AppendNumber(x, &text);
  }
  return text;
}

std::string Text(const Eigen::Vector3d& x) { return Text(x[0], x[1], x[2]); }

/// The model as an MJCF file.
std::string ToMjcf(const BenchModel& model) {
  std::string text = "<mujoco model=\"" + model.name + "\">\n<worldbody>\n";
  std::vector<int> open = {ModelBuilder::kWorld};
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BenchBody& body = model.bodies[b];
    for (; open.back() != body.parent; open.pop_back()) text += "</body>\n";
    open.push_back(static_cast<int>(b));
    const std::string number = std::to_string(b);
    const Eigen::Quaterniond quat(body.X_PB.R);
    const Eigen::Matrix3d& I = body.mass.inertia;
    text += "<body name=\"body" + number + "\" pos=\"" + Text(body.X_PB.p) + "\" quat=\"" +
            Text(quat.w(), quat.x(), quat.y(), quat.z()) + "\">\n";
    text += "<inertial mass=\"" + Text(body.mass.mass) + "\" pos=\"" + Text(body.mass.com) +
            "\" fullinertia=\"" + Text(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)) +
            "\"/>\n";
    text += body.free ? "<freejoint name=\"joint" + number + "\" align=\"false\"/>\n"
                      : "<joint name=\"joint" + number + "\" axis=\"" + Text(body.axis) + "\"/>\n";
  }
  for (; open.size() > 1; open.pop_back()) text += "</body>\n";
  return text + "</worldbody>\n</mujoco>\n";
}

MjModelPtr Compile(const BenchModel& model) {
  std::array<char, 500> error{};
  const SpecPtr spec(mj_parseXMLString(ToMjcf(model).c_str(), nullptr, error.data(), error.size()));
  if (!spec) throw std::runtime_error(model.name + " in MuJoCo: " + error.data());
  MjModelPtr m(mj_compile(spec.get(), nullptr));
  if (!m) throw std::runtime_error(model.name + " in MuJoCo: " + mjs_getError(spec.get()));
  return m;
}

/// A child process whose standard output is read by lines. The destructor ends it.
class ChildProcess {
 public:
  /// Starts command.front(), a path. @throws Error.
  explicit ChildProcess(std::vector<std::string> command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads the next line. @returns false at the end of the output.
  bool ReadLine(std::string* line);

  /// Waits for the process, after the end of its output. @throws Error when it failed.
  void Finish();

 private:
  std::string name_;
  pid_t pid_ = 0;
  std::FILE* out_ = nullptr;
};

ChildProcess::ChildProcess(std::vector<std::string> command) : name_(command.front()) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error("no pipe for " + name_);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  if (pid_ > 0) out_ = fdopen(ends[0], "r");
  if (out_ != nullptr) return;
  close(ends[0]);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);  // its output is closed
  throw Error(name_ + " cannot be started");
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  std::fclose(out_);
}

bool ChildProcess::ReadLine(std::string* line) {
  line->clear();
  for (int c = std::fgetc(out_); c != EOF; c = std::fgetc(out_)) {
    if (c == '\n') return true;
    line->push_back(static_cast<char>(c));
  }
  return false;
}

void ChildProcess::Finish() {
  int status = 0;
  const bool known = waitpid(pid_, &status, 0) == pid_;
  pid_ = 0;
  if (!known) throw Error(name_ + " ended with a code that the system did not keep");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Error(name_ + " failed");
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
