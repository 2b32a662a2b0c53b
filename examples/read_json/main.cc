// Reads a model that civita has written as JSON, by Model.save in Python or by
//   civita eval arm7 --quantities H --save-model arm7.json
// and prints H; written again, it is the same text.
#include <fstream>
#include <iostream>
#include <sstream>

#include "civita/error.h"
#include "civita/json/model_json.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: read_json MODEL.json\n";
    return 2;
  }
  std::ostringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  try {
    const civita::LoadedModel read = civita::ReadModelJson(text.str(), argv[1]);
    const civita::Model& model = read.model;
    civita::Workspace<double> workspace(model);
    Eigen::MatrixXd H(model.nv(), model.nv());
    civita::UpdateKinematics(model, model.DefaultPosition(), Eigen::VectorXd::Zero(model.nv()),
                             workspace);
    civita::CalcMassMatrix(model, workspace, H);
    std::cout << "H\n" << H << '\n';
    return civita::WriteModelJson(model, read.loops) == text.str() ? 0 : 1;
  } catch (const civita::UserError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
