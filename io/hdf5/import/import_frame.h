// How mog-loader hands plain arrays to mog: frames over a pipe. Neither side trusts the other: every frame
// has a checksum and a size that its kind limits, and is checked before memory is taken for it.
//
//   frame = magic "MOGI" · kind u32 · payload bytes u64 · CRC-32 of the 16 bytes and the payload u32 ·
//   payload
// Numbers are little-endian. Order of the frames:
//   hello {note | attribute | working} plan {sentence {text | integers} {array {data}}} end
// `working` and `error` may come at any place; `error` is the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/import/import_plan.h"

namespace mog::io {

enum class ImportFrame : std::uint32_t {
  hello = 1,  // u32 version
  note,       // words for people who ask for more
  working,    // nothing: the loader is alive
  attribute,  // name, text
  plan,
  sentence,  // i64 index into the plan's sentences
  text,      // u32 ImportText, u64 count, strings
  integers,  // u64 count, i64 …: word_of_token
  array,     // u32 ImportArray, i64 layer, u32 ImportType
  data,      // elements of that array, row-major, in any number of frames
  end,
  error,  // the words of an error about the file
};

enum class ImportText : std::uint32_t { tokens, words, text };

inline constexpr std::uint32_t kImportVersion = 1;
inline constexpr std::size_t kFrameHeaderBytes = 20;
inline constexpr std::size_t kLargestData = std::size_t{4} << 20U;  // of one frame

// The loader's side. `write` takes all bytes or throws.
class ImportWriter {
 public:
  using Write = std::function<void(std::span<const std::byte>)>;
  explicit ImportWriter(Write write);

  void hello();
  void note(std::string_view text);
  void working();
  void attribute(std::string_view name, std::string_view text);
  void plan(const ImportPlan& plan);
  void sentence(std::int64_t index);
  void text(ImportText which, const std::vector<std::string>& strings);
  void integers(std::span<const std::int64_t> values);
  void array(ImportArray array, std::int64_t layer, ImportType type);
  void data(std::span<const std::byte> bytes);  // at most kLargestData
  void end();
  void error(std::string_view text);

 private:
  void frame(ImportFrame kind, std::span<const std::byte> payload);
  Write write_;
};

// One sentence before its arrays.
struct ImportedSentence {
  std::int64_t index = 0;  // into the plan's sentences
  std::vector<std::string> tokens;
  std::vector<std::string> words;           // empty: not given
  std::optional<std::string> text;          // nothing: not given
  std::vector<std::int64_t> word_of_token;  // empty: not given
};

struct ImportedArray {
  ImportArray array = ImportArray::attention;
  std::int64_t layer = 0;
  ImportType type = ImportType::float32;
};

// mog's side: takes the frames apart and checks that each is what must come next. Throws FormatError with the
// loader's words where it refuses the file, else saying what of its answer is wrong.
class ImportStream {
 public:
  // Fills as much as is there, at least one byte; 0: the end.
  using Read = std::function<std::size_t(std::span<std::byte>)>;
  ImportStream(Read read, std::filesystem::path file);

  // Called first: everything up to the plan.
  const ImportPlan& begin();
  const ImportPlan& plan() const noexcept { return plan_; }
  const std::map<std::string, std::string>& attributes() const noexcept { return attributes_; }
  const std::vector<std::string>& notes() const noexcept { return notes_; }

  // Nothing: all sentences from the first one on have come. Those of the plan come in its order, without
  // gaps, from any first index on.
  std::optional<ImportedSentence> next_sentence();
  // The arrays of the sentence, array by array and layer by layer as the plan says; nothing: all were there.
  std::optional<ImportedArray> next_array();
  // The next values of the array, widened; empty: all were there. Valid until the next call.
  std::span<const double> next_values();

 private:
  struct Frame {
    ImportFrame kind = ImportFrame::end;
    std::vector<std::byte> payload;
  };
  [[noreturn]] void refuse(const std::string& what) const;
  void read_exactly(std::span<std::byte> into, const char* what);
  Frame next();  // no `working`; `error` is thrown
  void read_plan(std::span<const std::byte> payload);
  ImportedSentence read_sentence(std::span<const std::byte> payload);
  void expect_arrays(std::int64_t tokens);

  Read read_;
  std::filesystem::path file_;
  ImportPlan plan_;
  std::map<std::string, std::string> attributes_;
  std::vector<std::string> notes_;
  std::optional<Frame> ahead_;
  std::int64_t next_index_ = -1;
  std::vector<ImportedArray> due_;  // arrays of the current sentence that have not come, the next one last
  std::int64_t tokens_ = 0;
  ImportType type_ = ImportType::float32;
  std::int64_t elements_due_ = 0;
  std::vector<double> values_;
};

}  // namespace mog::io
