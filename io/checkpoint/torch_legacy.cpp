// Five pickles (magic number, protocol, system, the object itself, the keys of its storages), then for each
// key the number of elements and the elements. Where the pickles end is known only after reading them, so the
// beginning of the file is mapped.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "io/checkpoint/printable.h"
#include "io/checkpoint/torch_file.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kMaxPickles = std::uint64_t{128} << 20U;
constexpr std::int64_t kProtocol = 1001;
constexpr std::uint64_t kBlock = std::uint64_t{1} << 20U;
constexpr std::string_view kMagic("\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19", 10);  // 0x1950a86a20f9469cfc6c

class TorchLegacy : public TorchFile {
 public:
  explicit TorchLegacy(const InputFile& file) : file_(file), name_(file.path().string()) {
    map();
    const Pickle magic = next("the magic number");
    if (magic[magic.root()].kind != PickleKind::long_integer || magic[magic.root()].text != kMagic) {
      refuse_bare(magic);
    }
    const Pickle protocol = next("the protocol");
    const PickleValue& version = protocol[protocol.root()];
    if (version.kind != PickleKind::integer || version.integer != kProtocol) {
      refuse(fmt::format(
          "protocol {}, expected {}",
          version.kind == PickleKind::integer ? std::to_string(version.integer) : "that is no number",
          kProtocol));
    }
    check_system(next("the system"));
    pickle_ = next("the object");
    read_keys(next("the keys of the storages"));
  }

  const char* form() const noexcept override { return "legacy"; }
  const Pickle& pickle() const noexcept override { return pickle_; }

  void locate(const TorchContents& contents) override {
    const std::set<std::string> listed(keys_.begin(), keys_.end());
    for (const TorchTensor& tensor : contents.tensors) {
      if (!listed.contains(tensor.storage)) {
        refuse(fmt::format("tensor \"{}\": its storage {} is not in the list of keys", printable(tensor.name),
                           printable(tensor.storage)));
      }
    }
    std::uint64_t at = at_;
    for (const std::string& key : keys_) {
      const auto elements = contents.storage_elements.find(key);
      if (elements == contents.storage_elements.end()) {
        refuse(fmt::format("storage {} is in the list of keys, but nothing refers to it", printable(key)));
      }
      at = find(key, at, elements->second, contents.element_bytes.at(key));
    }
    if (at != file_.size_bytes()) {
      refuse(fmt::format("{} bytes after the last storage, expected the end of the file",
                         file_.size_bytes() - at));
    }
  }
  std::optional<std::uint64_t> storage_bytes(const std::string& key) const override {
    const auto at = places_.find(key);
    return at == places_.end() ? std::nullopt : std::optional(at->second.size_bytes);
  }
  std::optional<std::uint64_t> storage_place(const std::string& key) const override {
    const auto at = places_.find(key);
    return at == places_.end() ? std::nullopt : std::optional(at->second.begin);
  }
  void read(const std::string& key, const ZipReader::Block& block) const override {
    const Place& place = places_.at(key);
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(std::min(kBlock, place.size_bytes)));
    for (std::uint64_t at = 0; at < place.size_bytes;) {
      const auto size = static_cast<std::size_t>(std::min(kBlock, place.size_bytes - at));
      file_.read_at(place.begin + at, {buffer.get(), size});
      block(at, {buffer.get(), size});
      at += size;
    }
  }
  std::vector<std::byte> read(const std::string& key, std::uint64_t begin,
                              std::uint64_t size) const override {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    file_.read_at(places_.at(key).begin + begin, bytes);
    return bytes;
  }
  void check_rest(const TorchContents&, const ZipReader::Block&) const override {}

 private:
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t size_bytes = 0;
  };

  [[noreturn]] void refuse(const std::string& defect) const {
    throw FormatError(fmt::format("{}: {}", name_, defect));
  }

  void map() {
    const auto size = static_cast<std::size_t>(std::min(kMaxPickles, file_.size_bytes()));
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.descriptor(), 0);
    if (at == MAP_FAILED) {
      throw StorageError(fmt::format("{}: mapping {} bytes: {}", name_, size, std::strerror(errno)));
    }
    mapped_ = {at, [size](void* mapping) { ::munmap(mapping, size); }};
    pickles_ = {static_cast<const char*>(at), size};
  }

  Pickle next(const char* what) {
    if (at_ == pickles_.size()) {
      refuse(fmt::format("the file is truncated: {} should follow at byte {}", what, at_));
    }
    Pickle pickle =
        read_pickle(pickles_.substr(static_cast<std::size_t>(at_)), fmt::format("{}: {}", name_, what));
    at_ += pickle.size_bytes();
    return pickle;
  }

  [[noreturn]] void refuse_bare(const Pickle& pickle) const {
    const std::string more = at_ == pickles_.size() ? "it is a pickle" : "it begins with a pickle";
    refuse(fmt::format("{} of {}, not a file of torch.save: there is no tensor in it", more,
                       pickle[pickle.root()].kind == PickleKind::object ? "an object" : "plain data"));
  }

  void check_system(const Pickle& pickle) const {
    const PickleValue& system = pickle[pickle.root()];
    if (system.kind != PickleKind::dict) {
      refuse("the description of the system is no dictionary");
    }
    for (std::size_t i = 0; i < system.items.size(); i += 2) {
      const PickleValue& value = pickle[system.items[i + 1]];
      if (pickle[system.items[i]].text == "little_endian" &&
          (value.kind != PickleKind::boolean || value.integer != 1)) {
        refuse("it was written on a machine of another byte order (little_endian is not true)");
      }
    }
  }

  void read_keys(const Pickle& pickle) {
    const PickleValue& keys = pickle[pickle.root()];
    if (keys.kind != PickleKind::list) {
      refuse("the keys of the storages are no list");
    }
    for (const PickleRef item : keys.items) {
      if (pickle[item].kind != PickleKind::text) {
        refuse("a key of the storages is no text");
      }
      keys_.emplace_back(pickle[item].text);
    }
  }

  // Returns where the next one begins.
  std::uint64_t find(const std::string& key, std::uint64_t at, std::int64_t elements,
                     std::int64_t element_bytes) {
    const std::string who = fmt::format("storage {}", printable(key));
    if (file_.size_bytes() - at < 8) {
      refuse(fmt::format("the file is truncated: {} should begin at byte {}", who, at));
    }
    std::int64_t count = 0;
    file_.read_at(at, std::as_writable_bytes(std::span(&count, 1)));
    at += 8;
    if (count != elements) {
      refuse(fmt::format("{} has {} elements, its tensors expect {}", who, count, elements));
    }
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(element_bytes),
                               &size) ||
        size > file_.size_bytes() - at) {
      refuse(fmt::format("the file is truncated: {} has {} elements, {} bytes are left", who, count,
                         file_.size_bytes() - at));
    }
    if (!places_.try_emplace(key, Place{at, size}).second) {
      refuse(fmt::format("{} is there twice", who));
    }
    return at + size;
  }

  const InputFile& file_;
  std::string name_;
  std::shared_ptr<void> mapped_;
  std::string_view pickles_;
  std::uint64_t at_ = 0;
  Pickle pickle_;
  std::vector<std::string> keys_;
  std::map<std::string, Place> places_;
};

}  // namespace

std::unique_ptr<TorchFile> open_torch_legacy(const InputFile& file) {
  return std::make_unique<TorchLegacy>(file);
}

}  // namespace mog::io
