// A foreign file streams through bounded memory, whatever its shapes. A block [head, query, key] may be
// larger than a frame: it is cut along its first axis, and where one step is still too large along the next
// (block). What is sent is always a stretch in row-major order, so the other side needs no shapes to put it
// together.
//
// A chunk of a padded file holds many sentences. Its cache is as large as the largest chunk that is allowed,
// with many slots, and datasets stay open, so that each chunk is unpacked once and not once a sentence. In a
// file with groups nothing comes again: datasets are closed, chunks and all, as soon as they were read.
//
// Runs in mog-loader, where memory and time are limited from outside: HDF5 takes memory for variable strings
// before their length can be looked at here.
#include "io/hdf5/import/import_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "io/hdf5/check/structure_check.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_handle.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/hdf5/import/import_texts.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kLargestTexts = std::size_t{32} << 20U;  // of one sentence
constexpr std::size_t kChunkCache = std::size_t{64} << 20U;    // of one dataset; the largest chunk fits
constexpr std::size_t kChunkSlots = 100'003;                   // small chunks of many sentences stay
constexpr std::size_t kObjectsBetweenSigns = 256;
constexpr const char* kAttributes[] = {"model", "tokenizer", "corpus", "weights_sha256", "config"};

DType dtype_of(ImportType type) {
  return type == ImportType::float16   ? DType::float16
         : type == ImportType::float32 ? DType::float32
                                       : DType::float64;
}

ImportType import_type(hid_t type) {
  if (H5Tget_class(type) == H5T_STRING) {
    return ImportType::text;
  }
  if (H5Tget_class(type) == H5T_INTEGER) {
    return ImportType::integer;
  }
  const auto dtype = h5::dtype_of(type);
  return dtype == DType::float16   ? ImportType::float16
         : dtype == DType::float32 ? ImportType::float32
                                   : ImportType::float64;
}

class Importer {
 public:
  Importer(const std::filesystem::path& path, ImportWriter& out) : path_(path), out_(out) {}

  void open() {
    check_import_superblock(path_, file_bytes_);
    const h5::Lock lock;
    const h5::Properties access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access.get(), false, true);
#endif
    file_ = h5::File(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.get()));
    if (!file_) {
      h5::throw_read_failure(path_, "", "HDF5 cannot open it: the file is damaged");
    }
  }

  void send(std::int64_t first) {
    const h5::Lock lock;
    refuse_recordings();
    catalogue();
    plan_ = make_import_plan(catalog_, groups_, path_,
                             [this](const std::string& path) { return integers(path, std::nullopt, 0); });
    for (const char* const name : kAttributes) {
      if (const auto text = import_attribute(file_, path_, name)) {
        out_.attribute(name, *text);
      }
    }
    out_.plan(plan_);
    for (auto i = static_cast<std::size_t>(std::max<std::int64_t>(first, 0)); i < plan_.sentences.size();
         ++i) {
      sentence(static_cast<std::int64_t>(i));
    }
    out_.end();
  }

 private:
  struct Opened {
    h5::Dataset dataset;
    h5::Type type;
  };

  [[noreturn]] void refuse(const std::string& object, const std::string& what) const {
    throw FormatError(fmt::format("importing {}: {}: {}", path_.string(), object, what));
  }
  [[noreturn]] void unreadable(const std::string& object) const {
    h5::throw_read_failure(path_, object, "the values cannot be read: the file is damaged there");
  }

  void refuse_recordings() const;
  void catalogue();
  const Opened& opened(const std::string& path);
  std::vector<std::int64_t> integers(const std::string& path, std::optional<std::int64_t> row,
                                     std::int64_t count);
  std::vector<std::string> strings(const std::string& path, std::optional<std::int64_t> row,
                                   std::int64_t count);
  std::vector<std::string> variable_strings(const Opened& from, hid_t in_memory, hid_t in_file,
                                            std::size_t count, const std::string& path) const;
  h5::Space select(const Opened& from, const std::string& path, std::span<const hsize_t> start,
                   std::span<const hsize_t> count) const;
  h5::Space select_row(const Opened& from, const std::string& path, std::optional<std::int64_t> row,
                       std::int64_t& count) const;
  void sentence(std::int64_t index);
  void array(ImportArray which, const std::string& path, std::optional<std::int64_t> row,
             std::int64_t tokens);
  void block(const std::string& path, ImportType type, std::vector<hsize_t> start, std::vector<hsize_t> count,
             std::size_t axis);

  const std::filesystem::path& path_;
  ImportWriter& out_;
  std::uint64_t file_bytes_ = 0;
  h5::File file_;
  ImportCatalog catalog_;
  std::vector<std::string> groups_;
  ImportPlan plan_;
  std::map<std::string, Opened> open_;
  std::vector<std::byte> buffer_;
};

void Importer::refuse_recordings() const {
  if (H5Aexists(file_.get(), "format") > 0 && H5Aexists(file_.get(), "format_version") > 0) {
    refuse("/", "a recording already (or a shard of one): use it as it is");
  }
}

