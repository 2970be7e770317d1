// What ProcessGroupGloo.hpp names of this header of Gloo's, which the wheel leaves out
// (docs/decisions/0048). Nothing of it is ever called or made here.
#pragma once

namespace gloo::transport {

class Device;
class UnboundBuffer;

}  // namespace gloo::transport
