// A state dict is names over storages, several of which may be views of one: tied embeddings, slices,
// transposed matrices. Each storage is read once, front to back, and every contiguous tensor in it takes its
// part of the blocks that go by: memory is one block. Equal views become one tensor with aliases, so that
// tied weights stay tied. A view with strides is read as the window that it spans and gathered row by row:
// that window and the result are held. Contiguous tensors of storages that are not compressed stay where they
// are in the file: here they are looked at.
//
// Sizes are those of the pickle, checked against the bytes of the storages before anything is copied, and
// against a multiple of the file in all (check_total).
//
// Traps: strides of axes of size 1 mean nothing and may be anything. Entries that no tensor needs are read,
// too, for their checksums (check_rest): a file that is damaged anywhere is refused.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/printable.h"
#include "io/checkpoint/torch_file.h"
#include "io/checkpoint/value_check.h"
#include "io/recording/errors.h"
#include "io/text/file_kind.h"

namespace mog::io {
namespace {

// [elements] of a view, row by row.
template <class Element>
void gather(TorchTensor tensor, const std::byte* from, std::byte* to) {
  // Strides of axes of size 1 mean nothing and may be anything.
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    tensor.strides[axis] = tensor.shape[axis] == 1 ? 0 : tensor.strides[axis];
  }
  const std::size_t rank = tensor.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  const std::int64_t last = tensor.shape[rank - 1];
  const std::int64_t step = tensor.strides[rank - 1];
  std::int64_t row = 0;
  for (std::int64_t left = tensor.elements() / last; left > 0; --left) {
    for (std::int64_t i = 0; i < last; ++i) {
      std::memcpy(to, from + static_cast<std::size_t>(row + i * step) * sizeof(Element), sizeof(Element));
      to += sizeof(Element);
    }
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      row += tensor.strides[axis];
      if (++index[axis] < tensor.shape[axis]) {
        break;
      }
      row -= tensor.strides[axis] * tensor.shape[axis];
      index[axis] = 0;
    }
  }
}

class Translator {
 public:
  Translator(const InputFile& file, WeightsSink& sink)
      : file_(file), name_(file.path().string()), sink_(sink), torch_(TorchFile::open(file)) {}

  void run() {
    contents_ = read_torch_contents(torch_->pickle(), name_);
    torch_->locate(contents_);
    check_storages();
    PlainWeights weights;
    weights.format = WeightsFormat::torch;
    list(weights);
    check_total(file_, weights);
    const nlohmann::json metadata = {{"format", "torch"},
                                     {"form", torch_->form()},
                                     {"data", nlohmann::json::parse(contents_.data)},
                                     {"optimizer_tensors", contents_.optimizer_tensors}};
    weights.metadata = metadata.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    sink_.begin(weights);
    for (const auto& [key, members] : by_storage_) {
      copy(key, members);
    }
    torch_->check_rest(contents_,
                       [&](std::uint64_t, std::span<const std::byte> bytes) { sink_.working(bytes.size()); });
  }

 private:
  struct Member {
    const TorchTensor* tensor;
    std::size_t place;  // in the list
    std::uint64_t begin() const { return static_cast<std::uint64_t>(tensor->offset * tensor->element_bytes); }
    std::uint64_t size() const {
      return static_cast<std::uint64_t>(tensor->elements() * tensor->element_bytes);
    }
  };

  void check_storages() const {
    for (const TorchTensor& tensor : contents_.tensors) {
      const auto bytes = torch_->storage_bytes(tensor.storage);
      const auto refuse = [&](const std::string& defect) {
        throw FormatError(fmt::format("{}: tensor \"{}\": {}", name_, printable(tensor.name), defect));
      };
      if (!bytes) {
        refuse(fmt::format("its storage {} is not in the file", printable(tensor.storage)));
      }
      const auto wanted = static_cast<std::uint64_t>(contents_.storage_elements.at(tensor.storage)) *
                          static_cast<std::uint64_t>(contents_.element_bytes.at(tensor.storage));
      if (*bytes != wanted) {
        refuse(fmt::format("its storage {} has {} bytes, expected {}", printable(tensor.storage), *bytes,
                           wanted));
      }
    }
  }

