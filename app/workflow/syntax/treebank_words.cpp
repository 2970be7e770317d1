#include "app/workflow/syntax/treebank_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/workflow/syntax/syntax_gold.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::vector<std::string> forms_of(const io::TreebankSentence& gold) {
  std::vector<std::string> forms;
  for (const io::TreebankWord& word : gold.words) {
    forms.push_back(word.form);
  }
  return forms;
}

}  // namespace

TreebankWords::TreebankWords(const std::filesystem::path& path, const std::stop_token& stop) : path_(path) {
  io::ConlluReader reader(path);
  for (io::TreebankSentence sentence; reader.next(sentence);) {
    if (stop.stop_requested()) {
      throw Interrupted(fmt::format("reading {}: interrupted", path.string()));
    }
    sentences_.push_back(sentence);
  }
  if (sentences_.empty()) {
    throw FormatError(fmt::format("{}: expected sentences in CoNLL-U, found none", path.string()));
  }
  for (std::size_t place = 0; place < sentences_.size(); ++place) {
    std::string characters;
    for (const io::TreebankWord& word : sentences_[place].words) {
      characters += without_space(word.form);
    }
    by_characters_.emplace(std::move(characters), place);
  }
}

const io::TreebankSentence* TreebankWords::find(Sentence& sentence, std::string& why) const {
  if (const io::TreebankSentence* const own = align(sentence, why)) {
    return own;
  }
  const auto other = by_characters_.find(without_space(sentence.text));
  if (other == by_characters_.end()) {
    return nullptr;
  }
  const io::TreebankSentence& gold = sentences_[other->second];
  const std::string difference = app::align(sentence, forms_of(gold));
  if (difference.empty()) {
    return &gold;
  }
  why = fmt::format("the treebank {}, sentence {}: line {}: {}", path_.string(), gold.number, gold.line,
                    difference);
  return nullptr;
}

const io::TreebankSentence* TreebankWords::align(Sentence& sentence, std::string& why) const {
  const auto count = static_cast<std::int64_t>(sentences_.size());
  if (sentence.number < 1 || sentence.number > count) {
    why = fmt::format(
        "the treebank {} has {} sentences, the recording a sentence {}; record the text of this treebank, "
        "one "
        "sentence a line",
        path_.string(), count, sentence.number);
    return nullptr;
  }
  const io::TreebankSentence& gold = sentences_[static_cast<std::size_t>(sentence.number - 1)];
  why = align_words(sentence, gold, path_);
  return why.empty() ? &gold : nullptr;
}

std::string align_words(Sentence& sentence, const io::TreebankSentence& gold,
                        const std::filesystem::path& treebank) {
  const std::vector<std::string> forms = forms_of(gold);
  const std::size_t both = std::min(forms.size(), sentence.words.size());
  std::size_t word = 0;
  while (word < both && forms[word] == sentence.words[word].text) {
    ++word;
  }
  const std::string difference = app::align(sentence, forms);
  return difference.empty()
             ? ""
             : fmt::format("the treebank {} and the recording differ in sentence {}: line {}: {}",
                           treebank.string(), sentence.number,
                           word < gold.words.size() ? gold.words[word].line : gold.line, difference);
}

DependencyTree dependency_tree(const io::TreebankSentence& sentence) {
  DependencyTree tree;
  for (const io::TreebankWord& word : sentence.words) {
    tree.heads.push_back(static_cast<std::int32_t>(word.head));
    tree.relations.push_back(word.deprel);
  }
  return tree;
}

}  // namespace mog::app
