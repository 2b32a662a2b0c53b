#include "python/src/dynamics.h"

#include <utility>

namespace civita::python {

Dynamics::Dynamics(std::shared_ptr<const LoadedModel> model, Factorization factorization,
                   nb::object given, int threads, std::string instruction_set)
    : model_(std::move(model)),
      factorization_(std::move(factorization)),
      given_factorization_(std::move(given)),
      instruction_set_(std::move(instruction_set)),
      workers_(threads, model_->model.nv(),
               [this] { return Worker(model_->model, factorization_, instruction_set_); }) {
  factorization_.Check(model_->model);
}

void Dynamics::MakeBatches(Index numbers) {
  while (batches_.size() < static_cast<std::size_t>(threads())) {
    batches_.push_back(std::make_unique<BatchDynamics>(model_->model, 1, instruction_set_));
  }
  scratch_.resize(batches_.size());
  for (std::vector<double>& each : scratch_) {
    if (const auto needed = static_cast<std::size_t>(kStatesAtOnce * numbers);
        each.size() < needed) {
      each.resize(needed);
    }
  }
}

}  // namespace civita::python
