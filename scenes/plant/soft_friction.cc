#include "civita/scenes/plant/soft_friction.h"

#include <vector>

#include "civita/controllers/controller.h"
#include "civita/scenes/schema/text.h"

namespace civita {

double CalcFullFrictionSpeed(double frictionloss, double invweight, const mjtNum* solref,
                             const mjtNum* solimp) {
  if (solref[0] <= 0 || frictionloss <= 0) return 0;
  // Without acceleration the force is b v / R, with R = (1 − d)/d · invweight and
  // b = 2/(d_max · time constant).
  return (1 - solimp[0]) / solimp[0] * frictionloss * invweight * solimp[1] * solref[0] / 2;
}

std::string DescribeSoftFriction(const mjModel& m) {
  constexpr double kFull = 3 * kFrictionVelocity;  // tanh(3) is 1 but for half a percent
  if ((m.opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT)) != 0) return "";
  std::vector<std::string> names;
  const auto add = [&](mjtObj type, int id, const char* kind, double speed) {
    if (speed <= kFull) return;
    const char* name = mj_id2name(&m, type, id);
    const bool named = name != nullptr && *name != '\0';
    names.push_back(kind + (named ? std::string(name) : std::to_string(id)) + " (" +
                    internal::ShortNumber(speed) + ")");
  };
  for (int i = 0; i < m.njnt; ++i) {
    const int iv = m.jnt_dofadr[i];
    add(mjOBJ_JOINT, i, "",
        CalcFullFrictionSpeed(m.dof_frictionloss[iv], m.dof_invweight0[iv],
                              m.dof_solref + mjNREF * iv, m.dof_solimp + mjNIMP * iv));
  }
  for (int i = 0; i < m.ntendon; ++i) {
    add(mjOBJ_TENDON, i, "tendon ",
        CalcFullFrictionSpeed(m.tendon_frictionloss[i], m.tendon_invweight0[i],
                              m.tendon_solref_fri + mjNREF * i, m.tendon_solimp_fri + mjNIMP * i));
  }
  if (names.empty()) return "";
  return "dry friction is softer in the simulation than the law takes it, with its full value from "
         "the velocity in brackets on (solimpfriction, solreffriction): " +
         internal::List(names);
}

}  // namespace civita
