// Walks over every object of a file before a value is read. Each rule closes one way in which HDF5 does more
// than read this file: links and external storage open others, a second name of an object makes a loop,
// variable-length values hide their size, filters run foreign code, declared sizes make a reader take
// memory. Declared sizes are held against the bytes that the file has: exactly where nothing is compressed,
// 1000:1 where it is, and no more chunks than eight bytes each would fill. So what follows may allocate what
// is declared.
//
// Linear in objects, links and attributes, all of which have limits (20,000 objects, 500,000 in files for an
// import); recursion ends at 8 groups. A visitor gets each object in the same walk, so that an import needs
// no second one.
//
// Trap: to look at an object HDF5 must parse its header, and some damaged headers crash it. Hence
// mog-loader; the walk alone makes no file safe.
#include "io/hdf5/check/structure_check.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <vector>

#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kMostObjects = 20'000;
constexpr std::size_t kMostImportObjects = 500'000;
constexpr int kDeepest = 8;
constexpr int kMostRank = 8;
constexpr std::size_t kLongestName = 1000;
constexpr std::uint64_t kMostAttributes = 500;
constexpr std::uint64_t kLargestChunk = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostRatio = 1000;

// Where an object lies in its file (the same for two names of one object), and how many attributes it has.
struct ObjectFacts {
  std::vector<unsigned char> identity;
  std::uint64_t attributes = 0;
};

bool object_facts(hid_t object, ObjectFacts& facts) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info{};
  if (H5Oget_info3(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS) < 0) {
    return false;
  }
  facts.identity.assign(std::begin(info.token.__data), std::end(info.token.__data));
#else
  H5O_info_t info{};
  if (H5Oget_info2(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS) < 0) {
    return false;
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&info.addr);
  facts.identity.assign(bytes, bytes + sizeof info.addr);
#endif
  facts.attributes = info.num_attrs;
  return true;
}

struct Link {
  std::string name;
  H5L_type_t type = H5L_TYPE_ERROR;
};

herr_t collect(hid_t, const char* name, const H5L_info_t* info, void* into) {
  auto& links = *static_cast<std::vector<Link>*>(into);
  if (links.size() > kMostImportObjects) {
    return 1;
  }
  links.push_back({name, info->type});
  return 0;
}

class Walk {
 public:
  // With a `visit` the file is one for `mog import`.
  Walk(const std::filesystem::path& path, std::uint64_t file_bytes, const VirtualRule& rule,
       const StructureVisitor& visit = {})
      : path_(path),
        file_bytes_(file_bytes),
        rule_(rule),
        visit_(visit),
        kind_(visit ? "files for mog import" : "recordings"),
        most_objects_(visit ? kMostImportObjects : kMostObjects) {}

  void object(hid_t id, const std::string& name, int depth) {
    ObjectFacts facts;
    if (!object_facts(id, facts)) {
      h5::throw_read_failure(path_, name, "its header cannot be read");
    }
    if (!seen_.insert(facts.identity).second) {
      refuse(name, "a second name of an object: groups must not form a loop, datasets have one name");
    }
    if (seen_.size() > most_objects_) {
      refuse(name, fmt::format("more than {} objects", most_objects_));
    }
    if (!visit_) {
      attributes(id, name, facts.attributes);
    }
    switch (H5Iget_type(id)) {
      case H5I_GROUP:
        visit(id, name);
        group(id, name, depth);
        break;
      case H5I_DATASET:
        dataset(id, name);
        visit(id, name);
        break;
      default:
        refuse(name, "neither a group nor a dataset");
    }
  }

 private:
  [[noreturn]] void refuse(std::string_view object, const std::string& what) const {
    h5::throw_format(path_, object, what);
  }
  void visit(hid_t id, const std::string& name) const {
    if (visit_) {
      visit_(name, id);
    }
  }
  void type_allowed(hid_t type, const std::string& name) const;
  void attributes(hid_t id, const std::string& name, std::uint64_t count) const;
  void group(hid_t id, const std::string& name, int depth);
  void dataset(hid_t id, const std::string& name) const;
  std::uint64_t elements(hid_t id, const std::string& name) const;
  void chunks(hid_t id, const h5::Properties& creation, const std::string& name, std::uint64_t bytes,
              std::uint64_t size) const;
  bool filters(const h5::Properties& creation, const std::string& name) const;
  void contiguous(hid_t id, const std::string& name, std::uint64_t bytes) const;
  void virtual_sources(const h5::Properties& creation, const std::string& name) const;

