// A stack of attention layers in words, for people: `mog describe`, model cards and the window's page of what
// was found say the same.
#pragma once

#include <string>

#include "model/config/config.h"

namespace mog::model {

// "16 heads", "16 query and 4 key/value heads".
std::string describe_heads(const EncoderConfig& encoder);
// "window of 512 tokens in two layers of three" (from left to right, the token itself counted), "windows of
// 64 and 128 tokens to both sides in 14 of 22 layers"; empty: no layer has one.
std::string describe_windows(const EncoderConfig& encoder);

}  // namespace mog::model
