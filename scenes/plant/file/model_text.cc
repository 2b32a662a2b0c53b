#include "civita/scenes/plant/model_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/read_file.h"
#include "base/text.h"

namespace civita::internal {
namespace {

namespace fs = std::filesystem;

/// Attributes by which one element takes memory or time.
struct SizeLimit {
  std::string_view element;  ///< "": every one
  double most;
  const char* attributes[8];
};

constexpr SizeLimit kSizes[] = {
    {"size",
     1e4,
     {"nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam", "nuser_tendon",
      "nuser_actuator", "nuser_sensor"}},
    {"size", kMostNumbers, {"nuserdata"}},
    {"size", 1e4, {"nkey"}},
    {"size", 1e6, {"njmax", "nconmax"}},
    {"size", 1e9, {"nstack"}},
    {"numeric", kMostNumbers, {"size"}},
    {"user", kMostNumbers, {"dim"}},
    {"contact", 1e6, {"num"}},
    {"", 1e6, {"nsample", "actdim", "maxhullvert"}},
    {"quality", 32768, {"shadowsize"}},
    {"quality", 64, {"offsamples"}},
    {"quality", 1000, {"numslices", "numstacks", "numquads"}},
    {"global", 32768, {"offwidth", "offheight"}},
    {"option", 1e6, {"iterations", "ls_iterations", "noslip_iterations", "ccd_iterations"}},
    {"option", 1e4, {"sdf_iterations", "sdf_initpoints"}},
};

/// What a model holds, each copy counted.
struct Contents {
  double bodies = 0, elements = 0;
  double copied = 0;  ///< elements that <replicate> and <flexcomp> make
};

class ResourceCheck {
 public:
  Contents Check(const XmlText& xml) {
    const fs::path file = Canonical(xml.file());
    if (const auto known = known_.find(file); known != known_.end()) return known->second;
    open_.push_back(file);
    Model model;
    if (xml.root().name() == std::string_view("robot")) {
      for (pugi::xml_node link : xml.root().children("link")) Add({1, 1, 0}, xml, link, &model);
    } else {
      Walk(xml, xml.root(), 1, 0, &model);
    }
    open_.pop_back();
    return known_[file] = model.contents;
  }

 private:
  struct Model {
    Contents contents;
    std::set<fs::path> included;
    std::map<std::string, Contents> attached;  ///< by the name of <model>
  };

  static fs::path Canonical(const fs::path& file) {
    std::error_code ignored;
    const fs::path path = fs::weakly_canonical(file, ignored);
    return path.empty() ? file : path;
  }

  void Walk(const XmlText& xml, pugi::xml_node parent, double copies, int depth, Model* model) {
    // Of included files, too.
    if (depth > XmlText::kDeepest) xml.RefuseNesting(parent);
    for (pugi::xml_node node : parent.children()) {
      if (node.type() == pugi::node_element) Visit(xml, node, copies, depth, model);
    }
  }

  void Visit(const XmlText& xml, pugi::xml_node node, double copies, int depth, Model* model) {
    const std::string_view name = node.name();
    CheckSizes(xml, node);
    if (name == "replicate") {
      copies = Copies(xml, node, copies * Product(node, "count"));
    } else if (name == "flexcomp") {
      AddFlex(xml, node, copies, model);
    } else if (name == "body") {
      Add({copies, copies, copies > 1 ? copies : 0}, xml, node, model);
    } else if (name == "include") {
      Include(xml, node, copies, depth, model);
    } else if (name == "model") {
      Attachable(xml, node, model);
    } else if (name == "attach") {
      const Contents& sub = model->attached[node.attribute("model").value()];
      Add({copies * sub.bodies, copies * sub.elements, copies * sub.copied}, xml, node, model);
    } else if (name == "mesh") {
      CheckMesh(xml, node);
    } else if (name == "lengthrange") {
      CheckLengthRange(xml, node);
    } else {
      Add({0, copies, copies > 1 ? copies : 0}, xml, node, model);
    }
    Walk(xml, node, copies, depth + 1, model);
  }

  // The numbers of an attribute, multiplied; 1 without it.
  static double Product(pugi::xml_node node, const char* name) {
    double product = 1;
    const auto numbers = ReadNumbers(node.attribute(name).value());
    for (const double number : numbers.value_or(std::vector<double>{})) {
      product *= std::max(number, 1.0);
    }
    return product;
  }

  static double Copies(const XmlText& xml, pugi::xml_node node, double copies) {
    if (copies <= kMostCopies) return copies;
    xml.Refuse(node, "<" + std::string(node.name()) + "> makes more than " +
                         std::to_string(kMostCopies) + " copies");
  }

  // Each point is a body, unless few bodies move them all.
  static void AddFlex(const XmlText& xml, pugi::xml_node node, double copies, Model* model) {
    const std::string_view dof = node.attribute("dof").value(),
                           rigid = node.attribute("rigid").value();
    const double points = copies * Product(node, "count");
    if (rigid == "true" || dof == "trilinear" || dof == "quadratic") {
      Add({copies, points, 0}, xml, node, model);
    } else {
      Copies(xml, node, points);
      Add({points, points, points}, xml, node, model);
    }
  }

  static void Add(const Contents& more, const XmlText& xml, pugi::xml_node node, Model* model) {
    model->contents.bodies += more.bodies;
    model->contents.elements += more.elements;
    model->contents.copied += more.copied;
    const auto check = [&](double count, int most, const std::string& what) {
      if (count <= most) return;
      xml.Refuse(node, "with this <" + std::string(node.name()) + "> the model has more than " +
                           std::to_string(most) + what +
                           ", with which MuJoCo's compiler takes too long");
    };
    check(model->contents.bodies, kMostBodies, " bodies");
    check(model->contents.copied, kMostCopied, " elements that others make");
    check(model->contents.elements, kMostElements, " elements");
  }

