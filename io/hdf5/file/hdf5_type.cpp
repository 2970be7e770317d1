#include "io/hdf5/file/hdf5_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "io/recording/errors.h"

namespace mog::io::h5 {
namespace {

static_assert(std::endian::native == std::endian::little,
              "recordings are written and read without conversion");

Type half() {
  Type type(H5Tcopy(H5T_IEEE_F32LE));
  H5Tset_fields(type.get(), 15, 10, 5, 0, 10);
  H5Tset_size(type.get(), 2);
  H5Tset_ebias(type.get(), 15);
  return type;
}

constexpr DType kKept[] = {DType::float16, DType::float32, DType::float64, DType::uint8,
                           DType::int32,   DType::int64,   DType::uint64};

}  // namespace

Type type_of(DType dtype) {
  const Lock lock;
  switch (dtype) {
    case DType::float16:
      return half();
    case DType::float32:
      return Type(H5Tcopy(H5T_IEEE_F32LE));
    case DType::float64:
      return Type(H5Tcopy(H5T_IEEE_F64LE));
    case DType::uint8:
      return Type(H5Tcopy(H5T_STD_U8LE));
    case DType::int32:
      return Type(H5Tcopy(H5T_STD_I32LE));
    case DType::int64:
      return Type(H5Tcopy(H5T_STD_I64LE));
    case DType::uint64:
      return Type(H5Tcopy(H5T_STD_U64LE));
    case DType::bfloat16:
      break;
  }
  throw UsageError(
      "recordings hold no bfloat16: HDF5 and NumPy have no such type; use --store float16 or float32");
}

std::optional<DType> dtype_of(hid_t type) {
  const Lock lock;
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) {
    return std::nullopt;
  }
  for (const DType dtype : kKept) {
    if (H5Tequal(type, type_of(dtype).get()) > 0) {
      return dtype;
    }
  }
  return std::nullopt;
}

std::string describe_type(hid_t type) {
  const Lock lock;
  if (const auto dtype = dtype_of(type)) {
    return std::string(name(*dtype));
  }
  const std::size_t size = H5Tget_size(type);
  const char* const order = H5Tget_order(type) == H5T_ORDER_BE ? "big-endian " : "";
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}{}-byte integer", order, size);
    case H5T_FLOAT:
      return fmt::format("{}{}-byte float", order, size);
    case H5T_STRING:
      return H5Tis_variable_str(type) > 0 ? "variable-length string" : fmt::format("{}-byte string", size);
    case H5T_COMPOUND:
      return "compound type";
    case H5T_ENUM:
      return "enumeration";
    case H5T_VLEN:
      return "variable-length type";
    case H5T_ARRAY:
      return "array type";
    case H5T_OPAQUE:
      return "opaque type";
    case H5T_REFERENCE:
      return "reference";
    case H5T_BITFIELD:
      return "bit field";
    default:
      return "unknown type";
  }
}

Type fixed_string(std::size_t bytes) {
  const Lock lock;
  Type type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace mog::io::h5
