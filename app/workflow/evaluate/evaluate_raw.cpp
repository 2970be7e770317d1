#include "app/workflow/evaluate/evaluate_raw.h"

#include <fmt/format.h>

#include "app/workflow/evaluate/evaluate_job.h"
#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {
namespace {

constexpr std::string_view kTextComment = "# text = ";

// Characters of a word without white space (a form of a treebank may hold a space).
std::string spelled(std::string_view word) {
  std::string text;
  for (const std::string_view part : model::cut_words(word, model::WordCut::characters)) {
    text += part;
  }
  return text;
}

std::vector<std::string> spelled(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  result.reserve(words.size());
  for (const std::string& word : words) {
    result.push_back(spelled(word));
  }
  return result;
}

// One tag a byte of the words: the first of a word says whether a span begins.
std::vector<std::string> character_tags(const std::vector<std::string>& words,
                                        const std::vector<std::string>& tags, bool iob) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string tag = at < tags.size() ? tags[at] : "";
    const bool outside = iob && (tag.empty() || tag == "O");
    const std::string label = iob && !outside ? tag.substr(2) : tag;
    for (std::size_t byte = 0; byte < words[at].size(); ++byte) {
      const bool begins = byte == 0 && (!iob || tag.starts_with("B-"));
      result.push_back(outside ? "O" : (begins ? "B-" : "I-") + label);
    }
  }
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += word;
  }
  return text;
}

}  // namespace

std::vector<std::string> texts_of(const std::vector<std::filesystem::path>& treebanks,
                                  const std::filesystem::path& data_root) {
  std::vector<std::string> texts;
  for (const std::filesystem::path& file : treebanks) {
    io::ConlluReader reader(data_root / file);
    io::TreebankSentence tree;
    while (reader.next(tree)) {
      const std::size_t before = texts.size();
      for (const std::string& comment : tree.comments) {
        if (texts.size() == before && comment.starts_with(kTextComment)) {
          texts.push_back(comment.substr(kTextComment.size()));
        }
      }
      if (texts.size() == before) {
        throw UsageError(
            fmt::format("evaluating raw text of {}, sentence {}: it has no line \"# text = …\"; leave out "
                        "--raw-text",
                        file.string(), tree.number));
      }
    }
  }
  return texts;
}

RawTags over_characters(const std::vector<TaggedSentence>& gold, const std::vector<Sentence>& sentences,
                        const std::vector<SentenceTags>& predicted,
                        const std::map<std::string, std::vector<std::string>>& tasks) {
  const std::string cut = tasks.contains("words") ? "words (cut)" : "words";
  RawTags result;
  for (std::size_t at = 0; at < gold.size(); ++at) {
    const std::vector<std::string> wanted = spelled(gold[at].words);
    std::vector<std::string> found;
    for (const Word& word : sentences[at].words) {
      found.push_back(spelled(word.text));
    }
    if (joined(wanted) != joined(found)) {
      ++result.left_out;
      continue;
    }
    TaggedSentence truth;
    truth.words = gold[at].words;
    SentenceTags answer;
    for (const auto& [task, tags] : tasks) {
      if (const auto given = gold[at].tags.find(task);
          given != gold[at].tags.end() && !given->second.empty()) {
        truth.tags[task] = character_tags(wanted, given->second, is_iob(tags));
        answer.tags[task] = character_tags(found, predicted[at].tags.at(task), is_iob(tags));
      }
    }
    truth.tags[cut] = character_tags(wanted, {}, false);
    answer.tags[cut] = character_tags(found, {}, false);
    result.gold.push_back(std::move(truth));
    result.predicted.push_back(std::move(answer));
  }
  for (const auto& [task, tags] : tasks) {
    result.tasks[task] = {"B-"};
  }
  result.tasks[cut] = {"B-"};
  return result;
}

}  // namespace mog::app
