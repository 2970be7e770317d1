// One sentence that a parser reads, as it is looked at: its steps, pictures of each, and the command that
// draws them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/workflow/figures/figure_file.h"
#include "app/workflow/graphs/parse_sentences.h"
#include "app/workflow/record/live_run.h"

namespace mog::app {

struct ParsedSentence {
  ModelCard model;
  model::GraphConfig graph;
  Sentence sentence;
  TreeConstraints constraints;
  Parse parse;                            // with looked_at, but of transitions
  std::string corpus = "typed sentence";  // what captions call the text that it is of

  // Rounds; of a transition parser the states: that before every action, and the last one.
  std::int64_t steps() const;
  bool by_transitions() const noexcept { return graph.by_transitions(); }
  const std::string& label(std::int32_t label) const { return graph.labels[static_cast<std::size_t>(label)]; }
};

// What decides about a parse beside the sentence.
struct ParseChoice {
  std::optional<std::int64_t> refinements = {};  // as in ParseOptions
  bool projective = false;
  TreeConstraints constraints = {};
  friend bool operator==(const ParseChoice&, const ParseChoice&) = default;
};
// A text as the model reads it. Throws as encode_typed() and parse_sentences().
ParsedSentence parse_text(const LoadedModel& loaded, std::string_view text, const ParseChoice& choice,
                          std::stop_token stop = {});

// arcs: the tree over the words, with relations and parts of speech; what has changed since the step before
// is marked, and what it was hangs below. matrix: probabilities of arcs, head by dependent; of a transition
// parser those of the actions, by step.
enum class ParsePicture : std::uint8_t { arcs, matrix };
std::string_view name(ParsePicture picture) noexcept;
// "arcs", "matrix"; throws UsageError.
ParsePicture parse_parse_picture(std::string_view text);
// `step` from 1; 0: the last. Throws UsageError where there is no such step.
analysis::FigureData parse_picture(const ParsedSentence& parsed, ParsePicture picture, std::int64_t step = 0);

// The command: "mog", "parse" and every choice that is not the default, but for --svg and the sentence, which
// comes by standard input.
struct PictureCommand {
  std::string model;        // as --model takes it
  std::string input = "-";  // as --input takes it
  model::WordCut words = model::WordCut::automatic;
  ParseChoice choice = {};
  ParsePicture picture = ParsePicture::arcs;
  std::int64_t step = 0;
  std::vector<std::string> marks = {};  // "row=3"
};
std::vector<std::string> picture_arguments(const PictureCommand& command);
// Where the numbers of such a picture come from.
FigureFacts picture_facts(const ParsedSentence& parsed, const PictureCommand& command);

}  // namespace mog::app
