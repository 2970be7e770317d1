// mog's side of the pipe: frames taken apart and checked. The loader reads a stranger's file and may have
// been taken over by it, so its answer is read like one: a frame's size is compared with the limit of its
// kind before memory is taken, its checksum holds, counts fit the bytes that are there, texts are UTF-8.
//
// The plan says everything that will come. From then on the order is fixed (due_): array after array, as
// many elements as the plan's shapes give, sentences one after another. A frame that could be meant
// otherwise does not exist. One frame is in memory, and one may be looked ahead at, since the texts of a
// sentence end where something else begins.
//
// Trap: what a caller does not ask for (values, arrays, whole sentences' rests) is still read and counted,
// else the next frame would be taken for something else.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "io/hdf5/import/import_frame_format.h"
#include "io/recording/errors.h"
#include "io/recording/host_tensor.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kMostNotes = 100;

// Reads a payload; whatever does not fit throws.
class Parser {
 public:
  Parser(std::span<const std::byte> bytes, const char* what) : bytes_(bytes), what_(what) {}

  template <class T>
  T number() {
    T value{};
    const auto piece = take(sizeof value);
    std::memcpy(&value, piece.data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto piece = take(number<std::uint32_t>());
    std::string text(reinterpret_cast<const char*>(piece.data()), piece.size());
    if (first_invalid_utf8(text) != std::string_view::npos) {
      throw FormatError(fmt::format("{} holds a text that is not UTF-8", what_));
    }
    return text;
  }
  // A count of things of at least `bytes` each.
  std::size_t count(std::size_t bytes) {
    const auto count = number<std::uint64_t>();
    if (count > bytes_.size() / bytes) {
      throw FormatError(fmt::format("{} claims {} entries in {} bytes", what_, count, bytes_.size()));
    }
    return static_cast<std::size_t>(count);
  }
  void done() const {
    if (!bytes_.empty()) {
      throw FormatError(fmt::format("{} has {} bytes too many", what_, bytes_.size()));
    }
  }

 private:
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > bytes_.size()) {
      throw FormatError(fmt::format("{} is too short", what_));
    }
    const auto piece = bytes_.first(bytes);
    bytes_ = bytes_.subspan(bytes);
    return piece;
  }
  std::span<const std::byte> bytes_;
  const char* what_;
};

}  // namespace

ImportStream::ImportStream(Read read, std::filesystem::path file)
    : read_(std::move(read)), file_(std::move(file)) {}

void ImportStream::refuse(const std::string& what) const {
  throw FormatError(fmt::format("importing {}: the loader's answer is damaged: {}", file_.string(), what));
}

void ImportStream::read_exactly(std::span<std::byte> into, const char* what) {
  while (!into.empty()) {
    const std::size_t got = read_(into);
    if (got == 0) {
      refuse(fmt::format("it ends inside {}", what));
    }
    into = into.subspan(got);
  }
}

ImportStream::Frame ImportStream::next() {
  while (true) {
    if (ahead_) {
      return *std::exchange(ahead_, std::nullopt);
    }
    std::array<std::byte, kFrameHeaderBytes> head{};
    read_exactly(head, "the head of a frame");
    std::uint32_t magic = 0;
    std::uint32_t kind = 0;
    std::uint64_t size = 0;
    std::uint32_t sum = 0;
    std::memcpy(&magic, head.data(), 4);
    std::memcpy(&kind, head.data() + 4, 4);
    std::memcpy(&size, head.data() + 8, 8);
    std::memcpy(&sum, head.data() + 16, 4);
    if (magic != kImportMagic || kind < static_cast<std::uint32_t>(ImportFrame::hello) ||
        kind > static_cast<std::uint32_t>(ImportFrame::error)) {
      refuse("no frame where one is due");
    }
    Frame frame{static_cast<ImportFrame>(kind), {}};
    if (size > import_frame_limit(frame.kind)) {
      refuse(fmt::format("a frame of {} bytes; at most {} are allowed there", size,
                         import_frame_limit(frame.kind)));
    }
    frame.payload.resize(static_cast<std::size_t>(size));
    read_exactly(frame.payload, "a frame");
    if (import_frame_checksum(std::span(head).first(16), frame.payload) != sum) {
      refuse("a frame's checksum does not hold");
    }
    if (frame.kind == ImportFrame::working) {
      continue;
    }
    if (frame.kind == ImportFrame::error) {
      Parser parser(frame.payload, "the loader's error");
      throw FormatError(parser.text());
    }
    return frame;
  }
}