  const std::filesystem::path& path_;
  std::uint64_t file_bytes_;
  VirtualRule rule_;
  StructureVisitor visit_;
  std::string_view kind_;
  std::size_t most_objects_;
  std::set<std::vector<unsigned char>> seen_;
};

void Walk::attributes(hid_t id, const std::string& name, std::uint64_t count) const {
  if (count > kMostAttributes) {
    refuse(name, fmt::format("{} attributes; at most {} are allowed", count, kMostAttributes));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const h5::Attribute attribute(
        H5Aopen_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_NATIVE, i, H5P_DEFAULT, H5P_DEFAULT));
    std::array<char, kLongestName + 1> text{};
    if (!attribute || H5Aget_name(attribute.get(), text.size(), text.data()) < 0) {
      h5::throw_read_failure(path_, name, "an attribute cannot be opened");
    }
    const std::string where = fmt::format("{}: attribute {}", name, text.data());
    const h5::Type type(H5Aget_type(attribute.get()));
    const h5::Space space(H5Aget_space(attribute.get()));
    if (!type || !space) {
      h5::throw_read_failure(path_, where, "has no type or shape");
    }
    const bool fixed_text = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0;
    if (!fixed_text && !h5::dtype_of(type.get())) {
      refuse(where, fmt::format("{}: attributes hold fixed-length strings and numbers",
                                h5::describe_type(type.get())));
    }
    const hssize_t points = H5Sget_simple_extent_npoints(space.get());
    if (points < 0 || static_cast<std::uint64_t>(points) > h5::kLongestAttribute / H5Tget_size(type.get())) {
      refuse(where, "is larger than an attribute may be");
    }
  }
}

void Walk::group(hid_t id, const std::string& name, int depth) {
  if (depth > kDeepest) {
    refuse(name.substr(0, 200), fmt::format("groups more than {} deep", kDeepest));
  }
  H5G_info_t info{};
  if (H5Gget_info(id, &info) < 0) {
    h5::throw_read_failure(path_, name, "its links cannot be read");
  }
  if (info.nlinks > most_objects_) {
    refuse(name, fmt::format("{} links; at most {} are allowed", info.nlinks, most_objects_));
  }
  std::vector<Link> links;
  hsize_t at = 0;
  if (H5Literate(id, H5_INDEX_NAME, H5_ITER_NATIVE, &at, collect, &links) < 0) {
    h5::throw_read_failure(path_, name, "its links cannot be read");
  }
  for (const Link& link : links) {
    if (link.name.empty() || link.name == "." || link.name == ".." || link.name.size() > kLongestName ||
        first_invalid_utf8(link.name) != std::string_view::npos) {
      refuse(name, fmt::format("an object in it has a name that is none: {} bytes, empty, dots, or not UTF-8",
                               link.name.size()));
    }
    const std::string child = (name == "/" ? "/" : name + "/") + link.name;
    if (link.type != H5L_TYPE_HARD) {
      refuse(child, link.type == H5L_TYPE_EXTERNAL
                        ? fmt::format("an external link: {} hold no links to other files", kind_)
                        : fmt::format("a {} link: {} hold none",
                                      link.type == H5L_TYPE_SOFT ? "soft" : "user-defined", kind_));
    }
    const h5::Object object(H5Oopen(id, link.name.c_str(), H5P_DEFAULT));
    if (!object) {
      h5::throw_read_failure(path_, child,
                             visit_ ? "cannot be opened: the file is damaged, or written for a newer HDF5 "
                                      "(h5py: leave out libver=\"latest\")"
                                    : "cannot be opened");
    }
    this->object(object.get(), child, depth + 1);
  }
}

