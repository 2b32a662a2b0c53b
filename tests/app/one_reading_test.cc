// One file gives one model: what MuJoCo simulates, what the laws compute with and what `civita
// eval` evaluates have the same H, C v + g, passive forces and frames, or a notice says what
// differs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/mujoco/convert.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/scene_list.h"
#include "civita/study/model/load_model.h"
#include "civita/workspace.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/random_urdf.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace one_reading_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

struct State {
  VectorXd q, v;
};

/// What a model says at a state.
struct Numbers {
  MatrixXd H;
  VectorXd bias, passive, frictionloss;
};

State RandomState(const mjModel& m, std::mt19937* random) {
  const VectorXd step = RandomVector(static_cast<int>(m.nv), random);
  State state{Eigen::Map<const VectorXd>(m.qpos0, m.nq),
              RandomVector(static_cast<int>(m.nv), random)};
  mj_integratePos(&m, state.q.data(), step.data(), 1);
  return state;
}

std::unique_ptr<mjData, MjDataDeleter> DataAt(const mjModel& m, const State& state) {
  std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(&m));
  std::copy_n(state.q.data(), m.nq, d->qpos);
  std::copy_n(state.v.data(), m.nv, d->qvel);
  mj_forward(&m, d.get());
  return d;
}

Numbers OfPlant(const mjModel& m, const mjData& d) {
  Numbers numbers;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> H(m.nv, m.nv);
  mj_fullM(&m, &d, H.data());
  numbers.H = H;
  numbers.bias = Eigen::Map<const VectorXd>(d.qfrc_bias, m.nv);
  numbers.passive = Eigen::Map<const VectorXd>(d.qfrc_passive, m.nv);
  numbers.frictionloss = Eigen::Map<const VectorXd>(m.dof_frictionloss, m.nv);
  return numbers;
}

Numbers OfModel(const Model& model, const State& state) {
  Numbers numbers;
  const int nv = model.nv();
  Workspace<double> workspace(model);
  numbers.H.resize(nv, nv);
  numbers.bias.resize(nv);
  UpdateKinematics(model, state.q, state.v, workspace);
  CalcMassMatrix(model, workspace, numbers.H);
  CalcInverseDynamics<double>(model, VectorXd::Zero(nv), workspace, numbers.bias);
  numbers.frictionloss = model.frictionloss();
  // MuJoCo has dry friction apart.
  numbers.passive = model.frictionloss().cwiseProduct(state.v.array().tanh().matrix());
  for (const Model::Tendon& tendon : model.tendons()) {
    double rate = 0;
    for (size_t k = 0; k < tendon.terms.size(); ++k) {
      rate += tendon.terms[k].coefficient * state.v[tendon.iv[k]];
    }
    for (size_t k = 0; k < tendon.terms.size(); ++k) {
      numbers.passive[tendon.iv[k]] +=
          tendon.terms[k].coefficient * tendon.frictionloss * std::tanh(rate);
    }
  }
  AddPassiveForces(model, state.q, state.v, {.speed = 1}, 1, numbers.passive);
  return numbers;
}

double Apart(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / std::max({a.norm(), b.norm(), 1e-9});
}

double Apart(const Numbers& a, const Numbers& b) {
  return std::max({Apart(a.H, b.H), Apart(a.bias, b.bias), Apart(a.passive, b.passive),
                   Apart(a.frictionloss, b.frictionloss)});
}

constexpr double kSame = 1e-12;

