// The whole file is understood from names, shapes and types, before a value is read: an error after an hour
// of reading would be the same error. The first sentence says what the model is (which arrays, layers,
// heads, width); every other one must agree with it, and the message names the dataset, what was expected
// and why. Missing layers are told apart from a plain first one by the extent of middle1 alone.
//
// Two layouts: a group a sentence, or datasets of all sentences padded to one width. They share everything
// behind the leading axis. O(datasets · log datasets).
//
// Trap: h5py writes an empty list as float64, so a dataset without elements is not judged by its type.
#include "io/hdf5/import/import_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "io/recording/errors.h"
#include "io/recording/host_tensor.h"

namespace mog::io {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::string_view kKnown =
    "tokens, word_of_token, words, text, attention (or high, middle1, middle2), gate, hidden";
constexpr std::string_view kSee = "; docs/import-format.md describes the file";

std::string axes_text(ImportArray array, bool vectors) {
  switch (array) {
    case ImportArray::gate:
      return vectors ? "[layer, token, dimension]" : "[layer, token] or [layer, token, dimension]";
    case ImportArray::hidden:
      return "[layer + 1, token, dimension]";
    default:
      return "[layer, head, query, key]";
  }
}

class Planner {
 public:
  Planner(const ImportCatalog& catalog, const std::vector<std::string>& groups,
          const std::filesystem::path& file, const ReadIntegers& read)
      : catalog_(catalog), groups_(groups), file_(file), read_(read) {}

  ImportPlan plan() {
    const bool at_root = std::any_of(catalog_.begin(), catalog_.end(), [](const auto& entry) {
      return entry.first.find('/', 1) == std::string::npos;
    });
    plan_.padded = at_root;
    if (at_root) {
      padded();
    } else {
      grouped();
    }
    if (static_cast<std::int64_t>(plan_.sentences.size()) > kMostImportSentences) {
      refuse("", fmt::format("{} sentences; at most {} are allowed in one file", plan_.sentences.size(),
                             kMostImportSentences));
    }
    return std::move(plan_);
  }

 private:
  [[noreturn]] void refuse(std::string_view object, const std::string& what) const {
    throw FormatError(object.empty() ? fmt::format("importing {}: {}", file_.string(), what)
                                     : fmt::format("importing {}: {}: {}", file_.string(), object, what));
  }
  [[noreturn]] void refuse_shape(const std::string& path, const std::string& axes, const Shape& expected,
                                 const Shape& found, const std::string& why) const {
    refuse(path, fmt::format("expected the shape {} = {}{}, found {}", axes, shape_text(expected), why,
                             shape_text(found)));
  }
  const ImportDataset* find(const std::string& path) const {
    const auto found = catalog_.find(path);
    return found == catalog_.end() ? nullptr : &found->second;
  }

  void padded();
  void grouped();
  void sentence(ImportSentence& sentence, bool first);
  void known_names() const;
  std::int64_t number_of(const std::string& group) const;
  void text(const std::string& path, bool required, std::size_t rank) const;
  void integers(const std::string& path) const;
  void arrays(const std::string& group, const Shape& leading, std::int64_t tokens, bool first);
  void choose_arrays(const std::string& group);
  void learn(const std::string& group, std::size_t leading);
  void check_extents(const std::string& group) const;
  void lengths(std::int64_t sentences, std::int64_t widest);

