#include <CLI/CLI.hpp>

#include "app/verbs/geodesic/carry_options.h"
#include "app/verbs/options.h"

namespace civita {

void AddCarryOptions(CLI::App* command, CarryOptions* options) {
  command
      ->add_option("model", options->model,
                   "a scene, a config, a chain of screws (.yaml), an MJCF or a URDF file")
      ->type_name("MODEL")
      ->required();
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
  command
      ->add_option("--base", options->base,
                   "free: the base, fixed in the file, gets a free joint root_joint")
      ->type_name("fixed|free")
      ->capture_default_str();
  AddOutDirectory(command, "write the files into DIR", &options->out);
  command->add_option("--format", options->format, "of the curves in the folder")
      ->type_name("csv|json|npz")
      ->capture_default_str();
}

}  // namespace civita
