// civita_models [LIMIT [SEED]]: random models in MJCF, up to the limit. The plant that runs
// simulate and the model that laws have are read from each file; H, C v + g and the passive forces
// of both must agree at random states to 1e-12 of their terms. Where a notice names a force that
// the law does not know, they must agree once it is taken out of the plant. Prints the number of
// models and the largest differences; exits with 1 at the first that is too large, and leaves its
// file here.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/passive_elements.h"
#include "civita/scenes/plant/model_file.h"
#include "tests/campaign/limit.h"
#include "tests/campaign/random_mjcf.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/mujoco/mujoco_passive.h"
#include "tests/oracles/mujoco/mujoco_tree.h"

namespace civita {
namespace {

constexpr double kTolerance = 1e-12;
constexpr unsigned kStates = 4;

void Clear(mjtNum* numbers, mjtSize first, mjtSize count) {
  for (mjtSize i = first; i < first + count; ++i) numbers[i] = 0;
}

/// The elements that a notice "KIND names: …" names.
std::vector<std::string> NamesIn(const std::string& notice, const std::string& kind) {
  std::vector<std::string> names;
  std::istringstream list(notice.substr(kind.size(), notice.find(':') - kind.size()));
  for (std::string name; std::getline(list >> std::ws, name, ',');) names.push_back(name);
  return names;
}

void ClearTendonDamping(int tendon, mjModel* m) {
  Clear(m->tendon_damping, tendon, 1);
  Clear(m->tendon_dampingpoly, mjNPOLY * tendon, mjNPOLY);
  for (int i = 0; i < m->nactuator; ++i) {
    if (m->actuator_trntype[i] != mjTRN_TENDON || m->actuator_trnid[2 * i] != tendon) continue;
    Clear(m->actuator_damping, i, 1);
    Clear(m->actuator_dampingpoly, mjNPOLY * i, mjNPOLY);
  }
}

/// Takes the forces that the notice names out of the model. @returns whether it names any.
bool TakeOut(const std::string& notice, mjModel* m) {
  struct Kind {
    std::string text;
    mjtObj type;
    void (*take)(int, mjModel*);
  };
  static const Kind kinds[] = {
      {"springs of spatial tendons ", mjOBJ_TENDON,
       [](int i, mjModel* model) {
         Clear(model->tendon_stiffness, i, 1);
         Clear(model->tendon_stiffnesspoly, mjNPOLY * i, mjNPOLY);
       }},
      {"damping of spatial tendons ", mjOBJ_TENDON, ClearTendonDamping},
      {"dry friction of spatial tendons ", mjOBJ_TENDON,
       [](int i, mjModel* model) { Clear(model->tendon_frictionloss, i, 1); }},
      {"elasticity of flexes ", mjOBJ_FLEX,
       [](int i, mjModel* model) {
         Clear(model->flex_edgestiffness, i, 1);
         Clear(model->flex_stiffness, 0, model->nflexstiffness);
         Clear(model->flex_bending, 0, model->nflexbending);
       }},
      {"damping of flexes ", mjOBJ_FLEX,
       [](int i, mjModel* model) {
         Clear(model->flex_edgedamping, i, 1);
         Clear(model->flex_damping, i, 1);
       }},
      {"contacts of flexes ", mjOBJ_FLEX,
       [](int i, mjModel* model) { model->flex_passive[i] = 0; }},
      {"adhesion of geoms ", mjOBJ_GEOM,
       [](int i, mjModel* model) { Clear(model->geom_adhesion, i, 1); }}};
  for (const Kind& kind : kinds) {
    if (!notice.starts_with(kind.text)) continue;
    for (const std::string& name : NamesIn(notice, kind.text)) {
      kind.take(mj_name2id(m, kind.type, name.c_str()), m);
    }
    return true;
  }
  return false;
}

/// What was compared, and how far apart it was.
struct Tally {
  long models = 0, named = 0, refused = 0;
  std::map<std::string, double> largest;

  bool Add(const std::string& name, double difference) {
    double& most = largest[name];
    if (!(difference <= most)) most = difference;  // NaN is the largest
    return difference <= kTolerance;
  }
};

bool CompareDynamics(const mjModel& m, const Model& model, unsigned seed, Tally* tally) {
  const std::unique_ptr<mjData, MujocoDeleter> d(mj_makeData(&m));
  SetRandomState(m, seed, d.get());
  mj_forward(&m, d.get());
  Eigen::MatrixXd H(m.nv, m.nv);
  mj_fullM(&m, d.get(), H.data());
  const Eigen::Map<const Eigen::VectorXd> q(d->qpos, m.nq), v(d->qvel, m.nv);
  const Eigen::Map<const Eigen::VectorXd> bias(d->qfrc_bias, m.nv);
  const CoreDynamics ours = CalcCoreDynamics(model, q, v);
  const double weight = mj_getTotalmass(&m) * model.gravity().norm();
  const double forces = bias.norm() + H.norm() * v.squaredNorm() + weight;
  bool good = tally->Add("H", (ours.H - H).norm() / H.norm());
  good &= tally->Add("C v + g", (ours.bias - bias).norm() / forces);
  return good;
}

bool CheckModel(const std::filesystem::path& file, unsigned seed, Tally* tally) {
  std::vector<std::string> notices;
  MjModelPtr m;
  std::optional<Model> model;
  try {
    m = LoadModelFile(file, {}, &notices);
    model.emplace(BuildModel(*m));
  } catch (const UserError&) {
    ++tally->refused;
    return true;
  }
  ++tally->models;
  bool named = false;
  for (const std::string& notice : notices) named |= TakeOut(notice, m.get());
  tally->named += named;
  bool good = true;
  for (unsigned k = 0; k < kStates; ++k) {
    good &= CompareDynamics(*m, *model, seed + k, tally);
    good &= tally->Add("passive forces", PassiveError(*m, *model, seed + k));
  }
  if (!good) {
    for (const std::string& notice : notices) std::printf("  notice: %s\n", notice.c_str());
  }
  return good;
}

int CheckModels(const Limit& limit, unsigned seed) {
  Tally tally;
  bool good = true;
  for (long k = 0; limit.Allows(k) && good; ++k, ++seed) {
    const std::filesystem::path file = "model" + std::to_string(seed) + ".xml";
    std::ofstream(file) << RandomMjcf(seed);
    good = CheckModel(file, seed, &tally);
    if (!good) std::printf("plant and law differ: %s\n", file.c_str());
    if (good) std::filesystem::remove(file);
  }
  std::printf("%ld models, %ld of them with forces that a notice names; %ld more refused\n",
              tally.models, tally.named, tally.refused);
  for (const auto& [name, difference] : tally.largest) {
    std::printf("  %-16s %.1e\n", name.c_str(), difference);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace civita

int main(int argc, char** argv) {
  return civita::MainOfCampaign(argc, argv, "1000", civita::CheckModels);
}