std::uint64_t Walk::elements(hid_t id, const std::string& name) const {
  const h5::Space space(H5Dget_space(id));
  if (!space) {
    h5::throw_read_failure(path_, name, "its shape cannot be read");
  }
  const H5S_class_t kind = H5Sget_simple_extent_type(space.get());
  if (visit_ && kind == H5S_SCALAR) {
    return 1;
  }
  if (kind != H5S_SIMPLE) {
    refuse(name, "a scalar or null dataspace where an array is due");
  }
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 1 || rank > kMostRank) {
    refuse(name, fmt::format("rank {}; at most {} dimensions are allowed", rank, kMostRank));
  }
  std::array<hsize_t, H5S_MAX_RANK> dims{};
  H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr);
  std::uint64_t product = 1;
  for (int i = 0; i < rank; ++i) {
    if (__builtin_mul_overflow(product, std::uint64_t{dims[static_cast<std::size_t>(i)]}, &product)) {
      refuse(name, "more elements than fit 64 bits");
    }
  }
  return product;
}

void Walk::type_allowed(hid_t type, const std::string& name) const {
  if (h5::dtype_of(type)) {
    return;
  }
  if (!visit_) {
    refuse(name, fmt::format(
                     "its type is {}; recordings hold little-endian float16, float32, float64, uint8, int32, "
                     "int64 and uint64",
                     h5::describe_type(type)));
  }
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_STRING && !(kind == H5T_INTEGER && H5Tget_size(type) <= 8)) {
    refuse(name, fmt::format("its type is {}; {} hold strings, whole numbers and little-endian float16, "
                             "float32 and float64",
                             h5::describe_type(type), kind_));
  }
}

void Walk::dataset(hid_t id, const std::string& name) const {
  const h5::Type type(H5Dget_type(id));
  const h5::Properties creation(H5Dget_create_plist(id));
  if (!type || !creation) {
    h5::throw_read_failure(path_, name, "its type or layout cannot be read");
  }
  type_allowed(type.get(), name);
  if (H5Pget_external_count(creation.get()) != 0) {
    refuse(name, "external storage: its values lie in another file");
  }
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL) {
    virtual_sources(creation, name);
  }
  const std::uint64_t count = elements(id, name);
  const std::uint64_t size = H5Tget_size(type.get());
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    refuse(name, "more bytes than fit 64 bits");
  }
  if (layout == H5D_VIRTUAL) {
    return;
  }
  if (bytes / kMostRatio > file_bytes_) {
    refuse(name, fmt::format("{} bytes are declared in a file of {}: impossible, even compressed 1000:1",
                             bytes, file_bytes_));
  }
  if (layout == H5D_CHUNKED) {
    chunks(id, creation, name, bytes, size);
  } else {
    contiguous(id, name, bytes);
  }
}

void Walk::contiguous(hid_t id, const std::string& name, std::uint64_t bytes) const {
  if (bytes > 0 && H5Dget_storage_size(id) < bytes) {
    refuse(name, fmt::format("{} bytes are declared, {} are stored", bytes, H5Dget_storage_size(id)));
  }
  if (bytes > file_bytes_) {
    refuse(name, fmt::format("{} bytes are declared in a file of {}", bytes, file_bytes_));
  }
}

// Whether the data are compressed.
bool Walk::filters(const h5::Properties& creation, const std::string& name) const {
  bool compressed = false;
  const int count = H5Pget_nfilters(creation.get());
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::array<unsigned, 8> values{};
    std::size_t have = values.size();
    const H5Z_filter_t filter = H5Pget_filter2(creation.get(), static_cast<unsigned>(i), &flags, &have,
                                               values.data(), 0, nullptr, nullptr);
    if (filter != H5Z_FILTER_FLETCHER32 && filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE) {
      refuse(name, fmt::format("unknown filter {}; {} use fletcher32, deflate (gzip) and shuffle",
                               static_cast<int>(filter), kind_));
    }
    compressed = compressed || filter == H5Z_FILTER_DEFLATE;
  }
  return compressed;
}

