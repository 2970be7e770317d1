// A tensor's memory is taken first, in the type of the run, and the values are read into it block by block;
// of maps that are joined each goes to its rows. So a model on the processor takes the memory of its weights
// as they are used and a block more, and on a card that of one tensor of the host beside the card's own.
//
// Large ones are pages of their own, outside the heap: the heap keeps what is freed, and a layer that is
// dropped gives its memory back.
//
// Trap: what places are multiplied with stays float32 in a run of 16 bits (scales_positions).
#include "model/engine/inference/stored_source.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/host_tensor.h"
#include "model/engine/common/text.h"
#include "model/tensor_table.h"

namespace mog::engine {
namespace {

DType host_type(at::ScalarType type) {
  return type == at::kBFloat16 ? DType::bfloat16 : type == at::kDouble ? DType::float64 : DType::float32;
}

// Uninitialised, in the host's memory.
at::Tensor take_memory(const std::string& name, at::IntArrayRef shape, at::ScalarType type) {
  constexpr std::size_t kLarge = std::size_t{1} << 18U;
  std::size_t bytes = c10::elementSize(type);
  for (const std::int64_t extent : shape) {
    bytes *= static_cast<std::size_t>(extent);
  }
  if (bytes < kLarge) {
    return at::empty(shape, at::TensorOptions(type));
  }
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    throw StorageError(concat("loading tensor \"", name, "\": it needs ", bytes,
                              " bytes of memory: ", std::strerror(errno)));
  }
  return at::from_blob(
      data, shape, [bytes](void* begin) { ::munmap(begin, bytes); }, at::TensorOptions(type));
}

// `to` lies in the host's memory, its elements one behind the other.
void write(const model::StoredTensor& stored, const at::Tensor& to) {
  stored.write(host_type(to.scalar_type()),
               {static_cast<std::byte*>(to.data_ptr()), static_cast<std::size_t>(to.nbytes())});
}

}  // namespace

model::StoredTensor StoredSource::find(const WantedTensor& wanted) const {
  std::optional<model::StoredTensor> stored = stored_.find(wanted.name);
  if (!stored) {
    refuse_missing(wanted);
  }
  require_shape(wanted, stored->shape);
  return std::move(*stored);
}

at::ScalarType StoredSource::type_of(const std::string& name) const {
  return device_.dtype != at::kDouble && model::scales_positions(name) ? at::kFloat : device_.dtype;
}

at::Tensor StoredSource::on_device(at::Tensor tensor) const {
  return device_.device.is_cpu() ? std::move(tensor) : tensor.to(device_.device);
}

at::Tensor StoredSource::get(const WantedTensor& wanted) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = given_.find(wanted.name);
    if (found != given_.end()) {
      if (auto alive = found->second.lock()) {
        at::Tensor tensor(std::move(alive));
        require_shape(wanted, tensor.sizes());
        return tensor;
      }
    }
  }
  const model::StoredTensor stored = find(wanted);
  const at::Tensor host = take_memory(wanted.name, stored.shape, type_of(wanted.name));
  write(stored, host);
  at::Tensor tensor = on_device(host);
  const std::scoped_lock lock(mutex_);
  given_.insert_or_assign(wanted.name, Handle(tensor.getIntrusivePtr()));
  return tensor;
}

at::Tensor StoredSource::stacked(const std::vector<WantedTensor>& wanted) const {
  std::vector<std::int64_t> shape = wanted.front().shape;
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    shape.front() += wanted[i].shape.front();
  }
  const at::Tensor all = take_memory(wanted.front().name, shape, type_of(wanted.front().name));
  std::int64_t first = 0;
  for (const WantedTensor& one : wanted) {
    write(find(one), all.narrow(0, first, one.shape.front()));
    first += one.shape.front();
  }
  return on_device(all);
}

}  // namespace mog::engine