const ImportPlan& ImportStream::begin() {
  Frame frame = next();
  if (frame.kind != ImportFrame::hello) {
    refuse("it does not begin with its version");
  }
  if (const auto version = Parser(frame.payload, "its version").number<std::uint32_t>();
      version != kImportVersion) {
    refuse(fmt::format("mog-loader is of another version ({}, expected {}): both must be of one installation",
                       version, kImportVersion));
  }
  for (frame = next(); frame.kind != ImportFrame::plan; frame = next()) {
    Parser parser(frame.payload, "an attribute");
    if (frame.kind == ImportFrame::note && notes_.size() < kMostNotes) {
      notes_.push_back(parser.text());
    } else if (frame.kind == ImportFrame::attribute && attributes_.size() < kMostNotes) {
      std::string name = parser.text();
      attributes_[std::move(name)] = parser.text();
    } else {
      refuse("a frame before the plan that does not belong there");
    }
    parser.done();
  }
  read_plan(frame.payload);
  return plan_;
}

void ImportStream::read_plan(std::span<const std::byte> payload) {
  Parser parser(payload, "the plan");
  const auto flags = parser.number<std::uint32_t>();
  plan_.padded = (flags & 1U) != 0;
  plan_.graph = (flags & 2U) != 0;
  plan_.plain_first = (flags & 4U) != 0;
  plan_.gate = (flags & 8U) != 0;
  plan_.gate_vectors = (flags & 16U) != 0;
  plan_.hidden = (flags & 32U) != 0;
  plan_.counted_from_0 = (flags & 64U) != 0;
  plan_.layers = parser.number<std::int64_t>();
  plan_.heads = parser.number<std::int64_t>();
  plan_.d_model = parser.number<std::int64_t>();
  const bool wide = plan_.gate_vectors || plan_.hidden;
  if (plan_.layers < 1 || plan_.layers > kMostImportLayers || plan_.heads < 1 ||
      plan_.heads > kMostImportHeads || plan_.d_model < (wide ? 1 : 0) || plan_.d_model > kMostImportWidth ||
      (plan_.plain_first && (!plan_.graph || plan_.layers < 2)) || (plan_.gate && !plan_.graph) ||
      (plan_.gate_vectors && !plan_.gate)) {
    refuse("a plan that cannot be");
  }
  const std::size_t count = parser.count(16);
  std::int64_t before = 0;
  plan_.sentences.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    ImportSentence sentence;
    sentence.number = parser.number<std::int64_t>();
    sentence.tokens = parser.number<std::int64_t>();
    if (sentence.number <= before || sentence.tokens < 1 || sentence.tokens > kMostImportTokens) {
      refuse(fmt::format("sentence {} of the plan: number {}, {} tokens", i + 1, sentence.number,
                         sentence.tokens));
    }
    before = sentence.number;
    plan_.sentences.push_back(std::move(sentence));
  }
  parser.done();
  if (count == 0) {
    refuse("a plan without sentences");
  }
}

std::optional<ImportedSentence> ImportStream::next_sentence() {
  while (next_array()) {
    while (!next_values().empty()) {
    }
  }
  Frame frame = next();
  if (frame.kind == ImportFrame::end) {
    if (next_index_ >= 0 && next_index_ != static_cast<std::int64_t>(plan_.sentences.size())) {
      refuse(fmt::format("it ends after {} of {} sentences", next_index_, plan_.sentences.size()));
    }
    return std::nullopt;
  }
  if (frame.kind != ImportFrame::sentence) {
    refuse("no sentence where one is due");
  }
  return read_sentence(frame.payload);
}

