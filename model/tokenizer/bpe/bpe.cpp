// Pieces of a word by merges, as subword-nmt finds them: the known pair of lowest rank is merged at all its
// places from left to right, then the next, until no pair is known.
//
// Merging by scanning the word again for every merge is quadratic, and a "word" may be a line of a
// megabyte without a space. So pairs wait in a heap by (rank, place). All places of one rank are merged
// before new pairs enter the heap, which is what the scan does, even where a new pair has a lower rank
// (codes that were edited or joined). Entries are checked when they come out: a place that was merged away
// or changed its pair is passed over.
#include "model/tokenizer/bpe/bpe.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include "io/recording/utf8.h"
#include "io/text/utf8.h"
#include "model/tokenizer/bpe/bpe_codes.h"
#include "model/tokenizer/words/glossaries.h"

namespace mog::model {
namespace {

constexpr std::string_view kWordEnd = "</w>";
constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

struct Merge {
  std::uint32_t rank = kUnknown;
  std::uint32_t merged = kUnknown;
};

}  // namespace

struct Bpe::Data {
  bool end_is_symbol = false;
  std::string separator;
  std::int64_t merge_count = 0;
  TextMap<std::uint32_t> symbols;
  std::unordered_map<std::uint64_t, Merge> merges;
  TextMap<BpeCode> parts;  // merged symbol → its two halves, for pieces outside the vocabulary
  std::optional<std::set<std::string, std::less<>>> vocabulary;
  Glossaries glossaries;

  explicit Data(const BpeOptions& options)
      : separator(options.separator), vocabulary(options.vocabulary), glossaries(options.glossaries) {}

  std::uint32_t symbol(std::string_view text) const {
    const auto found = symbols.find(text);
    return found == symbols.end() ? kUnknown : found->second;
  }
  Merge merge(std::uint32_t left, std::uint32_t right) const {
    if (left == kUnknown || right == kUnknown) {
      return {};
    }
    const auto found = merges.find(std::uint64_t{left} << 32U | right);
    return found == merges.end() ? Merge{} : found->second;
  }
  void add_codes(const BpeCodes& codes, std::int64_t limit);
  void segment(std::string_view word, std::vector<std::string_view>& pieces) const;
  void merge_pieces(std::string_view word, std::vector<std::string_view>& pieces) const;
  void split_unknown(std::string_view piece, bool last, std::vector<std::string_view>& pieces) const;
  bool known(std::string_view piece, bool last) const {
    return last ? vocabulary->contains(piece) : vocabulary->contains(std::string(piece) + separator);
  }
};

void Bpe::Data::add_codes(const BpeCodes& codes, std::int64_t limit) {
  end_is_symbol = codes.end_is_symbol;
  const auto intern = [&](const std::string& text) {
    return symbols.emplace(text, static_cast<std::uint32_t>(symbols.size())).first->second;
  };
  const std::size_t count =
      limit < 0 ? codes.merges.size() : std::min(codes.merges.size(), static_cast<std::size_t>(limit));
  for (std::size_t i = 0; i < count; ++i) {
    const BpeCode& code = codes.merges[i];
    const std::uint32_t left = intern(code.left);
    const std::uint32_t right = intern(code.right);
    const std::uint32_t merged = intern(code.left + code.right);
    merges.emplace(std::uint64_t{left} << 32U | right, Merge{static_cast<std::uint32_t>(i), merged});
  }
  merge_count = static_cast<std::int64_t>(merges.size());
  if (vocabulary) {
    // Where two merges give one symbol, the one whose last line comes first in the file explains it.
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (std::size_t i = count; i-- > 0;) {
      const BpeCode& code = codes.merges[i];
      if (seen.emplace(code.left, code.right).second) {
        parts[code.left + code.right] = code;
      }
    }
  }
}

void Bpe::Data::merge_pieces(std::string_view word, std::vector<std::string_view>& pieces) const {
  struct Node {
    std::uint32_t symbol;
    std::uint32_t begin;
    std::uint32_t end;  // bytes of the word; begin = end: the "</w>" of version 0.1
    std::int32_t previous;
    std::int32_t next;  // -1: none; -2: merged away
  };
  std::vector<Node> nodes;
  std::string last;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t length = utf8_length_at(word, at);
    const auto index = static_cast<std::int32_t>(nodes.size());
    nodes.push_back({symbol(word.substr(at, length)), static_cast<std::uint32_t>(at),
                     static_cast<std::uint32_t>(at + length), index - 1, index + 1});
    at += length;
  }
  if (end_is_symbol) {
    const auto index = static_cast<std::int32_t>(nodes.size());
    const auto end = static_cast<std::uint32_t>(word.size());
    nodes.push_back({symbol(kWordEnd), end, end, index - 1, -1});
  } else {
    last = word.substr(nodes.back().begin);
    last += kWordEnd;
    nodes.back().symbol = symbol(last);
    nodes.back().next = -1;
  }

