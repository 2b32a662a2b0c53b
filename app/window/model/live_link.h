#pragma once

#include <string>
#include <vector>

#include "app/line_server.h"

namespace civita {

/// The window's socket for other programs, see ServeLink.
struct LiveLink {
  LineServer server;
  /// Clients whose commands have not yet been executed, and what they will be answered.
  struct Pending {
    int client;
    std::string answer;
    int refused_before;  ///< commands that the session had refused when these were sent
  };
  std::vector<Pending> pending = {};
};

}  // namespace civita
