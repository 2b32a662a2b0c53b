#include "civita/mujoco/passive_elements.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.h"
#include "civita/manifold.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"

namespace civita {

namespace {

using Poly = std::array<double, mjNPOLY>;

bool IsDisabled(const mjModel& mj, int flags) { return (mj.opt.disableflags & flags) != 0; }

Poly PolyAt(const mjtNum* poly, int row) {
  Poly p;
  std::copy_n(poly + mjNPOLY * row, p.size(), p.begin());
  return p;
}

bool IsZero(double linear, const Poly& poly) {
  return linear == 0 && std::ranges::all_of(poly, [](double x) { return x == 0; });
}

bool OnTendon(const mjModel& mj, int actuator, int tendon) {
  return mj.actuator_trntype[actuator] == mjTRN_TENDON && mj.actuator_trnid[2 * actuator] == tendon;
}

Eigen::Matrix3d ToRotation(const mjtNum* quaternion) {
  return QuaternionToMatrix<double>(Eigen::Vector4d(quaternion));
}

/// What an actuator adds to the damping of its joint or tendon, through the gear of its first
/// output, for rotations in three axes too.
void AddDamping(const mjModel& mj, int actuator, double* damping, Poly* poly) {
  const double gear = mj.actuator_gear[6 * mj.actuator_outadr[actuator]];
  *damping += gear * gear * mj.actuator_damping[actuator];
  for (size_t k = 0; k < poly->size(); ++k) {
    (*poly)[k] += gear * gear * PolyAt(mj.actuator_dampingpoly, actuator)[k];
  }
}

/// Of JointProperties or TendonProperties.
template <typename Properties>
void DropDisabled(const mjModel& mj, Properties* p) {
  if (IsDisabled(mj, mjDSBL_SPRING)) {
    p->stiffness = 0;
    p->stiffness_poly = {};
  }
  if (IsDisabled(mj, mjDSBL_DAMPER)) {
    p->damping = 0;
    p->damping_poly = {};
  }
  if (IsDisabled(mj, mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT)) p->frictionloss = 0;
}

TendonProperties ReadTendon(const mjModel& mj, int tendon) {
  TendonProperties p;
  p.name = ElementName(mj, mjOBJ_TENDON, tendon);
  p.damping = mj.tendon_damping[tendon];
  p.damping_poly = PolyAt(mj.tendon_dampingpoly, tendon);
  for (int i = 0; i < mj.nactuator; ++i) {
    if (OnTendon(mj, i, tendon)) AddDamping(mj, i, &p.damping, &p.damping_poly);
  }
  p.frictionloss = std::max(0.0, mj.tendon_frictionloss[tendon]);  // less has no effect
  p.stiffness = mj.tendon_stiffness[tendon];
  p.stiffness_poly = PolyAt(mj.tendon_stiffnesspoly, tendon);
  p.rest_lower = mj.tendon_lengthspring[2 * tendon];
  p.rest_upper = mj.tendon_lengthspring[2 * tendon + 1];
  DropDisabled(mj, &p);
  return p;
}

bool IsFixed(const mjModel& mj, int tendon) {
  return mj.tendon_num[tendon] > 0 && mj.wrap_type[mj.tendon_adr[tendon]] == mjWRAP_JOINT;
}

template <typename Properties>
bool HasSpring(const Properties& p) {
  return !IsZero(p.stiffness, p.stiffness_poly);
}
bool HasDamping(const TendonProperties& p) { return !IsZero(p.damping, p.damping_poly); }

/// Whether a v + b v |v| + c v³ grows with v everywhere.
bool Grows(double a, const Poly& poly) {
  const auto [b, c] = poly;
  return a >= 0 && c >= 0 && b >= -std::sqrt(3 * a * c);
}

/// Names by what is said of them.
class Lines {
 public:
  void Add(const std::string& kind, const std::string& name) {
    auto at = std::ranges::find(lines_, kind, &Line::kind);
    if (at == lines_.end()) at = lines_.insert(at, {kind, {}, 0});
    if (++at->count <= kMost) at->names += (at->count > 1 ? ", " : "") + name;
  }
  void Write(const std::string& end, std::vector<std::string>* lines) const {
    for (const Line& line : lines_) {
      std::string& text = lines->emplace_back(line.kind);
      text.append(" ").append(line.names);
      if (line.count > kMost) text += " and " + std::to_string(line.count - kMost) + " more";
      text += end;
    }
  }

