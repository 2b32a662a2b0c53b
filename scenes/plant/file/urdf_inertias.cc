#include "civita/scenes/plant/urdf_inertias.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <random>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/plant/model_file.h"

namespace civita::internal {
namespace {

// Numbers in files have few digits.
constexpr double kFileRounding = 1e-6;

bool HasJoint(const mjsBody* body) { return mjs_firstChild(body, mjOBJ_JOINT, 0) != nullptr; }

// Mass, moments and principal axes of a link's <inertial>.
struct Inertial {
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();
  Eigen::Quaterniond axes = Eigen::Quaterniond::Identity();
};

Inertial ReadInertial(const mjsBody& body) {
  Inertial inertial;
  if (!body.explicitinertial) return inertial;
  inertial.mass = body.mass;
  if (!std::isnan(body.ipos[0])) inertial.com = Eigen::Map<const Eigen::Vector3d>(body.ipos);
  const double* f = body.fullinertia;  // xx yy zz xy xz yz; NaN if not given
  if (std::isnan(f[0])) return inertial;
  inertial.moments << f[0], f[1], f[2];
  inertial.axes =
      Eigen::Quaterniond(body.iquat[0], body.iquat[1], body.iquat[2], body.iquat[3]).normalized();
  if (f[3] == 0 && f[4] == 0 && f[5] == 0) return inertial;
  Eigen::Matrix3d tensor;
  tensor << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
  inertial.moments = solver.eigenvalues();
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  inertial.axes = inertial.axes * Eigen::Quaterniond(axes);
  return inertial;
}

void WriteInertial(const Inertial& inertial, mjsBody* body) {
  body->explicitinertial = 1;
  body->mass = inertial.mass;
  std::copy_n(inertial.com.data(), 3, body->ipos);
  std::copy_n(inertial.moments.data(), 3, body->inertia);
  body->fullinertia[0] = std::nan("");
  const Eigen::Quaterniond& axes = inertial.axes;
  const std::array<double, 4> iquat = {axes.w(), axes.x(), axes.y(), axes.z()};
  std::copy(iquat.begin(), iquat.end(), body->iquat);
}

bool IsImpossible(const Eigen::Vector3d& moments) {
  const double largest = moments.maxCoeff();
  return moments.sum() - largest < (1 - kFileRounding) * largest;
}

bool IsNegative(const Eigen::Vector3d& moments) {
  return moments.minCoeff() < -kFileRounding * moments.cwiseAbs().maxCoeff();
}

// Whether MuJoCo's compiler accepts these numbers and leaves them as they are.
bool IsAccepted(double mass, const Eigen::Vector3d& moments, bool has_joint) {
  const bool small = mass < mjMINVAL || moments.minCoeff() < mjMINVAL;
  if (has_joint && small) return false;
  return moments.minCoeff() >= 0 && moments.sum() >= 2 * moments.maxCoeff();
}

bool Translates(const mjModel& m, int dof) {
  const int joint = m.dof_jntid[dof];
  return m.jnt_type[joint] == mjJNT_SLIDE ||
         (m.jnt_type[joint] == mjJNT_FREE && dof - m.jnt_dofadr[joint] < 3);
}

// Whether a link lacks mass or a moment, so that H may be singular.
bool LacksInertia(double mass, const Eigen::Vector3d& moments) {
  return mass < mjMINVAL || moments.minCoeff() <= kFileRounding * moments.cwiseAbs().maxCoeff();
}

bool LacksInertia(const mjModel& m, int body) {
  return LacksInertia(m.body_mass[body], Eigen::Vector3d::Map(m.body_inertia + 3 * body));
}

// Degrees of freedom of links that lack inertia whose pivot of H = LᵀDL vanishes, which is the
// inertia that they move when those after them are free.
class SingularDofs {
 public:
  /// `m` is unchanged on return.
  explicit SingularDofs(mjModel* m)
      : m_(*m), d_(mj_makeData(m)), vanished_(static_cast<std::size_t>(m->nv), 0) {
    CIVITA_CHECK(d_ != nullptr);
    // Of simple bodies MuJoCo would take the inertias that it was compiled with.
    const std::vector<int> simple(m->dof_simplenum, m->dof_simplenum + m->nv);
    std::fill_n(m->dof_simplenum, m->nv, 0);
    std::mt19937 random(1);
    mj_resetData(&m_, d_.get());
    for (int k = 0; k < kPositions; ++k) {
      Count();
      std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
      for (int i = 0; i < m_.nq; ++i) d_->qpos[i] = m_.qpos0[i] + angle(random);
      mj_normalizeQuat(&m_, d_->qpos);
    }
    std::copy(simple.begin(), simple.end(), m->dof_simplenum);
  }

  bool ever(int dof) const { return vanished_[static_cast<std::size_t>(dof)] > 0; }
  bool always(int dof) const { return vanished_[static_cast<std::size_t>(dof)] == kPositions; }

 private:
  static constexpr int kPositions = 5;  // the model's own and random ones

