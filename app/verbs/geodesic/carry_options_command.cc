#include <CLI/CLI.hpp>

#include "app/verbs/geodesic/carry_options.h"
#include "app/verbs/options.h"

namespace civita {

void AddCarryOptions(CLI::App* command, CarryOptions* options) {
  AddModel(command, &options->model);
  command
      ->add_option("--factorization", options->factorizations,
                   "whose connection; several are put side by side")
      ->type_name("FORM,…")
      ->capture_default_str();
  AddRepeatable(command, "--carry", "W",
                "a vector to carry, nv numbers as v; default: a frame that is orthonormal in H",
                &options->carry);
  command->add_option("--step", options->step_s, "longest step of the integration, s")
      ->type_name("SECONDS")
      ->capture_default_str();
  AddBase(command, &options->base);
  AddOutDirectory(command, "write the files into DIR", &options->out);
  command->add_option("--format", options->format, "of the curves in the folder")
      ->type_name("csv|json|npz")
      ->capture_default_str();
}

}  // namespace civita
