// The doors under libFuzzer: CIVITA_DOOR=config civita_fuzz [libFuzzer's arguments]. Without the
// variable it lists them.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "civita/scenes/plant/model_file.h"
#include "tests/campaign/doors.h"

namespace {

const civita::Door* door = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("CIVITA_DOOR");
  for (const civita::Door& each : civita::Doors()) {
    if (name == nullptr) std::printf("%s\n", each.name.data());
    if (name != nullptr && each.name == name) door = &each;
  }
  if (door == nullptr) std::exit(name == nullptr ? 0 : 2);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    civita::Knock(*door, std::string(reinterpret_cast<const char*>(data), size));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "civita: %s: %s\n", door->name.data(), error.what());
    std::abort();
  }
  return 0;
}
