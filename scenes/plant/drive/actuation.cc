#include "civita/scenes/plant/actuation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/scenes/plant/coupling.h"

// MuJoCo's library has these functions; where the address sanitizer is on, its headers call others
// instead, which only a library that is built with it has.
extern "C" void civita_mark_stack(mjData* d) __asm__("mj_markStack");
extern "C" void civita_free_stack(mjData* d) __asm__("mj_freeStack");

namespace civita {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Factor on the torque along the motion at this share of the speed limit.
double SpeedFactor(double share) {
  constexpr double kFull = 0.9;
  return std::clamp((1 - share) / (1 - kFull), 0.0, 1.0);
}

// Clamps the range to [a, b] (in either order); to the nearer end if they are disjoint.
void CutRange(double a, double b, double* lower, double* upper) {
  *lower = std::clamp(*lower, std::min(a, b), std::max(a, b));
  *upper = std::clamp(*upper, std::min(a, b), std::max(a, b));
}

bool OnFixedTendon(const mjModel& m, int actuator) {
  if (m.actuator_trntype[actuator] != mjTRN_TENDON) return false;
  const int tendon = m.actuator_trnid[2 * actuator];
  return m.wrap_type[m.tendon_adr[tendon]] == mjWRAP_JOINT;
}

// Whether it can be used as it is.
bool IsMotor(const mjModel& m, int i) {
  return HasForceOfControl(m, i) && m.actuator_delay[i] == 0;
}

// Torques of a unit force by coordinate, without gear: of a tendon its coefficients.
Eigen::VectorXd TendonRow(const mjModel& m, int tendon) {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(m.nv);
  for (int k = 0; k < m.tendon_num[tendon]; ++k) {
    const int wrap = m.tendon_adr[tendon] + k;
    row[m.jnt_dofadr[m.wrap_objid[wrap]]] += m.wrap_prm[wrap];
  }
  return row;
}

// Of a joint's actuator its gear; zero where the joint's own axes do not tell the direction.
Eigen::VectorXd JointRow(const mjModel& m, int i) {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(m.nv);
  const int joint = m.actuator_trnid[2 * i];
  const mjtNum* gear = m.actuator_gear + 6 * m.actuator_outadr[i];
  const int type = m.jnt_type[joint];
  const int size = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
  if (size > 1 && m.actuator_trntype[i] == mjTRN_JOINTINPARENT) return row;
  row.segment(m.jnt_dofadr[joint], size) = Eigen::Map<const Eigen::VectorXd>(gear, size);
  return row;
}

// The channel of an actuator by the gear of its force.
DriveChannel MakeChannel(const mjModel& m, int i, double gear) {
  const ForceRange force = FindForceRange(m, i);
  DriveChannel channel{-1, 1, gear * force.lower, gear * force.upper};
  if (gear < 0) std::swap(channel.lower, channel.upper);
  if (!IsMotor(m, i)) return channel;
  channel.ctrl = m.actuator_ctrladr[i];
  channel.gain = gear * m.actuator_gainprm[mjNGAIN * i];
  return channel;
}

// What a model's actuators that are not disabled are for.
struct ActuatorUse {
  std::vector<OwnDrive> own;        ///< motors first, then what replaces servos
  std::vector<SharedForce> shared;  ///< likewise in each
  bool has_motors = false;
  std::vector<int> off;  ///< actuators that are not used as they are
  /// Of these the names: servos of joints and of fixed tendons, and those that act on neither.
  std::vector<std::string> joint_servos, tendon_servos, others;
};

// Puts actuators to their use, motors and servos in two passes: a joint or tendon with a motor
// needs no other drive, so its servos are left out; of several servos only the first is replaced.
class Sorter {
 public:
  explicit Sorter(const mjModel& m) : m_(m) {}

  ActuatorUse Sort() {
    for (const bool motors : {true, false}) {
      for (int i = 0; i < m_.nactuator; ++i) {
        if (!IsDisabledActuator(m_, i)) Add(i, motors);
      }
    }
    std::sort(use_.off.begin(), use_.off.end());
    return std::move(use_);
  }

