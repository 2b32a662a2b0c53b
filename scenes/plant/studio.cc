#include "civita/scenes/plant/studio.h"

#include <array>
#include <string>

#include "civita/error.h"
#include "civita/scenes/scene_list.h"

namespace civita {

SpecPtr ParseStudio() {
  const std::string file = (DataDirectory() / "scenes/common/studio.xml").string();
  std::array<char, 1000> error{};
  SpecPtr studio(mj_parseXMLString(("<mujoco><include file=\"" + file + "\"/></mujoco>").c_str(),
                                   nullptr, error.data(), static_cast<int>(error.size())));
  if (!studio) throw UserError(file + ": " + error.data());
  return studio;
}

}  // namespace civita
