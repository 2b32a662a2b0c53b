#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "app/verbs/geodesic/carry.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"

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

constexpr const char* kTransportAbout =
    "Carries vectors along a motion of a robot, H dw/dt + C(q,v) w = 0, by the connections of "
    "factorizations, and around a loop: the holonomy.";

constexpr const char* kTransportFooter = R"(
The motion is that of a run (--along DIR of civita run --out DIR), of a CSV file with columns t and
q, as the reference type file reads it, or it goes through waypoints; smoothly between rows and
waypoints. Times do not matter, only the path. q and w are lists of numbers in MuJoCo's order and conventions, as for
civita eval. If the motion ends where it began, whole turns of hinges aside, the frame comes back
turned: W(end) = W(0) R. R is told by its angle in each of its planes.

Examples:
  civita run arm7 --headless --out figure8 && civita transport arm7 --along figure8
  civita transport planar_2r --waypoint 0,0.5 --waypoint 1,0.5 --waypoint 1,1.5 --loop
  civita transport ball_arm --along run --factorization christoffel,t:1,t:-1 --out turned

The folder (--out) gets transport.json, curves.csv (or .json, .npz), plots.svg, and report.html that
holds figures and plots; files of the same names are replaced.
Exit codes: 0 done, 1 an inner product drifted by more than 1e-6, 2 bad input, 130 interrupted (what
was done is kept).
)";

/// MODEL, --factorization, --carry, --step, --base, --out and --format.
std::shared_ptr<CarryOptions> AddCarryOptions(CLI::App* command) {
  const auto options = std::make_shared<CarryOptions>();
  options->verb = command->get_name();
  AddModel(command, &options->model);
  AddValue(command, "--factorization", "FORM,…", "whose connection; several are put side by side",
           &options->factorizations)
      ->capture_default_str();
  AddRepeatable(command, "--carry", "W",
                "a vector to carry, nv numbers as v; default: a frame that is orthonormal in H",
                &options->carry);
  AddValue(command, "--step", "SECONDS", "longest step of the integration, s", &options->step_s)
      ->capture_default_str();
  AddBase(command, &options->base);
  AddOutDirectory(command, "write the files into DIR", &options->out);
  AddChoice(command, "--format", "of the curves in the folder", {"csv", "json", "npz"},
            &options->format);
  return options;
}

}  // namespace

std::function<int()> AddGeodesic(CLI::App* command, const Registry& /*registry*/) {
  command->description(kGeodesicAbout);
  command->footer(kGeodesicFooter);
  const std::shared_ptr<CarryOptions> options = AddCarryOptions(command);
  AddValue(command, "--q", "Q", "start; default: the model's own configuration", &options->q);
  AddValue(command, "--v", "V", "velocity at the start; default: 1 in each coordinate",
           &options->v);
  AddValue(command, "--duration", "SECONDS", "time along the geodesic", &options->duration_s)
      ->capture_default_str();
  return [options] { return RunCarry(*options); };
}

std::function<int()> AddTransport(CLI::App* command, const Registry& /*registry*/) {
  command->description(kTransportAbout);
  command->footer(kTransportFooter);
  const std::shared_ptr<CarryOptions> options = AddCarryOptions(command);
  CLI::Option* along = AddValue(command, "--along", "DIR|FILE",
                                "a run's folder, or a CSV file of a motion", &options->along);
  CLI::Option* waypoints = AddRepeatable(command, "--waypoint", "Q",
                                         "a configuration to go through", &options->waypoints)
                               ->excludes(along);
  command->add_flag("--loop", options->loop, "go back to the first waypoint")->needs(waypoints);
  return [options] { return RunCarry(*options); };
}

}  // namespace civita
