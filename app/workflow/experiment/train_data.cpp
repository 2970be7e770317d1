// Files of one corpus are brought together: tags of words from treebanks and entities from IOB2 files meet
// by sent_id, found by a hash, or by place where there are no ids; O(sentences). Two annotations of one
// corpus differ here and there, so a sentence whose words differ stays twice, each with its own tags, up to
// a share of 5 %. More than that means that the files are not of the same corpus, which is refused with the
// first difference, file and line.
//
// Pairs of translations are joined by line and must be as many. Pairs with a blank side are left out up to
// the same share, since a file that slipped by a line has many.
//
// Trap: without ids a sentence that is missing moves all behind it. That shows as many differing sentences,
// or as another count at the end, and in no other way.
#include "app/workflow/experiment/train_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "io/recording/errors.h"
#include "io/recording/utf8.h"
#include "io/text/conllu.h"
#include "io/text/corpus.h"
#include "io/text/iob2.h"

namespace mog::app {

namespace {

// Share of sentences whose words may differ between two annotations of one corpus, and of line pairs that may
// be blank on one side only.
constexpr double kMostDiffering = 0.05;

std::filesystem::path under(const std::filesystem::path& root, const std::filesystem::path& path) {
  return path.is_absolute() || root.empty() ? path : root / path;
}

std::string sentence_id(const std::vector<std::string>& comments) {
  for (const std::string& comment : comments) {
    const std::string key = "sent_id";
    std::size_t at = comment.find_first_not_of("# ");
    if (at == std::string::npos || comment.compare(at, key.size(), key) != 0) {
      continue;
    }
    at = comment.find_first_not_of(" =", at + key.size());
    return at == std::string::npos ? std::string() : comment.substr(at);
  }
  return {};
}

bool wants(const std::vector<TaskConfig>& tasks, TaskColumn column) {
  return std::any_of(tasks.begin(), tasks.end(),
                     [&](const TaskConfig& task) { return task.column == column; });
}

std::vector<std::string> treebank_tags(const io::TreebankSentence& sentence, TaskColumn column) {
  std::vector<std::string> tags;
  tags.reserve(sentence.words.size());
  for (const io::TreebankWord& word : sentence.words) {
    const std::string& tag = column == TaskColumn::xpos ? word.xpos : word.upos;
    tags.push_back(tag == "_" ? std::string() : tag);
  }
  return tags;
}

// Entities of other kinds become O.
std::vector<std::string> keep_labels(std::vector<std::string> tags, const std::vector<std::string>& labels) {
  for (std::string& tag : tags) {
    const bool kept = tag == "O" || labels.empty() ||
                      std::find(labels.begin(), labels.end(),
                                tag.substr(std::min<std::size_t>(2, tag.size()))) != labels.end();
    if (!kept) {
      tag = "O";
    }
  }
  return tags;
}

void read_treebanks(const DataSplit& split, const std::filesystem::path& root,
                    const std::vector<TaskConfig>& tasks, std::vector<TaggedSentence>& sentences) {
  for (const std::filesystem::path& file : split.conllu) {
    io::ConlluReader reader(under(root, file));
    io::TreebankSentence read;
    while (reader.next(read)) {
      TaggedSentence sentence;
      sentence.id = sentence_id(read.comments);
      sentence.treebank.file = under(root, file).string();
      for (const io::TreebankWord& word : read.words) {
        sentence.words.push_back(word.form);
        sentence.treebank.lines.push_back(word.line);
        sentence.heads.push_back(static_cast<std::int32_t>(word.head));
        sentence.relations.push_back(word.deprel);
      }
      for (const TaskConfig& task : tasks) {
        if (task.column != TaskColumn::iob2) {
          sentence.tags[task.name] = treebank_tags(read, task.column);
        }
      }
      sentences.push_back(std::move(sentence));
    }
  }
}

// Where the sentences of the treebank are: by id, else by place.
class Places {
 public:
  explicit Places(const std::vector<TaggedSentence>& sentences) : count_(sentences.size()) {
    for (std::size_t at = 0; at < sentences.size(); ++at) {
      if (!sentences[at].id.empty()) {
        by_id_.emplace(sentences[at].id, at);
      }
    }
  }
  // count() for "not there".
  std::size_t find(const std::string& id, std::size_t place) const {
    if (!id.empty() && !by_id_.empty()) {
      const auto found = by_id_.find(id);
      return found == by_id_.end() ? count_ : found->second;
    }
    return std::min(place, count_);
  }
  std::size_t count() const noexcept { return count_; }
  bool by_id() const noexcept { return !by_id_.empty(); }

