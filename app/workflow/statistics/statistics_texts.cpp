#include "app/workflow/statistics/statistics_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/workflow/record/capture.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const auto comma = text.find(',');
    pieces.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) {
      return pieces;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

void parse_quantities(std::string_view text, StatisticsOptions& options) {
  options.measures.clear();
  options.word_measures.clear();
  options.names.clear();
  options.relations = false;
  const std::vector<analysis::WordMeasure> word_measures = analysis::word_measures();
  for (const std::string_view piece : split(text)) {
    if (piece.find('.') != std::string_view::npos) {
      options.names.emplace_back(piece);
      continue;
    }
    if (piece == "relations") {
      options.relations = true;
      continue;
    }
    const auto found =
        std::find_if(word_measures.begin(), word_measures.end(),
                     [&](analysis::WordMeasure measure) { return analysis::name(measure) == piece; });
    if (piece != analysis::name(analysis::Measure::leaves) && found != word_measures.end()) {
      if (std::find(options.word_measures.begin(), options.word_measures.end(), *found) ==
          options.word_measures.end()) {
        options.word_measures.push_back(*found);
      }
      continue;
    }
    try {
      const analysis::Measure measure = analysis::parse_measure(piece);
      if (std::find(options.measures.begin(), options.measures.end(), measure) == options.measures.end()) {
        options.measures.push_back(measure);
      }
    } catch (const UsageError& error) {
      std::string more;
      std::vector<std::string> names = analysis::measure_names();
      for (const analysis::WordMeasure measure : word_measures) {
        if (measure != analysis::WordMeasure::leaves) {
          names.emplace_back(analysis::name(measure));
          more += ", " + names.back();
        }
      }
      const std::string said = error.what();
      throw UsageError(said.substr(0, said.find("; did you mean")) + more + did_you_mean(piece, names));
    }
  }
}

void parse_by(std::string_view text, StatisticsOptions& options) {
  options.by_length = false;
  options.by_position = false;
  options.by_head = false;
  options.by_upos = false;
  bool layer = false;
  for (const std::string_view piece : split(text)) {
    if (piece == "layer") {
      layer = true;
    } else if (piece == "length") {
      options.by_length = true;
    } else if (piece == "position") {
      options.by_position = true;
    } else if (piece == "head") {
      options.by_head = true;
    } else if (piece == "upos") {
      options.by_upos = true;
    } else if (piece != "part") {  // parts have rows of their own always
      throw UsageError(fmt::format(
          "--by {}: \"{}\" is not allowed; allowed are layer, length, position, upos, head, part{}", text,
          piece, did_you_mean(piece, {"layer", "length", "position", "upos", "head", "part"})));
    }
  }
  if (options.by_length + options.by_position + options.by_upos > 1) {
    throw UsageError(fmt::format("--by {}: bins are of one of length, position and upos", text));
  }
  if (!layer && !options.by_upos) {
    throw UsageError(fmt::format("--by {}: `layer` must be among them; layers are never averaged", text));
  }
}

bool parse_mismatch(std::string_view text) {
  if (text != "error" && text != "skip") {
    throw UsageError(fmt::format("--mismatch {}: allowed are error and skip{}", text,
                                 did_you_mean(text, {"error", "skip"})));
  }
  return text == "skip";
}

void take(const StatisticsTexts& texts, StatisticsOptions& options) {
  parse_quantities(texts.quantity, options);
  parse_by(texts.by, options);
  options.bins = analysis::LengthBins::parse(texts.bins);
  if (texts.average != "micro" && texts.average != "macro") {
    throw UsageError("--average " + texts.average + ": allowed are micro (words) and macro (sentences)" +
                     did_you_mean(texts.average, {"micro", "macro"}));
  }
  options.averaging = texts.average == "macro" ? analysis::Averaging::macro : analysis::Averaging::micro;
  if (!texts.words.empty()) {
    options.words = analysis::WordRange::parse(texts.words);
  }
  if (!texts.layers.empty()) {
    options.layers = parse_layers(texts.layers);
  }
}

}  // namespace mog::app
