// The sentences of a corpus that one run has to record: read, checked, tokenized, cut or left out as the
// options say. A corpus named *.conllu is a treebank: its words are taken as they are, and its sentences
// count as lines do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/tasks/corpus_part.h"
#include "io/recording/sentence.h"
#include "io/text/conllu.h"
#include "io/text/corpus.h"

namespace mog::app {

class SentenceStream {
 public:
  // `loaded` and `options` must outlive it. `input` may differ from options.input (a copy of standard input).
  // `part`: that of options.shard.
  SentenceStream(const LoadedModel& loaded, const RecordOptions& options, const std::filesystem::path& input,
                 const CorpusPart& part = {});

  // The next sentence of this part; nothing at the end. Throws FormatError naming file and line (UTF-8, NUL,
  // a translation missing), ModelError for a sentence that is too long under LongPolicy::error.
  std::optional<Sentence> next();

  // Whether next() might wait for a pipe.
  bool would_wait() const { return lines_ != nullptr && lines_->would_wait(); }
  std::int64_t limit() const noexcept { return limit_; }
  std::int64_t empty() const noexcept { return empty_; }
  std::int64_t skipped_long() const noexcept { return skipped_long_; }
  std::int64_t truncated() const noexcept { return truncated_; }
  std::int64_t skipped_invalid() const noexcept { return lines_ == nullptr ? 0 : lines_->skipped(); }
  std::int64_t replaced_invalid() const noexcept { return lines_ == nullptr ? 0 : lines_->replaced(); }

 private:
  // The next line or tree, in text_ or tree_; its place in the corpus, 0 at the end.
  std::int64_t advance();
  // The next line of this part, as the controls want it; nothing at the end.
  std::optional<Sentence> read();
  Sentence encoded() const;
  std::vector<std::string> first_words() const;
  // False: the sentence is left out.
  bool fit(Sentence& sentence);
  bool add_target(Sentence& sentence);
  // Reads to that line of the translations.
  void find_target(std::int64_t number, io::CorpusLine& line);
  // At the end of the corpus: the translations must end too.
  void require_targets_end();
  [[noreturn]] void refuse_long(std::int64_t line, std::int64_t tokens, std::int64_t limit,
                                const std::filesystem::path& file, bool of_model) const;

  const LoadedModel& loaded_;
  const RecordOptions& options_;
  std::filesystem::path input_;
  std::optional<SentenceSample> sample_;
  std::unique_ptr<io::CorpusReader> lines_;  // or
  std::unique_ptr<io::ConlluReader> trees_;
  io::CorpusLine text_;
  io::TreebankSentence tree_;
  std::unique_ptr<io::CorpusReader> targets_;
  std::int64_t targets_read_ = 0;
  std::int64_t lines_read_ = 0;  // of the corpus; or trees
  std::int64_t limit_ = 0;
  bool limit_is_models_ = false;
  std::int64_t empty_ = 0;
  std::int64_t skipped_long_ = 0;
  std::int64_t truncated_ = 0;
};

}  // namespace mog::app
