#include "civita/scenes/motion/reference_types.h"

#include <iterator>
#include <string>

#include "base/row_table.h"
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

std::vector<std::string> TypeNames() {
  std::vector<std::string> names;
  for (const ReferenceType* type : ReferenceTypes()) names.emplace_back(type->name);
  return names;
}

constexpr KeyRow<ReferenceConfig> kReferenceKeys[] = {
    {"type",
     NamedMember<ReferenceConfig>{
         TypeNames, [](const ReferenceConfig& r) { return std::string(r.type().name); },
         [](ReferenceConfig& r, const std::string& name) {
           r = ReferenceConfig(*FindReferenceType(name));
         }},
     "", "desired motion"},
};

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

ReferenceConfig::ReferenceConfig() : ReferenceConfig(*FindReferenceType("sinusoid")) {}

ReferenceConfig::ReferenceConfig(const ReferenceType& type)
    : type_(&type), keys_(type.defaults()) {}

std::vector<internal::BoundKey> ReferenceConfig::BindKeys() { return type_->bind(keys_); }

std::vector<double> ReferenceConfig::Numbers(std::string_view key) const {
  ReferenceConfig copy = *this;  // bound only for reading
  for (const internal::BoundKey& row : copy.BindKeys()) {
    if (row.key != "reference." + std::string(key)) continue;
    if (const auto* all = std::get_if<internal::OneOrAllRef>(&row.value)) return *all->numbers;
    if (const auto* list = std::get_if<std::vector<double>*>(&row.value)) return **list;
    if (const auto* number = std::get_if<double*>(&row.value)) return {**number};
  }
  return {};
}

const MovedFrame* ReferenceConfig::moved_frame() const {
  return type_->moved_frame == nullptr ? nullptr : type_->moved_frame(keys_);
}

std::unique_ptr<Reference> ReferenceConfig::Make(const MotionContext& context) {
  return type_->make(keys_, context);
}

std::span<const KeyRow<ReferenceConfig>> ReferenceKeys() { return kReferenceKeys; }

}  // namespace civita
