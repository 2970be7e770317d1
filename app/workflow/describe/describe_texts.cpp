// Corpora, treebanks, BPE codes, vocabularies.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/workflow/common/text_format.h"
#include "app/workflow/describe/describe_parts.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "io/text/corpus.h"
#include "io/text/iob2.h"
#include "io/text/sha256.h"
#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/counted_vocabulary.h"
#include "model/tokenizer/json/tokenizer_json.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;

Description start(PathKind kind, const std::string& words, const std::filesystem::path& path, Json& json) {
  Description description;
  description.kind = kind;
  description.facts = {{"kind", words}, {"path", path == "-" ? "standard input" : path.string()}};
  json["kind"] = name(kind);
  json["path"] = path.string();
  return description;
}

void add(Description& description, Json& json, const std::string& label, const std::string& key,
         std::int64_t value) {
  description.facts.emplace_back(label, grouped(value));
  json[key] = value;
}

Description finish(Description description, const Json& json) {
  description.json = json.dump(2, ' ', false, Json::error_handler_t::replace);
  return description;
}

void add_hash(Description& description, Json& json, const std::filesystem::path& path) {
  if (path != "-") {
    json["sha256"] = io::file_sha256(path);
    description.facts.emplace_back("sha256", json["sha256"].get<std::string>());
  }
}

void check_stop(const std::stop_token& stop, const std::filesystem::path& path) {
  if (stop.stop_requested()) {
    throw Interrupted(fmt::format("describing {}: interrupted", path.string()));
  }
}

}  // namespace

Description describe_text(const std::filesystem::path& path, const std::stop_token& stop) {
  check_stop(stop, path);
  const io::CorpusSummary summary = io::summarize_corpus(path, {.sentences = false});
  if (summary.sentences == 0) {
    throw FormatError(
        fmt::format("describing {}: the file is empty; a corpus has one sentence a line", path.string()));
  }
  Json json;
  Description description = start(PathKind::text, "text corpus, one sentence a line", path, json);
  add(description, json, "sentences", "sentences", summary.sentences);
  add(description, json, "empty", "empty", summary.empty);
  add(description, json, "words", "words", summary.words);
  add(description, json, "longest, words", "longest_words", summary.longest_words);
  add_hash(description, json, path);
  return finish(std::move(description), json);
}

Description describe_conllu(const std::filesystem::path& path, const std::stop_token& stop) {
  io::ConlluReader reader(path);
  io::TreebankSentence sentence;
  std::int64_t sentences = 0;
  std::int64_t words = 0;
  std::int64_t longest = 0;
  std::int64_t forests = 0;
  while (reader.next(sentence)) {
    check_stop(stop, path);
    ++sentences;
    const auto length = static_cast<std::int64_t>(sentence.words.size());
    words += length;
    longest = std::max(longest, length);
    const auto roots = std::count_if(sentence.words.begin(), sentence.words.end(),
                                     [](const io::TreebankWord& word) { return word.head == 0; });
    forests += roots > 1 ? 1 : 0;
  }
  if (sentences == 0) {
    throw FormatError(fmt::format("describing {}: the treebank has no sentences", path.string()));
  }
  Json json;
  Description description = start(PathKind::conllu, "treebank (CoNLL-U)", path, json);
  add(description, json, "sentences", "sentences", sentences);
  add(description, json, "words", "words", words);
  add(description, json, "longest, words", "longest_words", longest);
  add(description, json, "with several roots", "forests", forests);
  add_hash(description, json, path);
  return finish(std::move(description), json);
}

Description describe_iob2(const std::filesystem::path& path) {
  const std::vector<io::TaggedSentence> sentences = io::read_iob2(path);
  std::int64_t words = 0;
  std::map<std::string, std::int64_t> entities;
  for (const io::TaggedSentence& sentence : sentences) {
    words += static_cast<std::int64_t>(sentence.words.size());
    for (const std::string& tag : sentence.tags) {
      if (tag.starts_with("B-")) {
        ++entities[tag.substr(2)];
      }
    }
  }
  Json json;
  Description description = start(PathKind::iob2, "entities (IOB2)", path, json);
  add(description, json, "sentences", "sentences", static_cast<std::int64_t>(sentences.size()));
  add(description, json, "words", "words", words);
  for (const auto& [type, count] : entities) {
    description.facts.emplace_back("entities " + printable(type), grouped(count));
  }
  json["entities"] = entities;
  add_hash(description, json, path);
  return finish(std::move(description), json);
}

Description describe_bpe_codes(const std::filesystem::path& path) {
  const model::Bpe codes = model::Bpe::read(path);
  Json json;
  Description description = start(PathKind::bpe_codes, "BPE codes (subword-nmt)", path, json);
  add(description, json, "merges", "merges", codes.merges());
  add_hash(description, json, path);
  return finish(std::move(description), json);
}

Description describe_vocabulary(const std::filesystem::path& path) {
  const model::Vocabulary vocabulary = model::Vocabulary::read(path);
  Json json;
  Description description = start(PathKind::vocab_lines, "vocabulary, one token a line", path, json);
  add(description, json, "vocabulary", "vocabulary", vocabulary.size());
  add_hash(description, json, path);
  return finish(std::move(description), json);
}

Description describe_tokenizer(const std::filesystem::path& path) {
  const model::TokenizerJson read = model::open_tokenizer_json(path);
  const model::Vocabulary& vocabulary = read.tokenizer->vocabulary();
  Json json;
  Description description =
      start(PathKind::tokenizer_json, "tokenizer (tokenizer.json of Hugging Face)", path, json);
  const std::string kind(read.tokenizer->kind());
  description.facts.emplace_back("pieces", kind);
  json["tokenizer"] = kind;
  add(description, json, "vocabulary", "vocabulary", vocabulary.size());
  json["lowercase"] = read.lowercase;
  description.facts.emplace_back("case", read.lowercase ? "dropped" : "kept");
  const auto role = [&](const char* label, const char* key, const std::optional<std::int64_t>& id) {
    json[key] = id ? Json(*id) : Json(nullptr);
    description.facts.emplace_back(
        label, id ? fmt::format("{} ({})", printable(vocabulary.token(*id)), *id) : "none");
  };
  role("before a sentence", "first_id", read.first);
  role("behind a sentence", "last_id", read.last);
  role("unknown", "unknown_id", read.unknown);
  role("padding", "padding_id", read.padding);
  for (const std::string& note : read.notes) {
    description.facts.emplace_back("note", note);
  }
  json["notes"] = read.notes;
  add_hash(description, json, path);
  return finish(std::move(description), json);
}

Description describe_dictionary(const std::filesystem::path& path) {
  const std::vector<model::CountedToken> dictionary = model::read_counted_vocabulary(path);
  Json json;
  Description description =
      start(PathKind::vocab_counts, "vocabulary with counts (fairseq dictionary)", path, json);
  add(description, json, "vocabulary", "vocabulary", static_cast<std::int64_t>(dictionary.size()));
  add_hash(description, json, path);
  return finish(std::move(description), json);
}

}  // namespace mog::app