ImportedSentence ImportStream::read_sentence(std::span<const std::byte> payload) {
  ImportedSentence sentence;
  Parser head(payload, "a sentence");
  sentence.index = head.number<std::int64_t>();
  const auto count = static_cast<std::int64_t>(plan_.sentences.size());
  if (sentence.index < 0 || sentence.index >= count || (next_index_ >= 0 && sentence.index != next_index_)) {
    refuse(fmt::format("sentence {} of {} is out of order", sentence.index + 1, count));
  }
  next_index_ = sentence.index + 1;
  tokens_ = plan_.sentences[static_cast<std::size_t>(sentence.index)].tokens;
  Frame frame = next();
  for (; frame.kind == ImportFrame::text || frame.kind == ImportFrame::integers; frame = next()) {
    Parser parser(frame.payload, "a sentence's texts");
    if (frame.kind == ImportFrame::integers) {
      sentence.word_of_token.resize(parser.count(8));
      for (std::int64_t& value : sentence.word_of_token) {
        value = parser.number<std::int64_t>();
      }
      parser.done();
      continue;
    }
    const auto which = static_cast<ImportText>(parser.number<std::uint32_t>());
    std::vector<std::string> strings(parser.count(4));
    for (std::string& string : strings) {
      string = parser.text();
    }
    parser.done();
    if (which == ImportText::tokens) {
      sentence.tokens = std::move(strings);
    } else if (which == ImportText::words) {
      sentence.words = std::move(strings);
    } else if (which == ImportText::text && strings.size() == 1) {
      sentence.text = std::move(strings.front());
    } else {
      refuse("texts of an unknown kind");
    }
  }
  ahead_ = std::move(frame);
  const auto right = [&](std::size_t size) { return static_cast<std::int64_t>(size) == tokens_; };
  if (!right(sentence.tokens.size()) ||
      (!sentence.word_of_token.empty() && !right(sentence.word_of_token.size()))) {
    refuse(fmt::format("sentence {} has not the {} tokens that were announced", sentence.index + 1, tokens_));
  }
  for (const ImportArray array : kImportArrays) {
    const ImportPlan::Layers layers = plan_.layers_of(array);
    for (std::int64_t layer = layers.first; layer <= layers.last; ++layer) {
      due_.push_back({array, layer, ImportType::float32});
    }
  }
  std::reverse(due_.begin(), due_.end());
  return sentence;
}

std::optional<ImportedArray> ImportStream::next_array() {
  while (!next_values().empty()) {
  }
  if (due_.empty()) {
    return std::nullopt;
  }
  const Frame frame = next();
  if (frame.kind != ImportFrame::array) {
    refuse("no array where one is due");
  }
  Parser parser(frame.payload, "an array");
  const auto array = parser.number<std::uint32_t>();
  const auto layer = parser.number<std::int64_t>();
  const auto type = parser.number<std::uint32_t>();
  parser.done();
  ImportedArray found = due_.back();
  due_.pop_back();
  if (array != static_cast<std::uint32_t>(found.array) || layer != found.layer ||
      type > static_cast<std::uint32_t>(ImportType::float64)) {
    refuse(fmt::format("another array than {} of layer {}", name(found.array), found.layer));
  }
  found.type = type_ = static_cast<ImportType>(type);
  elements_due_ = 1;
  for (const std::int64_t extent : plan_.shape_of(found.array, tokens_)) {
    elements_due_ *= extent;  // at most 2^12 * 2^28, or 2^14 * 2^20
  }
  return found;
}

std::span<const double> ImportStream::next_values() {
  values_.clear();
  if (elements_due_ == 0) {
    return values_;
  }
  const Frame frame = next();
  const auto size = static_cast<std::size_t>(size_bytes(type_));
  if (frame.kind != ImportFrame::data || frame.payload.empty() || frame.payload.size() % size != 0 ||
      static_cast<std::int64_t>(frame.payload.size() / size) > elements_due_) {
    refuse("other data than were announced");
  }
  const std::size_t count = frame.payload.size() / size;
  elements_due_ -= static_cast<std::int64_t>(count);
  values_.resize(count);
  const auto widen = [&](auto element, auto value) {
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&element, frame.payload.data() + i * size, size);
      values_[i] = value(element);
    }
  };
  if (type_ == ImportType::float16) {
    widen(Float16{}, [](Float16 half) { return static_cast<double>(to_float(half)); });
  } else if (type_ == ImportType::float32) {
    widen(float{}, [](float single) { return static_cast<double>(single); });
  } else {
    widen(double{}, [](double number) { return number; });
  }
  return values_;
}

}  // namespace mog::io