  void Include(const XmlText& xml, pugi::xml_node node, double copies, int depth, Model* model) {
    const std::string name = node.attribute("file").value();
    for (const fs::path& folder : {xml.file().parent_path(), open_.back().parent_path()}) {
      const fs::path file = folder / name;
      std::error_code ignored;
      if (name.empty() || !fs::is_regular_file(file, ignored)) continue;
      if (!model->included.insert(Canonical(file)).second) return;  // MuJoCo refuses it
      const XmlText included(file, ReadFile(file.string()));
      Walk(included, included.root(), copies, depth, model);
      return;
    }
  }

  // MuJoCo reads the file even if nothing attaches it.
  void Attachable(const XmlText& xml, pugi::xml_node node, Model* model) {
    const std::string file_name = node.attribute("file").value();
    const fs::path file = xml.file().parent_path() / file_name;
    std::error_code ignored;
    if (file_name.empty() || !fs::is_regular_file(file, ignored)) return;
    if (std::ranges::find(open_, Canonical(file)) != open_.end()) {
      xml.Refuse(node,
                 "the model attaches itself" +
                     (open_.size() > 1 ? " by way of " + xml.file().filename().string() : "") +
                     ", <model file=\"" + file_name + "\">");
    }
    const XmlText attached(file, ReadFile(file.string()));
    const Contents contents = Check(attached);
    const std::string own = attached.root().attribute("model").value();
    const std::string name = node.attribute("name").value();
    model->attached[name.empty() ? own : name] = contents;
  }

  static void CheckSizes(const XmlText& xml, pugi::xml_node node) {
    const std::string_view name = node.name();
    for (const SizeLimit& size : kSizes) {
      if (!size.element.empty() && size.element != name) continue;
      for (const char* attribute : size.attributes) {
        if (attribute != nullptr) CheckProduct(xml, node, {attribute}, size.most);
      }
    }
    if (name == "hfield") CheckProduct(xml, node, {"nrow", "ncol"}, kMostNumbers);
    if (name == "texture")
      CheckProduct(xml, node, {"width", "height", "nchannel"}, 6.0 * kMostNumbers);
    if (name == "flexcomp") CheckProduct(xml, node, {"cellcount"}, kMostCopies);
    if (name == "size") CheckMemory(xml, node);
  }

  // Refuses attributes whose numbers, multiplied, are more than `most`.
  static void CheckProduct(const XmlText& xml, pugi::xml_node node,
                           std::initializer_list<const char*> attributes, double most) {
    double product = 1;
    std::string told;
    for (const char* attribute : attributes) {
      if (!node.attribute(attribute)) continue;
      product *= Product(node, attribute);
      told += (told.empty() ? "" : " ") + std::string(attribute) + "=\"" +
              node.attribute(attribute).value() + "\"";
    }
    if (product <= most) return;
    xml.Refuse(node, "<" + std::string(node.name()) + " " + told + "> is too large; at most " +
                         std::to_string(std::llround(most)) +
                         (attributes.size() > 1 ? " together" : ""));
  }

  // "500M": a number with K, M, G, T, P or E.
  static void CheckMemory(const XmlText& xml, pugi::xml_node node) {
    constexpr double kMost = 64.0 * (1 << 30);
    std::string text = node.attribute("memory").value();
    if (text.empty()) return;
    constexpr std::string_view kUnits = "KMGTPE";
    const char last = static_cast<char>(std::toupper(static_cast<unsigned char>(text.back())));
    const std::size_t unit = kUnits.find(last);
    if (unit != kUnits.npos) text.pop_back();
    const auto number = ReadNumbers(text);
    if (!number || number->size() != 1) return;
    const double bytes =
        number->front() * (unit == kUnits.npos ? 1 : std::pow(1024, double(unit + 1)));
    if (bytes <= kMost) return;
    xml.Refuse(node, "<size memory=\"" + std::string(node.attribute("memory").value()) +
                         "\"> is too large; at most 64G");
  }

  // The first numbers of a built-in mesh are numbers of faces along it.
  static void CheckMesh(const XmlText& xml, pugi::xml_node node) {
    constexpr double kMost = 500;
    const auto numbers = ReadNumbers(node.attribute("params").value());
    if (!node.attribute("builtin") || !numbers) return;
    if (std::ranges::all_of(*numbers, [](double x) { return !(x > kMost); })) return;
    xml.Refuse(node, "<mesh builtin=\"" + std::string(node.attribute("builtin").value()) +
                         "\" params=\"" + node.attribute("params").value() +
                         "\"> has too many faces; at most 500 along each direction");
  }

  static void CheckLengthRange(const XmlText& xml, pugi::xml_node node) {
    const auto read = [node](const char* name, double otherwise) {
      const auto numbers = ReadNumbers(node.attribute(name).value());
      return numbers && numbers->size() == 1 ? numbers->front() : otherwise;
    };
    const double total = read("inttotal", 10), step = read("timestep", 0.01);
    if (step > 0 && total / step <= kMostSteps) return;
    xml.Refuse(node, "<lengthrange>: inttotal/timestep is " + ShortNumber(total / step) +
                         "; it must be a number of steps of at most " + ShortNumber(kMostSteps));
  }

  std::vector<fs::path> open_;  ///< the models that are being read, each attaching the next
  std::map<fs::path, Contents> known_;
};

}  // namespace

void CheckResources(const XmlText& xml) { ResourceCheck().Check(xml); }

}  // namespace civita::internal