  const ImportCatalog& catalog_;
  const std::vector<std::string>& groups_;
  const std::filesystem::path& file_;
  const ReadIntegers& read_;
  ImportPlan plan_;
  std::string model_group_;  // the sentence that the others must agree with
};

void Planner::known_names() const {
  for (const auto& entry : catalog_) {
    const std::string& path = entry.first;
    const std::string last = path.substr(path.rfind('/') + 1);
    bool known = last == "tokens" || last == "word_of_token" || last == "words" || last == "text" ||
                 (plan_.padded && (last == "lengths" || last == "numbers"));
    for (const ImportArray array : kImportArrays) {
      known = known || last == name(array);
    }
    if (!known) {
      refuse(path, fmt::format("an unknown dataset; known are {}{}{}", kKnown,
                               plan_.padded ? ", lengths, numbers" : "", kSee));
    }
  }
  for (const auto& entry : catalog_) {
    const std::string& path = entry.first;
    if (std::count(path.begin(), path.end(), '/') != (plan_.padded ? 1 : 2)) {
      refuse(path, fmt::format("a dataset where none is due: {}{}",
                               plan_.padded ? "beside datasets of all sentences there are no groups"
                                            : "datasets lie in groups named by the number of a sentence",
                               kSee));
    }
  }
}

std::int64_t Planner::number_of(const std::string& group) const {
  std::int64_t number = 0;
  const std::string_view digits = std::string_view(group).substr(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 ||
      number > std::int64_t{1} << 40U) {
    refuse(group,
           fmt::format("an unknown group: groups are named by the number of a sentence: 1, 2, 3 …{}", kSee));
  }
  return number;
}

void Planner::grouped() {
  known_names();
  for (const std::string& group : groups_) {
    if (std::count(group.begin(), group.end(), '/') > 1) {
      refuse(group, fmt::format("a group inside the group of a sentence{}", kSee));
    }
    plan_.sentences.push_back({number_of(group), 0, group});
  }
  auto& sentences = plan_.sentences;
  if (sentences.empty()) {
    refuse("",
           fmt::format("no sentences: neither groups 1, 2, 3 … nor datasets tokens and attention{}", kSee));
  }
  std::sort(sentences.begin(), sentences.end(), [](const ImportSentence& left, const ImportSentence& right) {
    return left.number < right.number;
  });
  for (std::size_t i = 1; i < sentences.size(); ++i) {
    if (sentences[i].number == sentences[i - 1].number) {
      refuse(sentences[i].group, fmt::format("the same number as {}", sentences[i - 1].group));
    }
  }
  plan_.counted_from_0 = sentences.front().number == 0;
  bool first = true;
  for (ImportSentence& one : sentences) {
    one.number += plan_.counted_from_0 ? 1 : 0;
    sentence(one, first);
    first = false;
  }
}

void Planner::text(const std::string& path, bool required, std::size_t rank) const {
  const ImportDataset* const dataset = find(path);
  if (dataset == nullptr) {
    if (required) {
      refuse(
          path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)),
          fmt::format("no dataset \"{}\"; needed are tokens and attention (or high, middle1 and middle2){}",
                      path.substr(path.rfind('/') + 1), kSee));
    }
    return;
  }
  if (!dataset->shape.empty() && dataset->shape.back() == 0) {
    return;  // an empty list has no type of its own: h5py writes it as float64
  }
  if (dataset->type != ImportType::text) {
    refuse(path, fmt::format("expected strings, found {}", name(dataset->type)));
  }
  const bool one = rank == 0 && dataset->shape == Shape{1};
  if (dataset->shape.size() != rank && !one) {
    refuse(path, fmt::format("expected strings in {} dimension{}, found the shape {}", rank,
                             rank == 1 ? "" : "s", shape_text(dataset->shape)));
  }
}

void Planner::integers(const std::string& path) const {
  const ImportDataset* const dataset = find(path);
  if (dataset != nullptr && dataset->type != ImportType::integer) {
    refuse(path, fmt::format("expected whole numbers, found {}", name(dataset->type)));
  }
}

void Planner::sentence(ImportSentence& sentence, bool first) {
  const std::string at = sentence.group + "/";
  text(at + "tokens", true, 1);
  text(at + "words", false, 1);
  text(at + "text", false, 0);
  integers(at + "word_of_token");
  sentence.tokens = find(at + "tokens")->shape.front();
  if (sentence.tokens < 1 || sentence.tokens > kMostImportTokens) {
    refuse(at + "tokens", sentence.tokens < 1 ? "an empty sentence: it has no tokens"
                                              : fmt::format("{} tokens; at most {} are allowed",
                                                            sentence.tokens, kMostImportTokens));
  }
  if (const ImportDataset* const words = find(at + "word_of_token");
      words != nullptr && words->shape != Shape{sentence.tokens}) {
    refuse_shape(at + "word_of_token", "[token]", {sentence.tokens}, words->shape,
                 fmt::format(" (tokens has {})", sentence.tokens));
  }
  arrays(sentence.group, {}, sentence.tokens, first);
}

