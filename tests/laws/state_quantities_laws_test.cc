// Every StateQuantity in the velocities of loops and of coordinates against that of the tree, by
// how it changes with v = A w, which is said here a second time.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <functional>
#include <map>
#include <string>

#include "civita/coordinates.h"
#include "civita/quantities.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/random_chain_laws.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace state_quantities_laws_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A space at a state, and its tree there.
struct Both {
  Both(const VelocitySpace& of, const VectorXd& q, const VectorXd& w)
      : space(of), tree(of.tree()), at(space), at_tree(tree) {
    EXPECT_TRUE(UpdateKinematics<double>(space, q, w, at).ok());
    EXPECT_TRUE(UpdateKinematics<double>(tree, q, at.tree().v(), at_tree).ok());
  }

  MatrixXd Calc(const StateQuantity& quantity, bool of_tree) {
    const int nw = of_tree ? tree.nw() : space.nw();
    const auto size = [nw](std::string_view of) {
      return of == "nv" ? nw : std::stoi(std::string(of));
    };
    const std::string_view shape = quantity.shape, times = " × ";
    const size_t cross = shape.find(times);
    const bool is_matrix = cross != std::string_view::npos;
    MatrixXd X(size(shape.substr(0, cross)),
               is_matrix ? size(shape.substr(cross + times.size())) : 1);
    quantity.calc(of_tree ? tree : space, of_tree ? at_tree : at, X);
    return X;
  }
  MatrixXd OfTree(const char* name) { return Calc(FindStateQuantity(name), true); }

  VelocitySpace space, tree;
  SpaceWorkspace<double> at, at_tree;
};

void Check(const VelocitySpace& space, const VectorXd& q, const VectorXd& w) {
  Both both(space, q, w);
  const MatrixXd A = both.at.map(space).A, Adot = both.at.map(space).Adot;
  const MatrixXd H = both.OfTree("H");
  using How = std::function<MatrixXd(const MatrixXd& X)>;
  const How invariant = [](const MatrixXd& X) { return X; };
  const How forces = [&](const MatrixXd& X) -> MatrixXd { return A.transpose() * X; };
  const How rows = [&](const MatrixXd& X) -> MatrixXd { return X * A; };
  const auto rate_of = [&](const char* J) -> How {
    return [&, J](const MatrixXd& X) -> MatrixXd { return X * A + both.OfTree(J) * Adot; };
  };
  const std::map<std::string_view, How> changes = {
      {"H", [&](const MatrixXd& X) -> MatrixXd { return A.transpose() * X * A; }},
      {"Hdot",
       [&](const MatrixXd& X) -> MatrixXd {
         const MatrixXd half = A.transpose() * H * Adot;
         return A.transpose() * X * A + half + half.transpose();
       }},
      {"Hinv",
       [&](const MatrixXd& X) -> MatrixXd { return (A.transpose() * X.inverse() * A).inverse(); }},
      {"g", forces},
      {"bias", [&](const MatrixXd& X) -> MatrixXd { return A.transpose() * (X + H * Adot * w); }},
      {"com", invariant},
      {"Jcom", rows},
      {"Jcomdot", rate_of("Jcom")},
      {"hG", invariant},
      {"AG", rows},
      {"AGdot", rate_of("AG")},
      {"kinetic", invariant},
      {"potential", invariant},
  };
  for (const StateQuantity& quantity : StateQuantities()) {
    SCOPED_TRACE(quantity.name);
    const auto how = changes.find(quantity.name);
    ASSERT_NE(how, changes.end()) << "say above how it changes";
    const MatrixXd expected = how->second(both.Calc(quantity, true));
    EXPECT_LE(RelativeError(both.Calc(quantity, false), expected), 1e-10);
  }
}

class StateQuantitiesLaws : public RandomChainLaws {};

TEST_P(StateQuantitiesLaws, OfLoops) { Check(model(), model().closed_start(), w_); }

TEST_P(StateQuantitiesLaws, OfCoordinates) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  for (const Coordinates& coordinates :
       {BodyTwistCoordinates(c.model), MassOrthonormalCoordinates(c.model)}) {
    SCOPED_TRACE(coordinates.text);
    Check({c.model, coordinates}, c.q, RandomVector(coordinates.nw(), &random));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StateQuantitiesLaws, testing::Range(0u, Seeds(20)));

}  // namespace state_quantities_laws_test
}  // namespace civita
