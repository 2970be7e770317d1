// A sentencepiece model: a protocol buffer with pieces, their scores and kinds, how a text is normalised, and
// how it was trained, of which only the form of the model and its special pieces matter here.
//
// Protocol buffers let fields come in any order and any number of times, the last one counting; two readers
// of an odd file see two models. Here a field that matters comes once, fields of the model and of the
// normaliser that nobody knows are refused (extensions, from 200 on, are left out), and what training alone
// needs is passed over after its form was checked.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/printable.h"
#include "io/checkpoint/sentencepiece.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kMostFile = std::uint64_t{256} << 20U;
constexpr std::size_t kMostPieces = std::size_t{1} << 22U;
constexpr std::size_t kMostPieceBytes = 4096;
constexpr std::uint32_t kFirstExtension = 200;

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  Wire wire = Wire::varint;
  std::uint64_t value = 0;  // varint, fixed32, fixed64
  std::string_view bytes;
  std::size_t place = 0;  // in the file
};

// The fields of one message, in order. `place` of the message in the file, `what` for messages.
class Fields {
 public:
  Fields(const std::string& file, std::string_view bytes, std::size_t place, std::string what)
      : file_(file), bytes_(bytes), place_(place), what_(std::move(what)) {}

  bool next(Field& field) {
    if (at_ == bytes_.size()) {
      return false;
    }
    field = {};
    field.place = place_ + at_;
    const std::uint64_t key = varint();
    field.number = static_cast<std::uint32_t>(key >> 3U);
    if (key >> 32U != 0 || field.number == 0) {
      refuse(fmt::format("the field number {} is none", key >> 3U), field.place);
    }
    const auto wire = static_cast<std::uint8_t>(key & 7U);
    if (wire == 3 || wire == 4 || wire > 5) {
      refuse(
          fmt::format("field {} has the wire type {}, which sentencepiece has nowhere", field.number, wire),
          field.place);
    }
    field.wire = static_cast<Wire>(wire);
    if (field.wire == Wire::varint) {
      field.value = varint();
    } else if (field.wire == Wire::bytes) {
      field.bytes = take(varint(), field);
    } else {
      const std::string_view raw = take(field.wire == Wire::fixed64 ? 8 : 4, field);
      for (std::size_t i = raw.size(); i-- > 0;) {
        field.value = field.value << 8U | static_cast<unsigned char>(raw[i]);
      }
    }
    return true;
  }

  // Every field that matters is asked for here: its wire type, and that it is the first of its number.
  void expect(const Field& field, Wire wire, const char* name, bool repeated = false) {
    if (field.wire != wire) {
      refuse(fmt::format("field {} ({}) has the wire type {}, expected {}", field.number, name,
                         static_cast<int>(field.wire), static_cast<int>(wire)),
             field.place);
    }
    if (!repeated && !seen_.insert(field.number).second) {
      refuse(fmt::format("field {} ({}) is there twice", field.number, name), field.place);
    }
  }
  bool flag(const Field& field, const char* name) {
    expect(field, Wire::varint, name);
    if (field.value > 1) {
      refuse(fmt::format("field {} ({}) is {}, expected 0 or 1", field.number, name, field.value),
             field.place);
    }
    return field.value == 1;
  }
  std::string text(const Field& field, const char* name) {
    expect(field, Wire::bytes, name);
    if (first_invalid_utf8(field.bytes) != std::string::npos) {
      refuse(fmt::format("field {} ({}) is not UTF-8", field.number, name), field.place);
    }
    return std::string(field.bytes);
  }
  void unknown(const Field& field) const {
    if (field.number < kFirstExtension) {
      refuse(fmt::format("field {} is not one that is known", field.number), field.place);
    }
  }
  [[noreturn]] void refuse(const std::string& defect, std::size_t place) const {
    throw FormatError(fmt::format("{}: {} at byte {}: {}", file_, what_, place, defect));
  }
  std::size_t place_of(std::string_view part) const {
    return place_ + static_cast<std::size_t>(part.data() - bytes_.data());
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    const std::size_t begin = at_;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ == bytes_.size()) {
        refuse("it ends inside a number", place_ + begin);
      }
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift == 63 && byte > 1) {
        break;
      }
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    refuse("a number has more than 64 bits", place_ + begin);
  }
  std::string_view take(std::uint64_t size, const Field& field) {
    if (size > bytes_.size() - at_) {
      refuse(fmt::format("field {} claims {} bytes, {} are left", field.number, size, bytes_.size() - at_),
             field.place);
    }
    const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += part.size();
    return part;
  }

  const std::string& file_;
  std::string_view bytes_;
  std::size_t place_;
  std::string what_;
  std::size_t at_ = 0;
  std::set<std::uint32_t> seen_;
};