  // Views of the same elements are one tensor with several names.
  void list(PlainWeights& weights) {
    using View = std::tuple<std::string, std::string, std::int64_t, std::vector<std::int64_t>,
                            std::vector<std::int64_t>>;
    std::map<View, std::string> seen;
    for (const TorchTensor& tensor : contents_.tensors) {
      if (!tensor.wanted) {
        continue;
      }
      const auto [at, fresh] = seen.try_emplace(
          View{tensor.storage, tensor.dtype, tensor.offset, tensor.shape, tensor.strides}, tensor.name);
      if (!fresh) {
        weights.aliases.emplace(tensor.name, at->second);
        continue;
      }
      const Member member{&tensor, weights.tensors.size()};
      by_storage_[tensor.storage].push_back(member);
      weights.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, member.size()});
      const auto storage = torch_->storage_place(tensor.storage);
      if (storage && tensor.contiguous() && host_type(tensor.dtype)) {
        weights.tensors.back().place = *storage + member.begin();
      }
    }
  }

  void give(const Member& member, std::uint64_t offset, std::span<const std::byte> bytes) {
    refuse_bad_values(name_, member.tensor->name, member.tensor->dtype, bytes, offset);
    sink_.write(member.place, offset, bytes);
  }

  void copy(const std::string& key, const std::vector<Member>& members) {
    torch_->read(key, [&](std::uint64_t at, std::span<const std::byte> block) {
      for (const Member& member : members) {
        const std::uint64_t from = std::max(at, member.begin());
        const std::uint64_t to = std::min(at + block.size(), member.begin() + member.size());
        if (member.tensor->contiguous() && from < to) {
          give(member, from - member.begin(),
               block.subspan(static_cast<std::size_t>(from - at), static_cast<std::size_t>(to - from)));
        }
      }
    });
    for (const Member& member : members) {
      if (!member.tensor->contiguous()) {
        copy_view(key, member);
      }
    }
  }

  void copy_view(const std::string& key, const Member& member) {
    const TorchTensor& tensor = *member.tensor;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      last += (tensor.shape[i] - 1) * tensor.strides[i];
    }
    const std::vector<std::byte> window =
        torch_->read(key, member.begin(), static_cast<std::uint64_t>((last + 1) * tensor.element_bytes));
    std::vector<std::byte> values(static_cast<std::size_t>(member.size()));
    switch (tensor.element_bytes) {
      case 1:
        gather<std::uint8_t>(tensor, window.data(), values.data());
        break;
      case 2:
        gather<std::uint16_t>(tensor, window.data(), values.data());
        break;
      case 4:
        gather<std::uint32_t>(tensor, window.data(), values.data());
        break;
      default:
        gather<std::uint64_t>(tensor, window.data(), values.data());
        break;
    }
    give(member, 0, values);
  }

  const InputFile& file_;
  std::string name_;
  WeightsSink& sink_;
  std::unique_ptr<TorchFile> torch_;
  TorchContents contents_;
  std::map<std::string, std::vector<Member>> by_storage_;
};

}  // namespace

std::unique_ptr<TorchFile> TorchFile::open(const InputFile& file) {
  std::array<char, 512> bytes = {};
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.size_bytes()));
  file.read_at(0, std::as_writable_bytes(std::span(bytes)).first(size));
  const std::string_view head(bytes.data(), size);
  const std::string name = file.path().string();
  if (head.empty()) {
    throw FormatError(fmt::format("{}: the file is empty, expected a PyTorch file", name));
  }
  if (head.starts_with("PK")) {
    return open_torch_zip(file);
  }
  if (head.size() > 262 && head.substr(257, 5) == "ustar") {
    throw FormatError(
        fmt::format("{}: it is a tar archive, as PyTorch before 0.1.10 wrote them, which is not "
                    "read; save it again with a newer PyTorch",
                    name));
  }
  const std::string hint = looks_like(head);
  if (!hint.empty() && hint.find("pickle") == std::string::npos) {
    throw FormatError(fmt::format("{}: expected a PyTorch file; {}", name, hint));
  }
  return open_torch_legacy(file);
}

void translate_torch(const InputFile& file, WeightsSink& sink) {
  Translator(file, sink).run();
}

}  // namespace mog::io