// Which arrays there are, from the first sentence.
void Planner::choose_arrays(const std::string& group) {
  const std::string at = group == "/" ? "/" : group + "/";
  const bool full = find(at + "attention") != nullptr;
  int parts = 0;
  for (const char* const part : {"high", "middle1", "middle2"}) {
    parts += find(at + part) != nullptr ? 1 : 0;
  }
  if (full && parts > 0) {
    refuse(group, "both attention (of plain layers) and high, middle1, middle2 (of a Graph-Transformer)");
  }
  if (!full && parts < 3) {
    for (const char* const part : {"high", "middle1", "middle2"}) {
      if (parts > 0 && find(at + part) == nullptr) {
        refuse(group,
               fmt::format("no dataset \"{}\"; a Graph-Transformer has high, middle1 and middle2", part));
      }
    }
    refuse(group, fmt::format("no dataset \"attention\" (or high, middle1 and middle2){}", kSee));
  }
  plan_.graph = parts == 3;
  plan_.gate = find(at + "gate") != nullptr;
  plan_.hidden = find(at + "hidden") != nullptr;
  if (plan_.gate && !plan_.graph) {
    refuse(at + "gate", "a gate belongs to high, middle1 and middle2, not to attention of plain layers");
  }
}

// Layers, heads and width from the first sentence; ranks only are looked at here.
void Planner::learn(const std::string& group, std::size_t leading) {
  model_group_ = group;
  choose_arrays(group);
  const std::string at = group == "/" ? "/" : group + "/";
  const auto dataset = [&](ImportArray array, std::size_t rank, std::size_t other_rank) -> const Shape& {
    const std::string path = at + std::string(name(array));
    const Shape& shape = find(path)->shape;
    if (shape.size() != leading + rank && shape.size() != leading + other_rank) {
      refuse(path, fmt::format("expected {}{}, found the shape {}", leading > 0 ? "[sentence], then " : "",
                               axes_text(array, false), shape_text(shape)));
    }
    return shape;
  };
  const Shape& maps = dataset(plan_.graph ? ImportArray::high : ImportArray::attention, 4, 4);
  plan_.layers = maps[leading];
  plan_.heads = maps[leading + 1];
  if (plan_.graph) {
    const Shape& middle = dataset(ImportArray::middle1, 4, 4);
    plan_.plain_first = plan_.layers > 1 && middle[leading] == plan_.layers - 1;
  }
  if (plan_.gate) {
    const Shape& gate = dataset(ImportArray::gate, 2, 3);
    plan_.gate_vectors = gate.size() == leading + 3;
    plan_.d_model = plan_.gate_vectors ? gate.back() : 0;
  }
  if (plan_.hidden) {
    const Shape& hidden = dataset(ImportArray::hidden, 3, 3);
    plan_.d_model = plan_.d_model == 0 ? hidden.back() : plan_.d_model;
  }
  check_extents(group);
}

void Planner::check_extents(const std::string& group) const {
  const auto in = [&](const char* what, std::int64_t value, std::int64_t most) {
    if (value < 1 || value > most) {
      refuse(group, fmt::format("{} {}; allowed are 1 to {}", value, what, most));
    }
  };
  in("layers", plan_.layers, kMostImportLayers);
  in("heads", plan_.heads, kMostImportHeads);
  if (plan_.gate_vectors || plan_.hidden) {
    in("dimensions", plan_.d_model, kMostImportWidth);
  }
}