  const auto node = [&](std::int32_t at) -> Node& { return nodes[static_cast<std::size_t>(at)]; };
  using Place = std::pair<std::uint32_t, std::int32_t>;  // rank, node
  std::vector<Place> heap;
  const auto push = [&](std::int32_t at) {
    if (at >= 0 && node(at).next >= 0) {
      const Merge found = merge(node(at).symbol, node(node(at).next).symbol);
      if (found.rank != kUnknown) {
        heap.emplace_back(found.rank, at);
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
      }
    }
  };
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(nodes.size()); ++at) {
    push(at);
  }
  std::vector<std::int32_t> merged;
  while (!heap.empty()) {
    const std::uint32_t rank = heap.front().first;
    merged.clear();
    while (!heap.empty() && heap.front().first == rank) {
      const std::int32_t at = heap.front().second;
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      heap.pop_back();
      Node& left = node(at);
      if (left.next < 0) {
        continue;
      }
      const Node right = node(left.next);
      const Merge found = merge(left.symbol, right.symbol);
      if (found.rank != rank) {
        continue;
      }
      node(left.next).next = -2;
      left.symbol = found.merged;
      left.end = right.end;
      left.next = right.next;
      if (right.next >= 0) {
        node(right.next).previous = at;
      }
      merged.push_back(at);
    }
    for (const std::int32_t at : merged) {
      push(node(at).previous);
      push(at);
    }
  }
  for (std::int32_t at = 0; at >= 0; at = node(at).next) {
    if (node(at).end > node(at).begin) {
      pieces.push_back(word.substr(node(at).begin, node(at).end - node(at).begin));
    }
  }
}

// Splits a piece that the vocabulary lacks back into what it was merged from, as deep as needed.
void Bpe::Data::split_unknown(std::string_view piece, bool last,
                              std::vector<std::string_view>& pieces) const {
  std::vector<std::pair<std::string_view, bool>> open = {{piece, last}};
  while (!open.empty()) {
    const auto [segment, is_last] = open.back();
    open.pop_back();
    if (known(segment, is_last)) {
      pieces.push_back(segment);
      continue;
    }
    const auto found =
        is_last ? parts.find(std::string(segment) + std::string(kWordEnd)) : parts.find(segment);
    // A half "</w>" (version 0.1) would leave an empty piece: the reference prints it, and no text has it.
    if (found == parts.end() || found->second.left.size() >= segment.size()) {
      pieces.push_back(segment);
      continue;
    }
    const std::size_t left = found->second.left.size();
    open.emplace_back(segment.substr(left), is_last);
    open.emplace_back(segment.substr(0, left), false);
  }
}

void Bpe::Data::segment(std::string_view word, std::vector<std::string_view>& pieces) const {
  const bool one_character = word.size() == utf8_length_at(word, 0);
  if (one_character || glossaries.keeps(word)) {
    pieces.push_back(word);
    return;
  }
  if (!vocabulary) {
    merge_pieces(word, pieces);
    return;
  }
  std::vector<std::string_view> found;
  merge_pieces(word, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    split_unknown(found[i], i + 1 == found.size(), pieces);
  }
}

Bpe::Bpe(std::unique_ptr<const Data> data) : data_(std::move(data)) {}
Bpe::Bpe(Bpe&&) noexcept = default;
Bpe& Bpe::operator=(Bpe&&) noexcept = default;
Bpe::~Bpe() = default;

Bpe Bpe::read(const std::filesystem::path& file, const BpeOptions& options) {
  auto data = std::make_unique<Data>(options);
  data->add_codes(read_bpe_codes(file), options.merges);
  return Bpe(std::move(data));
}

std::int64_t Bpe::merges() const noexcept {
  return data_->merge_count;
}

std::vector<std::string_view> Bpe::segment(std::string_view word) const {
  std::vector<std::string_view> pieces;
  if (word.empty()) {
    return pieces;
  }
  if (data_->glossaries.empty()) {
    data_->segment(word, pieces);
    return pieces;
  }
  for (const std::string_view segment : data_->glossaries.isolate(word)) {
    data_->segment(segment, pieces);
  }
  return pieces;
}

std::vector<std::string_view> split_at_spaces(std::string_view line) {
  constexpr std::string_view kStrip = "\r\n ";
  constexpr std::string_view kSeparators = " \n";
  std::vector<std::string_view> words;
  const std::size_t last = line.find_last_not_of(kStrip);
  line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const std::size_t first = line.find_first_not_of(kStrip);
  std::size_t at = first == std::string_view::npos ? line.size() : first;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = std::min(line.find_first_not_of(kSeparators, end), line.size());
  }
  return words;
}

}  // namespace mog::model
