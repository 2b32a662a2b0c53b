#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/worker_pool.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/config.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"
#include "civita/study/open_scene.h"
#include "python/src/bind/film.h"
#include "python/src/support/signal_watch.h"

namespace civita::python {

namespace nb = nanobind;

/// What SteppedScene::Save keeps.
struct SteppedState {
  std::string scene;  ///< SteppedScene::identity
  Simulation::Saved saved;
  std::vector<double> row;
  std::vector<double> forces;
};

/// A scene with its law that Python steps: civita.Simulation. All functions are called with the
/// GIL.
/// @throws Error where another thread steps it, and where the run has failed.
class SteppedScene {
 public:
  /// @throws UserError.
  explicit SteppedScene(const SceneChoice& choice);
  /// The scene of another one, with this seed, at its start. @throws UserError.
  SteppedScene(const SteppedScene& other, int seed);

  /// Back to the start, with another seed if one is given. @throws UserError.
  void Reset(std::optional<int> seed);
  /// Takes control steps with the law's torque, or with this one, (nv,). Releases the GIL. @throws
  /// nb::value_error, as ReadVector; what a signal's handler raises.
  void Step(nb::handle tau, long steps);

  SteppedState Save();
  /// @throws UserError for a state of another scene.
  void Restore(const SteppedState& state);

  const Simulation& simulation() const { return *simulation_; }
  const SignalTable& table() const { return *table_; }
  /// The present time, s.
  double t() const;
  /// Why it goes on no longer, if so.
  std::optional<std::string> failure() const;
  /// The present configuration and velocity, new arrays.
  nb::object q() const;
  nb::object v() const;
  /// The last record's time and its row of the table.
  nb::object row() const;
  /// (R, p) of a body, or of all: new arrays.
  nb::object Pose(std::optional<int> body);
  /// The bytes of a picture, as Film::Draw. @throws as Film.
  nb::bytes Render(int width, int height, bool light);
  /// Those of the last step of the physics: bodies, R, p, distance, force.
  nb::tuple Contacts() const;

  /// An MjModel and an MjData with which the simulation shares its memory, of the package that
  /// `find_mujoco` finds at the first call. @throws UserError, as find_mujoco.
  nb::tuple Share(nb::handle find_mujoco);

 private:
  /// The numbers of a shared mjData as a call left them.
  struct Left {
    std::vector<double> qpos, qvel, ctrl, qfrc_applied, mocap_pos, mocap_quat, time, timestep;
    std::vector<mjtByte> eq_active;
  };

  friend class SteppedBatch;

  std::unique_lock<std::mutex> Lock() const;
  void Load(const SceneConfig& config);
  void ReadRow();
  void CheckRuns() const;
  void CheckTorque(const Eigen::VectorXd& tau) const;
  void TakeWrites();
  void Advance(const Eigen::VectorXd& tau, long steps, SignalWatch* watch);
  void TakeForces(const std::vector<double>& forces);
  void Leave();
  std::string identity() const;

  SceneConfig config_;
  // Freed after the simulation, which uses them once they share memory.
  nb::object mj_model_, mj_data_;
  mjModel* model_ = nullptr;  ///< of mj_model_
  mjData* data_ = nullptr;    ///< of mj_data_
  Left left_;
  std::unique_ptr<Simulation> simulation_;
  std::optional<SignalTable> table_;
  std::vector<double> row_;                       ///< t, then the table's
  std::vector<double> forces_;                    ///< what Python wrote to xfrc_applied; none: zero
  std::unique_ptr<mjData, MjDataDeleter> shown_;  ///< of Pose
  std::optional<Film> film_;                      ///< of Render
  mutable std::mutex mutex_;
};

/// Scenes of the same signals that Python steps at once: civita.SimulationBatch. All functions are
/// called with the GIL. @throws Error where another thread steps one of them.
class SteppedBatch {
 public:
  /// The scenes must outlive it. Laws in Python, which hold the GIL, go on one thread. @throws
  /// UserError for less than one thread.
  SteppedBatch(std::vector<SteppedScene*> scenes, int threads);

  /// As SteppedScene::Step, tau (scenes, nv). One that fails, or has failed, ends nothing.
  void Step(nb::handle tau, long steps);
  /// Of each its time, configuration, velocity, and `count` numbers of its row from the first on,
  /// or one, without an axis, where that is 0: new arrays.
  nb::object t() const;
  nb::object q() const;
  nb::object v() const;
  nb::object Row(std::size_t first, std::size_t count) const;
  int threads() const { return pool_->threads(); }

 private:
  template <typename NumbersOf>
  nb::object Gather(std::size_t count, const NumbersOf& numbers_of) const;

  std::vector<SteppedScene*> scenes_;
  std::unique_ptr<internal::WorkerPool> pool_;
};

}  // namespace civita::python
