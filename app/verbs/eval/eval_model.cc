#include "app/verbs/eval/eval_model.h"

#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/loop_closures.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/text.h"

namespace civita {
namespace {

std::vector<mjsElement*> Elements(mjSpec* spec, mjtObj type) {
  std::vector<mjsElement*> elements;
  for (mjsElement* e = mjs_firstElement(spec, type); e != nullptr; e = mjs_nextElement(spec, e)) {
    elements.push_back(e);
  }
  return elements;
}

std::string NameOf(const mjsBody* body) { return mjs_getString(mjs_getName(body->element)); }

/// A link's inertia as in its file.
MassProperties ReadInertial(const mjsBody& body) {
  MassProperties mass;
  if (!body.explicitinertial) return mass;
  const std::array<double, 4> unit = {body.iquat[0], body.iquat[1], body.iquat[2], body.iquat[3]};
  std::array<double, 9> rotation{};
  mju_quat2Mat(rotation.data(), unit.data());
  const Eigen::Matrix3d R =
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rotation.data());
  mass.mass = body.mass;
  if (!std::isnan(body.ipos[0])) mass.com = Eigen::Map<const Eigen::Vector3d>(body.ipos);
  const double* f = body.fullinertia;  // xx yy zz xy xz yz; NaN if not given
  if (!std::isnan(f[0])) {
    mass.inertia << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
    mass.inertia = (R * mass.inertia * R.transpose()).eval();
  }
  return mass;
}

/// Sets a placeholder inertia that MuJoCo's compiler accepts; the model gets the file's numbers
/// afterwards.
void WriteStandIn(mjsBody* body) {
  body->explicitinertial = 1;
  body->mass = 1;
  std::fill_n(body->ipos, 3, 0.0);
  std::fill_n(body->inertia, 3, 1.0);
  body->fullinertia[0] = std::nan("");
  body->iquat[0] = 1;
  std::fill_n(body->iquat + 1, 3, 0.0);
}

/// Reads the inertias of a URDF without those from geometry, and including those that MuJoCo's
/// compiler would reject or change.
class UrdfInertias {
 public:
  void TakeFrom(mjSpec* spec) {
    spec->compiler.fusestatic = 0;
    for (const mjtObj type : {mjOBJ_GEOM, mjOBJ_MESH, mjOBJ_MATERIAL, mjOBJ_TEXTURE}) {
      for (mjsElement* element : Elements(spec, type)) mjs_delete(spec, element);
    }
    for (mjsElement* element : Elements(spec, mjOBJ_JOINT)) mjs_asJoint(element)->frictionloss = 0;
    for (mjsElement* element : Elements(spec, mjOBJ_BODY)) {
      mjsBody* body = mjs_asBody(element);
      if (NameOf(body) == "world") continue;
      masses_[NameOf(body)] = ReadInertial(*body);
      WriteStandIn(body);
    }
  }

  void PutInto(mjModel* m, std::vector<std::string>* notices) const {
    std::vector<std::string> impossible;
    for (const auto& [name, mass] : masses_) {
      const int body = mj_name2id(m, mjOBJ_BODY, name.c_str());
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(mass.inertia);
      const Eigen::Vector3d& moments = solver.eigenvalues();
      Eigen::Matrix3d axes = solver.eigenvectors();
      if (axes.determinant() < 0) axes.col(0) *= -1;
      const Eigen::Quaterniond rotation(axes);
      m->body_mass[body] = mass.mass;
      Eigen::Map<Eigen::Vector3d>(m->body_ipos + 3 * body) = mass.com;
      Eigen::Map<Eigen::Vector3d>(m->body_inertia + 3 * body) = moments;
      Eigen::Map<Eigen::Vector4d>(m->body_iquat + 4 * body) << rotation.w(), rotation.vec();
      constexpr double kRounding = 1e-6;  // numbers in files have few digits
      if (moments[0] + moments[1] < (1 - kRounding) * moments[2]) impossible.push_back(name);
    }
    if (!impossible.empty()) {
      notices->push_back("inertias that no body can have (A + B < C) are taken as they stand: " +
                         internal::List(impossible));
    }
    NoteMassless(*m, notices);
  }

 private:
  /// Adds a notice that names joints which move no mass: H is singular there.
  static void NoteMassless(const mjModel& m, std::vector<std::string>* notices) {
    std::vector<double> carried(static_cast<std::size_t>(m.nbody), 0.0);
    for (int i = static_cast<int>(m.nbody) - 1; i > 0; --i) {
      const auto body = static_cast<std::size_t>(i);
      const double* inertia = m.body_inertia + 3 * i;
      carried[body] += m.body_mass[i] + inertia[0] + inertia[1] + inertia[2];
      carried[static_cast<std::size_t>(m.body_parentid[i])] += carried[body];
    }
    std::vector<std::string> massless;
    for (int i = 1; i < m.nbody; ++i) {
      if (m.body_dofnum[i] > 0 && carried[static_cast<std::size_t>(i)] <= 0) {
        massless.emplace_back(mj_id2name(&m, mjOBJ_BODY, i));
      }
    }
    if (massless.empty()) return;
    notices->push_back("links that move without mass, which makes H singular: " +
                       internal::List(massless));
  }

