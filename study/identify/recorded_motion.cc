#include "civita/study/identify/recorded_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/sim/run_json.h"
#include "civita/sim/run_record.h"
#include "civita/study/identify/identify.h"

namespace civita {
namespace {

using Eigen::Index;
namespace fs = std::filesystem;

std::unique_ptr<Scene> LoadRun(const fs::path& directory) {
  if (!IsRunFolder(directory)) {
    throw UserError(directory.string() + " is no run folder; a CSV file needs a model");
  }
  std::unique_ptr<Scene> scene = LoadScene(ReadConfig((directory / "config.yaml").string()));
  if (scene->closed) {
    throw UserError(directory.string() +
                    ": a robot with closed loops or coupled joints, whose forces are not recorded");
  }
  return scene;
}

/// Rows of x from the columns PREFIX0, PREFIX1, ….
struct Columns {
  std::string prefix;
  Eigen::MatrixXd* x;
  std::vector<size_t> at = {};
};

MotionSamples ReadRows(const fs::path& file, const Model& model, std::vector<double>* constrained,
                       std::vector<double>* thrown) {
  CsvRows rows(file);
  MotionSamples samples{.name = file.string()};
  const auto find = [&](const std::string& name) {
    return static_cast<size_t>(std::ranges::find(rows.columns(), name) - rows.columns().begin());
  };
  if (rows.columns().empty() || rows.columns()[0] != "t") {
    throw UserError(file.string() + ": the first column must be t, in a line with the names");
  }
  Columns all[] = {{"/q/", &samples.q}, {"/v/", &samples.v}, {"/tau/", &samples.tau}};
  const auto count = static_cast<Index>(rows.size());
  for (Columns& columns : all) {
    const int wanted = columns.prefix == "/q/" ? model.nq() : model.nv();
    for (int i = 0; i < wanted; ++i) {
      columns.at.push_back(find(columns.prefix + std::to_string(i)));
      if (columns.at.back() < rows.columns().size()) continue;
      throw UserError(file.string() + " has no column " + columns.prefix + std::to_string(i));
    }
    columns.x->resize(wanted, count);
  }
  samples.t.resize(count);
  const size_t at_limit = find("/constrained"), at_throw = find("/thrown");
  for (Index k = 0; k < count; ++k) {
    const std::span<const double> row = rows.row(static_cast<size_t>(k));
    samples.t[k] = row[0];
    for (const Columns& columns : all)
      for (size_t i = 0; i < columns.at.size(); ++i)
        (*columns.x)(static_cast<Index>(i), k) = row[columns.at[i]];
    constrained->push_back(at_limit < row.size() ? row[at_limit] : 0);
    thrown->push_back(at_throw < row.size() ? row[at_throw] : 0);
  }
  return samples;
}

}  // namespace

Model ReadRunModel(const fs::path& directory) { return LoadRun(directory)->control_model; }

MotionSamples ReadMotion(const fs::path& path, const Model& model) {
  std::vector<double> constrained, thrown;
  if (!fs::is_directory(path)) return ReadRows(path, model, &constrained, &thrown);
  const std::unique_ptr<Scene> scene = LoadRun(path);
  const auto events = ReadEvents(path, ReadRunJson(path));
  if (events && !events->empty()) {
    throw UserError(path.string() +
                    ": the run was changed by hand, by forces that are not recorded");
  }
  MotionSamples samples = ReadRows(path / "signals.csv", model, &constrained, &thrown);
  const Index count = samples.t.size();
  samples.excluded.resize(static_cast<size_t>(count));
  const double grasp = scene->payload ? scene->payload->at_s : 0;
  for (Index k = 0; k < count; ++k) {
    const double t = samples.t[k], dt = k + 1 < count ? samples.t[k + 1] - t : 0;
    const auto i = static_cast<size_t>(k);
    samples.excluded[i] =
        constrained[i] > 0 || thrown[i] > 0 || t < grasp ||
        std::ranges::any_of(scene->pushes, [&](const Push& push) { return push.acts(t, dt); });
  }
  if (scene->config.ControlConfig::mode != ControlMode::kHeld) return samples;
  samples.torque_is_held = true;
  // A step of MuJoCo's moves q with the velocity at its end: v is that half a step before q.
  if (scene->mj->opt.integrator == mjINT_RK4) return samples;
  for (Index k = 0; k < count; ++k) {
    const Eigen::VectorXd q = samples.q.col(k);
    IntegratePosition<double>(model, q, samples.v.col(k), -0.5 * scene->mj->opt.timestep,
                              samples.q.col(k));
  }
  return samples;
}

Excitation ProposeExcitation(const fs::path& directory, const MotionSamples& motion, double window,
                             int tried) {
  constexpr double kBaseHz = 0.1, kDistance = 0.5, kAngle = 0.6, kSampleTime = 0.01;
  constexpr int kHarmonics = 5;
  const auto read = [&](const std::string& amplitude) {
    SceneConfig config =
        ReadConfig((directory / "config.yaml").string(),
                   {"reference.type=excitation", "reference.amplitude=" + amplitude,
                    "reference.base_hz=0.1", "reference.harmonics=5"});
    config.initial = {};
    config.pushes.clear();
    return config;
  };
  const std::unique_ptr<Scene> scene = LoadScene(read("[]"));
  const Model& model = scene->control_model;
  std::vector<double> amplitude = scene->config.reference.Numbers("amplitude");
  if (amplitude.size() == 1) amplitude.resize(static_cast<size_t>(model.nv()), amplitude[0]);
  for (const Model::NamedJoint& joint : model.joints()) {
    for (int i = 0; joint.type == JointType::kFree && i < NumVelocities(joint.type); ++i) {
      double& a = amplitude[static_cast<size_t>(joint.iv + i)];
      if (a == 0 && !motion.tau.row(joint.iv + i).isZero(0))
        a = i < NumDistances(joint.type) ? kDistance : kAngle;
    }
  }
  MotionSamples ideal{.name = "excitation"};
  const auto count = static_cast<Index>(std::lround((1 / kBaseHz + window) / kSampleTime)) + 1;
  ideal.t = Eigen::VectorXd::LinSpaced(count, 0, kSampleTime * static_cast<double>(count - 1));
  ideal.q.resize(model.nq(), count);
  ideal.v.resize(model.nv(), count);
  ideal.tau.setZero(model.nv(), count);
  ReferenceState state;
  state.q.resize(model.nq());
  state.v.resize(model.nv());
  state.vdot.resize(model.nv());
  Excitation best{.config = scene->config, .tried = tried};
  best.condition = std::numeric_limits<double>::infinity();
  const Eigen::Map<const Eigen::VectorXd> widths(amplitude.data(), model.nv());
  for (int seed = 1; seed <= tried; ++seed) {
    const std::unique_ptr<Reference> reference =
        MakeExcitation(model, scene->q_home, widths, kBaseHz, kHarmonics, seed);
    for (Index k = 0; k < count; ++k) {
      reference->Sample(ideal.t[k], state);
      ideal.q.col(k) = state.q;
      ideal.v.col(k) = state.v;
    }
    const double condition = CalcExcitation(model, {&ideal, 1}, {.window = window, .jobs = 1});
    if (condition >= best.condition) continue;
    best.condition = condition;
    best.config.seed = seed;
  }
  const int seed = best.config.seed;
  best.config = read(ToYamlText(amplitude));
  best.config.seed = seed;
  best.config.duration_s = 2 / kBaseHz;
  return best;
}

}  // namespace civita
