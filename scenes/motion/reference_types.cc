#include "civita/scenes/motion/reference_types.h"

#include <iterator>
#include <string>

#include "civita/controllers/row_table.h"
#include "civita/scenes/motion/types/types.h"

namespace civita {
namespace {

constexpr const ReferenceType* kTypes[] = {
    &kHoldReference,       &kSinusoidReference,   &kQuinticReference, &kLineReference,
    &kWaypointsReference,  &kExcitationReference, &kFileReference,    &kTaskLineReference,
    &kTaskCircleReference, &kTaskEightReference,  &kBodyReference,
};

internal::RowTable<ReferenceType>& TheTable() {
  static internal::RowTable<ReferenceType> table({std::begin(kTypes), std::end(kTypes)},
                                                 &ReferenceType::name, "type of reference");
  return table;
}

}  // namespace

std::vector<std::string> KeyNames(const ReferenceType& type) {
  ReferenceConfig config(type);
  std::vector<std::string> names;
  for (const internal::BoundKey& key : config.BindKeys()) {
    names.push_back(key.key.substr(key.key.find('.') + 1));
  }
  return names;
}

std::vector<const ReferenceType*> ReferenceTypes() { return TheTable().rows(); }

void RegisterReferenceType(const ReferenceType& type) { TheTable().Add(type); }

const ReferenceType* FindReferenceType(std::string_view name) {
  for (const ReferenceType* type : ReferenceTypes()) {
    if (type->name == name) return type;
  }
  return nullptr;
}

}  // namespace civita
