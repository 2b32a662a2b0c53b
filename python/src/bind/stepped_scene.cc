#include "python/src/bind/stepped_scene.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "python/src/bind/python_law.h"
#include "python/src/support/arrays.h"
#include "python/src/support/quiet_mujoco.h"
#include "python/src/support/signal_watch.h"
#include "python/src/support/worker_threads.h"

namespace civita::python {
namespace {

using Eigen::VectorXd;
using Numbers = std::vector<double>;

template <typename Number>
std::vector<Number> Copy(const Number* from, mjtSize size) {
  return {from, from + size};
}

/// There is no vector of bools to compare with.
mjtByte* BytesOf(mjtBool* flags) { return reinterpret_cast<mjtByte*>(flags); }

/// By their bits, so that a NaN is like itself.
template <typename Number>
bool IsLeft(const Number* now, const std::vector<Number>& left) {
  return std::memcmp(now, left.data(), left.size() * sizeof(Number)) == 0;
}

/// @throws UserError where Python wrote to what is not its, and undoes that.
template <typename Number>
void RefuseChange(Number* now, const std::vector<Number>& left, const char* name, const char* why) {
  if (IsLeft(now, left)) return;
  std::ranges::copy(left, now);
  throw UserError(std::string(name) + ": " + why);
}

/// How many steps a scene of a batch takes before the next one does, and signals are looked at.
constexpr long kStepsAtOnce = 16;

SceneConfig Read(const SceneChoice& choice) {
  const nb::gil_scoped_release release;
  return ReadConfig(choice);
}

SceneConfig WithSeed(SceneConfig config, int seed) {
  config.seed = seed;
  return config;
}

}  // namespace

SteppedScene::SteppedScene(const SceneChoice& choice) { Load(Read(choice)); }

SteppedScene::SteppedScene(const SteppedScene& other, int seed) {
  Load(WithSeed(other.config_, seed));
}

void SteppedScene::Load(const SceneConfig& config) {
  std::unique_ptr<Simulation> loaded;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    loaded = std::make_unique<Simulation>(OpenScene(config));
  }
  // With the GIL, as others may read what is replaced.
  config_ = config;
  film_.reset();
  simulation_ = std::move(loaded);
  table_.emplace(simulation_->scene());
  row_.resize(1 + table_->width());
  forces_.clear();
  shown_.reset();
  ReadRow();
  CheckRuns();
}

std::unique_lock<std::mutex> SteppedScene::Lock() const {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) throw Error("the simulation is being stepped, by another thread or by its own law");
  return lock;
}

void SteppedScene::CheckRuns() const {
  if (simulation_->failure().failed) throw Error("failed: " + simulation_->failure().reason);
}

void SteppedScene::ReadRow() {
  row_[0] = simulation_->record().t;
  table_->Fill(simulation_->record(), std::span(row_).subspan(1));
}

void SteppedScene::CheckTorque(const VectorXd& tau) const {
  const SceneData& scene = simulation_->scene();
  for (Eigen::Index iv = 0; iv < tau.size(); ++iv) {
    const auto i = static_cast<int>(iv);
    if (tau[iv] == 0 || !scene.actuation.is_passive(i)) continue;
    throw UserError("tau[" + std::to_string(i) + "]: no drive moves " +
                    scene.plant.VelocityName(i) + "; only 0 is possible there");
  }
}

void SteppedScene::Reset(std::optional<int> seed) {
  const auto lock = Lock();
  if (seed && *seed != config_.seed) {
    if (data_ != nullptr) {
      throw UserError(
          "seed: another one loads the scene anew, which mj_model and mj_data cannot "
          "follow; make a new Simulation");
    }
    Load(WithSeed(config_, *seed));
    return;
  }
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    TakeForces({});
    simulation_->Reset();
    ReadRow();
    Leave();
  }
  CheckRuns();
}

void SteppedScene::Step(nb::handle tau, long steps) {
  const auto lock = Lock();
  if (steps < 1) throw UserError("n: not a number of control steps from 1 up");
  VectorXd own;
  if (!tau.is_none()) {
    own = ReadVector(tau, "tau", simulation_->scene().plant.nv());
    CheckTorque(own);
  }
  CheckRuns();
  TakeWrites();
  SignalWatch watch;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    Advance(own, steps, &watch);
  }
  watch.Rethrow();
  CheckRuns();
}

