// The file has no directory: where a variable lies is known only after all before it were walked over. The
// reader goes through a window of some kilobytes and notes begin, type and shape of each variable; values
// are skipped and read later. O(variables) reads, whatever the size of the file.
//
// Every size is declared twice in some way (shape times type, number of bytes; number of variables, end of
// the file) and compared; the last part must end with the file. Two versions differ in what a type is:
// before 4 the bytes of an element stand for it, so that 2 is int16 and never float16.
//
// Trap: an alias may name a variable, not another alias. Chains would have to be followed, and may be rings.
#include "io/checkpoint/ctranslate2.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/printable.h"
#include "io/checkpoint/safetensors_header.h"
#include "io/recording/errors.h"
#include "io/text/file_kind.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::uint32_t kNewest = 6;
constexpr std::size_t kMaxVariables = 100'000;
constexpr std::size_t kMaxRank = 16;
struct Specification {
  std::string_view name;
  std::uint32_t newest;  // revision; all from 1 on are known
};
constexpr auto kSpecifications = std::to_array<Specification>({{"TransformerBase", 7},
                                                               {"TransformerBig", 7},
                                                               {"TransformerSpec", 7},
                                                               {"TransformerDecoderSpec", 8},
                                                               {"TransformerEncoderSpec", 1},
                                                               {"WhisperSpec", 3},
                                                               {"Wav2Vec2Spec", 3},
                                                               {"Wav2Vec2BertSpec", 1}});
// By the number that a file gives, and by bytes of an element.
constexpr auto kTypes = std::to_array<std::string_view>({"F32", "I8", "I16", "I32", "F16", "BF16"});

class Reader {
 public:
  explicit Reader(const InputFile& file) : file_(file), name_(file.path().string()) {}

  Ct2Model run() {
    if (file_.size_bytes() == 0) {
      throw FormatError(fmt::format("{}: the file is empty, expected a CTranslate2 model", name_));
    }
    head();
    const std::uint64_t count = number(4, "the number of variables");
    if (count == 0) {
      refuse("it has no variable");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i >= kMaxVariables) {
        refuse(fmt::format("{} variables, at most {} are read", count, kMaxVariables));
      }
      variable(i + 1, count);
    }
    if (model_.version >= 3) {
      aliases();
    }
    if (at_ != file_.size_bytes()) {
      refuse(fmt::format("{} bytes after its last part, expected the end of the file",
                         file_.size_bytes() - at_));
    }
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(const std::string& defect) const {
    throw FormatError(fmt::format("{}: CTranslate2 model: {}", name_, defect));
  }
  [[noreturn]] void refuse(const Ct2Variable& variable, const std::string& defect) const {
    refuse(fmt::format("variable \"{}\": {}", printable(variable.name), defect));
  }