 private:
  void Add(int i, bool motors) {
    const bool tendon = OnFixedTendon(m_, i);
    Eigen::VectorXd row = Eigen::VectorXd::Zero(m_.nv);
    if (tendon) row = TendonRow(m_, m_.actuator_trnid[2 * i]);
    if (ActsOnJoint(m_, i)) row = JointRow(m_, i);
    const double gear = tendon ? m_.actuator_gear[6 * m_.actuator_outadr[i]] : 1;
    const bool acts = gear != 0 && !row.isZero(0);
    if ((acts && IsMotor(m_, i)) != motors) return;
    if (motors) {
      use_.has_motors = true;
    } else {
      use_.off.push_back(i);
      (tendon               ? use_.tendon_servos
       : ActsOnJoint(m_, i) ? use_.joint_servos
                            : use_.others)
          .push_back(ElementName(m_, mjOBJ_ACTUATOR, i));
    }
    if (!acts) return;
    if (tendon) {
      AddToTendon(i, gear, std::move(row));
    } else if ((row.array() != 0).count() == 1) {
      AddToCoordinate(i, row);
    } else if (motors || !IsDriven(row)) {
      use_.shared.push_back({-1, std::move(row), {MakeChannel(m_, i, gear)}});
    }
  }

  void AddToCoordinate(int i, const Eigen::VectorXd& row) {
    Eigen::Index iv = 0;
    row.cwiseAbs().maxCoeff(&iv);
    const DriveChannel channel = MakeChannel(m_, i, row[iv]);
    const bool driven = std::any_of(use_.own.begin(), use_.own.end(),
                                    [iv](const OwnDrive& o) { return o.iv == iv; });
    if (IsMotor(m_, i) || !driven) use_.own.push_back({static_cast<int>(iv), channel});
  }

  void AddToTendon(int i, double gear, Eigen::VectorXd row) {
    const int tendon = m_.actuator_trnid[2 * i];
    const DriveChannel channel = MakeChannel(m_, i, gear);
    const auto same = std::find_if(use_.shared.begin(), use_.shared.end(),
                                   [tendon](const SharedForce& f) { return f.tendon == tendon; });
    if (same == use_.shared.end()) {
      use_.shared.push_back({tendon, std::move(row), {channel}});
    } else if (IsMotor(m_, i)) {
      same->channels.push_back(channel);
    }
  }

  // Whether another force has the direction of the row.
  bool IsDriven(const Eigen::VectorXd& row) const {
    return std::any_of(use_.shared.begin(), use_.shared.end(), [&row](const SharedForce& f) {
      return f.tendon < 0 && f.row.normalized().isApprox(row.normalized(), 1e-12);
    });
  }

  const mjModel& m_;
  ActuatorUse use_;
};

// Puts the actuators into a disabled group of their own.
void SwitchOff(const std::vector<int>& actuators, mjModel* m) {
  int group = 30;
  const int* end = m->actuator_group + m->nactuator;
  const int* begin = m->actuator_group;
  while (group >= 0 && std::find(begin, end, group) != end) --group;
  if (group < 0) {
    throw UserError("the model uses all 31 actuator groups; none is left to switch servos off");
  }
  m->opt.disableactuator |= 1 << group;
  for (const int i : actuators) m->actuator_group[i] = group;
}

bool Follows(int iv, const std::vector<Coupling>& couplings) {
  return std::any_of(couplings.begin(), couplings.end(),
                     [iv](const Coupling& c) { return c.iv == iv; });
}

bool IsFree(const mjModel& m, int joint) { return m.jnt_type[joint] == mjJNT_FREE; }

// Whether free joints of a model without actuators are driven: where there is nothing else to
// drive, and without gravity, as of a satellite with thrusters.
bool DrivesFreeJoints(const mjModel& m, const std::vector<Coupling>& couplings) {
  if ((m.opt.disableflags & mjDSBL_GRAVITY) != 0 || mju_norm3(m.opt.gravity) == 0) return true;
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (!IsFree(m, joint) && !Follows(m.jnt_dofadr[joint], couplings)) return false;
  }
  return true;
}

std::vector<std::string> Followers(const mjModel& m, const std::vector<Coupling>& couplings) {
  std::vector<std::string> names;
  for (const Coupling& c : couplings)
    names.push_back(ElementName(m, mjOBJ_JOINT, m.dof_jntid[c.iv]));
  return names;
}