void Walk::chunks(hid_t id, const h5::Properties& creation, const std::string& name, std::uint64_t bytes,
                  std::uint64_t size) const {
  const bool compressed = filters(creation, name);
  std::array<hsize_t, H5S_MAX_RANK> dims{};
  const int rank = H5Pget_chunk(creation.get(), kMostRank, dims.data());
  std::uint64_t chunk = size;
  for (int i = 0; i < rank && i < kMostRank; ++i) {
    if (__builtin_mul_overflow(chunk, std::uint64_t{dims[static_cast<std::size_t>(i)]}, &chunk)) {
      chunk = UINT64_MAX;
      break;
    }
  }
  if (rank < 1 || chunk == 0 || chunk > kLargestChunk) {
    refuse(name, fmt::format("a chunk of {} bytes; at most 64 MiB are allowed", chunk));
  }
  if (bytes / chunk > file_bytes_ / 8) {
    refuse(name, fmt::format("{} chunks of {} bytes in a file of {}: impossible", bytes / chunk, chunk,
                             file_bytes_));
  }
  const std::uint64_t stored = H5Dget_storage_size(id);
  if (stored > file_bytes_) {
    refuse(name, fmt::format("{} bytes are stored in a file of {}", stored, file_bytes_));
  }
  if (!compressed && stored < bytes) {
    refuse(name, fmt::format("{} bytes are declared, {} are stored", bytes, stored));
  }
  if (compressed && (bytes > 0 && stored == 0)) {
    refuse(name, fmt::format("{} bytes are declared, none are stored", bytes));
  }
  if (compressed && bytes / kMostRatio > stored) {
    refuse(name, fmt::format("{} bytes stand for {}: more than 1000:1", stored, bytes));
  }
}

void Walk::virtual_sources(const h5::Properties& creation, const std::string& name) const {
  if (!rule_) {
    refuse(name, visit_ ? "a virtual dataset: its values lie elsewhere; write them into this file"
                        : "a virtual dataset: its values lie elsewhere; only recording.h5 holds such");
  }
  std::size_t count = 0;
  if (H5Pget_virtual_count(creation.get(), &count) < 0) {
    h5::throw_read_failure(path_, name, "its virtual sources cannot be read");
  }
  for (std::size_t i = 0; i < count; ++i) {
    // HDF5 does not end a name that is longer than the room for it: one byte more stays 0.
    constexpr std::size_t kRoom = kLongestName + 1;
    std::array<char, kRoom + 1> file{};
    std::array<char, kRoom + 1> dataset{};
    const ssize_t file_length = H5Pget_virtual_filename(creation.get(), i, file.data(), kRoom);
    const ssize_t dataset_length = H5Pget_virtual_dsetname(creation.get(), i, dataset.data(), kRoom);
    if (file_length < 0 || dataset_length < 0 || static_cast<std::size_t>(file_length) > kLongestName ||
        static_cast<std::size_t>(dataset_length) > kLongestName ||
        !rule_(name, file.data(), dataset.data())) {
      refuse(name,
             fmt::format(
                 "a virtual dataset over \"{}\" of \"{}\": only the same dataset of this recording's own "
                 "shards is allowed",
                 dataset.data(), file.data()));
    }
  }
}

void walk(const h5::File& file, const std::filesystem::path& path, Walk walk) {
  const h5::Lock lock;
  const h5::Object root(H5Oopen(file.get(), "/", H5P_DEFAULT));
  if (!root) {
    h5::throw_read_failure(path, "/", "cannot be opened");
  }
  walk.object(root.get(), "/", 0);
}

}  // namespace

void check_structure(const h5::File& file, const std::filesystem::path& path, std::uint64_t file_bytes,
                     const VirtualRule& rule) {
  walk(file, path, Walk(path, file_bytes, rule));
}

void check_import_structure(const h5::File& file, const std::filesystem::path& path, std::uint64_t file_bytes,
                            const StructureVisitor& visit) {
  walk(file, path, Walk(path, file_bytes, {}, visit));
}

}  // namespace mog::io
