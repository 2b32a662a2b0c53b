#include "core/kernels/scratch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "civita/error.h"
#include "civita/model.h"
#include "civita/suggest.h"
#include "core/kernels/find_kernels.h"
#include "core/kernels/kernels.h"
#include "core/kernels/plan.h"

namespace civita {

std::vector<std::string> InstructionSets() {
  std::vector<std::string> names;
  for (const kernels::Kernels* each : kernels::AvailableKernels()) names.emplace_back(each->name);
  names.emplace_back("plain");
  return names;
}

namespace kernels {

namespace {

constexpr std::uintptr_t kAlignment = 64;  // bytes
/// Those that some machines have: where one is missing, its name is not misspelt.
constexpr std::array<std::string_view, 2> kKnown = {"avx2", "avx512"};

}  // namespace

const Kernels* FindKernels(std::string_view name) {
  std::string_view kind = "instruction set";
  if (name.empty()) {
    if (const char* wanted = std::getenv("CIVITA_INSTRUCTION_SET")) name = wanted;
    kind = "instruction set of CIVITA_INSTRUCTION_SET";
  }
  const auto all = AvailableKernels();
  if (name.empty()) return all.empty() ? nullptr : all.front();
  if (name == "plain") return nullptr;
  for (const Kernels* each : all) {
    if (name == each->name) return each;
  }
  const std::vector<std::string> valid = InstructionSets();
  if (std::ranges::find(kKnown, name) == kKnown.end()) {
    throw UserError(UnknownName(kind, name, valid));
  }
  std::string message = std::string(kind) + " '" + std::string(name) + "': this machine lacks it";
  for (const std::string& one : valid) message += (one == valid.front() ? "; valid: " : ", ") + one;
  throw UserError(message);
}

Scratch::Scratch(const Model& model, std::string_view instruction_set)
    : kernels_(FindKernels(instruction_set)) {
  if (kernels_ == nullptr) return;
  Use(model);
  const Plan& plan = *plan_;
  const size_t padded = size_t{kLanes} * static_cast<size_t>(plan.view().blocks);
  const size_t all = padded + static_cast<size_t>(plan.view().base);
  for (std::vector<double>* each : {&v, &v_r, &vdot_r, &tau}) each->assign(all, 0);
  injections.assign(kInjectionNumbers * padded, 0);
  if (!plan.identity_order()) C = H = D = Eigen::MatrixXd::Zero(model.nv(), model.nv());
  memory_.assign(kernels_->memory_numbers(plan.view()) + kAlignment / sizeof(double), 0);
}

void Scratch::Use(const Model& model) {
  if (kernels_ != nullptr) plan_ = &PlanOf(model);
}

const char* Scratch::instruction_set() const {
  return kernels_ == nullptr ? "plain" : kernels_->name;
}

double* Scratch::memory() {
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  return memory_.data() + (kAlignment - address % kAlignment) % kAlignment / sizeof(double);
}

}  // namespace kernels
}  // namespace civita