enum class Kind : std::uint8_t { normal = 1, unknown, control, user_defined, unused, byte };

class Reader {
 public:
  Reader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {
    settings_ = {
        {"algorithm", "unigram"},   {"byte_fallback", false},           {"whitespace_as_suffix", false},
        {"add_dummy_prefix", true}, {"remove_extra_whitespaces", true}, {"escape_whitespaces", true},
        {"normalization", ""}};
  }

  void read() {
    Fields fields(file_, bytes_, 0, "the model");
    Field field;
    while (fields.next(field)) {
      switch (field.number) {
        case 1:
          fields.expect(field, Wire::bytes, "pieces", true);
          piece(field.bytes, fields.place_of(field.bytes));
          break;
        case 2:
          fields.expect(field, Wire::bytes, "trainer_spec");
          trainer(field.bytes, fields.place_of(field.bytes));
          break;
        case 3:
          fields.expect(field, Wire::bytes, "normalizer_spec");
          normalizer(field.bytes, fields.place_of(field.bytes));
          break;
        case 4:
          fields.expect(field, Wire::bytes, "self_test_data");
          break;
        case 5:
          fields.expect(field, Wire::bytes, "denormalizer_spec");
          break;
        default:
          fields.unknown(field);
      }
    }
    check();
  }

  void give(const InputFile& file, WeightsSink& sink) const {
    PlainWeights weights;
    weights.format = WeightsFormat::sentencepiece;
    const auto count = static_cast<std::int64_t>(kinds_.size());
    std::vector<std::span<const std::byte>> values;
    const auto add = [&](const char* name, const char* type, std::int64_t size, auto part) {
      const auto bytes = std::as_bytes(part);
      weights.tensors.push_back({name, type, {size}, bytes.size()});
      values.push_back(bytes);
    };
    if (!charsmap_.empty()) {
      add("charsmap", "U8", static_cast<std::int64_t>(charsmap_.size()), std::span(charsmap_));
    }
    add("ends", "I64", count, std::span(ends_));
    add("kinds", "U8", count, std::span(kinds_));
    add("pieces", "U8", static_cast<std::int64_t>(pieces_.size()), std::span(pieces_));
    add("scores", "F32", count, std::span(scores_));
    check_total(file, weights);
    nlohmann::json metadata = settings_;
    metadata["format"] = "sentencepiece";
    weights.metadata = metadata.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    sink.begin(weights);
    for (std::size_t i = 0; i < values.size(); ++i) {
      sink.write(i, 0, values[i]);
    }
  }

 private:
  void piece(std::string_view message, std::size_t place) {
    Fields fields(file_, message, place, fmt::format("piece {}", kinds_.size()));
    if (kinds_.size() >= kMostPieces) {
      fields.refuse(fmt::format("more than {} pieces", kMostPieces), place);
    }
    std::string text;
    float score = 0;
    std::uint64_t kind = 1;
    for (Field field; fields.next(field);) {
      if (field.number == 1) {
        text = fields.text(field, "piece");
      } else if (field.number == 2) {
        fields.expect(field, Wire::fixed32, "score");
        score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
      } else if (field.number == 3) {
        fields.expect(field, Wire::varint, "type");
        kind = field.value;
      } else {
        fields.unknown(field);
      }
    }
    if (text.empty() || text.size() > kMostPieceBytes || text.find('\0') != std::string::npos) {
      fields.refuse(fmt::format("a piece has 1 to {} bytes and no NUL, found {}", kMostPieceBytes,
                                text.empty() ? "none" : printable(text.substr(0, 80))),
                    place);
    }
    if (!std::isfinite(score)) {
      fields.refuse("its score is NaN or infinite", place);
    }
    if (kind < 1 || kind > 6) {
      fields.refuse(fmt::format("its type is {}, expected 1 to 6", kind), place);
    }
    pieces_ += text;
    ends_.push_back(static_cast<std::int64_t>(pieces_.size()));
    scores_.push_back(score);
    kinds_.push_back(static_cast<std::uint8_t>(kind));
  }