/// Until a failure, or a signal that is watched for.
void SteppedScene::Advance(const VectorXd& tau, long steps, SignalWatch* watch) {
  simulation_->SetTorque(tau);
  for (long i = 0; i < steps && simulation_->Step(); ++i) {
    ReadRow();
    if (watch != nullptr && watch->raised()) break;
  }
  Leave();
}

/// The forces of Python, as xfrc_applied has them.
void SteppedScene::TakeForces(const Numbers& forces) {
  if (forces == forces_) return;
  const bool none = std::ranges::all_of(forces, [](double x) { return x == 0; });
  simulation_->SetForces(none ? std::span<const double>() : std::span<const double>(forces));
  forces_ = forces;
}

/// What Python wrote since the last call.
void SteppedScene::TakeWrites() {
  if (data_ == nullptr) return;
  constexpr const char* kOfLaw = "a step writes it; step(tau=...) takes a torque";
  RefuseChange(&data_->time, left_.time, "mj_data.time", "reset() and restore() change it");
  RefuseChange(&model_->opt.timestep, left_.timestep, "mj_model.opt.timestep",
               "set={'physics.timestep_s': ...} chooses it");
  RefuseChange(data_->ctrl, left_.ctrl, "mj_data.ctrl", kOfLaw);
  RefuseChange(data_->qfrc_applied, left_.qfrc_applied, "mj_data.qfrc_applied", kOfLaw);
  const SceneData& scene = simulation_->scene();
  if (scene.closed && scene.config.plant.loops == LoopForm::kExact) {
    constexpr const char* kFixed =
        "loops that are held exactly stay as they are; set={'plant.loops': 'soft'} follows it";
    RefuseChange(data_->mocap_pos, left_.mocap_pos, "mj_data.mocap_pos", kFixed);
    RefuseChange(data_->mocap_quat, left_.mocap_quat, "mj_data.mocap_quat", kFixed);
    RefuseChange(BytesOf(data_->eq_active), left_.eq_active, "mj_data.eq_active", kFixed);
  }
  TakeForces(Copy(data_->xfrc_applied, 6 * model_->nbody));
  if (IsLeft(data_->qpos, left_.qpos) && IsLeft(data_->qvel, left_.qvel)) return;
  simulation_->NoteMoved();
  Leave();
}

/// Shows Python in xfrc_applied its own forces alone, without those of pushes.
void SteppedScene::Leave() {
  if (data_ == nullptr) return;
  std::fill_n(data_->xfrc_applied, 6 * model_->nbody, 0.0);
  std::ranges::copy(forces_, data_->xfrc_applied);
  left_ = {.qpos = Copy(data_->qpos, model_->nq),
           .qvel = Copy(data_->qvel, model_->nv),
           .ctrl = Copy(data_->ctrl, model_->nu),
           .qfrc_applied = Copy(data_->qfrc_applied, model_->nv),
           .mocap_pos = Copy(data_->mocap_pos, 3 * model_->nmocap),
           .mocap_quat = Copy(data_->mocap_quat, 4 * model_->nmocap),
           .time = {data_->time},
           .timestep = {model_->opt.timestep},
           .eq_active = Copy(BytesOf(data_->eq_active), model_->neq)};
}

/// Scenes of the same have the same states.
std::string SteppedScene::identity() const {
  return simulation_->scene().model_hash + "\n" + ToYaml(simulation_->scene().config);
}

SteppedState SteppedScene::Save() {
  const auto lock = Lock();
  CheckRuns();
  TakeWrites();
  SteppedState state;
  state.scene = identity();
  state.row = row_;
  state.forces = forces_;
  simulation_->Save(&state.saved);
  return state;
}

void SteppedScene::Restore(const SteppedState& state) {
  const auto lock = Lock();
  if (state.scene != identity()) throw UserError("state: of another scene, law, config or seed");
  const nb::gil_scoped_release release;
  const QuietMujoco quiet;
  Simulation::Saved saved = state.saved, own;
  simulation_->Save(&own);
  saved.inputs = own.inputs;  // a factorization is of its own model
  TakeForces({});
  simulation_->Repeat(saved, saved.step);
  TakeForces(state.forces);
  row_ = state.row;
  Leave();
}

