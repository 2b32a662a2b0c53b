#include <iterator>

#include "controllers/adaptive.h"
#include "controllers/computed_torque.h"
#include "controllers/law_info.h"
#include "controllers/legs/whole_body.h"
#include "controllers/pd_gravity.h"
#include "controllers/reference_dynamics.h"
#include "controllers/row_table.h"
#include "controllers/slotine_li.h"
#include "controllers/task_space_law.h"
#include "core/error.h"
#include "core/suggest.h"

namespace civita {
namespace {

constexpr const LawInfo* kLaws[] = {
    &kSlotineLiLaw, &kAdaptiveLaw,          &kReferenceDynamicsLaw, &kTaskSpaceLaw,
    &kWholeBodyLaw, &kAdaptiveWholeBodyLaw, &kPdGravityLaw,         &kComputedTorqueLaw,
};

internal::RowTable<LawInfo>& TheTable() {
  static internal::RowTable<LawInfo> table({std::begin(kLaws), std::end(kLaws)}, &LawInfo::type,
                                           "control law");
  return table;
}

}  // namespace

std::vector<const LawInfo*> Laws() { return TheTable().rows(); }

const LawInfo& FindLaw(std::string_view type) {
  std::vector<std::string> types;
  for (const LawInfo* law : Laws()) {
    if (law->type == type) return *law;
    types.emplace_back(law->type);
  }
  throw UserError(UnknownName("controller", type, types));
}

void RegisterLaw(const LawInfo& law) { TheTable().Add(law); }

}  // namespace civita
