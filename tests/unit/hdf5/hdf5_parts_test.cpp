// Attributes, types and tables of numbers: what is written is read, and what is no file of ours is refused
// with its name.
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_chunk_map.h"
#include "io/hdf5/file/hdf5_dataset.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/hdf5/file/numbers_file.h"
#include "io/recording/errors.h"
#include "made_file.h"
#include "samples.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using test::MadeFile;
using test::TemporaryDirectory;

template <class Thrown, class Action>
void expect_thrown(const Action& action, const std::string& said) {
  try {
    action();
    ADD_FAILURE() << "nothing thrown; expected: " << said;
  } catch (const Thrown& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

TEST(Hdf5Attributes, AreReadAsTheyWereWritten) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "a.h5";
  const MadeFile file(path);
  h5::write_attribute(file.id(), "text", std::string_view("ein Wörterbuch"), path);
  h5::write_attribute(file.id(), "empty", std::string_view(), path);
  h5::write_attribute(file.id(), "whole", std::int64_t{-7}, path);
  h5::write_attribute(file.id(), "real", .25, path);
  const std::vector<std::int64_t> several = {1, 2, 3};
  h5::write_attribute(file.id(), "several", std::span(several), path);
  h5::write_attribute(file.id(), "none", std::span<const std::int64_t>(), path);

  EXPECT_EQ(h5::read_text_attribute(file.id(), "text", path, "/"), "ein Wörterbuch");
  EXPECT_EQ(h5::read_text_attribute(file.id(), "empty", path, "/"), "");
  EXPECT_EQ(h5::read_int_attribute(file.id(), "whole", path, "/"), std::vector<std::int64_t>{-7});
  EXPECT_EQ(h5::read_int_attribute(file.id(), "several", path, "/"), several);
  EXPECT_EQ(h5::read_int_attribute(file.id(), "none", path, "/"), std::vector<std::int64_t>{});
  EXPECT_EQ(h5::read_double_attribute(file.id(), "real", path, "/"), .25);
  EXPECT_EQ(h5::read_text_attribute(file.id(), "absent", path, "/"), std::nullopt);
  EXPECT_EQ(h5::read_int_attribute(file.id(), "absent", path, "/"), std::nullopt);
  EXPECT_EQ(h5::read_double_attribute(file.id(), "absent", path, "/"), std::nullopt);
}

TEST(Hdf5Attributes, OfAnotherKindAreRefused) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "a.h5";
  MadeFile file(path);
  h5::write_attribute(file.id(), "text", std::string_view("abc"), path);
  h5::write_attribute(file.id(), "real", .25, path);
  file.text_attribute("of any length", "abc");
  file.attribute("two texts", h5::fixed_string(2).get(), {2}, "abcd");
  const std::vector<double> reals = {1, 2};
  file.attribute("two reals", H5T_IEEE_F64LE, {2}, reals.data());
  const std::vector<char> much(h5::kLongestAttribute + 1, 'x');
  file.attribute("long", h5::fixed_string(much.size()).get(), {}, much.data());

  const auto text = [&](const char* name) { return h5::read_text_attribute(file.id(), name, path, "/"); };
  expect_thrown<FormatError>([&] { text("real"); },
                             "attribute real: expected one fixed-length string, found float64");
  expect_thrown<FormatError>([&] { text("of any length"); }, "found variable-length string");
  expect_thrown<FormatError>([&] { text("two texts"); },
                             "expected one fixed-length string, found 2-byte string");
  expect_thrown<FormatError>([&] { text("long"); }, "larger than an attribute may be");
  expect_thrown<FormatError>([&] { h5::read_int_attribute(file.id(), "real", path, "/"); },
                             "expected int64, found float64");
  expect_thrown<FormatError>([&] { h5::read_double_attribute(file.id(), "text", path, "/"); },
                             "found 3-byte string");
  expect_thrown<FormatError>([&] { h5::read_double_attribute(file.id(), "two reals", path, "/"); },
                             "expected one float64");
  const h5::Lock lock;
  expect_thrown<FormatError>([&] { h5::read_text_attribute(H5I_INVALID_HID, "text", path, "/"); },
                             "cannot be looked for");
  {
    const h5::WriteScope scope;
    expect_thrown<StorageError>(
        [&] { h5::write_attribute(file.id(), "text", std::string_view("again"), path); }, "attribute text");
  }
}

