// `mog parse`: words with their heads and labels, from text or CoNLL-U.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/workflow/common/progress.h"
#include "app/workflow/graphs/parse_sentences.h"
#include "app/workflow/parse/parse_picture.h"
#include "app/workflow/tasks/shard.h"
#include "io/text/conllu.h"
#include "model/model.h"

namespace mog::app {

enum class ParseFormat : std::uint8_t { conllu, jsonl };
// "conllu", "jsonl"; throws UsageError.
ParseFormat parse_parse_format(std::string_view text);

struct ParseJobOptions {
  std::filesystem::path model;
  std::filesystem::path input;   // *.conllu: treebank words; else one sentence a line; "-": standard input
  std::filesystem::path output;  // written beside and renamed; empty or "-": `print`
  std::filesystem::path trace;   // JSON lines of trace_text(), a sentence each; empty: none
  std::function<void(std::string_view)> print;
  ParseFormat format = ParseFormat::conllu;
  model::WordCut words = model::WordCut::automatic;  // of plain text
  model::DeviceOptions device;
  std::optional<std::int64_t> refinements;  // nullopt: as the model was trained
  bool projective = false;
  TreeConstraints constraints = {};  // of the only sentence that the input then has
  // Given the sentence, the only one, with its rounds to be looked at.
  std::function<void(const ParsedSentence&)> look = {};
  std::int64_t batch_tokens = 2000;
  std::int64_t max_sentences = 0;  // 0: all
  Shard shard = {};                // only this part of the input; sentences keep their numbers
  std::stop_token stop;
  ProgressCallback progress;
};

struct ParseResult {
  std::int64_t sentences = 0;
  std::int64_t words = 0;
  std::int64_t rounds = 0;   // over all sentences
  std::int64_t settled = 0;  // sentences whose last round changed nothing
  std::int64_t transitions = 0;
};

// Memory is a block of sentences, whatever the size of the input. Throws UsageError when the model is no
// parser, there is no sentence, or more than the one that was asked for, and what reading, running and
// writing throw.
ParseResult run_parse_job(const ParseJobOptions& options);

// One sentence in one of the formats, with its end.
// conllu: ten columns. HEAD and DEPREL are the parser's, UPOS and XPOS those of its tagging heads; MISC gets
// "HeadProb=0.98|DeprelProb=0.97". With `tree` its comments and other columns are kept, without one they are
// "_", and a word that the next one follows without a space gets SpaceAfter=No.
// jsonl: {"sentence": 1, "text": …, "words": […], "heads": […], "labels": […], "head_probabilities": […],
// "label_probabilities": […], "tags": {…}, "rounds": 3, "settled": true}; of a transition parser
// "transitions": 10 in the place of the last two.
std::string parsed_text(ParseFormat format, const model::GraphConfig& graph, const Sentence& sentence,
                        const Parse& parse, const io::TreebankSentence* tree = nullptr);

// {"sentence": 1, "words": […], "rounds": [{"heads": […], "labels": […], "changed": [word from 1, …]}, …]},
// with its end; of a transition parser {…, "transitions": [{"action": "LEFTARC", "stack": [0, 1, 2],
// "buffer": [3], "arcs": [[head, word, label], …], "probabilities": {"LEFTARC": 0.98, …}, "label": "det",
// "label_probability": 0.99}, …]}, each with the state in which it was chosen.
std::string trace_text(const model::GraphConfig& graph, const Sentence& sentence, const Parse& parse);

}  // namespace mog::app
