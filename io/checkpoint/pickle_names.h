// What a pickle of weights may refer to: exact pairs of module and name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mog::io {

enum class PickleMeaning : std::uint8_t {
  unknown,   // a class of somebody's: its instances are opaque, it cannot be called
  refused,   // of Python's own library, and not in the list
  harmless,  // in the list, but not to be called
  instance,  // a class whose instances are opaque although it is Python's own
  ordered_dict,
  default_dict,
  counter,
  set,
  size,
  device,
  rebuild_tensor,
  rebuild_tensor_v2,
  rebuild_tensor_v3,
  rebuild_parameter,
  rebuild_from_type,
  storage,  // a storage class: `type`
  dtype,    // torch.float32 …: `type`
};

struct PickleName {
  std::string module;
  std::string name;
  PickleMeaning meaning = PickleMeaning::unknown;
  std::string_view type;  // "F32" …; of storage and dtype. Empty: torch.UntypedStorage

  std::string full() const { return module + "." + name; }
};

PickleName known_name(std::string module, std::string name);

}  // namespace mog::io
