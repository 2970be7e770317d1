#include "app/workflow/syntax/learn_maps.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

SyntaxOptions one_direction(SyntaxOptions options) {
  for (const SyntaxSource source : options.sources) {
    if (source == SyntaxSource::mog_tree || source == SyntaxSource::mog_beam) {
      throw UsageError(fmt::format(
          "--sources {}: it gives whole trees, and ensembles are made of maps; allowed are attention, joins, "
          "presence, k-best, by-leaves",
          name(source)));
    }
  }
  options.direction = DirectionChoice::query;
  return options;
}

}  // namespace

std::string universal_relation(std::string_view deprel) {
  return std::string(deprel.substr(0, deprel.find(':')));
}

UnitMapsMaker::UnitMapsMaker(const RecordingSource& source, SyntaxOptions options)
    : options_(possible_options(source, one_direction(std::move(options)), result_)),
      trees_(source.header(), options_) {
  for (const SyntaxRow& row : trees_.rows()) {
    const std::string text = row.name();
    names_.push_back(text.substr(0, text.rfind(':')));
  }
}

analysis::UnitMaps UnitMapsMaker::maps(const RecordingSource& source, std::int64_t index,
                                       const Sentence& sentence, const GoldSentence& gold,
                                       const analysis::SearchControl& control) const {
  const std::size_t size = gold.heads.size() * gold.heads.size();
  analysis::UnitMaps result{static_cast<std::int32_t>(names_.size()),
                            static_cast<std::int32_t>(gold.heads.size()),
                            std::vector<float>(names_.size() * size, 0.0F)};
  trees_.find_maps(source, index, sentence, gold, control, [&](std::size_t row, std::span<const double> map) {
    std::transform(map.begin(), map.end(), result.values.data() + row * size,
                   [](double value) { return static_cast<float>(value); });
  });
  return result;
}

NumberedNames::NumberedNames(std::vector<std::string> names) {
  std::int32_t number = 0;
  for (std::string& name : names) {
    numbers_.emplace(std::move(name), number++);
  }
}

std::int32_t NumberedNames::number(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

}  // namespace mog::app
