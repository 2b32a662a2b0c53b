#include <CLI/CLI.hpp>
#include <memory>

#include "app/verbs/options.h"
#include "app/verbs/transport/transport.h"

namespace civita {
namespace {

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

}  // namespace

std::function<int()> AddTransport(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<TransportOptions>();
  command->description(kTransportAbout);
  command->footer(kTransportFooter);
  AddCarryOptions(command, &options->carry);
  CLI::Option* along =
      command->add_option("--along", options->along, "a run's folder, or a CSV file of a motion")
          ->type_name("DIR|FILE");
  CLI::Option* waypoints = AddRepeatable(command, "--waypoint", "Q",
                                         "a configuration to go through", &options->waypoints)
                               ->excludes(along);
  command->add_flag("--loop", options->loop, "go back to the first waypoint")->needs(waypoints);
  return [options] { return RunTransport(*options); };
}

}  // namespace civita
