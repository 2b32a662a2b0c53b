#include "civita/scenes/motion/reference_config.h"

#include "civita/scenes/motion/reference_types.h"

namespace civita {
namespace {

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
