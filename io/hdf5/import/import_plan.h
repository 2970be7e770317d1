// What a file for `mog import` holds, found from the names, shapes and types of its datasets alone, before a
// value is read (docs/import-format.md).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mog::io {

enum class ImportType : std::uint8_t { float16, float32, float64, integer, text };
std::string_view name(ImportType type) noexcept;
std::int64_t size_bytes(ImportType type) noexcept;  // 0: text

struct ImportDataset {
  std::vector<std::int64_t> shape;  // empty: a scalar
  ImportType type = ImportType::float32;
};

// Absolute path -> facts; groups are not in it.
using ImportCatalog = std::map<std::string, ImportDataset>;

// What a value of a sentence is. Arrays of a sentence go layer by layer (from 1; hidden states from 0, the
// embedding).
enum class ImportArray : std::uint8_t {
  attention,  // [head, query, key]
  high,
  middle1,
  middle2,
  gate,    // [token] or [token, d_model]
  hidden,  // [token, d_model]
};
inline constexpr std::array kImportArrays = {ImportArray::attention, ImportArray::high, ImportArray::middle1,
                                             ImportArray::middle2,   ImportArray::gate, ImportArray::hidden};
std::string_view name(ImportArray array) noexcept;
// Whether its rows are attention rows.
bool is_map(ImportArray array) noexcept;

struct ImportSentence {
  std::int64_t number = 0;  // from 1
  std::int64_t tokens = 0;
  std::string group;  // "/12"; in the padded layout "/"
};

struct ImportPlan {
  bool padded = false;       // all sentences in one dataset, beside one of lengths
  bool graph = false;        // high, middle1, middle2 instead of attention
  bool plain_first = false;  // layer 1 has `high` alone: middle1, middle2 and gate begin with layer 2
  bool gate = false;
  bool gate_vectors = false;  // [layer, token, d_model] instead of [layer, token]
  bool hidden = false;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t d_model = 0;               // 0: neither gate vectors nor hidden states tell
  bool counted_from_0 = false;            // the first group was "0": group n is sentence n + 1
  std::vector<ImportSentence> sentences;  // ascending by number

  // Layers [first, last] of an array; hidden begins with 0. Empty (first > last): it is not there.
  struct Layers {
    std::int64_t first = 1;
    std::int64_t last = 0;
  };
  Layers layers_of(ImportArray array) const noexcept;
  // Of one layer of one sentence: [head, query, key], [token] or [token, d_model].
  std::vector<std::int64_t> shape_of(ImportArray array, std::int64_t tokens) const;
};

inline constexpr std::int64_t kMostImportTokens = 16'384;  // of one sentence
inline constexpr std::int64_t kMostImportSentences = 1'000'000;
inline constexpr std::int64_t kMostImportLayers = 1'000;
inline constexpr std::int64_t kMostImportHeads = 4'096;
inline constexpr std::int64_t kMostImportWidth = std::int64_t{1} << 20;

// Values of an integer dataset of one dimension.
using ReadIntegers = std::function<std::vector<std::int64_t>(const std::string& path)>;

// Throws FormatError naming file, dataset (and so the sentence), what was expected and what was found: names
// that are not known, missing datasets, types, shapes, token counts, layers and heads that differ between
// sentences, no sentence, a sentence without tokens. `groups` are the paths of all groups.
ImportPlan make_import_plan(const ImportCatalog& catalog, const std::vector<std::string>& groups,
                            const std::filesystem::path& file, const ReadIntegers& read);

}  // namespace mog::io