void Importer::catalogue() {
  std::size_t seen = 0;
  check_import_structure(file_, path_, file_bytes_, [&](const std::string& path, hid_t object) {
    if (++seen % kObjectsBetweenSigns == 0) {
      out_.working();
    }
    if (H5Iget_type(object) == H5I_GROUP) {
      if (path != "/") {
        groups_.push_back(path);
      }
      return;
    }
    const h5::Type type(H5Dget_type(object));
    const h5::Space space(H5Dget_space(object));
    std::array<hsize_t, H5S_MAX_RANK> dims{};
    const int rank = H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr);
    if (!type || rank < 0) {
      h5::throw_read_failure(path_, path, "its type or shape cannot be read");
    }
    ImportDataset facts{{}, import_type(type.get())};
    for (int i = 0; i < rank; ++i) {
      facts.shape.push_back(static_cast<std::int64_t>(dims[static_cast<std::size_t>(i)]));
    }
    catalog_.emplace(path, std::move(facts));
  });
}

const Importer::Opened& Importer::opened(const std::string& path) {
  if (const auto found = open_.find(path); found != open_.end()) {
    return found->second;
  }
  const h5::Properties access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), kChunkSlots, kChunkCache, 1.0);
  Opened one{h5::Dataset(H5Dopen2(file_.get(), path.c_str(), access.get())), {}};
  if (!one.dataset || !(one.type = h5::Type(H5Dget_type(one.dataset.get())))) {
    h5::throw_read_failure(path_, path, "cannot be opened");
  }
  return open_.emplace(path, std::move(one)).first->second;
}

h5::Space Importer::select(const Opened& from, const std::string& path, std::span<const hsize_t> start,
                           std::span<const hsize_t> count) const {
  h5::Space space(H5Dget_space(from.dataset.get()));
  const bool scalar = start.empty();
  if (!space || (!scalar && H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                                count.data(), nullptr) < 0)) {
    h5::throw_read_failure(path_, path, "its shape cannot be read");
  }
  return space;
}

// All elements, or the first `count` (0: all) of row `row`; `count` becomes what was selected.
h5::Space Importer::select_row(const Opened& from, const std::string& path, std::optional<std::int64_t> row,
                               std::int64_t& count) const {
  const std::vector<std::int64_t>& shape = catalog_.at(path).shape;
  std::vector<hsize_t> start(shape.size(), 0);
  std::vector<hsize_t> extent(shape.begin(), shape.end());
  if (row) {
    start.front() = static_cast<hsize_t>(*row);
    extent.front() = 1;
    if (count > 0 && extent.size() > 1) {
      extent.back() = static_cast<hsize_t>(count);
    }
  }
  hsize_t elements = 1;
  for (const hsize_t one : extent) {
    elements *= one;
  }
  count = static_cast<std::int64_t>(elements);
  return select(from, path, start, extent);
}

std::vector<std::int64_t> Importer::integers(const std::string& path, std::optional<std::int64_t> row,
                                             std::int64_t count) {
  const Opened& from = opened(path);
  const h5::Space in_file = select_row(from, path, row, count);
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  const auto size = static_cast<hsize_t>(count);
  const h5::Space in_memory(H5Screate_simple(1, &size, nullptr));
  if (!values.empty() && H5Dread(from.dataset.get(), H5T_NATIVE_INT64, in_memory.get(), in_file.get(),
                                 H5P_DEFAULT, values.data()) < 0) {
    unreadable(path);
  }
  return values;
}

std::vector<std::string> Importer::variable_strings(const Opened& from, hid_t in_memory, hid_t in_file,
                                                    std::size_t count, const std::string& path) const {
  std::vector<char*> pointers(count, nullptr);
  if (H5Dread(from.dataset.get(), from.type.get(), in_memory, in_file, H5P_DEFAULT,
              static_cast<void*>(pointers.data())) < 0) {
    unreadable(path);
  }
  std::vector<std::string> texts;
  texts.reserve(count);
  std::size_t bytes = 0;
  for (char* const pointer : pointers) {
    texts.emplace_back(pointer == nullptr ? "" : pointer);
    H5free_memory(pointer);
    bytes += texts.back().size();
    if (bytes > kLargestTexts) {
      refuse(path, fmt::format("the texts of one sentence are longer than {} bytes", kLargestTexts));
    }
  }
  return texts;
}

