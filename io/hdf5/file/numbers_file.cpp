#include "io/hdf5/file/numbers_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_handle.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

// Bytes as the file holds them, and their type.
struct Encoded {
  h5::Type type;
  const void* data = nullptr;
  std::vector<char> texts;  // what `data` points into, of texts
};

Encoded encode(const NumbersDataset& dataset) {
  Encoded result;
  if (const auto* numbers = std::get_if<std::vector<double>>(&dataset.values)) {
    result.type = h5::type_of(DType::float64);
    result.data = numbers->data();
  } else if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&dataset.values)) {
    result.type = h5::type_of(DType::int64);
    result.data = whole->data();
  } else {
    const auto& texts = std::get<std::vector<std::string>>(dataset.values);
    std::size_t longest = 1;
    for (const std::string& text : texts) {
      longest = std::max(longest, text.size());
    }
    result.type = h5::fixed_string(longest);
    result.texts.assign(longest * texts.size(), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::memcpy(result.texts.data() + i * longest, texts[i].data(), texts[i].size());
    }
    result.data = result.texts.data();
  }
  return result;
}

std::size_t size_of(const NumbersDataset& dataset) {
  return std::visit([](const auto& values) { return values.size(); }, dataset.values);
}

void check(const NumbersDataset& dataset) {
  std::size_t wanted = 1;
  for (const std::int64_t extent : dataset.extents) {
    wanted *= static_cast<std::size_t>(extent);
  }
  if (wanted != size_of(dataset)) {
    throw ShapeError(fmt::format("writing {}: {} values where its extents ask for {}", dataset.path,
                                 size_of(dataset), wanted));
  }
}

h5::Properties untimed(hid_t of_class) {
  h5::Properties properties(H5Pcreate(of_class));
  H5Pset_obj_track_times(properties.get(), false);
  return properties;
}

class Writer {
 public:
  Writer(hid_t file, const std::filesystem::path& path)
      : file_(file), path_(path), on_the_way_(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(on_the_way_.get(), 1);
  }

  void attributes(hid_t object, const TextAttributes& texts) const {
    for (const auto& [name, text] : texts) {
      h5::write_attribute(object, name.c_str(), text.substr(0, h5::kLongestAttribute), path_);
    }
  }
  void group(const std::string& place, const TextAttributes& texts) const {
    const h5::Properties creation = untimed(H5P_GROUP_CREATE);
    const h5::Group made(H5Gcreate2(file_, place.c_str(), on_the_way_.get(), creation.get(), H5P_DEFAULT));
    if (!made) {
      h5::throw_write_failure(path_, place);
    }
    attributes(made.get(), texts);
  }
  void dataset(const NumbersDataset& dataset) const {
    const Encoded encoded = encode(dataset);
    std::vector<hsize_t> extents(dataset.extents.begin(), dataset.extents.end());
    const h5::Space space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
    const h5::Properties creation = untimed(H5P_DATASET_CREATE);
    const h5::Dataset made(H5Dcreate2(file_, dataset.path.c_str(), encoded.type.get(), space.get(),
                                      on_the_way_.get(), creation.get(), H5P_DEFAULT));
    const bool empty = size_of(dataset) == 0;
    if (!made || (!empty && H5Dwrite(made.get(), encoded.type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                     encoded.data) < 0)) {
      h5::throw_write_failure(path_, dataset.path);
    }
    attributes(made.get(),
               {{"axes", dataset.axes}, {"units", dataset.units}, {"description", dataset.description}});
  }

 private:
  hid_t file_;
  const std::filesystem::path& path_;
  h5::Properties on_the_way_;
};

void write_part(const NumbersFile& numbers, const PartFile& part) {
  const h5::WriteScope scope;
  const h5::Lock lock;
  const h5::Properties creation = untimed(H5P_FILE_CREATE);
  h5::File file(H5Fcreate(part.open_name().c_str(), H5F_ACC_TRUNC, creation.get(), H5P_DEFAULT));
  if (!file) {
    h5::throw_write_failure(part.path(), "");
  }
  {
    const Writer writer(file.get(), part.path());
    const h5::Group root(H5Gopen2(file.get(), "/", H5P_DEFAULT));
    writer.attributes(root.get(), numbers.attributes);
    for (const auto& [place, attributes] : numbers.groups) {
      writer.group(place, attributes);
    }
    for (const NumbersDataset& dataset : numbers.datasets) {
      writer.dataset(dataset);
    }
  }
  if (H5Fflush(file.get(), H5F_SCOPE_GLOBAL) < 0 || H5Fclose(file.release()) < 0) {
    h5::throw_write_failure(part.path(), "");
  }
}

}  // namespace

void write_numbers(const NumbersFile& numbers, const std::filesystem::path& path) {
  for (const NumbersDataset& dataset : numbers.datasets) {
    check(dataset);
  }
  PartFile part(std::filesystem::absolute(path));
  write_part(numbers, part);
  part.publish();
}

}  // namespace mog::io
