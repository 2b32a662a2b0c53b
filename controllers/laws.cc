#include <iterator>

#include "base/row_table.h"
#include "civita/controllers/adaptive.h"
#include "civita/controllers/computed_torque.h"
#include "civita/controllers/law_info.h"
#include "civita/controllers/pd_gravity.h"
#include "civita/controllers/reference_dynamics.h"
#include "civita/controllers/replace_law.h"
#include "civita/controllers/slotine_li.h"
#include "civita/controllers/task_space_law.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {

// Of the library legs: null in a program without it.
[[gnu::weak]] extern const LawInfo kWholeBodyLaw, kAdaptiveWholeBodyLaw;

namespace {

// One line for each law.
// clang-format off
constexpr const LawInfo* kLaws[] = {
    &kSlotineLiLaw,
    &kAdaptiveLaw,
    &kReferenceDynamicsLaw,
    &kTaskSpaceLaw,
    &kWholeBodyLaw,
    &kAdaptiveWholeBodyLaw,
    &kPdGravityLaw,
    &kComputedTorqueLaw,
};
// clang-format on

std::vector<const LawInfo*> OwnLaws() {
  std::vector<const LawInfo*> laws(std::begin(kLaws), std::end(kLaws));
  std::erase(laws, nullptr);
  return laws;
}

internal::RowTable<LawInfo>& TheTable() {
  static internal::RowTable<LawInfo> table(OwnLaws(), &LawInfo::type, "control law");
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

void ReplaceLaw(const LawInfo& law) { TheTable().Put(law); }

}  // namespace civita
