#include "python/src/closed_chain_dynamics.h"

#include "civita/error.h"

namespace civita::python {
namespace {

const LoopClosures& ClosuresOf(const LoadedModel& loaded) {
  if (!loaded.closures_error.empty()) throw UserError("model: " + loaded.closures_error);
  if (loaded.closures.empty()) {
    throw UserError("model: " + loaded.source +
                    " has no closed loops and no coupled joints; Dynamics computes of open trees");
  }
  return loaded.closures;
}

ClosedChainOptions Checked(ClosedChainOptions options) {
  if (!(options.max_condition > 0)) throw UserError("max_condition: not positive");
  if (!(options.max_gap > 0)) throw UserError("max_gap: not positive");
  return options;
}

}  // namespace

ClosedChainDynamics::ClosedChainDynamics(std::shared_ptr<const LoadedModel> loaded,
                                         Factorization factorization, nb::object given,
                                         ClosedChainOptions options)
    : loaded_(std::move(loaded)),
      factorization_(std::move(factorization)),
      given_factorization_(std::move(given)),
      options_(Checked(std::move(options))),
      chain_(loaded_->model, ClosuresOf(*loaded_),
             {.independent = options_.independent,
              .start = options_.start,
              .max_condition = options_.max_condition}),
      workers_(options_.threads, chain_.nv(),
               [this] { return ClosedChainWorker(chain_, factorization_); }) {
  factorization_.Check(model());
}

void ClosedChainDynamics::Check(const LoopStatus& status, Index state) const {
  if (status.ok() && status.gap <= options_.max_gap) return;
  internal::MessageStream text;
  text << "state " << state << ": ";
  if (status.ok()) {
    text << "the loops are open by " << status.gap << ", more than max_gap = " << options_.max_gap
         << "; close(q) closes them";
  } else {
    text << Describe(chain_, status);
  }
  throw UserError(text.str());
}

}  // namespace civita::python
