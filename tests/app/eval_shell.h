#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <Eigen/Core>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/program.h"
#include "tests/scenes/read_all.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {

inline Eigen::VectorXd ToVector(const nlohmann::ordered_json& json) {
  const auto numbers = json.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

inline Eigen::MatrixXd ToMatrix(const nlohmann::ordered_json& json) {
  Eigen::MatrixXd m(json.size(), json.at(0).size());
  for (Eigen::Index i = 0; i < m.rows(); ++i) m.row(i) = ToVector(json[static_cast<size_t>(i)]);
  return m;
}

inline std::vector<double> ToList(const Eigen::VectorXd& x) { return {x.begin(), x.end()}; }

/// Result of a command.
struct ShellResult {
  int code = -1;
  std::string out, err;
};

/// A folder in which a shell runs commands that call `civita`.
class Shell {
 public:
  ShellResult Run(const std::string& command) const {
    const std::string streams = output_.path().string();
    const std::string script = "cd " + folder_.path().string() +
                               "; civita() { '" CIVITA_PROGRAM "' \"$@\"; }; { " + command +
                               "\n} >" + streams + "/out 2>" + streams + "/err";
    const int status = std::system(script.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(output_.path() / "out"),
            ReadAll(output_.path() / "err")};
  }
  /// Output of a command that must succeed.
  nlohmann::ordered_json Eval(const std::string& arguments) const {
    const ShellResult result = Run("civita eval " + arguments);
    EXPECT_EQ(result.code, kExitDone) << arguments << "\n" << result.err;
    return result.code == kExitDone ? nlohmann::ordered_json::parse(result.out)
                                    : nlohmann::ordered_json();
  }
  void Write(const std::string& name, const std::string& text) const { folder_.Write(name, text); }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::size_t CountFiles() const {
    const std::filesystem::directory_iterator begin(folder_.path());
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

 private:
  TemporaryFolder folder_, output_;
};

}  // namespace civita
