#include "app/window/thumbnails.h"

#include <chrono>
#include <exception>

namespace civita {

unsigned Thumbnails::Find(const SceneInfo& info, const Theme& theme, int width, int height) {
  Entry& entry = entries_[std::string(info.name)];
  if (entry.width == 0) {
    entry.building = std::async(std::launch::async, [name = std::string(info.name)] {
      return LoadScene(ReadConfig(name));
    });
  }
  entry.wanted = theme;
  entry.width = width;
  entry.height = height;
  if (!entry.failed && (!entry.has_picture || entry.is_dark != theme.dark)) is_busy_ = true;
  return entry.has_picture ? entry.picture.texture() : 0;
}

bool Thumbnails::Work() {
  is_busy_ = false;
  bool worked = false;
  for (auto& [name, entry] : entries_) {
    if (entry.failed || (entry.has_picture && entry.is_dark == entry.wanted.dark)) continue;
    is_busy_ = true;
    if (entry.scene == nullptr) {
      if (entry.building.wait_for(std::chrono::seconds(0)) != std::future_status::ready) continue;
      try {
        entry.scene = entry.building.get();
      } catch (const std::exception&) {
        entry.failed = true;  // opening the scene reports the reason
        continue;
      }
    }
    if (worked) continue;
    const Eigen::VectorXd& q = entry.scene->q_start;
    entry.picture =
        RenderThumbnail(*entry.scene->mj, {q.data(), static_cast<std::size_t>(q.size())},
                        entry.wanted, entry.width, entry.height);
    entry.is_dark = entry.wanted.dark;
    entry.has_picture = true;
    worked = true;
  }
  return worked;
}

}  // namespace civita