TEST(Hdf5Types, EveryKindHasItsName) {
  for (const DType dtype : {DType::float16, DType::float32, DType::float64, DType::uint8, DType::int32,
                            DType::int64, DType::uint64}) {
    EXPECT_EQ(h5::dtype_of(h5::type_of(dtype).get()), dtype);
    EXPECT_EQ(h5::describe_type(h5::type_of(dtype).get()), name(dtype));
  }
  expect_thrown<UsageError>([] { h5::type_of(DType::bfloat16); }, "no bfloat16");
  const h5::Lock lock;
  const std::pair<h5::Type, std::string> others[] = {
      {h5::Type(H5Tcopy(H5T_STD_I16LE)), "2-byte integer"},
      {h5::Type(H5Tcopy(H5T_STD_I64BE)), "big-endian 8-byte integer"},
      {h5::Type(H5Tcopy(H5T_IEEE_F32BE)), "big-endian 4-byte float"},
      {h5::fixed_string(5), "5-byte string"},
      {h5::fixed_string(0), "1-byte string"},
      {MadeFile::string_type(H5T_VARIABLE, H5T_STR_NULLTERM), "variable-length string"},
      {h5::Type(H5Tcreate(H5T_COMPOUND, 8)), "compound type"},
      {h5::Type(H5Tenum_create(H5T_STD_I8LE)), "enumeration"},
      {h5::Type(H5Tvlen_create(H5T_STD_I8LE)), "variable-length type"},
      {h5::Type(H5Tcreate(H5T_OPAQUE, 3)), "opaque type"},
      {h5::Type(H5Tcopy(H5T_STD_REF_OBJ)), "reference"},
      {h5::Type(H5Tcopy(H5T_STD_B8LE)), "bit field"},
  };
  for (const auto& [type, said] : others) {
    EXPECT_EQ(h5::describe_type(type.get()), said);
    EXPECT_EQ(h5::dtype_of(type.get()), std::nullopt) << said;
  }
  const hsize_t three = 3;
  EXPECT_EQ(h5::describe_type(h5::Type(H5Tarray_create2(H5T_STD_I8LE, 1, &three)).get()), "array type");
  EXPECT_EQ(h5::describe_type(H5I_INVALID_HID), "unknown type");
}

NumbersFile some_numbers() {
  NumbersFile file;
  file.attributes = {{"kind", "table"}};
  file.groups = {{"panels/1", {{"title", "first"}}}};
  file.datasets = {
      {"panels/1/values", {2, 2}, std::vector<double>{1, 2, 3, 4.5}, "row, column", "1", "real"},
      {"panels/1/counts", {3}, std::vector<std::int64_t>{-1, 0, 7}, "row", "1", "whole"},
      {"panels/1/texts", {2}, std::vector<std::string>{"Häuser", "x"}, "row", "", "texts"},
      {"none", {0, 4}, std::vector<double>{}, "row, column", "1", "empty"},
      {"no texts", {0}, std::vector<std::string>{}, "row", "", "empty"},
      {"one", {}, std::vector<double>{8}, "", "1", "a number"},
  };
  return file;
}

TEST(NumbersFiles, HoldWhatWasHandedOver) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "numbers.h5";
  write_numbers(some_numbers(), path);
  const h5::Lock lock;
  const h5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  EXPECT_EQ(h5::read_text_attribute(file.get(), "kind", path, "/"), "table");
  const h5::Group group(H5Gopen2(file.get(), "panels/1", H5P_DEFAULT));
  EXPECT_EQ(h5::read_text_attribute(group.get(), "title", path, "/"), "first");
  const auto read = [&](const char* place, hid_t type, void* to) {
    const h5::Dataset dataset(H5Dopen2(file.get(), place, H5P_DEFAULT));
    EXPECT_GE(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), 0) << place;
    EXPECT_NE(h5::read_text_attribute(dataset.get(), "description", path, place), std::nullopt);
  };
  std::vector<double> reals(4);
  read("panels/1/values", H5T_IEEE_F64LE, reals.data());
  EXPECT_EQ(reals, (std::vector<double>{1, 2, 3, 4.5}));
  std::vector<std::int64_t> whole(3);
  read("panels/1/counts", H5T_STD_I64LE, whole.data());
  EXPECT_EQ(whole, (std::vector<std::int64_t>{-1, 0, 7}));
  std::string texts(14, '?');
  read("panels/1/texts", h5::fixed_string(7).get(), texts.data());
  EXPECT_EQ(texts, (std::string("Häuser") + "x" + std::string(6, '\0')));
  double one = 0;
  read("one", H5T_IEEE_F64LE, &one);
  EXPECT_EQ(one, 8);
  for (const char* const place : {"none", "no texts"}) {
    const h5::Dataset dataset(H5Dopen2(file.get(), place, H5P_DEFAULT));
    EXPECT_EQ(H5Sget_simple_extent_npoints(h5::Space(H5Dget_space(dataset.get())).get()), 0) << place;
  }
}

