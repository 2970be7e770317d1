#include "app/workflow/evaluate/word_files.h"

#include <utility>
#include <vector>

#include "io/recording/errors.h"

namespace mog::app {

WordInput::WordInput(const std::filesystem::path& file, const model::Tokenizer& tokenizer,
                     io::TreebankHeads heads, const std::optional<io::TextRange>& range)
    : tokenizer_(tokenizer) {
  if (io::is_treebank(file)) {
    treebank_.emplace(file, heads, range);
  } else {
    lines_.emplace(file, io::CorpusOptions{.range = range});
  }
}

bool WordInput::next(Sentence& sentence, io::TreebankSentence& tree) {
  if (!treebank_) {
    io::CorpusLine line;
    if (!lines_->next(line)) {
      return false;
    }
    sentence = tokenizer_.encode(line.text, line.number);
    return true;
  }
  if (!treebank_->next(tree)) {
    return false;
  }
  std::vector<std::string> words;
  words.reserve(tree.words.size());
  for (const io::TreebankWord& word : tree.words) {
    words.push_back(word.form);
  }
  sentence = tokenizer_.encode_words(words, tree.number);
  return true;
}

TextOutput::TextOutput(const std::filesystem::path& file, std::function<void(std::string_view)> print)
    : print_(std::move(print)) {
  if (!file.empty() && file != "-") {
    file_.emplace(file, io::Links::follow);
  } else if (!print_) {
    throw UsageError("Writing: neither an output file nor a printer was given.");
  }
}

void TextOutput::write(const std::string& text) {
  if (file_) {
    file_->write(text);
  } else {
    print_(text);
  }
}

void TextOutput::commit() {
  if (file_) {
    file_->commit();
  }
}

}  // namespace mog::app
