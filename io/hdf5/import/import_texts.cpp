#include "io/hdf5/import/import_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kLongestAttributeText = 16'384;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& object,
                         const std::string& what) {
  throw FormatError(fmt::format("importing {}: {}: {}", path.string(), object, what));
}

}  // namespace

std::string import_unpadded(std::string text, H5T_str_t padding) {
  if (padding == H5T_STR_NULLTERM) {
    text.resize(std::min(text.find('\0'), text.size()));
  } else {
    text.resize(text.find_last_not_of(padding == H5T_STR_SPACEPAD ? ' ' : '\0') + 1);
  }
  return text;
}

std::optional<std::string> import_attribute(const h5::File& file, const std::filesystem::path& path,
                                            const char* name) {
  if (H5Aexists(file.get(), name) <= 0) {
    return std::nullopt;
  }
  const std::string where = fmt::format("/: attribute {}", name);
  const h5::Attribute attribute(H5Aopen(file.get(), name, H5P_DEFAULT));
  const h5::Type type(attribute ? H5Aget_type(attribute.get()) : H5I_INVALID_HID);
  const h5::Space space(attribute ? H5Aget_space(attribute.get()) : H5I_INVALID_HID);
  if (!type || !space) {
    h5::throw_read_failure(path, where, "cannot be opened");
  }
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) {
    refuse(path, where, fmt::format("expected one string, found {}", h5::describe_type(type.get())));
  }
  std::string text;
  if (H5Tis_variable_str(type.get()) > 0) {
    char* pointer = nullptr;
    if (H5Aread(attribute.get(), type.get(), static_cast<void*>(&pointer)) < 0) {
      h5::throw_read_failure(path, where, "cannot be read");
    }
    text = pointer == nullptr ? "" : pointer;
    H5free_memory(pointer);
  } else if (const std::size_t size = H5Tget_size(type.get()); size <= kLongestAttributeText) {
    text.resize(size);
    if (H5Aread(attribute.get(), type.get(), text.data()) < 0) {
      h5::throw_read_failure(path, where, "cannot be read");
    }
    text = import_unpadded(std::move(text), H5Tget_strpad(type.get()));
  } else {
    text.resize(size);
  }
  if (text.size() > kLongestAttributeText) {
    refuse(path, where,
           fmt::format("a text of {} bytes; at most {} are allowed", text.size(), kLongestAttributeText));
  }
  if (first_invalid_utf8(text) != std::string_view::npos || text.find('\0') != std::string::npos) {
    refuse(path, where, "a text that is not UTF-8");
  }
  return text;
}

}  // namespace mog::io
