#include "io/recording/seen_keys.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mog {

std::vector<std::int64_t> attention_windows(const ModelCard& card) {
  const auto json = nlohmann::json::parse(card.config_json, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("encoder") || !json["encoder"].is_object() ||
      !json["encoder"].contains("windows") || !json["encoder"]["windows"].is_array()) {
    return {};
  }
  std::vector<std::int64_t> windows;
  for (const auto& window : json["encoder"]["windows"]) {
    if (!window.is_number_integer() || window.get<std::int64_t>() < 0) {
      return {};  // of a later program: what it means is not known
    }
    windows.push_back(window.get<std::int64_t>());
  }
  return windows;
}

SeenKeys::SeenKeys(const RecordingHeader& header, Stack stack, std::int64_t layer) {
  const StackDescription* const about = header.system.find(stack);
  if (about == nullptr) {
    return;
  }
  causal_ = about->causal;
  if (stack != header.stack().stack || about->recurrent()) {
    return;  // windows are of the encoder's attention
  }
  const std::vector<std::int64_t> windows = attention_windows(header.model);
  if (windows.empty() || layer > static_cast<std::int64_t>(windows.size())) {
    return;
  }
  if (layer > 0) {
    window_ = windows[static_cast<std::size_t>(layer - 1)];
  } else if (std::find(windows.begin(), windows.end(), 0) == windows.end()) {
    window_ = *std::max_element(windows.begin(), windows.end());
  }
}

}  // namespace mog
