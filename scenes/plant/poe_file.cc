#include "civita/scenes/plant/poe_file.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/plant/poe_spec.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

std::vector<double> ReadRow(const YamlValue& value, const std::string& key, size_t length) {
  std::vector<double> row = internal::ReadNumbers(value, key, NumberRange::kAny, false);
  if (row.size() != length) {
    throw UserError(value.where + ": " + key + " has " + internal::Count(row.size(), "number") +
                    ", must have " + std::to_string(length));
  }
  return row;
}

const YamlValue& CheckIsList(const YamlValue& value, const std::string& key, const char* what) {
  if (value.kind == YamlValue::Kind::kList) return value;
  throw UserError(value.where + ": " + key + " must be " + what + ", not " + value.Describe());
}

template <int n>
Eigen::Matrix<double, n, n> ReadMatrix(const YamlValue& value, const std::string& key) {
  const std::string wanted = std::to_string(n) + " rows of " + std::to_string(n) + " numbers";
  CheckIsList(value, key, wanted.c_str());
  if (value.items.size() != n) {
    throw UserError(value.where + ": " + key + " has " +
                    internal::Count(value.items.size(), "row") + ", must have " + wanted);
  }
  Eigen::Matrix<double, n, n> matrix;
  for (size_t i = 0; i < n; ++i) {
    const std::vector<double> row = ReadRow(value.items[i], key + "[" + std::to_string(i) + "]", n);
    matrix.row(static_cast<int>(i)) = Eigen::Map<const Eigen::RowVector<double, n>>(row.data());
  }
  return matrix;
}

Matrix6<double> ReadInertia(const YamlValue& value, const std::string& key) {
  CheckIsList(value, key, "the diagonal's 6 numbers or 6 rows of 6 numbers");
  const bool rows = !value.items.empty() && value.items[0].kind == YamlValue::Kind::kList;
  if (rows) return ReadMatrix<6>(value, key);
  return Vector6<double>(ReadRow(value, key, 6).data()).asDiagonal();
}

/// Calls `read(item, "M_list[0]", 0)` for every entry of a list in the file.
template <typename Read>
void ForEachEntry(const YamlValue& root, const std::string& key, Read read) {
  const YamlValue* list = root.Find(key);
  if (list == nullptr) throw UserError(root.where + ": lacks the key '" + key + "'");
  CheckIsList(*list, key, "a list");
  for (size_t i = 0; i < list->items.size(); ++i) {
    read(list->items[i], key + "[" + std::to_string(i) + "]", static_cast<int>(i));
  }
}

poe::Lists ReadLists(const YamlValue& root) {
  internal::CheckKeys(root, {"M_list", "G_list", "S_list", "gravity"});
  poe::Lists lists;
  ForEachEntry(root, "M_list", [&](const YamlValue& value, const std::string& key, int) {
    lists.M_list.push_back(ReadMatrix<4>(value, key));
  });
  ForEachEntry(root, "G_list", [&](const YamlValue& value, const std::string& key, int) {
    lists.G_list.push_back(ReadInertia(value, key));
  });
  ForEachEntry(root, "S_list", [&](const YamlValue& value, const std::string& key, int i) {
    lists.S_list.conservativeResize(6, i + 1);
    lists.S_list.col(i) = Vector6<double>(ReadRow(value, key, 6).data());
  });
  return lists;
}

/// Calls `use` with the chain. Errors get the place in the file.
template <typename Use>
auto WithRobot(const YamlValue& root, Use use) {
  const poe::Lists lists = ReadLists(root);
  Eigen::Vector3d gravity(0, 0, -9.81);
  if (const YamlValue* value = root.Find("gravity")) {
    gravity = Eigen::Vector3d(ReadRow(*value, "gravity", 3).data());
  }
  try {
    return use(poe::Robot(lists, gravity));
  } catch (const poe::ListError& error) {
    throw UserError(root.Find(error.list)->items[error.entry].where + ": " + error.what());
  } catch (const UserError& error) {
    throw UserError(root.Find("S_list")->where + ": " + error.what());
  }
}

bool IsChain(const YamlValue& root) {
  return root.Find("M_list") != nullptr || root.Find("G_list") != nullptr ||
         root.Find("S_list") != nullptr;
}

}  // namespace

bool IsPoeFile(const std::filesystem::path& file) { return IsChain(ReadYaml(file.string())); }

std::optional<poe::Robot> ReadPoeFile(const std::filesystem::path& file) {
  const YamlValue root = ReadYaml(file.string());
  if (!IsChain(root)) return std::nullopt;
  return WithRobot(root, [](const poe::Robot& robot) { return robot; });
}

SpecPtr ReadPoeSpec(const std::filesystem::path& file, std::vector<std::string>* notices) {
  const YamlValue root = ReadYaml(file.string());
  if (!IsChain(root)) {
    throw UserError(file.string() +
                    ": is no product of exponentials: lacks M_list, G_list and S_list");
  }
  return WithRobot(root, [&](const poe::Robot& robot) { return MakePoeSpec(robot, notices); });
}

}  // namespace civita
