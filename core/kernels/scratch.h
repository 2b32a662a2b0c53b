#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

class Model;

namespace kernels {

struct Kernels;
class Plan;

/// Where the kernels of one instruction set work for the models of one structure, sized once.
class Scratch {
 public:
  /// That of the plain algorithms: nothing.
  Scratch() = default;

  /// By name; empty stands for the environment variable CIVITA_INSTRUCTION_SET and, where that is
  /// not set, for the fastest. @throws UserError that lists InstructionSets() if it is none of
  /// them.
  Scratch(const Model& model, std::string_view instruction_set);

  /// nullptr: the plain algorithms serve.
  const Kernels* kernels() const { return kernels_; }
  const char* instruction_set() const;

  /// Takes the plan of another model of the structure. Allocates where that has none yet.
  void Use(const Model& model);
  /// That of the model used last.
  const Plan& plan() const { return *plan_; }

  double* memory();

  /// By slot, those of the base first, padded with zeros to whole blocks.
  std::vector<double> v, v_r, vdot_r, tau;
  std::vector<double> injections;  ///< of Torsion
  Eigen::MatrixXd C, H, D;  ///< by slot, where that is not the coordinates' order, else empty

 private:
  const Kernels* kernels_ = nullptr;
  const Plan* plan_ = nullptr;
  std::vector<double> memory_;
};

}  // namespace kernels
}  // namespace civita
