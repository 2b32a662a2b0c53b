#include "civita/scenes/plant/actuators.h"

#include <algorithm>
#include <utility>

#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"

namespace civita {
namespace {

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

// Puts actuators to their use, motors and servos in two passes.
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
                                    [iv](const ActuatorUse::OwnDrive& o) { return o.iv == iv; });
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

}  // namespace

void CutRange(double a, double b, double* lower, double* upper) {
  *lower = std::clamp(*lower, std::min(a, b), std::max(a, b));
  *upper = std::clamp(*upper, std::min(a, b), std::max(a, b));
}

ActuatorUse FindActuatorUse(const mjModel& m) { return Sorter(m).Sort(); }

}  // namespace civita
