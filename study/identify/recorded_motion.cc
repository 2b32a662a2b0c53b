#include "civita/study/identify/recorded_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/sim/npz_file.h"
#include "civita/sim/run_json.h"
#include "civita/sim/run_record.h"
#include "civita/study/identify/identify.h"

namespace civita {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
namespace fs = std::filesystem;

void RefuseLoops(const Scene& scene, const std::string& name) {
  if (!scene.closed) return;
  throw UserError(name +
                  ": a robot with closed loops or coupled joints, whose forces are not recorded");
}

std::unique_ptr<Scene> LoadRun(const fs::path& directory) {
  if (!IsRunFolder(directory)) {
    throw UserError(directory.string() + " is no run folder; a CSV or NPZ file needs a model");
  }
  return LoadScene(ReadConfig((directory / "config.yaml").string()));
}

MotionTable ReadCsvTable(const fs::path& file) {
  const auto rows = std::make_shared<CsvRows>(file);
  return {file.string(), rows->columns(), rows->size(), [rows](size_t k) { return rows->row(k); }};
}

MotionTable ReadNpzTable(const fs::path& file) {
  const std::map<std::string, NpzArray> arrays = ReadNpz(file);
  const auto t = arrays.find("t"), held = arrays.find("held");
  if (t == arrays.end() || t->second.values.empty()) throw UserError(file.string() + " has no t");
  MotionTable table{.name = file.string(), .columns = {"t"}, .size = t->second.rows};
  table.torque_is_held =
      held != arrays.end() && !held->second.values.empty() && held->second.values.front() != 0;
  std::vector<const double*> columns = {t->second.values.data()};
  for (const auto& [name, array] : arrays) {
    if (array.rows != table.size || name == "t") continue;
    for (size_t i = 0; i < array.columns; ++i) {
      table.columns.push_back(name.starts_with('/') ? name : "/" + name + "/" + std::to_string(i));
      columns.push_back(array.values.data() + i * array.rows);
    }
  }
  const auto rows = std::make_shared<Eigen::MatrixXd>(columns.size(), table.size);
  for (size_t c = 0; c < columns.size(); ++c)
    rows->row(static_cast<Index>(c)) = VectorXd::Map(columns[c], rows->cols());
  table.row = [rows](size_t k) {
    return std::span<const double>(rows->col(static_cast<Index>(k)).data(),
                                   static_cast<size_t>(rows->rows()));
  };
  return table;
}

}  // namespace

Model ReadRunModel(const fs::path& directory) {
  const std::unique_ptr<Scene> scene = LoadRun(directory);
  RefuseLoops(*scene, directory.string());
  return scene->control_model;
}

MotionSamples ReadMotion(const MotionTable& table, const Model& model, const Scene* run) {
  if (table.columns.empty() || table.columns[0] != "t") {
    throw UserError(table.name + ": the first column must be t, in a line with the names");
  }
  const auto find = [&](const std::string& name) {
    const auto found = std::ranges::find(table.columns, name);
    if (found == table.columns.end()) throw UserError(table.name + " has no column " + name);
    return static_cast<size_t>(found - table.columns.begin());
  };
  const auto find_all = [&](const std::string& prefix, int count) {
    std::vector<size_t> at;
    for (int i = 0; i < count; ++i) at.push_back(find(prefix + std::to_string(i)));
    return at;
  };
  const std::vector<size_t> q = find_all("/q/", model.nq()), v = find_all("/v/", model.nv()),
                            tau = find_all("/tau/", model.nv());
  const size_t at_limit = run ? find("/constrained") : 0, at_throw = run ? find("/thrown") : 0;
  const auto count = static_cast<Index>(table.size);
  MotionSamples samples{.name = table.name, .torque_is_held = table.torque_is_held};
  samples.t.resize(count);
  samples.q.resize(model.nq(), count);
  samples.v.resize(model.nv(), count);
  samples.tau.resize(model.nv(), count);
  const double grasp = run && run->payload ? run->payload->at_s : 0;
  for (Index k = 0; k < count; ++k) {
    const std::span<const double> numbers = table.row(static_cast<size_t>(k));
    const auto row = VectorXd::Map(numbers.data(), static_cast<Index>(numbers.size()));
    const double t = samples.t[k] = row[0];
    samples.q.col(k) = row(q);
    samples.v.col(k) = row(v);
    samples.tau.col(k) = row(tau);
    if (run == nullptr) continue;
    const double dt = k + 1 < count ? table.row(static_cast<size_t>(k + 1))[0] - t : 0;
    samples.excluded.push_back(
        numbers[at_limit] > 0 || numbers[at_throw] > 0 || t < grasp ||
        std::ranges::any_of(run->pushes, [&](const Push& push) { return push.acts(t, dt); }));
  }
  if (run == nullptr) return samples;
  RefuseLoops(*run, table.name);
  samples.torque_is_held = run->config.ControlConfig::mode == ControlMode::kHeld;
  // A step of MuJoCo's moves q with the velocity at its end: v is that half a step before q.
  if (!samples.torque_is_held || run->mj->opt.integrator == mjINT_RK4) return samples;
  for (Index k = 0; k < count; ++k) {
    const VectorXd before = samples.q.col(k);
    IntegratePosition<double>(model, before, samples.v.col(k), -0.5 * run->mj->opt.timestep,
                              samples.q.col(k));
  }
  return samples;
}