/// Bodies and sites are where MuJoCo has them.
void ExpectFrames(const mjModel& m, const mjData& d, const Model& model, const State& state) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, state.q, state.v, workspace);
  const auto expect = [&](const std::string& name, const mjtNum* p, const mjtNum* R) {
    SCOPED_TRACE(name);
    const auto pose = CalcFramePose(model, model.FindFrame(name), workspace);
    using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    EXPECT_LT((pose.p - Eigen::Map<const Eigen::Vector3d>(p)).norm(), 1e-11);
    EXPECT_LT((pose.R - Eigen::Map<const RowMajor>(R)).norm(), 1e-11);
  };
  for (int i = 1; i < m.nbody; ++i) {
    const char* name = mj_id2name(&m, mjOBJ_BODY, i);
    if (name != nullptr && *name != '\0') expect(name, d.xpos + 3 * i, d.xmat + 9 * i);
  }
  for (int i = 0; i < m.nsite; ++i) {
    const std::string name = NameOfSite(m, i);
    if (!name.empty()) expect(name, d.site_xpos + 3 * i, d.site_xmat + 9 * i);
  }
}

/// The model as the simulation and as `eval` read it.
struct Readings {
  MjModelPtr plant;
  std::vector<std::string> notices;
  LoadedModel eval;
};

Readings Read(const std::string& file) {
  Readings readings{nullptr, {}, LoadModel(file, {.loops = false})};
  readings.plant = CompileModel(ReadConfig(file), true, {}, &readings.notices);
  return readings;
}

std::string AllOf(const std::vector<std::string>& notices) {
  std::string all;
  for (const std::string& notice : notices) all += notice + "\n";
  return all;
}

// Every scene and config that is delivered and here.
TEST(OneReading, ScenesAreWhatTheirLawsAndEvalSee) {
  std::mt19937 random(1);
  int count = 0;
  for (const SceneInfo& info : Scenes()) {
    if (!info.is_here) continue;
    SCOPED_TRACE(info.name);
    const SceneConfig config = ReadConfig(info.name);
    const std::unique_ptr<Scene> scene = LoadScene(config);
    const LoadedModel eval = LoadModel(info.name, {.loops = false});
    const bool known = scene->config.plant.mass_scale == 1 && scene->config.plant.mass_error == 0;
    const bool believed = known && config.model_scale == 1 && config.estimate.empty();
    for (int trial = 0; trial < 3; ++trial) {
      const State state = RandomState(*scene->mj, &random);
      const auto d = DataAt(*scene->mj, state);
      const Numbers plant = OfPlant(*scene->mj, *d);
      EXPECT_LT(Apart(plant, OfModel(scene->plant, state)), kSame);
      if (known) {
        EXPECT_LT(Apart(plant, OfModel(eval.model, state)), kSame);
      }
      if (believed) {
        EXPECT_LT(Apart(plant, OfModel(scene->control_model, state)), kSame);
      }
      ExpectFrames(*scene->mj, *d, scene->plant, state);
    }
    ++count;
  }
  EXPECT_GT(count, 25);
}

TEST(OneReading, RandomMjcfIsOneModel) {
  const TemporaryFolder folder;
  std::mt19937 random(2);
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const TreeSpec spec =
        RandomTree(seed, {.passive = true, .helical = false, .free_root = seed % 2 == 0});
    const Readings read = Read(folder.Write("m.xml", ToMjcf(spec)));
    for (int trial = 0; trial < 3; ++trial) {
      const State state = RandomState(*read.plant, &random);
      const auto d = DataAt(*read.plant, state);
      const Numbers plant = OfPlant(*read.plant, *d);
      EXPECT_LT(Apart(plant, OfModel(BuildModel(*read.plant), state)), kSame);
      EXPECT_LT(Apart(plant, OfModel(read.eval.model, state)), kSame);
      ExpectFrames(*read.plant, *d, read.eval.model, state);
    }
  }
}

/// The state in the order of another model with the same hinges and slides.
State InOrderOf(const Model& to, const Model& from, const State& state, std::vector<int>* order) {
  State there{VectorXd(to.nq()), VectorXd(to.nv())};
  order->resize(static_cast<size_t>(to.nv()));
  for (const Model::NamedJoint& joint : from.joints()) {
    const auto same = std::ranges::find(to.joints(), joint.name, &Model::NamedJoint::name);
    there.q[same->iq] = state.q[joint.iq];
    there.v[same->iv] = state.v[joint.iv];
    (*order)[static_cast<size_t>(joint.iv)] = same->iv;
  }
  return there;
}

