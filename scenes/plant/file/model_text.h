#pragma once

#include "base/read_file.h"
#include "civita/scenes/plant/xml_text.h"

namespace civita::internal {

/// What a model may hold at most, beside kMostBodies and kMostElements: copies that an element
/// makes, and other elements made by elements, for MuJoCo's compiler takes a time that grows with
/// the square of their numbers; numbers that an element has memory for; steps of the integration
/// that finds the range of an actuator's length.
inline constexpr int kMostCopies = 10'000;
inline constexpr int kMostCopied = 20'000;
inline constexpr int kMostNumbers = 50'000'000;
inline constexpr int kMostSteps = 1'000'000;

/// Refuses a model that MuJoCo's compiler, which cannot be interrupted, would work at for minutes
/// or would end the program for; reads the files that it includes and attaches, too. @throws
/// UserError with file and line.
void CheckResources(const XmlText& xml);

}  // namespace civita::internal
