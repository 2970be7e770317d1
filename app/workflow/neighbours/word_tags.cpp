#include "app/workflow/neighbours/word_tags.h"

#include <fmt/format.h>

#include "app/workflow/common/best_tags.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr const char* kTask = "upos";

}  // namespace

WordTags::WordTags(const RecordingHeader& header, const std::filesystem::path& treebank, bool skip,
                   const std::stop_token& stop)
    : skip_(skip) {
  if (!treebank.empty()) {
    treebank_ = std::make_unique<TreebankWords>(treebank, stop);
    origin_ = treebank.string();
    return;
  }
  scores_ = QuantityName::tag_scores(kTask);
  const auto task = header.model.tasks.find(kTask);
  if (header.find(scores_) != nullptr && task != header.model.tasks.end()) {
    names_ = task->second;
    origin_ = scores_.text() + " of the recording (predicted)";
  }
}

std::optional<TagsOfSentence> WordTags::tags(const RecordingSource& source, std::int64_t index,
                                             Sentence& sentence) const {
  TagsOfSentence result;
  if (treebank_) {
    std::string why;
    const io::TreebankSentence* const gold = treebank_->align(sentence, why);
    if (gold == nullptr) {
      if (!skip_) {
        throw FormatError(why + "; --mismatch skip leaves such sentences out");
      }
      const std::scoped_lock lock(mutex_);
      skipped_.emplace(sentence.number, why);
      return std::nullopt;
    }
    for (const io::TreebankWord& word : gold->words) {
      result.upos.push_back(word.upos);
      result.relations.push_back(word.deprel);
    }
  } else if (!names_.empty()) {
    const std::vector<float> scores = source.read(index, scores_).to_floats();
    if (scores.size() != sentence.tokens.size() * names_.size()) {
      throw FormatError(fmt::format("{} of sentence {}: {} scores for {} tokens and {} tags", scores_.text(),
                                    sentence.number, scores.size(), sentence.tokens.size(), names_.size()));
    }
    result.upos = best_tags(sentence, scores, names_);
  }
  return result;
}

std::int64_t WordTags::skipped() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::int64_t>(skipped_.size());
}
std::string WordTags::first_skipped() const {
  const std::scoped_lock lock(mutex_);
  return skipped_.empty() ? "" : skipped_.begin()->second;
}

}  // namespace mog::app
