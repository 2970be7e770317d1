// The opcodes of pickles, protocols 0 to 5, by the names that Python's pickletools gives them.
#pragma once

namespace mog::io {

enum class PickleOpcode : unsigned char {
  // stack and memo
  mark = '(',
  stop = '.',
  pop = '0',
  pop_mark = '1',
  dup = '2',
  get = 'g',
  binget = 'h',
  long_binget = 'j',
  put = 'p',
  binput = 'q',
  long_binput = 'r',
  memoize = 0x94,

  // numbers
  none = 'N',
  newtrue = 0x88,
  newfalse = 0x89,
  integer = 'I',  // INT: also 00 and 01, false and true
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  long_integer = 'L',  // LONG
  long1 = 0x8A,
  long4 = 0x8B,
  real = 'F',  // FLOAT
  binfloat = 'G',

  // texts
  string = 'S',
  binstring = 'T',
  short_binstring = 'U',
  unicode = 'V',
  binunicode = 'X',
  short_binunicode = 0x8C,
  binunicode8 = 0x8D,
  binbytes = 'B',
  short_binbytes = 'C',
  binbytes8 = 0x8E,
  bytearray8 = 0x96,

  // tuples, lists, dictionaries, sets
  tuple = 't',
  empty_tuple = ')',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  list = 'l',
  empty_list = ']',
  append = 'a',
  appends = 'e',
  dict = 'd',
  empty_dict = '}',
  setitem = 's',
  setitems = 'u',
  empty_set = 0x8F,
  additems = 0x90,
  frozenset = 0x91,

  // names, calls, instances
  global = 'c',
  stack_global = 0x93,
  reduce = 'R',
  inst = 'i',
  obj = 'o',
  newobj = 0x81,
  newobj_ex = 0x92,
  build = 'b',
  persid = 'P',
  binpersid = 'Q',
  ext1 = 0x82,
  ext2 = 0x83,
  ext4 = 0x84,

  // the pickle itself
  proto = 0x80,
  frame = 0x95,
};

}  // namespace mog::io
