#pragma once

#include <vector>

#include "civita/model.h"

namespace civita::internal {

/// Numbers of a joint's or tendon's properties by name, for all that reads and writes them as text.
struct PropertyRow {
  const char* name;  ///< that of the member
  double* numbers;
  int size;         ///< 1: a number, else a list of so many
  const char* doc;  ///< with the unit
};

/// All but the names, terms and spring_pose. The rows refer to the argument.
std::vector<PropertyRow> PropertyRows(JointProperties& joint);
std::vector<PropertyRow> PropertyRows(TendonProperties& tendon);

}  // namespace civita::internal
