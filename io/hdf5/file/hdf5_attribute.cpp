#include "io/hdf5/file/hdf5_attribute.h"

#include <fmt/format.h>

#include <array>

#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_type.h"

namespace mog::io::h5 {
namespace {

void write(hid_t object, const char* name, const Type& type, const Space& space, const void* data,
           const std::filesystem::path& file) {
  const Attribute attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  const bool empty =
      H5Sget_simple_extent_npoints(space.get()) == 0;  // nothing to write, and HDF5 wants a place for it
  if (!attribute || (!empty && H5Awrite(attribute.get(), type.get(), data) < 0)) {
    throw_write_failure(file, fmt::format("attribute {}", name));
  }
}

// An open attribute with its type and number of elements, small enough to be read.
struct Opened {
  Attribute attribute;
  Type type;
  std::size_t elements = 0;
};

std::optional<Opened> open(hid_t object, const char* name, const std::filesystem::path& file,
                           std::string_view place) {
  const htri_t exists = H5Aexists(object, name);
  if (exists == 0) {
    return std::nullopt;
  }
  const std::string where = fmt::format("{}: attribute {}", place, name);
  if (exists < 0) {
    throw_read_failure(file, where, "cannot be looked for");
  }
  Opened opened{Attribute(H5Aopen(object, name, H5P_DEFAULT)), {}, 0};
  if (!opened.attribute) {
    throw_read_failure(file, where, "cannot be opened");
  }
  opened.type = Type(H5Aget_type(opened.attribute.get()));
  const Space space(H5Aget_space(opened.attribute.get()));
  if (!opened.type || !space) {
    throw_read_failure(file, where, "has no type or shape");
  }
  const hssize_t elements = H5Sget_simple_extent_npoints(space.get());
  const std::size_t size = H5Tget_size(opened.type.get());
  if (elements < 0 || size == 0 || static_cast<std::size_t>(elements) > kLongestAttribute / size) {
    throw_format(file, where, "is larger than an attribute may be");
  }
  opened.elements = static_cast<std::size_t>(elements);
  return opened;
}

}  // namespace

void write_attribute(hid_t object, const char* name, std::string_view text,
                     const std::filesystem::path& file) {
  const Lock lock;
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  write(object, name, fixed_string(padded.size()), Space(H5Screate(H5S_SCALAR)), padded.data(), file);
}

void write_attribute(hid_t object, const char* name, std::int64_t value, const std::filesystem::path& file) {
  const Lock lock;
  write(object, name, type_of(DType::int64), Space(H5Screate(H5S_SCALAR)), &value, file);
}

void write_attribute(hid_t object, const char* name, double value, const std::filesystem::path& file) {
  const Lock lock;
  write(object, name, type_of(DType::float64), Space(H5Screate(H5S_SCALAR)), &value, file);
}

void write_attribute(hid_t object, const char* name, std::span<const std::int64_t> values,
                     const std::filesystem::path& file) {
  const Lock lock;
  const hsize_t count = values.size();
  write(object, name, type_of(DType::int64), Space(H5Screate_simple(1, &count, nullptr)), values.data(),
        file);
}

std::optional<std::string> read_text_attribute(hid_t object, const char* name,
                                               const std::filesystem::path& file, std::string_view place) {
  const Lock lock;
  const auto opened = open(object, name, file, place);
  if (!opened) {
    return std::nullopt;
  }
  const std::string where = fmt::format("{}: attribute {}", place, name);
  if (H5Tget_class(opened->type.get()) != H5T_STRING || H5Tis_variable_str(opened->type.get()) != 0 ||
      opened->elements != 1) {
    throw_format(
        file, where,
        fmt::format("expected one fixed-length string, found {}", describe_type(opened->type.get())));
  }
  std::string text(H5Tget_size(opened->type.get()), '\0');
  if (H5Aread(opened->attribute.get(), opened->type.get(), text.data()) < 0) {
    throw_read_failure(file, where, "cannot be read");
  }
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

std::optional<std::vector<std::int64_t>> read_int_attribute(hid_t object, const char* name,
                                                            const std::filesystem::path& file,
                                                            std::string_view place) {
  const Lock lock;
  const auto opened = open(object, name, file, place);
  if (!opened) {
    return std::nullopt;
  }
  const std::string where = fmt::format("{}: attribute {}", place, name);
  if (dtype_of(opened->type.get()) != DType::int64) {
    throw_format(file, where, fmt::format("expected int64, found {}", describe_type(opened->type.get())));
  }
  std::vector<std::int64_t> values(opened->elements);
  if (!values.empty() && H5Aread(opened->attribute.get(), opened->type.get(), values.data()) < 0) {
    throw_read_failure(file, where, "cannot be read");
  }
  return values;
}

std::optional<double> read_double_attribute(hid_t object, const char* name, const std::filesystem::path& file,
                                            std::string_view place) {
  const Lock lock;
  const auto opened = open(object, name, file, place);
  if (!opened) {
    return std::nullopt;
  }
  const std::string where = fmt::format("{}: attribute {}", place, name);
  if (dtype_of(opened->type.get()) != DType::float64 || opened->elements != 1) {
    throw_format(file, where,
                 fmt::format("expected one float64, found {}", describe_type(opened->type.get())));
  }
  double value = 0;
  if (H5Aread(opened->attribute.get(), opened->type.get(), &value) < 0) {
    throw_read_failure(file, where, "cannot be read");
  }
  return value;
}

}  // namespace mog::io::h5