double SteppedScene::t() const {
  const auto lock = Lock();
  return simulation_->TimeOf(simulation_->step());
}

std::optional<std::string> SteppedScene::failure() const {
  const auto lock = Lock();
  const Failure& failure = simulation_->failure();
  return failure.failed ? std::optional(failure.reason) : std::nullopt;
}

nb::object SteppedScene::q() const {
  const auto lock = Lock();
  return ToArray(VectorXd(
      Eigen::Map<const VectorXd>(simulation_->data()->qpos, simulation_->scene().plant.nq())));
}

nb::object SteppedScene::v() const {
  const auto lock = Lock();
  return ToArray(VectorXd(
      Eigen::Map<const VectorXd>(simulation_->data()->qvel, simulation_->scene().plant.nv())));
}

nb::object SteppedScene::row() const {
  const auto lock = Lock();
  return ToArray(row_, {row_.size()});
}

/// In a mjData of its own, as that of the simulation is at the start of the last step.
nb::object SteppedScene::Pose(std::optional<int> body) {
  const auto lock = Lock();
  const mjModel& m = *simulation_->mj();
  const mjData& d = *simulation_->data();
  if (!shown_) shown_.reset(mj_makeData(&m));
  std::copy_n(d.qpos, m.nq, shown_->qpos);
  std::copy_n(d.mocap_pos, 3 * m.nmocap, shown_->mocap_pos);
  std::copy_n(d.mocap_quat, 4 * m.nmocap, shown_->mocap_quat);
  mj_kinematics(&m, shown_.get());
  const int first = body.value_or(0), count = body ? 1 : static_cast<int>(m.nbody);
  const auto n = static_cast<std::size_t>(count);
  const Numbers R = Copy(shown_->xmat + 9 * first, 9 * count);
  const Numbers p = Copy(shown_->xpos + 3 * first, 3 * count);
  if (body) return nb::make_tuple(ToArray(R, {3, 3}), ToArray(p, {3}));
  return nb::make_tuple(ToArray(R, {n, 3, 3}), ToArray(p, {n, 3}));
}

nb::bytes SteppedScene::Render(int width, int height, bool light) {
  const auto lock = Lock();
  Film::Pixels rgb;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    const FilmLook look = {width, height, light};
    if (!film_ || film_->look() != look) film_.emplace(*simulation_, look);
    const mjData& d = *simulation_->data();
    rgb = film_->Draw(d.time, {d.qpos, static_cast<std::size_t>(simulation_->mj()->nq)}, true);
  }
  return nb::bytes(rgb.data(), rgb.size());
}

nb::tuple SteppedScene::Contacts() const {
  const auto lock = Lock();
  const mjModel& m = *simulation_->mj();
  const mjData& d = *simulation_->data();
  const auto n = static_cast<std::size_t>(d.ncon);
  Numbers bodies, R, p, distance, force(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const mjContact& contact = d.contact[i];
    for (const int geom : contact.geom) bodies.push_back(geom < 0 ? -1 : m.geom_bodyid[geom]);
    for (std::size_t k = 0; k < 9; ++k) R.push_back(contact.frame[k / 3 + 3 * (k % 3)]);
    p.insert(p.end(), contact.pos, contact.pos + 3);
    distance.push_back(contact.dist);
    mjtNum along[6];
    mj_contactForce(&m, &d, static_cast<int>(i), along);
    mju_mulMatTVec3(&force[3 * i], contact.frame, along);
  }
  return nb::make_tuple(ToArray(bodies, {n, 2}), ToArray(R, {n, 3, 3}), ToArray(p, {n, 3}),
                        ToArray(distance, {n}), ToArray(force, {n, 3}));
}

nb::tuple SteppedScene::Share(nb::handle find_mujoco) {
  const auto lock = Lock();
  if (data_ != nullptr) return nb::make_tuple(mj_model_, mj_data_);
  if (simulation_->scene().payload) {
    throw UserError("mj_model and mj_data: a scene with a payload has two models");
  }
  const nb::object mujoco = find_mujoco();
  const auto address_of = [](const nb::object& object) {
    return nb::cast<std::uintptr_t>(object.attr("_address"));
  };
  // Owns the model from here on.
  nb::object model = mujoco.attr("MjModel").attr("_from_model_ptr")(
      reinterpret_cast<std::uintptr_t>(simulation_->mj()));
  try {
    mj_data_ = mujoco.attr("MjData")(model);
    model_ = reinterpret_cast<mjModel*>(address_of(model));
    data_ = reinterpret_cast<mjData*>(address_of(mj_data_));
  } catch (...) {
    static_cast<void>(model.release());  // does not free it: the simulation does
    throw;
  }
  mj_model_ = std::move(model);
  simulation_->Lend(data_);
  Leave();
  return nb::make_tuple(mj_model_, mj_data_);
}