TEST(NumbersFiles, ThatContradictThemselvesLeaveTheOldOne) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "numbers.h5";
  std::ofstream(path) << "old";
  NumbersFile numbers = some_numbers();
  numbers.datasets[0].extents = {5};
  expect_thrown<ShapeError>([&] { write_numbers(numbers, path); },
                            "panels/1/values: 4 values where its extents ask for 5");
  numbers = some_numbers();
  numbers.datasets.push_back(numbers.datasets.front());
  expect_thrown<StorageError>([&] { write_numbers(numbers, path); }, "panels/1/values");
  numbers = some_numbers();
  numbers.groups.push_back(numbers.groups.front());
  expect_thrown<StorageError>([&] { write_numbers(numbers, path); }, "panels/1");
  EXPECT_EQ(fs::file_size(path), 3U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  expect_thrown<StorageError>([&] { write_numbers(some_numbers(), folder / "absent/numbers.h5"); },
                              "creating");
}

TEST(FlatDatasets, ShrinkOnlySoFarThatReadersTrustThem) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "flat.h5";
  const MadeFile file(path);
  const std::vector<std::uint8_t> same(3'000'000, 1);
  h5::write_flat(file.id(), {"/same", DType::uint8, "byte", "1", "constant"}, {h5::bytes_of(same)}, 9, path);
  const h5::Dataset dataset(H5Dopen2(file.id(), "/same", H5P_DEFAULT));
  EXPECT_GE(H5Dget_storage_size(dataset.get()), same.size());  // as it is
  std::vector<std::uint8_t> found(same.size());
  h5::read_flat(dataset.get(), DType::uint8, 0, found.size(), found.data(), path, "/same");
  EXPECT_EQ(found, same);
  h5::read_flat(dataset.get(), DType::uint8, 5, 0, nullptr, path, "/same");
  expect_thrown<FormatError>(
      [&] { h5::read_flat(dataset.get(), DType::uint8, found.size(), 1, found.data(), path, "/same"); },
      "/same: the values cannot be read");
  const h5::WriteScope scope;
  expect_thrown<StorageError>(
      [&] {
        h5::write_flat(file.id(), {"/same", DType::uint8, "byte", "1", "again"}, {h5::bytes_of(same)}, 0,
                       path);
      },
      "/same");
  expect_thrown<StorageError>([&] { h5::create_group(file.id(), "/same", "again", path); }, "/same");
}

TEST(FlatDatasets, PiecesFollowOneAnother) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "flat.h5";
  const MadeFile file(path);
  const std::vector<std::int32_t> first = {1, 2, 3};
  const std::vector<std::int32_t> none;
  const std::vector<std::int32_t> last = {4};
  for (const int deflate : {0, 1}) {
    const std::string place = deflate == 0 ? "/plain" : "/packed";
    const h5::Dataset dataset = h5::write_flat(
        file.id(), {place, DType::int32, "token", "1", "numbers"},
        {h5::bytes_of(none), h5::bytes_of(first), h5::bytes_of(none), h5::bytes_of(last)}, deflate, path);
    std::vector<std::int32_t> found(4);
    h5::read_flat(dataset.get(), DType::int32, 0, 4, found.data(), path, place);
    EXPECT_EQ(found, (std::vector<std::int32_t>{1, 2, 3, 4}));
  }
}

