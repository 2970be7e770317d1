#include "app/workflow/evaluate/metric_list.h"

namespace mog::app {

std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    pieces.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) {
      return pieces;
    }
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace mog::app