void TellUse(const ActuatorUse& use, std::vector<std::string>* notices) {
  const std::string off = "actuators that are no plain motors are switched off, and their ";
  const std::string driven = " driven directly within the force ranges: ";
  internal::TellNames(off + "joints" + driven, use.joint_servos, notices);
  internal::TellNames(off + "fixed tendons" + driven, use.tendon_servos, notices);
  internal::TellNames(
      "actuators that act on no joint or fixed tendon are switched off: ", use.others, notices);
}

}  // namespace

void Actuation::AddOwn(const OwnDrive& drive) {
  lower_[drive.iv] += drive.channel.lower;
  upper_[drive.iv] += drive.channel.upper;
  own_.push_back(drive);
}

void Actuation::AddShared(const mjModel& m, const SharedForce& force) {
  double lower = 0, upper = 0;
  for (const DriveChannel& channel : force.channels) {
    lower += channel.lower;
    upper += channel.upper;
  }
  if (force.tendon >= 0 && m.tendon_actfrclimited[force.tendon]) {
    const mjtNum* range = m.tendon_actfrcrange + 2 * force.tendon;
    CutRange(range[0], range[1], &lower, &upper);
  }
  const auto t = static_cast<Eigen::Index>(shared_.size());
  shared_.push_back(force);
  B_.col(t) = force.row;
  force_lower_[t] = lower;
  force_upper_[t] = upper;
  for (Eigen::Index iv = 0; iv < force.row.size(); ++iv) {
    const double row = force.row[iv];
    if (row == 0) continue;
    lower_[iv] += std::min(row * lower, row * upper);
    upper_[iv] += std::max(row * lower, row * upper);
  }
}

/// What ApplyShared needs besides.
void Actuation::FinishShared(const mjModel& m) {
  if (shared_.empty()) return;
  joint_lower_ = Eigen::VectorXd::Constant(m.nv, -kInfinity);
  joint_upper_ = -joint_lower_;
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (!IsScalarJoint(m, joint) || !m.jnt_actfrclimited[joint]) continue;
    joint_lower_[m.jnt_dofadr[joint]] = m.jnt_actfrcrange[2 * joint];
    joint_upper_[m.jnt_dofadr[joint]] = m.jnt_actfrcrange[2 * joint + 1];
  }
  Eigen::MatrixXd alone = B_;
  has_direct_.assign(static_cast<size_t>(m.nv), false);
  for (const OwnDrive& drive : own_) {
    alone.row(drive.iv).setZero();
    if (drive.channel.ctrl < 0) has_direct_[static_cast<size_t>(drive.iv)] = true;
  }
  fit_ = internal::PseudoInverse(alone);
  for (const SharedForce& force : shared_) {
    if (force.channels.front().ctrl >= 0) continue;
    for (int iv = 0; iv < m.nv; ++iv) {
      if (force.row[iv] != 0) has_direct_[static_cast<size_t>(iv)] = true;
    }
  }
}

void Actuation::ClampByJoints(const mjModel& m) {
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (!IsScalarJoint(m, joint) || !m.jnt_actfrclimited[joint]) continue;
    const int iv = m.jnt_dofadr[joint];
    CutRange(m.jnt_actfrcrange[2 * joint], m.jnt_actfrcrange[2 * joint + 1], &lower_[iv],
             &upper_[iv]);
  }
}

/// Those without drives, but for the followers of `told`.
std::vector<std::string> Actuation::PassiveJoints(const mjModel& m,
                                                  const std::vector<Coupling>& told,
                                                  bool feet_hold_base) const {
  std::vector<std::string> names;
  for (int iv = 0; iv < m.nv; ++iv) {
    if (feet_hold_base && IsFree(m, m.dof_jntid[iv])) continue;
    const std::string name = ElementName(m, mjOBJ_JOINT, m.dof_jntid[iv]);
    if (is_passive(iv) && !Follows(iv, told) && (names.empty() || names.back() != name)) {
      names.push_back(name);
    }
  }
  return names;
}