/// The numbers of the text itself, in the order of `model`.
Numbers OfText(const TreeSpec& spec, const Model& model, const State& state) {
  const Model own = BuildTree(spec, true);
  std::vector<int> order;
  const State there = InOrderOf(own, model, state, &order);
  const Numbers numbers = OfModel(own, there);
  return {numbers.H(order, order), numbers.bias(order), numbers.passive(order),
          numbers.frictionloss(order)};
}

// Sound files: the same numbers everywhere, those of the text.
TEST(OneReading, RandomUrdfIsOneModel) {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const RandomUrdf urdf = MakeRandomUrdf(seed, false);
    const Readings read = Read(folder.Write("m.urdf", urdf.text));
    EXPECT_THAT(AllOf(read.notices), Not(HasSubstr("no body can have")));
    EXPECT_THAT(AllOf(read.eval.notices), IsEmpty());
    for (int trial = 0; trial < 3; ++trial) {
      const State state = RandomState(*read.plant, &random);
      const auto d = DataAt(*read.plant, state);
      const Numbers text = OfText(urdf.spec, read.eval.model, state);
      EXPECT_LT(Apart(OfPlant(*read.plant, *d), text), kSame);
      EXPECT_LT(Apart(OfModel(read.eval.model, state), text), kSame);
      EXPECT_LT(Apart(OfModel(BuildModel(*read.plant), state), text), kSame);
      ExpectFrames(*read.plant, *d, read.eval.model, state);
    }
  }
}

/// A joint's inverse inertia at the model's own configuration, as MuJoCo scales its constraints.
void ExpectInverseWeights(const mjModel& m) {
  const auto d = DataAt(m, {Eigen::Map<const VectorXd>(m.qpos0, m.nq), VectorXd::Zero(m.nv)});
  const MatrixXd inverse = linear::Inverse(OfPlant(m, *d).H);
  for (int i = 0; i < m.nv; ++i) {
    EXPECT_NEAR(m.dof_invweight0[i] / inverse(i, i), 1, 1e-6) << i;
  }
}

// Files with oddities: eval is the text; the simulation is eval, or its notices say what it raised.
TEST(OneReading, OddUrdfDiffersWhereNoticesSaySo) {
  const TemporaryFolder folder;
  std::mt19937 random(4);
  int same = 0, raised = 0, impossible = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const RandomUrdf urdf = MakeRandomUrdf(seed, true);
    const Readings read = Read(folder.Write("m.urdf", urdf.text));
    const std::string told = AllOf(read.notices);
    SCOPED_TRACE(told);
    const bool differs = told.find(" get ") != told.npos || told.find("raised to 0") != told.npos;
    for (int trial = 0; trial < 3; ++trial) {
      const State state = RandomState(*read.plant, &random);
      const auto d = DataAt(*read.plant, state);
      const Numbers plant = OfPlant(*read.plant, *d), eval = OfModel(read.eval.model, state);
      EXPECT_LT(Apart(eval, OfText(urdf.spec, read.eval.model, state)), kSame);
      EXPECT_LT(Apart(plant, OfModel(BuildModel(*read.plant), state)), kSame);
      EXPECT_TRUE(linear::IsPositive(plant.H));
      if (!differs) {
        EXPECT_LT(Apart(plant, eval), kSame);
      }
      ExpectFrames(*read.plant, *d, read.eval.model, state);
    }
    ExpectInverseWeights(*read.plant);
    ++(differs ? raised : same);
    if (told.find("A + B < C") != told.npos) ++impossible;
  }
  EXPECT_GT(same, 5);
  EXPECT_GT(raised, 5);
  EXPECT_GT(impossible, 5);
}

}  // namespace one_reading_test
}  // namespace civita