MotionSamples ReadMotion(const fs::path& path, const Model& model) {
  if (path.extension() == ".npz") return ReadMotion(ReadNpzTable(path), model);
  if (!fs::is_directory(path)) return ReadMotion(ReadCsvTable(path), model);
  const std::unique_ptr<Scene> scene = LoadRun(path);
  const auto events = ReadEvents(path, ReadRunJson(path));
  if (events && !events->empty()) {
    throw UserError(path.string() +
                    ": the run was changed by hand, by forces that are not recorded");
  }
  return ReadMotion(ReadCsvTable(path / "signals.csv"), model, scene.get());
}

Excitation ProposeExcitation(const fs::path& directory, const MotionSamples& motion, double window,
                             int tried) {
  constexpr double kBaseHz = 0.1, kDistance = 0.5, kAngle = 0.6, kSampleTime = 0.01;
  constexpr int kHarmonics = 5;
  std::vector<double> amplitude;  // none: moderate ones
  const auto read = [&] {
    SceneConfig config =
        ReadConfig((directory / "config.yaml").string(),
                   {"reference.type=excitation", "reference.amplitude=" + ToYamlText(amplitude),
                    "reference.base_hz=" + ToYamlText(kBaseHz),
                    "reference.harmonics=" + std::to_string(kHarmonics)});
    config.initial = {};
    config.pushes.clear();
    return config;
  };
  const std::unique_ptr<Scene> scene = LoadScene(read());
  const Model& model = scene->control_model;
  const Index nv = model.nv();
  amplitude = scene->config.reference.Numbers("amplitude");
  amplitude.resize(static_cast<size_t>(nv), amplitude.front());
  for (const Model::NamedJoint& joint : model.joints()) {
    for (int i = 0; joint.type == JointType::kFree && i < NumVelocities(joint.type); ++i) {
      const Index iv = Index{joint.iv} + i;
      double& a = amplitude[static_cast<size_t>(iv)];
      if (a == 0 && !motion.tau.row(iv).isZero(0))
        a = i < NumDistances(joint.type) ? kDistance : kAngle;
    }
  }
  const auto count = static_cast<Index>(std::lround((1 / kBaseHz + window) / kSampleTime)) + 1;
  MotionSamples ideal{
      .name = "excitation",
      .t = VectorXd::LinSpaced(count, 0, kSampleTime * static_cast<double>(count - 1)),
      .q = Eigen::MatrixXd(model.nq(), count),
      .v = Eigen::MatrixXd(nv, count),
      .tau = Eigen::MatrixXd::Zero(nv, count)};
  ReferenceState state{VectorXd(model.nq()), VectorXd(nv), VectorXd(nv)};
  Excitation best{{}, std::numeric_limits<double>::infinity(), tried};
  int best_seed = scene->config.seed;
  for (int seed = 1; seed <= tried; ++seed) {
    const auto reference = MakeExcitation(model, scene->q_home, VectorXd::Map(amplitude.data(), nv),
                                          kBaseHz, kHarmonics, seed);
    for (Index k = 0; k < count; ++k) {
      reference->Sample(ideal.t[k], state);
      ideal.q.col(k) = state.q;
      ideal.v.col(k) = state.v;
    }
    const double condition = CalcExcitation(model, {&ideal, 1}, {.window = window, .jobs = 1});
    if (condition >= best.condition) continue;
    best.condition = condition;
    best_seed = seed;
  }
  best.config = read();
  best.config.seed = best_seed;
  best.config.duration_s = 2 / kBaseHz;
  return best;
}

}  // namespace civita
