#include "model/config/word_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::model {
namespace {

constexpr std::pair<WordCut, std::string_view> kNames[] = {{WordCut::automatic, "auto"},
                                                           {WordCut::spaces, "spaces"},
                                                           {WordCut::ud_en, "ud-en"},
                                                           {WordCut::characters, "characters"}};

}  // namespace

WordCut parse_word_cut(std::string_view text) {
  for (const auto& [cut, name] : kNames) {
    if (text == name) {
      return cut;
    }
  }
  throw UsageError(fmt::format(
      "--words {}: allowed are auto (the model's), spaces (text that is cut already), ud-en (English as "
      "Universal Dependencies cuts it) and characters{}",
      text, did_you_mean(text, {"auto", "spaces", "ud-en", "characters"})));
}

std::string_view name(WordCut cut) noexcept {
  return std::find_if(std::begin(kNames), std::end(kNames),
                      [&](const auto& entry) { return entry.first == cut; })
      ->second;
}

}  // namespace mog::model