  void Count() {
    mj_kinematics(&m_, d_.get());
    mj_comPos(&m_, d_.get());
    mj_makeM(&m_, d_.get());
    mj_factorM(&m_, d_.get());
    for (int dof = 0; dof < m_.nv; ++dof) {
      if (!LacksInertia(m_, m_.dof_bodyid[dof])) continue;
      constexpr double kVanishes = 1e-6;  // of what the masses would have at a right angle
      // MuJoCo puts mjMINVAL in the place of what is less.
      if (1 / d_->qLDiagInv[dof] <= std::max(kVanishes * Scale(dof), 2 * mjMINVAL)) {
        ++vanished_[static_cast<std::size_t>(dof)];
      }
    }
  }

  // The largest inertia that the bodies moved by a degree of freedom can have about its anchor.
  double Scale(int dof) const {
    const int joint = m_.dof_jntid[dof];
    const Eigen::Map<const Eigen::Vector3d> anchor(d_->xanchor + 3 * joint);
    double sum = 0;
    const int first = m_.dof_bodyid[dof];
    for (int body = first; body < m_.nbody && (body == first || m_.body_parentid[body] >= first);
         ++body) {  // a subtree is consecutive
      const Eigen::Map<const Eigen::Vector3d> com(d_->xipos + 3 * body),
          moments(m_.body_inertia + 3 * body);
      sum += Translates(m_, dof)
                 ? m_.body_mass[body]
                 : m_.body_mass[body] * (com - anchor).squaredNorm() + moments.maxCoeff();
    }
    return sum;
  }