SteppedBatch::SteppedBatch(std::vector<SteppedScene*> scenes, int threads)
    : scenes_(std::move(scenes)) {
  if (scenes_.empty()) throw UserError("n: not a number of simulations from 1 up");
  if (threads < 1) throw UserError("threads: " + std::to_string(threads) + "; at least 1");
  const Controller& law = scenes_.front()->simulation().controller();
  const int useful = dynamic_cast<const PythonLaw*>(&law) != nullptr ? 1 : 4 * DefaultThreads();
  pool_ = std::make_unique<internal::WorkerPool>(
      std::min({threads, useful, static_cast<int>(scenes_.size())}));
}

void SteppedBatch::Step(nb::handle tau, long steps) {
  if (steps < 1) throw UserError("n: not a number of control steps from 1 up");
  const auto n = static_cast<Eigen::Index>(scenes_.size());
  std::vector<std::unique_lock<std::mutex>> locks;
  for (const SteppedScene* scene : scenes_) locks.push_back(scene->Lock());
  std::vector<VectorXd> own(scenes_.size());
  if (!tau.is_none()) {
    const Eigen::MatrixXd rows =
        ReadMatrix(tau, "tau", n, scenes_.front()->simulation().scene().plant.nv());
    for (Eigen::Index i = 0; i < n; ++i) own[static_cast<std::size_t>(i)] = rows.row(i);
  }
  for (std::size_t i = 0; i < scenes_.size(); ++i) {
    try {
      scenes_[i]->CheckTorque(own[i]);
      scenes_[i]->TakeWrites();
    } catch (const UserError& error) {
      throw UserError("simulation " + std::to_string(i) + ": " + error.what());
    }
  }
  SignalWatch watch;
  {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    for (long done = 0; done < steps && !watch.raised(); done += kStepsAtOnce) {
      pool_->Run(static_cast<int>(n), [&](int, int task) {
        const auto i = static_cast<std::size_t>(task);
        scenes_[i]->Advance(own[i], std::min(kStepsAtOnce, steps - done), nullptr);
      });
    }
  }
  watch.Rethrow();
}

template <typename NumbersOf>
nb::object SteppedBatch::Gather(std::size_t count, const NumbersOf& numbers_of) const {
  const std::size_t width = std::max<std::size_t>(count, 1);
  Numbers numbers(scenes_.size() * width);
  for (std::size_t i = 0; i < scenes_.size(); ++i) {
    const auto lock = scenes_[i]->Lock();
    std::copy_n(numbers_of(*scenes_[i]), width, &numbers[i * width]);
  }
  if (count == 0) return ToArray(numbers, {scenes_.size()});
  return ToArray(numbers, {scenes_.size(), count});
}

nb::object SteppedBatch::t() const {
  double t = 0;
  return Gather(0, [&t](const SteppedScene& scene) {
    t = scene.simulation().TimeOf(scene.simulation().step());
    return &t;
  });
}

nb::object SteppedBatch::q() const {
  const auto nq = static_cast<std::size_t>(scenes_.front()->simulation().scene().plant.nq());
  return Gather(nq, [](const SteppedScene& scene) { return scene.simulation().data()->qpos; });
}

nb::object SteppedBatch::v() const {
  const auto nv = static_cast<std::size_t>(scenes_.front()->simulation().scene().plant.nv());
  return Gather(nv, [](const SteppedScene& scene) { return scene.simulation().data()->qvel; });
}

nb::object SteppedBatch::Row(std::size_t first, std::size_t count) const {
  if (first + std::max<std::size_t>(count, 1) > scenes_.front()->row_.size()) {
    throw UserError("row: not of this many numbers");
  }
  return Gather(count, [first](const SteppedScene& scene) { return scene.row_.data() + first; });
}

}  // namespace civita::python
