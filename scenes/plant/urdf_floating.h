#pragma once

#include "civita/scenes/plant/xml_text.h"

namespace civita::internal {

/// Hangs the links on `floating` joints whose parents are fixed to the world on the world itself,
/// at the same place: MuJoCo takes free joints nowhere else. The links and joints of `xml` are
/// trees (CheckUrdfTree).
void HangFloatingLinks(XmlText* xml);

}  // namespace civita::internal