std::vector<std::string> Importer::strings(const std::string& path, std::optional<std::int64_t> row,
                                           std::int64_t count) {
  const Opened& from = opened(path);
  const h5::Space in_file = select_row(from, path, row, count);
  const auto elements = static_cast<hsize_t>(count);
  const h5::Space in_memory(H5Screate_simple(1, &elements, nullptr));
  std::vector<std::string> texts;
  if (count == 0) {
    return texts;
  }
  if (count > kMostImportTokens) {
    refuse(path, fmt::format("{} strings in one sentence; at most {} are allowed", count, kMostImportTokens));
  }
  if (H5Tis_variable_str(from.type.get()) > 0) {
    texts = variable_strings(from, in_memory.get(), in_file.get(), elements, path);
  } else {
    const std::size_t size = H5Tget_size(from.type.get());
    if (size > kLargestTexts / elements) {
      refuse(path, fmt::format("the texts of one sentence are longer than {} bytes", kLargestTexts));
    }
    std::string bytes(size * elements, '\0');
    if (H5Dread(from.dataset.get(), from.type.get(), in_memory.get(), in_file.get(), H5P_DEFAULT,
                bytes.data()) < 0) {
      unreadable(path);
    }
    for (std::size_t i = 0; i < elements; ++i) {
      texts.push_back(import_unpadded(bytes.substr(i * size, size), H5Tget_strpad(from.type.get())));
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (first_invalid_utf8(texts[i]) != std::string_view::npos || texts[i].find('\0') != std::string::npos) {
      refuse(path, fmt::format("string {}{} is not UTF-8", i + 1,
                               row ? fmt::format(" of sentence {}", *row + 1) : ""));
    }
  }
  return texts;
}

// The block [start, start + count) of `path`, cut along `axis` and, where one step is still too large, the
// axes after it.
void Importer::block(const std::string& path, ImportType type, std::vector<hsize_t> start,
                     std::vector<hsize_t> count, std::size_t axis) {
  std::size_t step_bytes = static_cast<std::size_t>(size_bytes(type));
  for (std::size_t i = axis + 1; i < count.size(); ++i) {
    step_bytes *= static_cast<std::size_t>(count[i]);
  }
  const hsize_t end = start[axis] + count[axis];
  if (step_bytes > kLargestData) {
    for (count[axis] = 1; start[axis] < end; ++start[axis]) {
      block(path, type, start, count, axis + 1);
    }
    return;
  }
  const hsize_t most = kLargestData / step_bytes;
  const Opened& from = opened(path);
  const h5::Type in_memory_type = h5::type_of(dtype_of(type));
  for (; start[axis] < end; start[axis] += count[axis]) {
    count[axis] = std::min<hsize_t>(most, end - start[axis]);
    const h5::Space in_file = select(from, path, start, count);
    const hsize_t elements = count[axis] * (step_bytes / static_cast<std::size_t>(size_bytes(type)));
    const h5::Space in_memory(H5Screate_simple(1, &elements, nullptr));
    buffer_.resize(count[axis] * step_bytes);
    if (H5Dread(from.dataset.get(), in_memory_type.get(), in_memory.get(), in_file.get(), H5P_DEFAULT,
                buffer_.data()) < 0) {
      unreadable(path);
    }
    out_.data(buffer_);
  }
}

void Importer::array(ImportArray which, const std::string& path, std::optional<std::int64_t> row,
                     std::int64_t tokens) {
  const ImportPlan::Layers layers = plan_.layers_of(which);
  const ImportType type = layers.first <= layers.last ? catalog_.at(path).type : ImportType::float32;
  const std::vector<std::int64_t> shape = plan_.shape_of(which, tokens);
  for (std::int64_t layer = layers.first; layer <= layers.last; ++layer) {
    out_.array(which, layer, type);
    std::vector<hsize_t> start;
    std::vector<hsize_t> count;
    if (row) {
      start.push_back(static_cast<hsize_t>(*row));
      count.push_back(1);
    }
    start.push_back(static_cast<hsize_t>(layer - layers.first));
    count.push_back(1);
    const std::size_t axis = start.size();
    start.resize(axis + shape.size(), 0);
    count.insert(count.end(), shape.begin(), shape.end());
    block(path, type, std::move(start), std::move(count), axis);
  }
}

void Importer::sentence(std::int64_t index) {
  const ImportSentence& one = plan_.sentences[static_cast<std::size_t>(index)];
  if (!plan_.padded) {
    open_.clear();
  }
  const std::string at = plan_.padded ? "/" : one.group + "/";
  std::optional<std::int64_t> row;
  if (plan_.padded) {
    row = index;
  }
  const auto has = [&](const char* name) { return catalog_.count(at + name) > 0; };
  out_.sentence(index);
  out_.text(ImportText::tokens, strings(at + "tokens", row, one.tokens));
  if (has("words")) {
    std::vector<std::string> words = strings(at + "words", row, 0);
    while (plan_.padded && !words.empty() && words.back().empty()) {
      words.pop_back();
    }
    out_.text(ImportText::words, words);
  }
  if (has("text")) {
    out_.text(ImportText::text, strings(at + "text", row, 0));
  }
  if (has("word_of_token")) {
    out_.integers(integers(at + "word_of_token", row, one.tokens));
  }
  for (const ImportArray which : kImportArrays) {
    const std::string path = at + std::string(name(which));
    array(which, path, row, one.tokens);
    if (!plan_.padded) {
      open_.erase(path);  // and its chunks
    }
  }
}

}  // namespace

void send_import(const std::filesystem::path& file, std::int64_t first, ImportWriter& out,
                 const std::function<void()>& opened) {
  Importer importer(file, out);
  importer.open();
  opened();
  importer.send(first);
}

}  // namespace mog::io