  // ---- bytes, through a window
  void need(std::uint64_t size, const std::string& what) const {
    if (size > file_.size_bytes() - at_) {
      refuse(fmt::format("the file is truncated: {} needs {} bytes, {} are left", what, size,
                         file_.size_bytes() - at_));
    }
  }
  std::string_view take(std::uint64_t size, const std::string& what) {
    need(size, what);
    if (at_ < window_at_ || at_ + size > window_at_ + window_.size()) {
      const std::uint64_t wanted = std::max<std::uint64_t>(size, 4096);
      window_.resize(static_cast<std::size_t>(std::min(wanted, file_.size_bytes() - at_)));
      window_at_ = at_;
      file_.read_at(at_, std::as_writable_bytes(std::span(window_)));
    }
    const std::string_view bytes = std::string_view(window_).substr(
        static_cast<std::size_t>(at_ - window_at_), static_cast<std::size_t>(size));
    at_ += size;
    return bytes;
  }
  std::uint64_t number(std::size_t bytes, const std::string& what) {
    const std::string_view part = take(bytes, what);
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(part[i]);
    }
    return value;
  }
  std::string text(const std::string& what) {
    const std::uint64_t size = number(2, what);
    std::string bytes(take(size, what));
    if (bytes.empty() || bytes.back() != '\0') {
      refuse(fmt::format("{} does not end with NUL", what));
    }
    bytes.pop_back();
    if (bytes.empty() || bytes.find('\0') != std::string::npos ||
        first_invalid_utf8(bytes) != std::string::npos) {
      refuse(fmt::format("{} is \"{}\", expected UTF-8 without NUL", what, printable(bytes)));
    }
    return bytes;
  }

  // ---- parts
  void head() {
    std::array<char, 512> start = {};
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(start.size(), file_.size_bytes()));
    file_.read_at(0, std::as_writable_bytes(std::span(start)).first(size));
    model_.version = static_cast<std::uint32_t>(number(4, "the binary version"));
    if (model_.version == 0 || model_.version > kNewest) {
      const std::string hint = looks_like(std::string_view(start.data(), size));
      refuse(fmt::format("binary version {}, known are 1 to {}{}{}", model_.version, kNewest,
                         hint.empty() ? "" : "; ", hint));
    }
    if (model_.version < 2) {
      return;
    }
    model_.specification = text("the name of the specification");
    const auto* const known = std::ranges::find(kSpecifications, model_.specification, &Specification::name);
    if (known == kSpecifications.end()) {
      refuse(fmt::format("the specification {} is not known", printable(model_.specification)));
    }
    model_.revision = static_cast<std::uint32_t>(number(4, "the revision"));
    if (model_.revision == 0 || model_.revision > known->newest) {
      refuse(fmt::format("revision {} of the specification {} is not known; known are 1 to {}",
                         model_.revision, known->name, known->newest));
    }
  }

  void variable(std::uint64_t i, std::uint64_t count) {
    Ct2Variable variable;
    variable.name = text(fmt::format("the name of variable {} of {}", i, count));
    const std::string who = fmt::format("variable \"{}\"", printable(variable.name));
    if (!names_.insert(variable.name).second) {
      refuse(variable, "its name is there twice");
    }
    const std::uint64_t rank = number(1, who);
    if (rank > kMaxRank) {
      refuse(variable, fmt::format("rank {}, at most {} is read", rank, kMaxRank));
    }
    for (std::uint64_t axis = 0; axis < rank; ++axis) {
      variable.shape.push_back(static_cast<std::int64_t>(number(4, who)));
      if (variable.shape.back() == 0) {
        refuse(variable, fmt::format("size 0 at axis {}", axis + 1));
      }
    }
    const std::uint64_t declared = type_and_bytes(variable, who);
    const auto wanted = checked_size(variable.shape, safetensors_bits(variable.dtype) / 8);
    if (!wanted || declared != *wanted) {
      refuse(variable,
             fmt::format("shape [{}] {} needs {} bytes, {} are declared", fmt::join(variable.shape, ", "),
                         variable.dtype, wanted ? std::to_string(*wanted) : "impossibly many", declared));
    }
    need(declared, who);
    variable.begin = at_;
    variable.size_bytes = declared;
    at_ += declared;
    model_.variables.push_back(std::move(variable));
  }

  std::uint64_t type_and_bytes(Ct2Variable& variable, const std::string& who) {
    const std::uint64_t type = number(1, who);
    if (model_.version >= 4) {
      if (type >= kTypes.size()) {
        refuse(variable, fmt::format("element type {} is not known", type));
      }
      variable.dtype = kTypes[static_cast<std::size_t>(type)];
      return number(4, who);
    }
    if (type != 1 && type != 2 && type != 4) {
      refuse(variable, fmt::format("elements of {} bytes, known are 1, 2 and 4", type));
    }
    variable.dtype = type == 4 ? "F32" : type == 2 ? "I16" : "I8";
    return number(4, who) * type;
  }

  void aliases() {
    const std::uint64_t count = number(4, "the number of aliases");
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string alias = text(fmt::format("alias {} of {}", i + 1, count));
      const std::string target = text(fmt::format("alias {} of {}", i + 1, count));
      if (!names_.contains(target) || model_.aliases.contains(target)) {
        refuse(
            fmt::format("alias \"{}\" of \"{}\", which is no variable", printable(alias), printable(target)));
      }
      if (!names_.insert(alias).second) {
        refuse(fmt::format("alias \"{}\" has the name of another variable", printable(alias)));
      }
      model_.aliases.emplace(alias, target);
    }
  }

  const InputFile& file_;
  std::string name_;
  std::uint64_t at_ = 0;
  std::string window_;
  std::uint64_t window_at_ = 0;
  Ct2Model model_;
  std::set<std::string> names_;
};

}  // namespace

Ct2Model read_ct2_model(const InputFile& file) {
  return Reader(file).run();
}

}  // namespace mog::io
