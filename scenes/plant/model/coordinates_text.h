#pragma once

#include <Eigen/Core>
#include <string>

#include "civita/coordinates.h"

namespace civita {

/// Where the null space of a task takes its basis without a configuration that a user gives: away
/// from the singular ones that home positions often are, nq numbers.
Eigen::VectorXd GenericPosition(const Model& model);

/// Coordinates of a text in the grammar of configs and flags:
///   body_twists | com_decoupled | mass_orthonormal | task:FRAME[:pose] | FILE.csv | FILE.yaml
/// FILE.csv is a constant A, a row for each number of v. FILE.yaml has `A`, a list of such rows
/// whose entries are numbers or formulas of q (Formula; PositionNames), optionally `Adot`, its rate
/// by formulas of q and v[0] … v[nv − 1], and `names` of the columns. Without `Adot` the rate is
/// taken by central differences of fourth order, to about 1e-10. A relative path is taken from
/// `directory`. The basis of task:FRAME is chosen at the configuration `q` (nq numbers). @throws
/// UserError with file, line and column for what cannot be read, for wrong shapes, and where Adot
/// is not the rate of A.
Coordinates ReadCoordinates(const std::string& text, const Model& model, const Eigen::VectorXd& q,
                            const std::string& directory = {});

}  // namespace civita