 private:
  static constexpr int kMost = 6;
  struct Line {
    std::string kind, names;
    int count;
  };
  std::vector<Line> lines_;
};

void AddTendons(const mjModel& mj, Lines* lines) {
  const bool limits = !IsDisabled(mj, mjDSBL_LIMIT | mjDSBL_CONSTRAINT);
  for (int i = 0; i < mj.ntendon; ++i) {
    const TendonProperties p = ReadTendon(mj, i);
    if (limits && mj.tendon_limited[i]) lines->Add("limits of tendons", p.name);
    if (IsFixed(mj, i)) continue;
    if (HasSpring(p)) lines->Add("springs of spatial tendons", p.name);
    if (HasDamping(p)) lines->Add("damping of spatial tendons", p.name);
    if (p.frictionloss != 0) lines->Add("dry friction of spatial tendons", p.name);
  }
}

bool AnyNonzero(const mjtNum* numbers, mjtSize size) {
  return std::any_of(numbers, numbers + size, [](mjtNum x) { return x != 0; });
}

void AddFlexes(const mjModel& mj, Lines* lines) {
  const bool springs = !IsDisabled(mj, mjDSBL_SPRING), dampers = !IsDisabled(mj, mjDSBL_DAMPER);
  const bool elements = AnyNonzero(mj.flex_stiffness, mj.nflexstiffness) ||
                        AnyNonzero(mj.flex_bending, mj.nflexbending);
  for (int i = 0; i < mj.nflex; ++i) {
    if (mj.flex_rigid[i]) continue;
    const std::string name = ElementName(mj, mjOBJ_FLEX, i);
    if (springs && (elements || mj.flex_edgestiffness[i] != 0)) {
      lines->Add("elasticity of flexes", name);
    }
    if (dampers && (mj.flex_damping[i] != 0 || mj.flex_edgedamping[i] != 0)) {
      lines->Add("damping of flexes", name);
    }
    if ((springs || dampers) && mj.flex_passive[i] != 0) lines->Add("contacts of flexes", name);
  }
}

void AddOthers(const mjModel& mj, Lines* lines) {
  if (!IsDisabled(mj, mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) {
    for (int i = 0; i < mj.ngeom; ++i) {
      if (mj.geom_adhesion[i] != 0) lines->Add("adhesion of geoms", ElementName(mj, mjOBJ_GEOM, i));
    }
    for (int i = 0; i < mj.npair; ++i) {
      if (mj.pair_adhesion[i] != 0) lines->Add("adhesion of pairs", ElementName(mj, mjOBJ_PAIR, i));
    }
  }
  if (!HasPassiveForces(mj)) return;
  for (int i = 0; i < mj.nplugin; ++i) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(mj.plugin[i]);
    if (plugin == nullptr || (plugin->capabilityflags & mjPLUGIN_PASSIVE) == 0) continue;
    lines->Add("forces of plug-ins", ElementName(mj, mjOBJ_PLUGIN, i) + " (" + plugin->name + ")");
  }
}

/// Springs and dampers that the Model has, but that are not what they seem.
struct Doubtful {
  Lines yielding, driving, falling;

