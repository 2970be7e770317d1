// Short SVG out of what QSvgGenerator writes.
#pragma once

#include <QByteArray>

namespace mog::figures {

// QSvgGenerator wraps every mark in a group that states all of its pen, brush and font. Here each mark says only
// what differs from SVG's own defaults, one mark a line: a third of the size, and groups do not stand in the
// way of who edits the file. What is drawn stays the same. `svg` must be well-formed.
QByteArray tidy_svg(const QByteArray& svg);

}  // namespace mog::figures
