#include "app/verbs/bench/bench_models.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <random>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "civita/study/model/load_model.h"

namespace civita {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  Eigen::Vector3d Direction() {
    const double z = Uniform(-1, 1), angle = Uniform(-std::numbers::pi, std::numbers::pi);
    const double r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }
  Eigen::Matrix3d Rotation() {
    const Eigen::Vector3d axis = Direction();
    return Eigen::AngleAxisd(Uniform(-std::numbers::pi, std::numbers::pi), axis).toRotationMatrix();
  }

 private:
  std::mt19937_64 random_;
};

/// A link of about 30 cm whose mass is distributed as in an ellipsoid of random axes: any second
/// moments s about the centre of mass give a physical inertia tr(s)·1 − s.
BenchBody RandomBody(int parent, Draw* draw) {
  BenchBody body;
  body.parent = parent;
  body.X_PB.R = draw->Rotation();
  body.X_PB.p = draw->Uniform(0.2, 0.4) * draw->Direction();
  body.axis = draw->Direction();
  body.mass.mass = draw->Uniform(0.5, 2);
  body.mass.com = draw->Uniform(0.05, 0.2) * draw->Direction();
  Eigen::Vector3d s;
  for (double& x : s) x = body.mass.mass * std::pow(draw->Uniform(0.03, 0.15), 2);
  const Eigen::Matrix3d R = draw->Rotation();
  const Eigen::Vector3d moments = s.sum() - s.array();
  body.mass.inertia = R * moments.asDiagonal() * R.transpose();
  return body;
}

/// Adds the subtree of node `heap` of a complete binary tree (children 2h + 1 and 2h + 2),
/// depth-first.
void AddSubtree(int heap, int size, int parent, Draw* draw, std::vector<BenchBody>* bodies) {
  if (heap >= size) return;
  const int body = static_cast<int>(bodies->size());
  bodies->push_back(RandomBody(parent, draw));
  AddSubtree(2 * heap + 1, size, body, draw, bodies);
  AddSubtree(2 * heap + 2, size, body, draw, bodies);
}

void AddChain(int size, int parent, Draw* draw, std::vector<BenchBody>* bodies) {
  for (int i = 0; i < size; ++i) {
    bodies->push_back(RandomBody(parent, draw));
    parent = static_cast<int>(bodies->size()) - 1;
  }
}

void AddLimbs(int legs, int hinges, Draw* draw, std::vector<BenchBody>* bodies) {
  bodies->push_back(RandomBody(ModelBuilder::kWorld, draw));
  bodies->back().free = true;
  bodies->back().mass.mass *= 5;
  bodies->back().mass.inertia *= 5;
  for (int leg = 0; leg < legs; ++leg) AddChain((hinges + legs - 1 - leg) / legs, 0, draw, bodies);
}

struct Kind {
  std::string_view name;
  std::uint64_t seed;
  void (*add)(int size, Draw* draw, std::vector<BenchBody>* bodies);
};
constexpr std::array<Kind, 4> kKinds = {{
    {"chain", 1, [](int n, Draw* d, std::vector<BenchBody>* b) { AddChain(n, -1, d, b); }},
    {"tree", 2, [](int n, Draw* d, std::vector<BenchBody>* b) { AddSubtree(0, n, -1, d, b); }},
    {"biped", 3, [](int n, Draw* d, std::vector<BenchBody>* b) { AddLimbs(2, n, d, b); }},
    {"quadruped", 4, [](int n, Draw* d, std::vector<BenchBody>* b) { AddLimbs(4, n, d, b); }},
}};

}  // namespace

std::optional<BenchModel> MakeBenchModel(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (!name.starts_with(kind.name)) continue;
    const std::string_view number = name.substr(kind.name.size());
    int size = 0;
    const auto [end, error] = std::from_chars(number.begin(), number.end(), size);
    if (error != std::errc() || end != number.end()) return std::nullopt;
    if (size < 1 || size > kLargestBenchModel) return std::nullopt;
    BenchModel model{std::string(name), {}};
    Draw draw(kind.seed);
    kind.add(size, &draw, &model.bodies);
    return model;
  }
  return std::nullopt;
}

Model Build(const BenchModel& model) {
  ModelBuilder builder;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BenchBody& body = model.bodies[b];
    const std::string number = std::to_string(b);
    builder.AddBody("body" + number, body.parent, body.X_PB, body.mass);
    builder.AddJoint(static_cast<int>(b), body.free ? JointType::kFree : JointType::kHinge,
                     {.name = "joint" + number, .axis = body.axis});
  }
  return builder.Build();
}

std::vector<int> FindFeet(const Model& model) {
  if (model.num_bodies() < 2 || model.bodies().front().joint != JointType::kFree) return {};
  std::vector<bool> is_end(model.bodies().size(), true);
  for (const Model::Body& body : model.bodies()) {
    if (body.parent >= 0) is_end[static_cast<std::size_t>(body.parent)] = false;
  }
  std::vector<int> feet;
  for (int body = 0; body < model.num_bodies(); ++body) {
    if (is_end[static_cast<std::size_t>(body)]) feet.push_back(body);
  }
  return feet;
}

NamedModel FindModel(const std::string& name) {
  if (const std::optional<BenchModel> made = MakeBenchModel(name)) return {name, Build(*made)};
  std::vector<std::string> scenes;
  for (const SceneInfo& scene : Scenes()) scenes.emplace_back(scene.name);
  const bool known = std::ranges::find(scenes, name) != scenes.end();
  std::error_code ignored;
  if (!known && !std::filesystem::exists(name, ignored)) {
    throw UserError("--models: unknown model '" + name +
                    "'; valid: chainN, treeN, bipedN, quadrupedN with N from 1 to " +
                    std::to_string(kLargestBenchModel) + ", a scene (" + internal::List(scenes) +
                    "), an MJCF or a URDF file");
  }
  return {name, LoadModel(name, {.loops = false}).model};
}

}  // namespace civita