Actuation Actuation::Make(mjModel* m, const std::vector<Coupling>& couplings,
                          std::vector<std::string>* notices, bool feet_hold_base) {
  Actuation a;
  a.lower_ = a.upper_ = Eigen::VectorXd::Zero(m->nv);
  a.speed_max_ = Eigen::VectorXd::Constant(m->nv, kInfinity);
  const ActuatorUse use = Sorter(*m).Sort();
  const bool any = use.has_motors || !use.off.empty();
  for (const OwnDrive& drive : use.own) a.AddOwn(drive);
  const bool drives_free = !any && DrivesFreeJoints(*m, couplings);
  for (int iv = 0; !any && iv < m->nv; ++iv) {
    const bool floats = !drives_free && IsFree(*m, m->dof_jntid[iv]);
    if (!floats && !Follows(iv, couplings)) a.AddOwn({iv, {-1, 1, -kInfinity, kInfinity}});
  }
  std::stable_sort(a.own_.begin(), a.own_.end(),
                   [](const OwnDrive& x, const OwnDrive& y) { return x.iv < y.iv; });
  a.own_lower_ = a.lower_;
  a.own_upper_ = a.upper_;
  a.B_ = Eigen::MatrixXd::Zero(m->nv, static_cast<Eigen::Index>(use.shared.size()));
  a.force_lower_ = a.force_upper_ = Eigen::VectorXd::Zero(a.B_.cols());
  for (const SharedForce& force : use.shared) a.AddShared(*m, force);
  a.FinishShared(*m);
  a.ClampByJoints(*m);

  if (!use.off.empty()) SwitchOff(use.off, m);
  if (use.has_motors && (m->opt.disableflags & mjDSBL_ACTUATION) != 0) {
    m->opt.disableflags &= ~mjDSBL_ACTUATION;
    notices->push_back("the model's actuation was switched off; it is switched on");
  }
  TellUse(use, notices);
  if (!any) {
    internal::TellNames(
        "the model has no actuators: all joints are taken to have motors but those that follow "
        "others: ",
        Followers(*m, couplings), notices);
  }
  if (drives_free && m->njnt == 1 && IsFree(*m, 0)) {
    notices->push_back("the model has no actuators and no other joints: forces and moments on " +
                       ElementName(*m, mjOBJ_BODY, m->jnt_bodyid[0]) + " are taken as its drives");
  }
  internal::TellNames(
      "joints that nothing drives stay passive: ",
      a.PassiveJoints(*m, any ? std::vector<Coupling>() : couplings, feet_hold_base), notices);
  return a;
}

Transmission Actuation::transmission() const {
  std::vector<bool> own(static_cast<size_t>(lower_.size()), false);
  for (const OwnDrive& drive : own_) {
    own[static_cast<size_t>(drive.iv)] = own_lower_[drive.iv] != 0 || own_upper_[drive.iv] != 0;
  }
  return Transmission(own, B_);
}

/// Drives one coordinate by its channels in succession, from `drive` to that of the next one.
/// @returns the part that motors give.
double Actuation::DriveOwn(const OwnDrive** drive, double torque, mjData* d) const {
  const OwnDrive* const end = own_.data() + own_.size();
  const int iv = (*drive)->iv;
  double left = torque, motors = 0;
  for (; *drive != end && (*drive)->iv == iv; ++*drive) {
    const DriveChannel& channel = (*drive)->channel;
    const double part = std::clamp(left, channel.lower, channel.upper);
    left -= part;
    if (channel.ctrl >= 0) {
      d->ctrl[channel.ctrl] = part / channel.gain;
      motors += part;
    } else {
      d->qfrc_applied[iv] = part;
    }
  }
  return motors;
}

bool Actuation::Apply(const Eigen::VectorXd& tau, mjData* d, Eigen::VectorXd& applied) const {
  if (!shared_.empty()) return ApplyShared(tau, d, applied);
  bool limited = false;
  for (Eigen::Index iv = 0; iv < tau.size(); ++iv) {
    applied[iv] = std::clamp(tau[iv], lower_[iv], upper_[iv]);
    const double speed = d->qvel[iv];
    if (applied[iv] * speed > 0) applied[iv] *= SpeedFactor(std::abs(speed) / speed_max_[iv]);
    if (applied[iv] != tau[iv] && !is_passive(static_cast<int>(iv))) limited = true;
  }
  const OwnDrive* const end = own_.data() + own_.size();
  for (const OwnDrive* drive = own_.data(); drive != end;) {
    DriveOwn(&drive, applied[drive->iv], d);
  }
  return limited;
}

