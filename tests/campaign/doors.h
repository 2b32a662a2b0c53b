#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// A way by which text or a file of a user enters the program.
struct Door {
  std::string_view name;
  void (*open)(const std::string& input);  ///< reads the input and uses what was read
};

/// All doors, in the order of the table.
std::span<const Door> Doors();

/// The door's files in tests/campaign/corpus, by name.
std::vector<std::string> CorpusOf(const Door& door);

/// Throws Misbehaviour unless the input is accepted, or refused by a UserError with a message.
void Knock(const Door& door, const std::string& input);

/// What a door did wrong.
class Misbehaviour : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace civita
