// torch.save's form since 1.6: a zip archive of one folder, in which data.pkl says which tensors there are
// and data/KEY has the bytes of each storage. The pickle is read into memory, 128 MiB at most; storages are
// not: they pass block by block, or a stretch is read where it stands, since torch.save does not compress.
// Of a compressed storage a stretch costs unpacking all of it.
//
// A TorchScript archive looks nearly the same and holds code. It is told by its entries and refused.
//
// Trap: the checksum of an entry is compared only where the entry is read as a whole. check_rest() reads
// those that no wanted tensor needs, so that a damaged file is found whatever is asked of it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "io/checkpoint/printable.h"
#include "io/checkpoint/torch_file.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kMaxPickle = std::uint64_t{128} << 20U;
constexpr std::uint64_t kMaxSmall = 4096;

class TorchZip : public TorchFile {
 public:
  explicit TorchZip(const InputFile& file) : file_(file), zip_(file) {
    find_root();
    check_version();
    check_byte_order();
    const ZipEntry& entry = need("data.pkl");
    bytes_ = zip_.read(entry, kMaxPickle);
    pickle_ = read_pickle(bytes_, name() + ": " + printable(entry.name));
  }

  const char* form() const noexcept override { return "zip"; }
  const Pickle& pickle() const noexcept override { return pickle_; }
  void locate(const TorchContents&) override {}

  std::optional<std::uint64_t> storage_bytes(const std::string& key) const override {
    const ZipEntry* const entry = storage(key);
    return entry == nullptr ? std::nullopt : std::optional(entry->size_bytes);
  }
  std::optional<std::uint64_t> storage_place(const std::string& key) const override {
    const ZipEntry* const entry = storage(key);
    return entry == nullptr || entry->deflated ? std::nullopt : std::optional(entry->data);
  }
  void read(const std::string& key, const ZipReader::Block& block) const override {
    zip_.read(*storage(key), block);
  }
  std::vector<std::byte> read(const std::string& key, std::uint64_t begin,
                              std::uint64_t size) const override {
    const ZipEntry& entry = *storage(key);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    if (!entry.deflated) {
      file_.read_at(entry.data + begin, bytes);
      return bytes;
    }
    zip_.read(entry, [&](std::uint64_t offset, std::span<const std::byte> block) {
      const std::uint64_t from = std::max(begin, offset);
      const std::uint64_t to = std::min(begin + size, offset + block.size());
      if (from < to) {
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(from - offset), to - from,
                    bytes.begin() + static_cast<std::ptrdiff_t>(from - begin));
      }
    });
    return bytes;
  }

  void check_rest(const TorchContents& contents, const ZipReader::Block& block) const override {
    std::set<std::string> wanted;
    for (const TorchTensor& tensor : contents.tensors) {
      if (tensor.wanted) {
        wanted.insert(root_ + "data/" + tensor.storage);
      }
    }
    for (const ZipEntry& entry : zip_.entries()) {
      if (!wanted.contains(entry.name)) {
        zip_.read(entry, block);
      }
    }
  }

 private:
  std::string name() const { return file_.path().string(); }
  const ZipEntry* storage(const std::string& key) const { return zip_.find(root_ + "data/" + key); }
  const ZipEntry& need(const char* what) const {
    const ZipEntry* const entry = zip_.find(root_ + what);
    if (entry == nullptr) {
      throw FormatError(fmt::format("{}: the zip archive has no {}, so it was not written by torch.save",
                                    name(), root_ + what));
    }
    return *entry;
  }

  // All entries lie in one folder.
  void find_root() {
    for (const ZipEntry& entry : zip_.entries()) {
      const std::string root = entry.name.substr(0, entry.name.find('/') + 1);
      if (root.empty() || (!root_.empty() && root != root_)) {
        throw FormatError(
            fmt::format("{}: the zip archive holds \"{}\" beside \"{}\": torch.save writes one folder",
                        name(), printable(entry.name), printable(root_)));
      }
      root_ = root;
    }
    for (const char* const script : {"constants.pkl", "code/"}) {
      for (const ZipEntry& entry : zip_.entries()) {
        if (entry.name.starts_with(root_ + script)) {
          throw FormatError(
              fmt::format("{}: it is a TorchScript archive, which holds code; save the model's "
                          "state_dict() instead",
                          name()));
        }
      }
    }
  }

  void check_version() const {
    if (const ZipEntry* const entry = zip_.find(root_ + "version")) {
      const std::string text = zip_.read(*entry, kMaxSmall);
      const std::size_t digits = text.find_first_not_of("0123456789");
      if (text.empty() || digits == 0 || digits > 4 ||
          text.find_first_not_of("\r\n", digits) != std::string::npos) {
        throw FormatError(fmt::format("{}: the version record is \"{}\", expected a number", name(),
                                      printable(text.substr(0, 40))));
      }
    }
  }

  void check_byte_order() const {
    if (const ZipEntry* const entry = zip_.find(root_ + "byteorder")) {
      const std::string text = zip_.read(*entry, kMaxSmall);
      if (text != "little") {
        throw FormatError(fmt::format("{}: the byteorder record says \"{}\", only \"little\" is read", name(),
                                      printable(text.substr(0, 40))));
      }
    }
  }

  const InputFile& file_;
  ZipReader zip_;
  std::string root_;  // with its slash
  std::string bytes_;
  Pickle pickle_;
};

}  // namespace

std::unique_ptr<TorchFile> open_torch_zip(const InputFile& file) {
  return std::make_unique<TorchZip>(file);
}

}  // namespace mog::io
