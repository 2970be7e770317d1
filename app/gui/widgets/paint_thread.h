// Where pictures are painted.
#pragma once

#include <functional>

namespace mog::gui {

// Paints on a thread of Qt's own pool and waits for it; what `paint` throws is thrown here.
//
// The raster engine (of Qt 6.4) hands every antialiased fill to that pool in pieces of 64 spans, unless it
// runs on one of its threads: a picture of a thousand thin lines takes three times as long anywhere else.
void on_paint_thread(const std::function<void()>& paint);

// Processor time that the calling thread has used, what was painted for it included, in ms.
double thread_ms_with_painting();

}  // namespace mog::gui