 private:
  std::size_t count_;
  std::unordered_map<std::string, std::size_t> by_id_;
};

std::string first_difference(const io::TaggedSentence& read, const std::string& id,
                             const TaggedSentence& known, const std::filesystem::path& file) {
  const std::string name = id.empty() ? "number " + std::to_string(read.number) : id;
  const std::size_t both = std::min(read.words.size(), known.words.size());
  std::size_t word = 0;
  while (word < both && read.words[word] == known.words[word]) {
    ++word;
  }
  const std::int64_t line = read.line + static_cast<std::int64_t>(std::min(word, read.words.size() - 1));
  const std::string treebank =
      known.treebank.lines.empty()
          ? std::string("the CoNLL-U file")
          : known.treebank.file + ", line " +
                std::to_string(known.treebank.lines[std::min(word, known.treebank.lines.size() - 1)]);
  std::string what = " has " + std::to_string(read.words.size()) + " words there and " +
                     std::to_string(known.words.size()) + " in " + treebank;
  if (word < both) {
    what = " has word " + std::to_string(word + 1) + " \"" + read.words[word] + "\" there and \"" +
           known.words[word] + "\" in " + treebank;
  }
  return file.string() + ", line " + std::to_string(line) + ": sentence " + name + what;
}

std::string file_names(const std::vector<std::filesystem::path>& files) {
  std::string text;
  for (const std::filesystem::path& file : files) {
    text += (text.empty() ? "" : ", ") + file.string();
  }
  return text;
}

// Returns how many sentences have other words than the treebank's.
std::int64_t read_entities(const DataSplit& split, const std::filesystem::path& root,
                           const std::vector<TaskConfig>& tasks, std::vector<TaggedSentence>& sentences) {
  const Places places(sentences);
  std::size_t place = 0;
  std::int64_t differing = 0;
  std::string first;
  for (const std::filesystem::path& file : split.iob2) {
    for (const io::TaggedSentence& read : io::read_iob2(under(root, file), {.drop_types = {}})) {
      const std::string id = sentence_id(read.comments);
      std::size_t at = places.find(id, place++);
      if (at != places.count() && read.words != sentences[at].words) {
        first = first.empty() ? first_difference(read, id, sentences[at], under(root, file)) : first;
        ++differing;
        at = places.count();
      }
      if (at == places.count()) {
        at = sentences.size();
        sentences.emplace_back();
        sentences.back().id = id;
        sentences.back().words = read.words;
      }
      sentences[at].entities.file = under(root, file).string();
      for (std::size_t word = 0; word < read.words.size(); ++word) {
        sentences[at].entities.lines.push_back(read.line + static_cast<std::int64_t>(word));
      }
      for (const TaskConfig& task : tasks) {
        if (task.column == TaskColumn::iob2) {
          sentences[at].tags[task.name] = keep_labels(read.tags, task.labels);
        }
      }
    }
  }
  if (static_cast<double>(differing) > kMostDiffering * static_cast<double>(place)) {
    throw FormatError("Reading " + first + ", and so have " + std::to_string(differing - 1) +
                      " more; both files must be of the same corpus.");
  }
  if (!places.by_id() && places.count() > 0 && place != places.count()) {
    throw FormatError("Reading " + file_names(split.iob2) + ": " + std::to_string(place) +
                      " sentences, and " + std::to_string(places.count()) + " in " +
                      file_names(split.conllu) +
                      "; without sent_id they are joined by place and must be as many.");
  }
  return differing;
}

std::vector<std::string> read_lines(const std::vector<std::filesystem::path>& files,
                                    const std::filesystem::path& root) {
  std::vector<std::string> lines;
  for (const std::filesystem::path& file : files) {
    std::vector<std::string> more = io::read_corpus(under(root, file));
    lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return lines;
}

}  // namespace

std::vector<TaggedSentence> read_tagged(const DataSplit& split, const std::filesystem::path& root,
                                        const std::vector<TaskConfig>& tasks, std::int64_t* differing) {
  std::vector<TaggedSentence> sentences;
  std::int64_t twice = 0;
  read_treebanks(split, root, tasks, sentences);
  if (wants(tasks, TaskColumn::iob2)) {
    twice = read_entities(split, root, tasks, sentences);
  }
  for (TaggedSentence& sentence : sentences) {
    for (const TaskConfig& task : tasks) {
      std::vector<std::string>& tags = sentence.tags[task.name];
      tags.resize(sentence.words.size());
    }
  }
  if (differing != nullptr) {
    *differing = twice;
  }
  std::erase_if(sentences, [](const TaggedSentence& sentence) { return sentence.words.empty(); });
  return sentences;
}

std::vector<TextLine> read_texts(const DataSplit& split, const std::filesystem::path& root) {
  std::vector<TextLine> texts;
  for (const auto& [file, share] : split.text) {
    if (!io::is_treebank(file)) {
      for (std::string& line : read_lines({file}, root)) {
        texts.push_back({std::move(line), share});
      }
      continue;
    }
    io::ConlluReader reader(under(root, file));
    io::TreebankSentence read;
    while (reader.next(read)) {
      std::string text = read.comment("text");
      for (std::size_t at = 0; read.comment("text").empty() && at < read.words.size(); ++at) {
        text += (at > 0 ? " " : "") + read.words[at].form;
      }
      texts.push_back({std::move(text), share});
    }
  }
  std::erase_if(
      texts, [](const TextLine& line) { return line.text.find_first_not_of(" \t\r") == std::string::npos; });
  return texts;
}

namespace {

bool blank(const std::string& text) {
  return text.find_first_not_of(" \t\r") == std::string::npos;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) {
    return text;
  }
  return text.substr(0, character_boundary(text, kLongest)) + "...";
}

void check_lengths(const std::filesystem::path& source, const std::vector<std::string>& sources,
                   const std::filesystem::path& target, const std::vector<std::string>& targets) {
  if (sources.size() == targets.size()) {
    return;
  }
  const std::size_t end = std::min(sources.size(), targets.size());
  const bool longer = sources.size() > end;
  throw FormatError("Reading sentence pairs: " + source.string() + " has " + std::to_string(sources.size()) +
                    " lines and " + target.string() + " has " + std::to_string(targets.size()) +
                    "; line i of one must translate line i of the other. Without a partner is line " +
                    std::to_string(end + 1) + " of " + (longer ? source : target).string() + ": \"" +
                    shortened(longer ? sources[end] : targets[end]) + "\".");
}

}  // namespace

std::vector<SentencePair> read_pairs(const DataSplit& split, const std::filesystem::path& root,
                                     std::int64_t* half_blank) {
  std::vector<SentencePair> pairs;
  std::int64_t half = 0;
  std::string first;
  for (std::size_t file = 0; file < std::min(split.source.size(), split.target.size()); ++file) {
    const std::filesystem::path source = under(root, split.source[file]);
    const std::filesystem::path target = under(root, split.target[file]);
    std::vector<std::string> sources = io::read_corpus(source);
    std::vector<std::string> targets = io::read_corpus(target);
    check_lengths(source, sources, target, targets);
    for (std::size_t at = 0; at < sources.size(); ++at) {
      if (!blank(sources[at]) && !blank(targets[at])) {
        pairs.push_back({std::move(sources[at]), std::move(targets[at])});
      } else if (blank(sources[at]) != blank(targets[at])) {
        ++half;
        const bool no_source = blank(sources[at]);
        const std::filesystem::path& empty = no_source ? source : target;
        const std::filesystem::path& other = no_source ? target : source;
        if (first.empty()) {
          first = fmt::format("{}, line {} is blank and {}, line {} is \"{}\"", empty.string(), at + 1,
                              other.string(), at + 1, shortened(no_source ? targets[at] : sources[at]));
        }
      }
    }
  }
  if (static_cast<double>(half) >
      kMostDiffering * static_cast<double>(pairs.size() + static_cast<std::size_t>(half))) {
    throw FormatError(
        "Reading sentence pairs: " + first + ", and " + std::to_string(half - 1) +
        " more lines have a blank partner; line i of one file must translate line i of the other.");
  }
  if (half_blank != nullptr) {
    *half_blank = half;
  }
  return pairs;
}

OutsideTags tags_outside(const std::vector<TaggedSentence>& sentences, const TaskConfig& task,
                         const std::vector<std::string>& set) {
  OutsideTags outside;
  for (const TaggedSentence& sentence : sentences) {
    const auto found = sentence.tags.find(task.name);
    const std::size_t words = found == sentence.tags.end() ? 0 : found->second.size();
    const TaggedSentence::Origin& origin =
        task.column == TaskColumn::iob2 ? sentence.entities : sentence.treebank;
    for (std::size_t word = 0; word < words; ++word) {
      const std::string& tag = found->second[word];
      outside.of += tag.empty() ? 0 : 1;
      if (tag.empty() || std::find(set.begin(), set.end(), tag) != set.end()) {
        continue;
      }
      ++outside.words;
      if (outside.first.empty()) {
        outside.first = origin.file +
                        (word < origin.lines.size() ? ", line " + std::to_string(origin.lines[word]) : "") +
                        ": the word \"" + sentence.words[word] + "\" has the tag \"" + tag + "\"";
      }
    }
  }
  return outside;
}

}  // namespace mog::app