/// Forces u within their limits by projected steps, each of which is the solution while no limit
/// acts; `step` has the size of u, `left` nv numbers. @returns whether a limit reduced them.
bool Actuation::FindForces(const Eigen::VectorXd& tau, const mjData& d,
                           Eigen::Map<Eigen::VectorXd> u, Eigen::Map<Eigen::VectorXd> step,
                           Eigen::Map<Eigen::VectorXd> left) const {
  constexpr int kMostSteps = 60;
  constexpr double kNothing = 1e-9;  // of the forces
  u.setZero();
  bool limited = false;
  for (int i = 0; i < kMostSteps; ++i) {
    left = tau;
    left.noalias() -= B_ * u;
    step.noalias() = fit_ * left;
    if (step.cwiseAbs().maxCoeff() <= kNothing * u.cwiseAbs().maxCoeff()) {
      limited = false;
      break;
    }
    limited = false;
    for (Eigen::Index t = 0; t < u.size(); ++t) {
      const double wanted = u[t] + step[t];
      u[t] = std::clamp(wanted, force_lower_[t], force_upper_[t]);
      limited |= u[t] != wanted;
    }
    if (!limited) break;
  }
  for (Eigen::Index t = 0; t < u.size(); ++t) {
    double factor = 1;
    for (Eigen::Index iv = 0; iv < tau.size(); ++iv) {
      const double speed = d.qvel[iv];
      if (u[t] * B_(iv, t) * speed <= 0) continue;
      factor = std::min(factor, SpeedFactor(std::abs(speed) / speed_max_[iv]));
    }
    limited |= factor < 1 && u[t] != 0;
    u[t] *= factor;
  }
  return limited;
}

bool Actuation::ApplyShared(const Eigen::VectorXd& tau, mjData* d, Eigen::VectorXd& applied) const {
  const Eigen::Index nv = tau.size(), n = B_.cols();
  civita_mark_stack(d);
  const auto scratch = [d](Eigen::Index size) {
    return Eigen::Map<Eigen::VectorXd>(mj_stackAllocNum(d, static_cast<size_t>(size)), size);
  };
  Eigen::Map<Eigen::VectorXd> u = scratch(n), step = scratch(n), left = scratch(nv),
                              motors = scratch(nv);
  bool limited = FindForces(tau, *d, u, step, left);
  applied.noalias() = B_ * u;
  motors.setZero();
  Eigen::Map<Eigen::VectorXd> direct(d->qfrc_applied, nv);
  for (const SharedForce& force : shared_) {
    double rest = u[&force - shared_.data()];
    for (const DriveChannel& channel : force.channels) {
      const double part = std::clamp(rest, channel.lower, channel.upper);
      rest -= part;
      if (channel.ctrl < 0) continue;
      d->ctrl[channel.ctrl] = part / channel.gain;
      motors += part * force.row;
    }
  }
  const OwnDrive* const end = own_.data() + own_.size();
  for (const OwnDrive* drive = own_.data(); drive != end;) {
    const int iv = drive->iv;
    const double wanted = tau[iv] - applied[iv], speed = d->qvel[iv];
    double own = std::clamp(wanted, own_lower_[iv], own_upper_[iv]);
    if (own * speed > 0) own *= SpeedFactor(std::abs(speed) / speed_max_[iv]);
    limited |= own != wanted;
    applied[iv] += own;
    motors[iv] += DriveOwn(&drive, own, d);
  }
  // What a joint's actuatorfrcrange leaves of all; the simulator clamps the motors' part itself.
  for (Eigen::Index iv = 0; iv < nv; ++iv) {
    const double sum = applied[iv];
    applied[iv] = std::clamp(sum, joint_lower_[iv], joint_upper_[iv]);
    limited |= applied[iv] != sum;
    const double given = std::clamp(motors[iv], joint_lower_[iv], joint_upper_[iv]);
    if (has_direct_[static_cast<size_t>(iv)]) direct[iv] = applied[iv] - given;
  }
  civita_free_stack(d);
  return limited;
}

}  // namespace civita