  void trainer(std::string_view message, std::size_t place) {
    Fields fields(file_, message, place, "trainer_spec");
    for (Field field; fields.next(field);) {
      switch (field.number) {
        case 3: {
          fields.expect(field, Wire::varint, "model_type");
          static constexpr std::array kForms = {"unigram", "bpe", "word", "char"};
          if (field.value < 1 || field.value > kForms.size()) {
            fields.refuse(fmt::format("model_type is {}, expected 1 to 4", field.value), field.place);
          }
          settings_["algorithm"] = kForms[static_cast<std::size_t>(field.value - 1)];
          break;
        }
        case 24:
          settings_["whitespace_as_suffix"] = fields.flag(field, "treat_whitespace_as_suffix");
          break;
        case 35:
          settings_["byte_fallback"] = fields.flag(field, "byte_fallback");
          break;
        case 40:
        case 41:
        case 42:
        case 43: {
          static constexpr std::array kNames = {"unk_id", "bos_id", "eos_id", "pad_id"};
          const char* const name = kNames[field.number - 40];
          fields.expect(field, Wire::varint, name);
          settings_[name] = std::bit_cast<std::int64_t>(field.value);  // 32 bits, as 64
          break;
        }
        default:
          break;  // of training alone
      }
    }
  }

  void normalizer(std::string_view message, std::size_t place) {
    Fields fields(file_, message, place, "normalizer_spec");
    for (Field field; fields.next(field);) {
      switch (field.number) {
        case 1:
          settings_["normalization"] = fields.text(field, "name");
          break;
        case 2:
          fields.expect(field, Wire::bytes, "precompiled_charsmap");
          charsmap_ = std::string(field.bytes);
          break;
        case 3:
          settings_["add_dummy_prefix"] = fields.flag(field, "add_dummy_prefix");
          break;
        case 4:
          settings_["remove_extra_whitespaces"] = fields.flag(field, "remove_extra_whitespaces");
          break;
        case 5:
          settings_["escape_whitespaces"] = fields.flag(field, "escape_whitespaces");
          break;
        case 6:
          fields.text(field, "normalization_rule_tsv");
          break;
        default:
          fields.unknown(field);
      }
    }
  }

  std::string_view text(std::size_t piece) const {
    const auto begin = piece == 0 ? std::size_t{0} : static_cast<std::size_t>(ends_[piece - 1]);
    return std::string_view(pieces_).substr(begin, static_cast<std::size_t>(ends_[piece]) - begin);
  }

  // What one message alone does not show.
  void check() const {
    std::unordered_set<std::string_view> known;
    std::size_t unknown = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (!known.insert(text(i)).second) {
        throw FormatError(fmt::format("{}: piece {}: {} is there twice", file_, i, printable(text(i))));
      }
      unknown += kinds_[i] == static_cast<std::uint8_t>(Kind::unknown) ? 1U : 0U;
      if (kinds_[i] == static_cast<std::uint8_t>(Kind::byte)) {
        check_byte(i);
        ++bytes;
      }
    }
    if (unknown != 1) {
      throw FormatError(
          fmt::format("{}: {} of its {} pieces are the unknown one, expected exactly one; this "
                      "is no sentencepiece model",
                      file_, unknown, kinds_.size()));
    }
    const bool fallback = settings_["byte_fallback"].get<bool>();
    if (bytes != (fallback ? 256U : 0U)) {
      throw FormatError(fmt::format("{}: byte_fallback is {}, but {} pieces stand for a byte, expected {}",
                                    file_, fallback, bytes, fallback ? 256 : 0));
    }
  }
  void check_byte(std::size_t piece) const {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const std::string_view name = text(piece);
    if (name.size() != 6 || !name.starts_with("<0x") || name[5] != '>' ||
        kDigits.find(name[3]) == std::string_view::npos || kDigits.find(name[4]) == std::string_view::npos) {
      throw FormatError(
          fmt::format("{}: piece {}: it stands for a byte, but is called {}, expected <0x00> to "
                      "<0xFF>",
                      file_, piece, printable(name)));
    }
  }

  std::string_view bytes_;
  std::string file_;
  nlohmann::json settings_;
  std::string charsmap_;
  std::string pieces_;              // one after another
  std::vector<std::int64_t> ends_;  // of each in pieces_
  std::vector<float> scores_;
  std::vector<std::uint8_t> kinds_;  // Kind
};

}  // namespace

bool looks_like_sentencepiece(std::string_view head) noexcept {
  // Its first field is a piece (1, bytes) shorter than 128, whose first field is the text (1, bytes).
  return head.size() >= 4 && head[0] == '\x0A' && static_cast<unsigned char>(head[1]) < 0x80 &&
         head[2] == '\x0A' && head[3] < head[1] && head[3] > 0;
}

void translate_sentencepiece(const InputFile& file, WeightsSink& sink) {
  const std::string name = file.path().string();
  if (file.size_bytes() > kMostFile) {
    throw FormatError(fmt::format("{}: {} bytes; a sentencepiece model has at most {}", name,
                                  file.size_bytes(), kMostFile));
  }
  std::string bytes(static_cast<std::size_t>(file.size_bytes()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  Reader reader(bytes, name);
  reader.read();
  reader.give(file, sink);
}

}  // namespace mog::io
