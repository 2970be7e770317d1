// HDF5 files made in a test with the library itself, as other programs write them.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/file/hdf5_handle.h"

namespace mog::test {

class MadeFile {
 public:
  explicit MadeFile(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        links_(H5Pcreate(H5P_LINK_CREATE)) {
    EXPECT_TRUE(file_) << path;
    H5Pset_create_intermediate_group(links_.get(), 1);
  }
  hid_t id() const { return file_.get(); }

  // A dataset of these values; `creation`: how it is stored.
  void raw(const std::string& path, hid_t type, const std::vector<hsize_t>& shape, const void* values,
           hid_t creation = H5P_DEFAULT) {
    const io::h5::Space space = shape.empty() ? io::h5::Space(H5Screate(H5S_SCALAR)) : simple(shape);
    const io::h5::Dataset dataset(
        H5Dcreate2(id(), path.c_str(), type, space.get(), links_.get(), creation, H5P_DEFAULT));
    EXPECT_TRUE(dataset) << path;
    if (values != nullptr) {
      EXPECT_GE(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << path;
    }
  }
  void floats(const std::string& path, const std::vector<hsize_t>& shape, const std::vector<float>& values,
              hid_t creation = H5P_DEFAULT) {
    raw(path, H5T_IEEE_F32LE, shape, values.data(), creation);
  }
  void integers(const std::string& path, const std::vector<hsize_t>& shape,
                const std::vector<std::int64_t>& values) {
    raw(path, H5T_STD_I64LE, shape, values.data());
  }
  // Of variable length; nullptr is a string that was never written.
  void strings(const std::string& path, const std::vector<hsize_t>& shape,
               const std::vector<const char*>& values) {
    raw(path, string_type(H5T_VARIABLE, H5T_STR_NULLTERM).get(), shape, values.data());
  }
  // Of `size` bytes each.
  void fixed(const std::string& path, const std::vector<hsize_t>& shape, std::size_t size, H5T_str_t padding,
             const std::string& bytes, hid_t creation = H5P_DEFAULT) {
    raw(path, string_type(size, padding).get(), shape, bytes.data(), creation);
  }
  void attribute(const std::string& name, hid_t type, const std::vector<hsize_t>& shape, const void* value) {
    const io::h5::Space space = shape.empty() ? io::h5::Space(H5Screate(H5S_SCALAR)) : simple(shape);
    const io::h5::Attribute attribute(
        H5Acreate2(id(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
    EXPECT_GE(H5Awrite(attribute.get(), type, value), 0) << name;
  }
  void text_attribute(const std::string& name, const char* text) {
    attribute(name, string_type(H5T_VARIABLE, H5T_STR_NULLTERM).get(), {}, static_cast<const void*>(&text));
  }

  static io::h5::Space simple(const std::vector<hsize_t>& shape) {
    return io::h5::Space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  }
  static io::h5::Type string_type(std::size_t size, H5T_str_t padding) {
    io::h5::Type type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), size);
    H5Tset_strpad(type.get(), padding);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
  }
  // How a chunked dataset is stored.
  static io::h5::Properties chunked(const std::vector<hsize_t>& chunk, unsigned deflate = 0) {
    io::h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
    if (deflate > 0) {
      H5Pset_deflate(creation.get(), deflate);
    }
    return creation;
  }

 private:
  const io::h5::Lock lock_;  // no messages of the library on stderr
  io::h5::File file_;
  io::h5::Properties links_;
};

}  // namespace mog::test
