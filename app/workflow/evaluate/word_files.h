// What commands read and write that annotate words: text or a treebank in, text out.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/recording/sentence.h"
#include "io/text/conllu.h"
#include "io/text/corpus.h"
#include "io/text/output_file.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::app {

// Sentences as the model reads them, with their trees where the file is a treebank.
class WordInput {
 public:
  // `tokenizer` is borrowed. "-": lines of standard input. `range`: only its sentences. Throws as the
  // readers.
  WordInput(const std::filesystem::path& file, const model::Tokenizer& tokenizer,
            io::TreebankHeads heads = io::TreebankHeads::optional,
            const std::optional<io::TextRange>& range = {});
  // False at the end. `tree` is set where has_trees().
  bool next(Sentence& sentence, io::TreebankSentence& tree);
  bool has_trees() const noexcept { return treebank_.has_value(); }

 private:
  const model::Tokenizer& tokenizer_;
  std::optional<io::ConlluReader> treebank_;
  std::optional<io::CorpusReader> lines_;
};

// A file that is renamed at the end, or a stream.
class TextOutput {
 public:
  // An empty file or "-": `print`. Throws UsageError where there is neither, StorageError.
  TextOutput(const std::filesystem::path& file, std::function<void(std::string_view)> print);
  void write(const std::string& text);
  void commit();

 private:
  std::function<void(std::string_view)> print_;
  std::optional<io::OutputFile> file_;
};

}  // namespace mog::app
