#include <iterator>
#include <mutex>

#include "controllers/adaptive.h"
#include "controllers/computed_torque.h"
#include "controllers/law_info.h"
#include "controllers/legs/whole_body.h"
#include "controllers/pd_gravity.h"
#include "controllers/reference_dynamics.h"
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

/// The laws of the process; grows only.
struct Table {
  std::mutex mutex;
  std::vector<const LawInfo*> laws{std::begin(kLaws), std::end(kLaws)};
};

Table& TheTable() {
  static Table table;
  return table;
}

}  // namespace

std::vector<const LawInfo*> Laws() {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  return table.laws;
}

const LawInfo& FindLaw(std::string_view type) {
  std::vector<std::string> types;
  for (const LawInfo* law : Laws()) {
    if (law->type == type) return *law;
    types.emplace_back(law->type);
  }
  throw UserError(UnknownName("controller", type, types));
}

void RegisterLaw(const LawInfo& law) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  for (const LawInfo* other : table.laws) {
    if (other == &law) return;
    if (other->type == law.type) {
      throw UserError("there is a control law '" + std::string(law.type) +
                      "' already; a registered law needs a type of its own");
    }
  }
  table.laws.push_back(&law);
}

}  // namespace civita
