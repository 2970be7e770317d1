// A recording and its treebank side by side, some sentences at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/mog/search/search_control.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/syntax/syntax_gold.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// Neighbouring sentences with their maps in memory (one read a map and block); what else is asked for is read
// from the recording.
class SentenceBlock final : public RecordingSource {
 public:
  SentenceBlock(const RecordingSource& source, std::int64_t first, std::vector<GoldSentence> gold,
                std::vector<Sentence> sentences)
      : source_(source), first_(first), gold_(std::move(gold)), sentences_(std::move(sentences)) {}
  // Reads the maps; throws FormatError.
  void load(std::span<const QuantityName> maps);
  std::int64_t first() const noexcept { return first_; }
  const GoldSentence& gold(std::int64_t index) const { return gold_[static_cast<std::size_t>(index)]; }
  Sentence& aligned(std::int64_t index) { return sentences_[static_cast<std::size_t>(index)]; }

  const RecordingHeader& header() const override { return source_.header(); }
  std::int64_t size() const override { return static_cast<std::int64_t>(gold_.size()); }
  Sentence sentence(std::int64_t index) const override { return sentences_[static_cast<std::size_t>(index)]; }
  std::vector<std::int64_t> token_counts() const override;
  std::vector<std::int64_t> word_counts() const override;
  HostTensor read(std::int64_t index, const QuantityName& name) const override;

 private:
  struct Packed {
    const QuantitySchema* schema = nullptr;
    HostTensor values;
    std::vector<std::int64_t> starts;  // of each sentence
  };
  const RecordingSource& source_;
  std::int64_t first_;
  std::vector<GoldSentence> gold_;
  std::vector<Sentence> sentences_;
  std::map<QuantityName, Packed> packed_;
};

// Reads blocks in the order of the recording. For one thread at a time.
class BlockReader {
 public:
  // `values` of one token squared: heads of all maps.
  BlockReader(const RecordingSource& source, const SyntaxOptions& options, const TreebankSurvey& survey,
              std::int64_t values);
  // nullptr at the end. Throws FormatError (the treebank ends before the recording, say).
  std::unique_ptr<SentenceBlock> next();

 private:
  GoldSentence gold_of(std::int64_t number);
  const RecordingSource& source_;
  const SyntaxOptions& options_;
  const TreebankSurvey& survey_;
  std::int64_t values_;
  std::vector<std::int64_t> tokens_;
  io::ConlluReader treebank_;
  io::TreebankSentence tree_;
  std::int64_t next_ = 0;
};

// Sentences of a block that agree with their gold trees: indices in the block, whose words are the treebank's
// by then. Called from several threads.
using EachBlock = std::function<void(SentenceBlock& block, std::span<const std::int64_t> aligned)>;
// Goes through the recording with these maps of it. The sentences that agree with no tree and may be left
// out, in order. Throws FormatError (one that may not be), Interrupted.
std::vector<SkippedSentence> walk_aligned(const RecordingSource& source, const SyntaxOptions& options,
                                          const TreebankSurvey& survey, std::span<const QuantityName> maps,
                                          const analysis::SearchControl& control, std::string_view what,
                                          const ProgressCallback& progress, const EachBlock& each);

// Aligns the sentence with its gold words. Returns why it is left out, or ""; throws FormatError where
// that is an error.
std::string align_or_refuse(Sentence& sentence, const GoldSentence& gold, const SyntaxOptions& options,
                            const TreebankSurvey& survey);

}  // namespace mog::app