  const mjModel& m_;
  const std::unique_ptr<mjData, MjDataDeleter> d_;
  std::vector<int> vanished_;
};

std::string LinkOf(const mjModel& m, int body) {
  const char* name = mj_id2name(&m, mjOBJ_BODY, body);
  return name != nullptr ? name : "";
}

void TellSingular(mjModel* model, std::vector<std::string>* notices) {
  const SingularDofs singular(model);
  const mjModel& m = *model;
  std::vector<std::string> always, sometimes;
  int last = -1;
  for (int dof = 0; dof < m.nv; ++dof) {
    if (!singular.ever(dof) || m.dof_bodyid[dof] == last) continue;
    last = m.dof_bodyid[dof];
    (singular.always(dof) ? always : sometimes).push_back(LinkOf(m, last));
  }
  const std::string what =
      "links that their joint moves without mass or inertia, which makes H singular";
  TellNames(what + ": ", always, notices);
  TellNames(what + " in some positions: ", sometimes, notices);
}

// The last joint of each massless tree of bodies gets a mass to move: MuJoCo ends the process
// otherwise.
void LiftMassless(mjModel* m, std::vector<std::string>* who) {
  std::vector<double> carried(static_cast<std::size_t>(m->nbody), 0.0);
  for (int body = static_cast<int>(m->nbody) - 1; body > 0; --body) {
    double& mass = carried[static_cast<std::size_t>(body)];
    mass += m->body_mass[body];
    if (m->body_dofnum[body] > 0 && mass < mjMINVAL) {
      mass = m->body_mass[body] = UrdfInertias::kLeastMass;
      who->push_back(LinkOf(*m, body));
    }
    carried[static_cast<std::size_t>(m->body_parentid[body])] += mass;
  }
}

// Gives links that a joint moves without mass or inertia the least that a simulation needs.
void LiftSingular(mjModel* m, std::vector<std::string>* notices) {
  std::vector<std::string> masses, moments;
  LiftMassless(m, &masses);
  // A link is raised once at most, so this ends.
  for (bool again = true; again;) {
    again = false;
    const SingularDofs singular(m);
    for (int dof = 0; dof < m->nv; ++dof) {
      if (!singular.ever(dof)) continue;
      const int body = m->dof_bodyid[dof];
      Eigen::Map<Eigen::Vector3d> moment(m->body_inertia + 3 * body);
      if (Translates(*m, dof)) {
        if (m->body_mass[body] >= UrdfInertias::kLeastMass) continue;
        m->body_mass[body] = UrdfInertias::kLeastMass;
        masses.push_back(LinkOf(*m, body));
      } else {
        if (moment.minCoeff() >= UrdfInertias::kLeastMoment) continue;
        moment = moment.cwiseMax(UrdfInertias::kLeastMoment);
        moments.push_back(LinkOf(*m, body));
      }
      again = true;
    }
  }
  TellNames(
      "links that their joint moves without mass get 1e-4 kg, else nothing could be simulated: ",
      masses, notices);
  TellNames(
      "links that their joint turns without inertia about its axis get principal moments of at "
      "least 1e-6 kg·m², else nothing could be simulated: ",
      moments, notices);
}

void TakeSettings(mjSpec* spec, std::vector<std::string>* notices) {
  mjsCompiler& settings = spec->compiler;
  std::vector<std::string> ignored;
  if (settings.inertiafromgeom == mjINERTIAFROMGEOM_TRUE) ignored.emplace_back("inertiafromgeom");
  if (settings.balanceinertia) ignored.emplace_back("balanceinertia");
  if (settings.boundmass > 0) ignored.emplace_back("boundmass");
  if (settings.boundinertia > 0) ignored.emplace_back("boundinertia");
  if (settings.settotalmass > 0) ignored.emplace_back("settotalmass");
  TellNames(
      "inertias are those of <inertial>; settings of the file for MuJoCo's own do not count: ",
      ignored, notices);
  settings.fusestatic = 0;
  settings.inertiafromgeom = mjINERTIAFROMGEOM_FALSE;
  settings.balanceinertia = 0;
  settings.boundmass = settings.boundinertia = 0;
  settings.settotalmass = -1;
}

}  // namespace

void UrdfInertias::TakeFrom(mjSpec* spec, std::vector<std::string>* notices) {
  TakeSettings(spec, notices);
  for (mjsBody* body : BodiesOf(spec)) {
    Inertial inertial = ReadInertial(*body);
    if (!IsAccepted(inertial.mass, inertial.moments, HasJoint(body))) {
      stand_ins_.push_back({NameOf(body->element), inertial.mass, inertial.moments});
      inertial.mass = 1;
      inertial.moments.setOnes();
    }
    WriteInertial(inertial, body);
  }
}

void UrdfInertias::Take(const std::string& link, const MassProperties& mass, bool moves) {
  Eigen::Vector3d moments = mass.inertia.diagonal();
  if (!mass.inertia.isDiagonal(0)) {
    moments = mass.inertia.selfadjointView<Eigen::Lower>().eigenvalues();
  }
  if (!IsAccepted(mass.mass, moments, moves)) stand_ins_.push_back({link, mass.mass, moments});
  lacks_inertia_ |= moves && LacksInertia(mass.mass, moments);
}

bool UrdfInertias::Tell(std::vector<std::string>* notices) const {
  if (stand_ins_.empty()) return true;
  if (!lacks_inertia_) TellImpossible(false, notices);
  return !lacks_inertia_;
}

void UrdfInertias::TellImpossible(bool simulated, std::vector<std::string>* notices) const {
  std::vector<std::string> negative, impossible;
  for (const StandIn& given : stand_ins_) {
    if (IsNegative(given.moments)) {
      negative.push_back(given.link + " (" + ShortNumber(given.moments.minCoeff()) + " kg·m²)");
    } else if (IsImpossible(given.moments)) {
      impossible.push_back(given.link);
    }
  }
  TellNames("inertias with a negative eigenvalue, which no body can have, are " +
                std::string(simulated ? "raised to 0: " : "taken as they stand: "),
            negative, notices);
  TellNames("inertias that no body can have (A + B < C) are taken as they stand: ", impossible,
            notices);
}

void UrdfInertias::PutInto(mjModel* m, bool simulated, std::vector<std::string>* notices) const {
  if (stand_ins_.empty()) return;
  for (const StandIn& given : stand_ins_) {
    const int body = mj_name2id(m, mjOBJ_BODY, given.link.c_str());
    Eigen::Vector3d moments = given.moments;
    if (simulated) moments = moments.cwiseMax(0);
    m->body_mass[body] = given.mass;
    Eigen::Map<Eigen::Vector3d>(m->body_inertia + 3 * body) = moments;
  }
  TellImpossible(simulated, notices);
  if (simulated) {
    LiftSingular(m, notices);
  } else {
    TellSingular(m, notices);
  }
  if (!simulated) return;
  // Subtree masses, and what MuJoCo computes of H⁻¹.
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
  CIVITA_CHECK(d != nullptr);
  mj_setConst(m, d.get());
}

void InferredMasses::TakeFrom(mjSpec* spec) {
  const int inferred = spec->compiler.inertiafromgeom;
  if (inferred == mjINERTIAFROMGEOM_FALSE) return;
  for (const mjsBody* body : BodiesOf(spec)) {
    if (body->explicitinertial && inferred != mjINERTIAFROMGEOM_TRUE) continue;
    int geoms = 0;
    for (mjsElement* e = mjs_firstChild(body, mjOBJ_GEOM, 0); e != nullptr;
         e = mjs_nextChild(body, e, 0)) {
      ++geoms;
    }
    bodies_.push_back({NameOf(body->element), geoms});
  }
}

void InferredMasses::Check(const mjModel& m, std::vector<std::string>* notices) const {
  const bool left_out = std::ranges::any_of(
      *notices, [](const std::string& n) { return n.starts_with("geometry left out"); });
  std::vector<std::string> lacking;
  for (const Body& given : bodies_) {
    const int body = mj_name2id(&m, mjOBJ_BODY, given.name.c_str());
    if (left_out && body > 0 && m.body_geomnum[body] < given.geoms) lacking.push_back(given.name);
  }
  TellNames("without that geometry these bodies lack mass: ", lacking, notices);
}

}  // namespace civita::internal
