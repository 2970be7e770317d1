#include "io/checkpoint/pickle_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mog::io {
namespace {

// Top modules of Python's own library (2 and 3, all systems), and of packages that run from pickles.
constexpr std::string_view kPythons =
    " "
    "BaseHTTPServer Bastion CGIHTTPServer ConfigParser DocXMLRPCServer HTMLParser "
    "SimpleHTTPServer SimpleXMLRPCServer SocketServer StringIO Tkinter UserDict "
    "UserList UserString __builtin__ __future__ __phello__ _abc _aix_support _ast "
    "_asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk "
    "_codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc "
    "_compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel "
    "_datetime _dbm _decimal _elementtree _frozen_importlib _frozen_importlib_external "
    "_functools _gdbm _hashlib _heapq _imp _io _json _locale _lsprof _lzma _markupbase _md5 "
    "_msi _multibytecodec _multiprocessing _opcode _operator _osx_support _overlapped "
    "_pickle _posixshmem _posixsubprocess _py_abc _pydecimal _pyio _queue _random _scproxy "
    "_sha1 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat "
    "_statistics _string _strptime _struct _symtable _thread _threading_local _tkinter "
    "_tokenize _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _zoneinfo "
    "abc aifc antigravity anydbm argparse array ast asynchat asyncio asyncore atexit audioop "
    "base64 bdb binascii binhex bisect builtins bz2 cPickle cProfile cStringIO calendar cgi "
    "cgitb chunk cloudpickle cmath cmd codecs codeop collections colorsys commands "
    "compileall concurrent configparser contextlib contextvars cookielib copy copy_reg "
    "copyreg crypt csv ctypes curses dataclasses datetime dbhash dbm decimal difflib dill "
    "dis distutils doctest dummy_thread email encodings ensurepip enum errno exceptions "
    "faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc "
    "gdbm genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html "
    "htmlentitydefs htmllib http httplib idlelib imaplib imghdr imp importlib inspect io "
    "ipaddress itertools joblib json keyword lib2to3 linecache locale logging lzma macpath "
    "mailbox mailcap marshal math mimetools mimetypes mmap modulefinder msilib msvcrt "
    "multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator "
    "optparse os os2 ossaudiodev pathlib pdb pickle pickletools pip pipes "
    "pkg_resources pkgutil platform plistlib popen2 poplib posix posixfile posixpath pprint "
    "profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random "
    "re readline reprlib resource rexec riscos rlcompleter robotparser runpy sched "
    "secrets select selectors setuptools sgmllib shelve shlex shutil signal smtpd "
    "smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl "
    "stat statistics string stringprep struct subprocess sunau symtable sys sysconfig "
    "syslog tabnanny tarfile telnetlib tempfile termios textwrap thread threading time "
    "timeit tkinter tokenize tomllib trace traceback tracemalloc tty turtle turtledemo "
    "types typing unicodedata unittest urllib urllib2 urlparse uu uuid venv warnings "
    "wave weakref webbrowser whichdb winreg winsound wsgiref xdrlib xml xmlrpc xmlrpclib "
    "zipapp zipfile zipimport zlib zoneinfo ";

struct Known {
  std::string_view module;
  std::string_view name;
  PickleMeaning meaning;
  std::string_view type = {};
};

constexpr auto kKnown = std::to_array<Known>({
    {"argparse", "Namespace", PickleMeaning::instance},
    {"collections", "OrderedDict", PickleMeaning::ordered_dict},
    {"collections", "defaultdict", PickleMeaning::default_dict},
    {"collections", "Counter", PickleMeaning::counter},
    {"torch", "Size", PickleMeaning::size},
    {"torch", "device", PickleMeaning::device},
    {"torch", "Tensor", PickleMeaning::harmless},
    {"torch._utils", "_rebuild_tensor", PickleMeaning::rebuild_tensor},
    {"torch._utils", "_rebuild_tensor_v2", PickleMeaning::rebuild_tensor_v2},
    {"torch._utils", "_rebuild_tensor_v3", PickleMeaning::rebuild_tensor_v3},
    {"torch._utils", "_rebuild_parameter", PickleMeaning::rebuild_parameter},
    {"torch._utils", "_rebuild_parameter_with_state", PickleMeaning::rebuild_parameter},
    {"torch._tensor", "_rebuild_from_type_v2", PickleMeaning::rebuild_from_type},
    {"torch.nn.parameter", "Parameter", PickleMeaning::harmless},
    {"torch", "UntypedStorage", PickleMeaning::storage, ""},
    {"torch.storage", "UntypedStorage", PickleMeaning::storage, ""},
});

// torch.FloatStorage, torch.cuda.FloatStorage; torch.float32 and its other name.
struct Type {
  std::string_view storage;
  std::string_view dtype;
  std::string_view other;
  std::string_view type;
};
constexpr auto kTypes = std::to_array<Type>({
    {"FloatStorage", "float32", "float", "F32"},
    {"DoubleStorage", "float64", "double", "F64"},
    {"HalfStorage", "float16", "half", "F16"},
    {"BFloat16Storage", "bfloat16", "bfloat16", "BF16"},
    {"LongStorage", "int64", "long", "I64"},
    {"IntStorage", "int32", "int", "I32"},
    {"ShortStorage", "int16", "short", "I16"},
    {"CharStorage", "int8", "int8", "I8"},
    {"ByteStorage", "uint8", "uint8", "U8"},
    {"BoolStorage", "bool", "bool", "BOOL"},
    {"", "uint16", "uint16", "U16"},
    {"", "uint32", "uint32", "U32"},
    {"", "uint64", "uint64", "U64"},
});

// Types that a pickle may name (the factory of a defaultdict), but that it may not call.
constexpr auto kPlainTypes = std::to_array<std::string_view>(
    {"bool", "bytes", "complex", "dict", "float", "int", "list", "object", "str", "tuple"});

bool is_builtin(std::string_view module) {
  return module == "builtins" || module == "__builtin__";
}

}  // namespace

PickleName known_name(std::string module, std::string name) {
  PickleName result{std::move(module), std::move(name), PickleMeaning::unknown, {}};
  for (const Known& known : kKnown) {
    if (known.module == result.module && known.name == result.name) {
      result.meaning = known.meaning;
      result.type = known.type;
      return result;
    }
  }
  const bool torch = result.module == "torch";
  if (torch || result.module == "torch.cuda") {
    for (const Type& type : kTypes) {
      const bool storage = result.name == type.storage;
      if (!result.name.empty() &&
          (storage || (torch && (result.name == type.dtype || result.name == type.other)))) {
        result.meaning = storage ? PickleMeaning::storage : PickleMeaning::dtype;
        result.type = type.type;
        return result;
      }
    }
  }
  if (is_builtin(result.module)) {
    if (result.name == "set" || result.name == "frozenset") {
      result.meaning = PickleMeaning::set;
      return result;
    }
    if (std::binary_search(kPlainTypes.begin(), kPlainTypes.end(), result.name)) {
      result.meaning = PickleMeaning::harmless;
      return result;
    }
  }
  const std::string_view top = std::string_view(result.module).substr(0, result.module.find('.'));
  if (!top.empty() && kPythons.find(" " + std::string(top) + " ") != std::string_view::npos) {
    result.meaning = PickleMeaning::refused;
  }
  return result;
}

}  // namespace mog::io
