#include "app/workflow/treebank_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/recording/errors.h"

namespace mog::app {

TreebankWords::TreebankWords(const std::filesystem::path& path)
    : path_(path), sentences_(io::read_conllu(path)) {}

const io::TreebankSentence& TreebankWords::of(const Sentence& sentence) const {
  const auto count = static_cast<std::int64_t>(sentences_.size());
  if (sentence.number < 1 || sentence.number > count) {
    throw FormatError(
        fmt::format("the treebank {} has {} sentences, the recording a sentence {}; record the text of this "
                    "treebank, one sentence a line",
                    path_.string(), count, sentence.number));
  }
  const io::TreebankSentence& gold = sentences_[static_cast<std::size_t>(sentence.number - 1)];
  const std::size_t both = std::min(gold.words.size(), sentence.words.size());
  std::size_t word = 0;
  while (word < both && gold.words[word].form == sentence.words[word].text) {
    ++word;
  }
  if (word == gold.words.size() && word == sentence.words.size()) {
    return gold;
  }
  const auto text = [&](bool there, const std::string& form) {
    return there ? "\"" + form + "\"" : std::string("nothing");
  };
  const bool in_gold = word < gold.words.size();
  throw FormatError(fmt::format(
      "the treebank {} and the recording differ in sentence {}: line {}: word {} is {} in the treebank ({} "
      "words) "
      "and {} in the recording ({} words)",
      path_.string(), sentence.number, in_gold ? gold.words[word].line : gold.line, word + 1,
      text(in_gold, in_gold ? gold.words[word].form : ""), gold.words.size(),
      text(word < sentence.words.size(), word < sentence.words.size() ? sentence.words[word].text : ""),
      sentence.words.size()));
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
