#include "civita/describe.h"

#include <iomanip>

#include "civita/error.h"

namespace civita {

std::string Describe(const Model& model) {
  internal::MessageStream out;
  out << model.num_bodies() << " bodies, nq = " << model.nq() << ", nv = " << model.nv() << '\n';
  for (const Model::Body& body : model.bodies()) {
    const std::string parent =
        body.parent < 0 ? "world" : model.bodies()[static_cast<size_t>(body.parent)].name;
    out << std::left << std::setw(20) << body.name << " on " << std::setw(20) << parent << ' '
        << std::setw(8) << ToString(body.joint) << " q[" << body.iq << "] v[" << body.iv << "] "
        << body.mass.mass << " kg\n";
  }
  return out.str();
}

}  // namespace civita
