// The rules that every object of an HDF5 file keeps before a value is read, each broken alone, for recordings
// and for files of other programs. Files are made here with HDF5; damaged ones are in tests/data/hdf5.
#include "io/hdf5/check/structure_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hdf5/made_file.h"

namespace mog::io {
namespace {

using test::MadeFile;
using Change = std::function<void(MadeFile&)>;

class StructureCheck : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.file("some.h5"); }
  h5::File opened() const { return h5::File(H5Fopen(path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)); }

  // The words of the refusal; "" where the file is sound.
  std::string recording(const Change& change, const VirtualRule& rule = {}) const {
    return refusal(change, [&](const h5::File& file, std::uint64_t bytes) {
      check_structure(file, path(), bytes, rule);
    });
  }
  std::string import(const Change& change) const {
    return refusal(change, [&](const h5::File& file, std::uint64_t bytes) {
      check_import_structure(file, path(), bytes, [](const std::string&, hid_t) {});
    });
  }
  static void expect_words(const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
  }
  void expect_both(const Change& change, const char* words) const {
    expect_words(recording(change), words);
    expect_words(import(change), words);
  }

 private:
  template <class Check>
  std::string refusal(const Change& change, Check check) const {
    const h5::Lock lock;
    {
      MadeFile file(path());
      change(file);
    }
    const h5::File file = opened();
    EXPECT_TRUE(file);
    try {
      check(file, std::filesystem::file_size(path()));
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(path().string()), std::string::npos) << error.what();
      return error.what();
    }
    return "";
  }
  const test::TemporaryFolder folder_;
};

TEST_F(StructureCheck, SoundFilesPass) {
  const Change numbers = [](MadeFile& file) {
    file.floats("/a/b/values", {2, 2}, {1, 2, 3, 4});
    file.floats("/packed", {64}, std::vector<float>(64, 1.0F), MadeFile::chunked({8}, 4).get());
    const std::int32_t one = 1;
    file.attribute("version", H5T_STD_I32LE, {}, &one);
    file.attribute("name", MadeFile::string_type(3, H5T_STR_NULLPAD).get(), {}, "abc");
  };
  EXPECT_EQ(recording(numbers), "");
  EXPECT_EQ(import(numbers), "");
  // What only other programs write.
  const Change others = [](MadeFile& file) {
    file.strings("/text", {}, {"one"});
    file.integers("/a/numbers", {1}, {1});
    file.raw("/short", H5T_STD_U16BE, {2}, "\0\1\0\2");
    file.text_attribute("model", "toy");
  };
  EXPECT_EQ(import(others), "");
  expect_words(recording(others), "/: attribute model: variable-length string: attributes hold");
}