// `leading` is [] or [sentence]; `tokens` is the extent in the file.
void Planner::arrays(const std::string& group, const Shape& leading, std::int64_t tokens, bool first) {
  if (first) {
    learn(group, leading.size());
  }
  const std::string at = group == "/" ? "/" : group + "/";
  for (const ImportArray array : kImportArrays) {
    const std::string path = at + std::string(name(array));
    const ImportDataset* const dataset = find(path);
    const ImportPlan::Layers layers = plan_.layers_of(array);
    const bool wanted = layers.first <= layers.last;
    if (dataset == nullptr && !wanted) {
      continue;
    }
    if (dataset == nullptr) {
      refuse(group, fmt::format("no dataset \"{}\"{}", name(array),
                                first ? "" : fmt::format(", which {} has", model_group_)));
    }
    if (!wanted) {
      refuse(path, fmt::format("{} has none: all sentences have the same datasets", model_group_));
    }
    if (size_bytes(dataset->type) == 0 || dataset->type == ImportType::integer) {
      refuse(path, fmt::format("expected float16, float32 or float64, found {}", name(dataset->type)));
    }
    Shape expected = leading;
    expected.push_back(layers.last - layers.first + 1);
    const Shape block = plan_.shape_of(array, tokens);
    expected.insert(expected.end(), block.begin(), block.end());
    if (dataset->shape != expected) {
      refuse_shape(
          path, (leading.empty() ? "" : "[sentence] + ") + axes_text(array, plan_.gate_vectors), expected,
          dataset->shape,
          first ? fmt::format(" ({} tokens)", tokens)
                : fmt::format(" ({} tokens; layers, heads and dimensions as in {})", tokens, model_group_));
    }
  }
}

void Planner::lengths(std::int64_t sentences, std::int64_t widest) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(sentences), widest);
  std::vector<std::int64_t> numbers;
  for (const char* const path : {"/lengths", "/numbers"}) {
    integers(path);
    if (const ImportDataset* const dataset = find(path); dataset != nullptr) {
      if (dataset->shape != Shape{sentences}) {
        refuse_shape(path, "[sentence]", {sentences}, dataset->shape, "");
      }
      (path[1] == 'l' ? lengths : numbers) = read_(path);
    }
  }
  for (std::int64_t i = 0; i < sentences; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (lengths[at] < 1 || lengths[at] > widest) {
      refuse("/lengths",
             fmt::format("sentence {} of the file: {} tokens; allowed are 1 to {}, the width of "
                         "tokens{}",
                         i + 1, lengths[at], widest, lengths[at] == 0 ? ": an empty sentence" : ""));
    }
    const std::int64_t number = numbers.empty() ? i + 1 : numbers[at];
    if (number < 1 || (i > 0 && number <= plan_.sentences.back().number)) {
      refuse("/numbers",
             fmt::format("expected ascending numbers from 1, found {} at place {}", number, i + 1));
    }
    plan_.sentences.push_back({number, lengths[at], "/"});
  }
}

void Planner::padded() {
  known_names();
  if (!groups_.empty()) {
    refuse(groups_.front(),
           fmt::format("a group beside datasets of all sentences: write one or the other{}", kSee));
  }
  text("/tokens", true, 2);
  text("/words", false, 2);
  text("/text", false, 1);
  integers("/word_of_token");
  const Shape& tokens = find("/tokens")->shape;
  if (tokens.empty() || tokens[0] < 1) {
    refuse("/tokens", "no sentences");
  }
  if (tokens.size() != 2) {
    refuse("/tokens",
           fmt::format("expected strings in 2 dimensions, found the shape {}", shape_text(tokens)));
  }
  const std::int64_t sentences = tokens[0];
  const std::int64_t widest = tokens[1];
  if (widest < 1 || widest > kMostImportTokens || sentences > kMostImportSentences) {
    refuse("/tokens", fmt::format("shape {}: allowed are up to {} sentences and 1 to {} tokens",
                                  shape_text(tokens), kMostImportSentences, kMostImportTokens));
  }
  for (const char* const path : {"/word_of_token", "/words", "/text"}) {
    const ImportDataset* const dataset = find(path);
    if (dataset == nullptr) {
      continue;
    }
    const bool per_token = std::string_view(path) == "/word_of_token";
    if (dataset->shape.empty() || dataset->shape[0] != sentences || (per_token && dataset->shape != tokens)) {
      refuse(path,
             fmt::format("expected {} sentences{}, found the shape {}", sentences,
                         per_token ? fmt::format(" of {} tokens", widest) : "", shape_text(dataset->shape)));
    }
  }
  lengths(sentences, widest);
  arrays("/", {sentences}, widest, true);
}

}  // namespace

ImportPlan make_import_plan(const ImportCatalog& catalog, const std::vector<std::string>& groups,
                            const std::filesystem::path& file, const ReadIntegers& read) {
  return Planner(catalog, groups, file, read).plan();
}

}  // namespace mog::io
