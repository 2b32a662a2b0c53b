#include "python/src/bind/dynamics.h"

#include <utility>

#include "civita/error.h"
#include "civita/scenes/plant/coordinates_text.h"

namespace civita::python {
namespace {

VelocitySpace SpaceOf(const LoadedModel& loaded, const DynamicsOptions& options) {
  const bool has_coordinates = !options.coordinates.empty();
  if (options.loops && has_coordinates) {
    throw UserError("coordinates: not with loops, which have velocities of their own");
  }
  if (!(options.max_condition > 0)) throw UserError("max_condition: not positive");
  if (!(options.max_gap > 0)) throw UserError("max_gap: not positive");
  if (!options.independent.empty() && !options.loops) {
    throw UserError("independent: of loops alone, with loops=True");
  }
  const Model& model = loaded.model;
  if (has_coordinates) {
    const Eigen::VectorXd q = options.start.size() > 0 ? options.start : GenericPosition(model);
    return {model, ReadCoordinates(options.coordinates, model, q)};
  }
  if (!options.loops) return model;
  if (!loaded.loops_error.empty()) throw UserError("model: " + loaded.loops_error);
  if (loaded.loops.empty()) {
    throw UserError("loops: " + loaded.source + " has no closed loops and no coupled joints");
  }
  return {model,
          loaded.loops,
          {.independent = options.independent,
           .start = options.start,
           .max_condition = options.max_condition}};
}

}  // namespace

Dynamics::Dynamics(std::shared_ptr<const LoadedModel> model, Factorization factorization,
                   nb::object given, DynamicsOptions options)
    : model_(std::move(model)),
      factorization_(std::move(factorization)),
      given_factorization_(std::move(given)),
      options_(std::move(options)),
      space_(SpaceOf(*model_, options_)),
      workers_(options_.threads, model_->model.nv(),
               [this] { return Worker(space_, factorization_, options_.instruction_set); }) {
  factorization_.Check(model_->model);
}

void Dynamics::Check(const Status& status, Index state) const {
  if (status.ok() && status.residual <= options_.max_gap) return;
  internal::MessageStream text;
  text << "state " << state << ": ";
  if (status.ok()) {
    text << "the loops are open by " << status.residual
         << ", more than max_gap = " << options_.max_gap << "; close(q) closes them";
  } else {
    text << Describe(space_, status);
  }
  throw UserError(text.str());
}

void Dynamics::RequireTree(const char* method, const char* why) const {
  if (space_.is_tree()) return;
  throw UserError(std::string(method) + ": of the velocities of a tree alone, as " + why);
}

void Dynamics::MakeBatches(Index numbers) {
  while (batches_.size() < static_cast<std::size_t>(threads())) {
    batches_.push_back(std::make_unique<BatchDynamics>(model_->model, 1, options_.instruction_set));
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