  template <typename Properties>
  void Add(const std::string& of, const std::string& name, const Properties& p, bool yields) {
    if (yields && HasSpring(p)) yielding.Add("springs of " + of, name);
    if (p.damping < 0) {
      driving.Add("negative damping of " + of, name + " (" + internal::General(p.damping, 4) + ")");
    } else if (!Grows(p.damping, p.damping_poly)) {
      falling.Add("damping of " + of, name);
    }
  }
};

Doubtful FindDoubtful(const mjModel& mj) {
  Doubtful found;
  for (int i = 0; i < mj.njnt; ++i) {
    JointProperties p;
    ReadPassiveElements(mj, i, &p);
    found.Add("joints", ElementName(mj, mjOBJ_JOINT, i), p, mj.jnt_plasticadr[i] >= 0);
  }
  for (int i = 0; i < mj.ntendon; ++i) {
    if (!IsFixed(mj, i)) continue;
    const TendonProperties p = ReadTendon(mj, i);
    found.Add("tendons", p.name, p, mj.tendon_plasticadr[i] >= 0);
  }
  return found;
}

}  // namespace

bool HasPassiveForces(const mjModel& mj) {
  return !IsDisabled(mj, mjDSBL_SPRING) || !IsDisabled(mj, mjDSBL_DAMPER);
}

void ReadPassiveElements(const mjModel& mj, int joint, JointProperties* p) {
  const int iv = mj.jnt_dofadr[joint];
  const mjtNum* rest = mj.qpos_spring + mj.jnt_qposadr[joint];
  p->armature = mj.dof_armature[iv];
  p->damping = mj.dof_damping[iv];
  p->damping_poly = PolyAt(mj.dof_dampingpoly, iv);
  p->frictionloss = mj.dof_frictionloss[iv];
  p->stiffness = mj.jnt_stiffness[joint];
  p->stiffness_poly = PolyAt(mj.jnt_stiffnesspoly, joint);
  for (int i = 0; i < mj.nactuator; ++i) {
    if (!ActsOnJoint(mj, i) || mj.actuator_trnid[2 * i] != joint) continue;
    const double gear = mj.actuator_gear[6 * mj.actuator_outadr[i]];
    p->armature += gear * gear * mj.actuator_armature[i];
    AddDamping(mj, i, &p->damping, &p->damping_poly);
  }
  DropDisabled(mj, p);
  if (mj.jnt_type[joint] == mjJNT_BALL) {
    p->spring_pose = Pose{ToRotation(rest)};
  } else if (mj.jnt_type[joint] == mjJNT_FREE) {
    p->spring_pose = Pose{ToRotation(rest + 3), Eigen::Vector3d(rest)};
  } else {
    p->spring_reference = *rest;
  }
}

std::vector<TendonProperties> ReadTendons(const mjModel& mj) {
  std::vector<TendonProperties> tendons;
  for (int i = 0; i < mj.ntendon; ++i) {
    TendonProperties p = ReadTendon(mj, i);
    if (!IsFixed(mj, i) || !(HasSpring(p) || HasDamping(p) || p.frictionloss != 0)) continue;
    for (int k = mj.tendon_adr[i]; k < mj.tendon_adr[i] + mj.tendon_num[i]; ++k) {
      p.terms.push_back({mj.jnt_qposadr[mj.wrap_objid[k]], mj.wrap_prm[k]});
    }
    tendons.push_back(std::move(p));
  }
  return tendons;
}

std::vector<std::string> DescribeUnmodelledForces(const mjModel& mj) {
  Lines acting;
  AddTendons(mj, &acting);
  AddFlexes(mj, &acting);
  AddOthers(mj, &acting);
  const Doubtful doubtful = FindDoubtful(mj);
  std::vector<std::string> lines;
  acting.Write(": they act on the robot, but the law does not know of them", &lines);
  doubtful.yielding.Write(": the law does not know that they yield (springyield)", &lines);
  doubtful.driving.Write(": it drives them, as the file says", &lines);
  doubtful.falling.Write(
      ": at some velocities it falls as these grow, which may add to the law's storage", &lines);
  return lines;
}

}  // namespace civita
