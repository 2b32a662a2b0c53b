#include <CLI/CLI.hpp>
#include <memory>

#include "app/verbs/geodesic/geodesic.h"

namespace civita {
namespace {

constexpr const char* kGeodesicAbout =
    "Follows a geodesic of a robot, H dv/dt + C(q,v) v = 0, its motion without gravity and forces, "
    "and carries vectors along it, H dw/dt + C(q,v) w = 0, by the connection of a factorization.";

constexpr const char* kGeodesicFooter = R"(
q, v and w are lists of numbers in MuJoCo's order and conventions, as for civita eval. All
factorizations have the same geodesics; admissible ones keep every inner product of carried vectors,
and differ by how they turn them. Closed loops are cut open; damping, dry friction and springs do
not count.

Examples:
  civita geodesic arm7
  civita geodesic arm7 --v 1,0.5,0,0,1,0,0 --duration 3 --factorization christoffel,t:1,t:-1
  civita geodesic point_mass --carry 0,1,0 --factorization joint:-1 --out spiral

The folder (--out) gets geodesic.json, curves.csv (or .json, .npz), plots.svg, and report.html that
holds figures and plots; files of the same names are replaced.
Exit codes: 0 done, 1 an invariant drifted by more than 1e-6 or the geodesic ends early, 2 bad
input, 130 interrupted (what was done is kept).
)";

}  // namespace

std::function<int()> AddGeodesic(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<GeodesicOptions>();
  command->description(kGeodesicAbout);
  command->footer(kGeodesicFooter);
  AddCarryOptions(command, &options->carry);
  command->add_option("--q", options->q, "start; default: the model's own configuration")
      ->type_name("Q");
  command->add_option("--v", options->v, "velocity at the start; default: 1 in each coordinate")
      ->type_name("V");
  command->add_option("--duration", options->duration_s, "time along the geodesic")
      ->type_name("SECONDS")
      ->capture_default_str();
  return [options] { return RunGeodesic(*options); };
}

}  // namespace civita
