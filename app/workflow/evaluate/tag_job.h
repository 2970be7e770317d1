// `mog tag`: words with their tags, from text or CoNLL-U.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/common/progress.h"
#include "io/recording/sentence.h"
#include "io/text/conllu.h"
#include "model/model.h"

namespace mog::app {

struct SentenceTags {
  std::map<std::string, std::vector<std::string>> tags;  // [task]: one tag a word
};

// Runs the model over the sentences in packed batches and takes, for each word, the best tag of its first
// token. Throws UsageError when the model has no tasks, Interrupted when stopped.
std::vector<SentenceTags> tag_sentences(const model::Model& model, std::span<const Sentence> sentences,
                                        std::int64_t batch_tokens = 2000, std::stop_token stop = {},
                                        const std::function<void(std::int64_t done)>& progress = {});

enum class TagFormat : std::uint8_t { tsv, jsonl, conllu };
// "tsv", "jsonl", "conllu"; throws UsageError.
TagFormat parse_tag_format(std::string_view text);

struct TagJobOptions {
  std::filesystem::path model;
  std::filesystem::path input;   // *.conllu: treebank words; else one sentence a line; "-": standard input
  std::filesystem::path output;  // written beside and renamed; empty or "-": `print`
  std::function<void(std::string_view)> print;
  TagFormat format = TagFormat::tsv;
  model::WordCut words = model::WordCut::automatic;  // of plain text
  model::DeviceOptions device;
  std::int64_t batch_tokens = 2000;
  std::int64_t max_sentences = 0;  // 0: all
  std::stop_token stop;
  ProgressCallback progress;
};

struct TagResult {
  std::int64_t sentences = 0;
  std::int64_t words = 0;
};

// Memory is a block of sentences, whatever the size of the input. Throws UsageError when the model has no
// tasks or there is no sentence, and what reading, running and writing throw.
TagResult run_tag_job(const TagJobOptions& options);

// One sentence in one of the formats, with its end.
// tsv: word, then one column a task; an empty line ends a sentence (the header line is the caller's).
// jsonl: {"sentence": 1, "text": …, "words": […], "tags": {"upos": […]}}.
// conllu: ten columns; upos goes to column 4, xpos to column 5, every other task to MISC as "Ner=B-PER". With
// `tree` its comments, other columns and heads are kept; without one they are "_".
std::string tagged_text(TagFormat format, const Sentence& sentence, const SentenceTags& tags,
                        const io::TreebankSentence* tree = nullptr);

}  // namespace mog::app