  std::map<std::string, MassProperties> masses_;
};

/// Bodies of an MJCF file whose mass is computed from geometry, of which some may be missing.
class InferredMasses {
 public:
  void TakeFrom(mjSpec* spec) {
    const int inferred = spec->compiler.inertiafromgeom;
    if (inferred == mjINERTIAFROMGEOM_FALSE) return;
    for (mjsElement* element : Elements(spec, mjOBJ_BODY)) {
      const mjsBody* body = mjs_asBody(element);
      if (body->explicitinertial && inferred != mjINERTIAFROMGEOM_TRUE) continue;
      int geoms = 0;
      for (mjsElement* e = mjs_firstChild(body, mjOBJ_GEOM, 0); e != nullptr;
           e = mjs_nextChild(body, e, 0)) {
        ++geoms;
      }
      if (NameOf(body) != "world") geoms_[NameOf(body)] = geoms;
    }
  }

  void Check(const mjModel& m, std::vector<std::string>* notices) const {
    const bool left_out = std::any_of(notices->begin(), notices->end(), [](const std::string& n) {
      return n.starts_with("geometry left out");
    });
    std::vector<std::string> lacking;
    for (int i = 1; left_out && i < m.nbody; ++i) {
      const char* name = mj_id2name(&m, mjOBJ_BODY, i);
      const auto found = geoms_.find(name != nullptr ? name : "");
      if (found != geoms_.end() && m.body_geomnum[i] < found->second) lacking.emplace_back(name);
    }
    if (!lacking.empty()) {
      notices->push_back("without that geometry these bodies lack mass: " +
                         internal::List(lacking));
    }
  }

 private:
  std::map<std::string, int> geoms_;
};

[[noreturn]] void RefuseFreeBase(const std::string& why) { throw UserError("--base free: " + why); }

/// The body attached to the world that carries all moving bodies.
mjsBody* FindBase(mjSpec* spec) {
  mjsBody* world = mjs_findBody(spec, "world");
  std::vector<mjsBody*> bodies, moving;
  for (mjsElement* e = mjs_firstChild(world, mjOBJ_BODY, 0); e != nullptr;
       e = mjs_nextChild(world, e, 0)) {
    bodies.push_back(mjs_asBody(e));
    if (mjs_firstChild(bodies.back(), mjOBJ_JOINT, 1) != nullptr) moving.push_back(bodies.back());
  }
  if (moving.empty()) moving = bodies;
  if (moving.empty()) RefuseFreeBase("the model has no body");
  if (moving.size() > 1) {
    std::vector<std::string> names;
    names.reserve(moving.size());
    for (const mjsBody* body : moving) names.push_back("'" + NameOf(body) + "'");
    RefuseFreeBase("more than one body hangs on the world: " + internal::List(names));
  }
  return moving.front();
}

void FreeBase(mjSpec* spec) {
  mjsBody* base = FindBase(spec);
  if (mjsElement* e = mjs_firstChild(base, mjOBJ_JOINT, 0)) {
    const bool free = mjs_asJoint(e)->type == mjJNT_FREE;
    RefuseFreeBase("body '" + NameOf(base) + "' is not fixed in the world, its joint '" +
                   mjs_getString(mjs_getName(e)) + "' " + (free ? "is free already" : "moves it"));
  }
  mjsJoint* joint = mjs_addFreeJoint(base);
  joint->align = mjALIGNFREE_FALSE;
  mjs_setName(joint->element, "root_joint");
  // Keyframes have nq numbers each and no longer fit.
  for (mjsElement* key : Elements(spec, mjOBJ_KEY)) mjs_delete(spec, key);
}

}  // namespace

EvalModel LoadEvalModel(const std::string& scene, bool free_base, bool closures) {
  const std::string extension = std::filesystem::path(scene).extension().string();
  std::error_code ignored;
  if ((extension == ".yaml" || extension == ".yml") &&
      std::filesystem::is_regular_file(scene, ignored)) {
    if (const std::optional<poe::Robot> robot = ReadPoeFile(scene)) {
      if (free_base) RefuseFreeBase("a product of exponentials stands in its space frame");
      return {robot->model(), {}, {}};
    }
  }
  const SceneConfig config = ReadConfig(scene);
  std::vector<std::string> notices = config.notices;
  UrdfInertias inertias;
  InferredMasses inferred;
  bool is_urdf = false;
  const SpecEdit edit = [&](mjSpec* spec, bool urdf) {
    is_urdf = urdf;
    if (urdf) {
      inertias.TakeFrom(spec);
    } else {
      inferred.TakeFrom(spec);
    }
    if (free_base) FreeBase(spec);
  };
  const MjModelPtr m =
      LoadModelFile(config.model, config.physics.timestep_s, false, &notices, edit);
  if (is_urdf) {
    inertias.PutInto(m.get(), &notices);
  } else {
    inferred.Check(*m, &notices);
  }
  try {
    return {BuildModel(*m, is_urdf ? Inertias::kAsTheyStand : Inertias::kChecked),
            std::move(notices), closures ? ReadLoopClosures(m.get()) : LoopClosures{}};
  } catch (const UserError& error) {
    throw UserError(config.model.string() + ": " + error.what());
  }
}

}  // namespace civita
