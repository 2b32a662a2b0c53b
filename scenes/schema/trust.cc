#include "civita/scenes/schema/trust.h"

#include <atomic>
#include <string>

#include "civita/error.h"

namespace civita {
namespace {

std::atomic<bool> trusts_configs = false;

}  // namespace

void TrustConfigs(bool trusts) { trusts_configs = trusts; }
bool TrustsConfigs() { return trusts_configs; }

void internal::CheckTrust(std::string_view key, const YamlValue& value, std::string_view code) {
  if (TrustsConfigs() || value.file.empty()) return;
  throw UserError(value.where + ": " + std::string(key) + ": " + std::string(code) +
                  " is code, which would run with your rights; configs may name code only with "
                  "--trust");
}

}  // namespace civita
