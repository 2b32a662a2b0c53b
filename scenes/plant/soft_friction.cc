#include "civita/scenes/plant/soft_friction.h"

#include <vector>

#include "base/text.h"
#include "civita/controllers/controller.h"
#include "civita/mujoco/convert.h"

namespace civita {

namespace {

/// 1/b, b = 2/(d_max · time constant).
double Lead(const mjtNum* solref, const mjtNum* solimp) { return solimp[1] * solref[0] / 2; }

// tanh(3) is 1 but for half a percent.
bool IsSoft(double full_speed) { return full_speed > 3 * kFrictionVelocity; }

double FullSpeedOfCoordinate(const mjModel& m, int iv) {
  return CalcFullFrictionSpeed(m.dof_frictionloss[iv], m.dof_invweight0[iv],
                               m.dof_solref + mjNREF * iv, m.dof_solimp + mjNIMP * iv);
}

double FullSpeedOfTendon(const mjModel& m, int i) {
  return CalcFullFrictionSpeed(m.tendon_frictionloss[i], m.tendon_invweight0[i],
                               m.tendon_solref_fri + mjNREF * i, m.tendon_solimp_fri + mjNIMP * i);
}

}  // namespace

double CalcFullFrictionSpeed(double frictionloss, double invweight, const mjtNum* solref,
                             const mjtNum* solimp) {
  if (solref[0] <= 0 || frictionloss <= 0) return 0;
  // Without acceleration the force is b v / R, with R = (1 − d)/d · invweight.
  return (1 - solimp[0]) / solimp[0] * frictionloss * invweight * Lead(solref, solimp);
}

SimulatedFriction FindSimulatedFriction(const mjModel& m, const Model& model) {
  const auto tendons = static_cast<Eigen::Index>(model.tendons().size());
  SimulatedFriction friction{Eigen::VectorXd::Zero(model.nv() + tendons),
                             Eigen::VectorXd::Zero(model.nv())};
  Eigen::VectorXd& speeds = friction.full_speeds;
  for (int iv = 0; iv < m.nv; ++iv) {
    speeds[iv] = FullSpeedOfCoordinate(m, iv);
    if (speeds[iv] > 0) {
      friction.leads_s[iv] = Lead(m.dof_solref + mjNREF * iv, m.dof_solimp + mjNIMP * iv);
    }
  }
  // The model has the fixed tendons among others', in order.
  Eigen::Index i = 0;
  for (int id = 0; id < m.ntendon; ++id) {
    const bool fixed = m.tendon_num[id] > 0 && m.wrap_type[m.tendon_adr[id]] == mjWRAP_JOINT;
    if (!fixed || m.tendon_frictionloss[id] <= 0) continue;
    while (i < tendons && model.tendons()[static_cast<size_t>(i)].frictionloss == 0) ++i;
    if (i == tendons) break;
    speeds[model.nv() + i] = FullSpeedOfTendon(m, id);
    ++i;
  }
  return friction;
}

Eigen::VectorXd FindFullFrictionSpeeds(const mjModel& m, const Model& model) {
  const Eigen::VectorXd speeds = FindSimulatedFriction(m, model).full_speeds;
  return speeds.unaryExpr([](double full) { return IsSoft(full) ? full : 0; });
}

std::string DescribeSoftFriction(const mjModel& m) {
  if ((m.opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT)) != 0) return "";
  std::vector<std::string> names;
  const auto add = [&](mjtObj type, int id, const char* kind, double speed) {
    if (!IsSoft(speed)) return;
    names.push_back(kind + ElementName(m, type, id) + " (" + internal::ShortNumber(speed) + ")");
  };
  for (int i = 0; i < m.njnt; ++i) {
    add(mjOBJ_JOINT, i, "", FullSpeedOfCoordinate(m, m.jnt_dofadr[i]));
  }
  for (int i = 0; i < m.ntendon; ++i) {
    add(mjOBJ_TENDON, i, "tendon ", FullSpeedOfTendon(m, i));
  }
  if (names.empty()) return "";
  return "dry friction is soft in the simulation, with its full value from the velocity in "
         "brackets "
         "on (solimpfriction, solreffriction), and laws take it so: " +
         internal::List(names);
}

}  // namespace civita
