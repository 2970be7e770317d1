// Short SVG out of what QSvgGenerator writes.
#pragma once

#include <QByteArray>
#include <QString>

namespace mog::figures {

// QSvgGenerator wraps every mark in a group that states all of its pen, brush and font. Here each mark says
// only what differs from SVG's own defaults, one mark a line: a third of the size, and groups do not stand in
// the way of who edits the file. What is drawn stays the same. `svg` must be well-formed; QSvgGenerator does
// not escape its title and description, so they are given here (empty for none) and those in `svg` left out.
QByteArray tidy_svg(const QByteArray& svg, const QString& title = {}, const QString& description = {});

}  // namespace mog::figures
