// `mog tag`: words with their tags, from text or CoNLL-U.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "io/recording/sentence.h"
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

struct TagJobOptions {
  std::filesystem::path model;
  std::filesystem::path input;   // .conllu: treebank words; else one sentence a line; "-": standard input
  std::filesystem::path output;  // empty or "-": standard output
  TagFormat format = TagFormat::tsv;
  model::DeviceOptions device;
  std::int64_t batch_tokens = 2000;
  std::int64_t max_sentences = 0;  // 0: all
  std::stop_token stop;
  std::function<void(std::int64_t done, std::int64_t of)> progress;
};

struct TagResult {
  std::int64_t sentences = 0;
  std::int64_t words = 0;
};

// tsv: one word a line (word, then one column a task, named in a first line), empty line after a sentence.
// jsonl: {"sentence": 1, "text": …, "words": […], "tags": {"upos": […]}}.
// conllu: ten columns; upos goes to column 4, every other task to MISC as Task=TAG.
TagResult run_tag_job(const TagJobOptions& options);

void write_tags(std::ostream& out, TagFormat format, std::span<const Sentence> sentences,
                std::span<const SentenceTags> tags, std::span<const std::string> tasks);

}  // namespace mog::app
