#include "app/workflow/tasks/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {

Shard parse_shard(std::string_view text, const Environment& environment) {
  if (text == "auto") {
    TaskPlace place = task_place(environment);
    return {.part = place.task, .parts = place.tasks, .source = std::move(place.source)};
  }
  Shard shard;
  const auto slash = text.find('/');
  const auto number = [](std::string_view piece, std::int64_t& value) {
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
    return error == std::errc() && end == piece.data() + piece.size();
  };
  if (slash == std::string_view::npos || !number(text.substr(0, slash), shard.part) ||
      !number(text.substr(slash + 1), shard.parts)) {
    throw UsageError(fmt::format("--shard {}: wanted is i/n, for example 1/4, or auto", text));
  }
  require_shard(shard);
  return shard;
}

void require_shard(const Shard& shard) {
  if (shard.parts < 1 || shard.parts > 1'000'000'000 || shard.part < 1 || shard.part > shard.parts) {
    throw UsageError(fmt::format("--shard {}/{}: wanted is i/n with 1 <= i <= n", shard.part, shard.parts));
  }
}

std::filesystem::path path_of_part(const std::filesystem::path& path, const Shard& shard) {
  constexpr std::string_view kPlace = "{part}";
  std::string text = path.string();
  const std::string number = fmt::format("{:0{}}", shard.part, fmt::formatted_size("{}", shard.parts));
  for (auto at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at + number.size())) {
    text.replace(at, kPlace.size(), number);
  }
  return text;
}

}  // namespace mog::app
