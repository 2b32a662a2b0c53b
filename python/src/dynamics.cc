#include "python/src/dynamics.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "civita/error.h"

namespace civita::python {
namespace {

/// More would take memory and gain nothing.
int MostThreads() {
  constexpr int kPerCore = 4;
  return kPerCore * std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

Dynamics::Dynamics(std::shared_ptr<const LoadedModel> model, Factorization factorization,
                   nb::object given, int threads, std::string instruction_set)
    : model_(std::move(model)),
      factorization_(std::move(factorization)),
      given_factorization_(std::move(given)),
      threads_(std::min(threads, MostThreads())),
      instruction_set_(std::move(instruction_set)) {
  if (threads_ < 1) throw UserError("threads: " + std::to_string(threads_) + "; at least 1");
  factorization_.Check(model_->model);
  workers_.emplace_back(model_->model, factorization_, instruction_set_);
}

void Dynamics::MakeThreads(Index numbers) {
  if (!pool_) {
    auto pool = std::make_unique<internal::WorkerPool>(threads_);
    for (int i = 1; i < threads_; ++i) {
      workers_.emplace_back(model_->model, factorization_, instruction_set_);
    }
    for (int i = 0; i < threads_; ++i) {
      batches_.push_back(std::make_unique<BatchDynamics>(model_->model, 1, instruction_set_));
    }
    scratch_.resize(batches_.size());
    pool_ = std::move(pool);
  }
  for (std::vector<double>& each : scratch_) {
    if (const auto needed = static_cast<std::size_t>(kChunk * numbers); each.size() < needed) {
      each.resize(needed);
    }
  }
}

}  // namespace civita::python