// Whatever is stored in another way than ours is left to HDF5.
TEST(ChunkMap, DeclinesWhatIsStoredInAnotherWay) {
  const TemporaryDirectory folder;
  const h5::Lock lock;
  const std::vector<float> values(100, 1.0F);
  const auto declines = [&](const std::string& what, hsize_t user_block, bool in_memory,
                            const h5::Properties& creation, std::vector<hsize_t> shape, bool write) {
    const h5::Properties made(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_userblock(made.get(), user_block);
    const h5::Properties access(H5Pcreate(H5P_FILE_ACCESS));
    if (in_memory) {
      H5Pset_fapl_core(access.get(), 1U << 16U, false);
    }
    const h5::File file(H5Fcreate((folder / what).c_str(), H5F_ACC_TRUNC, made.get(), access.get()));
    const h5::Dataset dataset(H5Dcreate2(file.get(), "v", H5T_IEEE_F32LE, MadeFile::simple(shape).get(),
                                         H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    if (write) {
      H5Dwrite(dataset.get(), H5T_IEEE_F32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Fflush(file.get(), H5F_SCOPE_GLOBAL);
    return !h5::ChunkMap::of(file, dataset, sizeof(float)).has_value();
  };
  const auto with_sums = [](const std::vector<hsize_t>& chunk) {
    h5::Properties creation = MadeFile::chunked(chunk);
    H5Pset_fletcher32(creation.get());
    return creation;
  };
  EXPECT_FALSE(declines("ours", 0, false, with_sums({10}), {100}, true));
  EXPECT_TRUE(declines("user block", 512, false, with_sums({10}), {100}, true));
  EXPECT_TRUE(declines("in memory", 0, true, with_sums({10}), {100}, true));
  EXPECT_TRUE(declines("in one piece", 0, false, h5::Properties(H5Pcreate(H5P_DATASET_CREATE)), {100}, true));
  EXPECT_TRUE(declines("no sums", 0, false, MadeFile::chunked({10}), {100}, true));
  EXPECT_TRUE(declines("two axes", 0, false, with_sums({5, 5}), {10, 10}, true));
  EXPECT_TRUE(declines("never written", 0, false, with_sums({10}), {100}, false));
  EXPECT_TRUE(declines("chunks of 12 MB", 0, false, with_sums({3U << 20U}), {3U << 20U}, false));
  EXPECT_TRUE(declines("too many chunks", 0, false, with_sums({1}), {3000}, false));
  h5::Properties deflated = MadeFile::chunked({10});
  H5Pset_shuffle(deflated.get());
  EXPECT_TRUE(declines("another filter", 0, false, deflated, {100}, true));
}

TEST(Hdf5Errors, SayWhatIsKnown) {
  expect_thrown<FormatError>([] { h5::throw_format("a.h5", "", "is no recording"); },
                             "reading a.h5: is no recording");
  expect_thrown<FormatError>([] { h5::throw_format("a.h5", "/v", "is no number"); },
                             "reading a.h5: /v: is no number");
  const h5::WriteScope scope;
  const h5::Lock lock;
  H5Eclear2(H5E_DEFAULT);
  expect_thrown<FormatError>([] { h5::throw_read_failure("a.h5", "/v", "cannot be read"); },
                             "/v: cannot be read");
  expect_thrown<StorageError>([] { h5::throw_write_failure("a.h5", ""); }, "the file: HDF5 gave no reason");
  // The number that the library names in its text: a full disk, a lost one.
  const auto failed = [](const char* text) {
    H5Eclear2(H5E_DEFAULT);
    H5Epush2(H5E_DEFAULT, "f.c", "write", 1, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR, "%s", text);
  };
  failed("file write failed: errno = 28, error message = 'No space left on device'");
  try {
    h5::throw_write_failure("a.h5", "/v");
  } catch (const StorageError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::no_space) << error.what();
  }
  failed("file read failed: errno = 116, error message = 'Stale file handle'");
  expect_thrown<StorageError>([] { h5::throw_read_failure("a.h5", "/v", "cannot be read"); }, "reading a.h5");
  failed("damaged");
  expect_thrown<FormatError>([] { h5::throw_read_failure("a.h5", "/v", "cannot be read"); },
                             "cannot be read (HDF5: damaged)");
}

}  // namespace
}  // namespace mog::io
