#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/window/model/tuning.h"

namespace civita {

/// Profiles: named settings of a law, each a small YAML file folder/profiles/LAW/NAME.yaml with
/// `gains` and `factorization` as in a config.

/// Names of a law's profiles, sorted; none where there is no such folder.
std::vector<std::string> ListProfiles(const std::filesystem::path& folder, const LawInfo& law);

/// @throws UserError where the name cannot be a file's or the file cannot be written.
void SaveProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                 const Tuning& tuning);

/// A profile's tuning for a model: gains that it does not name are those of `present`. @throws
/// UserError naming the file where it is broken or made for another number of coordinates.
Tuning LoadProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                   const Tuning& present, const Model& model);

}  // namespace civita