TEST_F(StructureCheck, OneNameAnObjectAndNoLinksElsewhere) {
  const Change loop = [](MadeFile& file) {
    file.floats("/group/values", {1}, {1});
    H5Lcreate_hard(file.id(), "/group", file.id(), "/group/again", H5P_DEFAULT, H5P_DEFAULT);
  };
  expect_both(loop, "/group/again: a second name of an object");
  const Change soft = [](MadeFile& file) {
    H5Lcreate_soft("/nowhere", file.id(), "/soft", H5P_DEFAULT, H5P_DEFAULT);
  };
  expect_words(recording(soft), "/soft: a soft link: recordings hold none");
  expect_words(import(soft), "/soft: a soft link: files for mog import hold none");
  expect_both(
      [](MadeFile& file) {
        H5Lcreate_external("other.h5", "/values", file.id(), "/outside", H5P_DEFAULT, H5P_DEFAULT);
      },
      "/outside: an external link");
  expect_both(
      [](MadeFile& file) {
        constexpr auto kOwn = static_cast<H5L_type_t>(H5L_TYPE_EXTERNAL + 1);
        const H5L_class_t own = {
            H5L_LINK_CLASS_T_VERS,
            kOwn,
            "own",
            nullptr,
            nullptr,
            nullptr,
            [](const char*, hid_t, const void*, size_t, hid_t, hid_t) -> hid_t { return H5I_INVALID_HID; },
            nullptr,
            nullptr};
        H5Lregister(&own);
        H5Lcreate_ud(file.id(), "/own", kOwn, nullptr, 0, H5P_DEFAULT, H5P_DEFAULT);
      },
      "/own: a user-defined link");
  expect_both(
      [](MadeFile& file) {
        const h5::Type type(H5Tcopy(H5T_STD_I32LE));
        H5Tcommit2(file.id(), "/type", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      },
      "/type: neither a group nor a dataset");
  expect_both([](MadeFile& file) { file.floats("/a/b/c/d/e/f/g/h/i/values", {1}, {1}); },
              "groups more than 8 deep");
  expect_both([](MadeFile& file) { file.floats("/" + std::string(1'001, 'n'), {1}, {1}); },
              "/: an object in it has a name that is none: 1001 bytes");
  expect_both([](MadeFile& file) { file.floats("/\xff", {1}, {1}); }, "not UTF-8");
}

TEST_F(StructureCheck, TypesAndShapes) {
  const auto of_type = [](hid_t type) {
    return [type](MadeFile& file) { file.raw("/x", type, {1}, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"); };
  };
  const h5::Lock lock;
  const h5::Type compound(H5Tcreate(H5T_COMPOUND, 8));
  H5Tinsert(compound.get(), "a", 0, H5T_STD_I32LE);
  const h5::Type enumeration(H5Tenum_create(H5T_STD_I8LE));
  H5Tenum_insert(enumeration.get(), "no", "\0");
  const hsize_t two = 2;
  const h5::Type array(H5Tarray_create2(H5T_STD_I8LE, 1, &two));
  const h5::Type opaque(H5Tcreate(H5T_OPAQUE, 3));
  const struct {
    hid_t type;
    const char* words;
  } cases[] = {{H5T_STD_I16LE, "/x: its type is 2-byte integer"},
               {H5T_STD_I32BE, "/x: its type is big-endian 4-byte integer"},
               {H5T_IEEE_F64BE, "/x: its type is big-endian 8-byte float"},
               {compound.get(), "/x: its type is compound type"},
               {enumeration.get(), "/x: its type is enumeration"},
               {array.get(), "/x: its type is array type"},
               {opaque.get(), "/x: its type is opaque type"},
               {H5T_STD_B8LE, "/x: its type is bit field"}};
  for (const auto& [type, words] : cases) {
    expect_words(recording(of_type(type)), words);
    if (H5Tget_class(type) == H5T_INTEGER) {
      EXPECT_EQ(import(of_type(type)), "") << words;
    } else {
      expect_words(import(of_type(type)), words);
    }
  }
  const Change text = [](MadeFile& file) { file.fixed("/x", {1}, 3, H5T_STR_NULLPAD, "abc"); };
  expect_words(recording(text), "/x: its type is 3-byte string; recordings hold little-endian float16");
  expect_words(recording([](MadeFile& file) { file.raw("/x", H5T_IEEE_F32LE, {}, "\0\0\0\0"); }),
               "/x: a scalar or null dataspace where an array is due");
  expect_both(
      [](MadeFile& file) {
        const h5::Space null(H5Screate(H5S_NULL));
        const h5::Dataset made(
            H5Dcreate2(file.id(), "/x", H5T_IEEE_F32LE, null.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      },
      "/x: a scalar or null dataspace where an array is due");
  expect_both([](MadeFile& file) { file.floats("/x", std::vector<hsize_t>(9, 1), {1}); },
              "/x: rank 9; at most 8 dimensions are allowed");
}

TEST_F(StructureCheck, AttributesOfRecordingsAreSmall) {
  const Change many = [](MadeFile& file) {
    const std::int32_t one = 1;
    for (int i = 0; i < 501; ++i) {
      file.attribute("number " + std::to_string(i), H5T_STD_I32LE, {}, &one);
    }
  };
  expect_words(recording(many), "/: 501 attributes; at most 500 are allowed");
  EXPECT_EQ(import(many), "");
  expect_words(recording([](MadeFile& file) {
                 const h5::Type bits(H5Tcopy(H5T_STD_B8LE));
                 file.attribute("bits", bits.get(), {1}, "\1");
               }),
               "/: attribute bits: bit field: attributes hold fixed-length strings and numbers");
}

TEST_F(StructureCheck, DeclaredSizesAreThoseOfTheFile) {
  const Change unwritten = [](MadeFile& file) { file.raw("/x", H5T_IEEE_F32LE, {100}, nullptr); };
  expect_both(unwritten, "/x: 400 bytes are declared, 0 are stored");
  const Change enormous = [](MadeFile& file) {
    const h5::Properties chunks = MadeFile::chunked({1'024}, 1);
    file.raw("/x", H5T_IEEE_F32LE, {hsize_t{1} << 40U}, nullptr, chunks.get());
  };
  expect_both(enormous, "4398046511104 bytes are declared in a file of");
  expect_both(
      [](MadeFile& file) {
        file.raw("/x", H5T_IEEE_F64LE, {hsize_t{1} << 31U, hsize_t{1} << 31U}, nullptr,
                 MadeFile::chunked({8, 8}, 1).get());
      },
      "/x: more bytes than fit 64 bits");
  expect_both(
      [](MadeFile& file) {
        file.raw("/x", H5T_STD_U8LE, {hsize_t{1} << 33U, hsize_t{1} << 33U}, nullptr,
                 MadeFile::chunked({8, 8}, 1).get());
      },
      "/x: more elements than fit 64 bits");
  expect_both(
      [](MadeFile& file) {
        file.raw("/x", H5T_IEEE_F32LE, {100'000}, nullptr, MadeFile::chunked({1}).get());
      },
      "/x: 100000 chunks of 4 bytes in a file of");
  expect_both(
      [](MadeFile& file) { file.raw("/x", H5T_IEEE_F32LE, {100}, nullptr, MadeFile::chunked({100}).get()); },
      "/x: 400 bytes are declared, 0 are stored");
  expect_both(
      [](MadeFile& file) {
        file.raw("/x", H5T_IEEE_F32LE, {100}, nullptr, MadeFile::chunked({100}, 1).get());
      },
      "/x: 400 bytes are declared, none are stored");
  expect_both(
      [](MadeFile& file) {
        constexpr hsize_t kMany = hsize_t{17} << 20U;
        file.raw("/x", H5T_IEEE_F32LE, {kMany}, nullptr, MadeFile::chunked({kMany}, 1).get());
        file.floats("/y", {20'000}, std::vector<float>(20'000));  // bytes that could hold as much, packed
      },
      "/x: a chunk of 71303168 bytes; at most 64 MiB are allowed");
  // 4 MB of zeros in 4 kB, and as much again for the file to have the bytes.
  expect_both(
      [](MadeFile& file) {
        file.floats("/x", {1 << 20}, std::vector<float>(1 << 20), MadeFile::chunked({1 << 20}, 9).get());
        file.floats("/y", {1 << 12}, std::vector<float>(1 << 12, 1.0F));
      },
      "more than 1000:1");
}

TEST_F(StructureCheck, FiltersAreThreeAndValuesLieInTheFile) {
  expect_both(
      [](MadeFile& file) {
        const h5::Properties creation = MadeFile::chunked({8});
        H5Pset_scaleoffset(creation.get(), H5Z_SO_INT, 2);
        file.raw("/x", H5T_STD_I32LE, {8}, std::vector<std::int32_t>(8).data(), creation.get());
      },
      "/x: unknown filter 6;");
  const Change kept = [](MadeFile& file) {
    const h5::Properties creation = MadeFile::chunked({8}, 1);
    H5Pset_shuffle(creation.get());
    H5Pset_fletcher32(creation.get());
    file.raw("/x", H5T_STD_I32LE, {8}, std::vector<std::int32_t>(8).data(), creation.get());
  };
  EXPECT_EQ(recording(kept), "");
  EXPECT_EQ(import(kept), "");
  expect_both(
      [](MadeFile& file) {
        const h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_external(creation.get(), "elsewhere.bin", 0, 32);
        file.raw("/x", H5T_STD_I32LE, {8}, nullptr, creation.get());
      },
      "/x: external storage: its values lie in another file");
  const Change virtual_one = [](MadeFile& file) {
    const h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    const h5::Space space = MadeFile::simple({8});
    H5Pset_virtual(creation.get(), space.get(), "shard-00001.h5", "/x", space.get());
    file.raw("/x", H5T_STD_I32LE, {8}, nullptr, creation.get());
  };
  expect_words(recording(virtual_one), "only recording.h5 holds such");
  expect_words(import(virtual_one), "write them into this file");
  EXPECT_EQ(recording(virtual_one,
                      [](const std::string& dataset, const std::string& file, const std::string& source) {
                        return dataset == source && file == "shard-00001.h5";
                      }),
            "");
  for (const bool file_is_long : {true, false}) {
    const Change long_name = [file_is_long](MadeFile& file) {
      const h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
      const h5::Space space = MadeFile::simple({8});
      const std::string name(1'001, 'n');
      H5Pset_virtual(creation.get(), space.get(), file_is_long ? name.c_str() : "shard-00001.h5",
                     file_is_long ? "/x" : name.c_str(), space.get());
      file.raw("/x", H5T_STD_I32LE, {8}, nullptr, creation.get());
    };
    expect_words(recording(long_name, [](const auto&...) { return true; }), "/x: a virtual dataset over \"");
  }
  expect_words(recording(virtual_one, [](const auto&...) { return false; }),
               "/x: a virtual dataset over \"/x\" of \"shard-00001.h5\": only the same dataset");
}

// The first bytes, each field wrong alone.
TEST_F(StructureCheck, Superblocks) {
  {
    MadeFile file(path());
    file.floats("/x", {1}, {1});
  }
  const std::string old = read_file(path(), "a test file", 1U << 20U);  // version 0
  const auto words = [&](std::string bytes, auto check) -> std::string {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
    std::uint64_t size = 0;
    try {
      check(path(), size);
    } catch (const FormatError& error) {
      return error.what();
    }
    EXPECT_EQ(size, bytes.size());
    return "";
  };
  const auto with = [](std::string bytes, std::size_t at, char value) {
    bytes[at] = value;
    return bytes;
  };
  const auto changed = [&](std::size_t at, char value) { return with(old, at, value); };
  EXPECT_EQ(words(old, check_import_superblock), "");
  expect_words(words(old, check_superblock), "superblock version 0; recordings are written in the newest");
  expect_words(words(changed(8, 4), check_import_superblock), "superblock version 4; known are 0 to 3");
  expect_words(words(changed(13, 4), check_import_superblock), "offsets and lengths must have 8 bytes");
  expect_words(words(changed(14, 4), check_import_superblock), "offsets and lengths must have 8 bytes");
  expect_words(words(changed(24, 1), check_import_superblock), "the base be 0");
  expect_words(words(changed(46, 1), check_import_superblock), "cut short: the file has");
  expect_words(words(old.substr(0, 90), check_import_superblock), "cut short: 90 bytes are less than");
  expect_words(words(old.substr(0, 40), check_import_superblock), "cut short: 40 bytes are less than");
  expect_words(words("", check_import_superblock), "the file is empty");
  expect_words(words("<html>", check_import_superblock), "no HDF5 file: the signature is missing");
  expect_words(words(std::string(1'024, '\0') + old, check_import_superblock),
               "HDF5 behind a user block of 1024 bytes");
  // Of the newest version, as recordings are written.
  std::filesystem::remove(path());
  {
    const h5::Lock lock;
    const h5::Properties access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const h5::File file(H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
  }
  const std::string fresh = read_file(path(), "a test file", 1U << 20U);
  const auto renewed = [&](std::size_t at, char value) { return with(fresh, at, value); };
  for (const auto& check : {check_superblock, check_import_superblock}) {
    EXPECT_EQ(words(fresh, check), "");
    expect_words(words(renewed(9, 4), check), "offsets and lengths must have 8 bytes");
    expect_words(words(renewed(10, 4), check), "offsets and lengths must have 8 bytes");
    expect_words(words(renewed(12, 1), check), "the base be 0");
    expect_words(words(renewed(11, 1), check), "the program that wrote it has not closed it");
    expect_words(words(renewed(30, 1), check), "cut short: ");
  }
  expect_words(words(fresh + "more", check_superblock), "damaged: the file has");
  EXPECT_EQ(words(fresh + "more", check_import_superblock), "");
  expect_words(words(renewed(38, 1), check_superblock), "the root group lies outside the file");
}

}  // namespace
}  // namespace mog::io
