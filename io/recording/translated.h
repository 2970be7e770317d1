// Marks texts that the desktop program translates: what knows no Qt has texts too. Its tools find them by
// this word (tests/gui/translations.py); elsewhere it is the text itself.
#pragma once

#define MOG_TEXT(context, text) text
