#pragma once

#include <string>
#include <vector>

#include "civita/constraint.h"

// Which bodies and coordinates the rows of constraints are of.

namespace civita::internal {

/// Path from the last common ancestor of the two ends of a constraint to one of them.
struct Leg {
  Model::NamedFrame end;  ///< at the constraint's point, with its axes
  std::vector<int> path;  ///< bodies after the common ancestor, outwards
};

struct RigidRows {
  int row = 0;  ///< first of three or six rows
  Leg A, B;
  bool fixes_rotation = false;
};

struct JointRow {
  int row = 0;
  int iq = 0, iv = 0;
  int leader_iq = -1, leader_iv = -1;
  JointConstraint of = {};
};

/// Rows of constraints, those of joints last.
struct ConstraintRows {
  std::vector<RigidRows> rigid;
  std::vector<JointRow> joints;

  /// Numbers the rows from 0. @returns how many there are.
  int Number();
};

/// The rows, not numbered yet, of a constraint, which is checked; `kind` is what messages call it.
/// @throws UserError and ContractError as CheckConstraint does.
RigidRows RowsOf(const Model& model, const RigidConstraint& constraint, const std::string& kind);
JointRow RowsOf(const Model& model, const JointConstraint& constraint, const std::string& kind);

}  // namespace civita::internal
