#include "civita/scenes/schema/trust.h"

#include <atomic>
#include <string>

#include "civita/error.h"

namespace civita {
namespace {

std::atomic<bool> trusts_configs = false;
thread_local bool trusts_overrides = true;

}  // namespace

void TrustConfigs(bool trusts) { trusts_configs = trusts; }
bool TrustsConfigs() { return trusts_configs; }
void TrustOverrides(bool trusts) { trusts_overrides = trusts; }

void internal::CheckTrust(std::string_view key, const YamlValue& value, std::string_view code) {
  const bool is_override = value.file.empty();
  if (trusts_configs || (is_override && trusts_overrides)) return;
  throw UserError(value.where + ": " + std::string(key) + ": " + std::string(code) +
                  " is code, which would run with your rights; files may name code only with "
                  "--trust");
}

}  // namespace civita
