"""The functions and structs of txvm.h and txvm_wasi.h, by ctypes; txvm/__init__.py makes objects of them."""
import ctypes
import ctypes.util
import os
from ctypes import (POINTER, byref, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32,
                    c_uint64, c_void_p)

_ABI_VERSION = 1
_CODES = ("", "syntax", "invalid", "unsupported", "corrupt", "limit", "io", "usage", "host", "internal", "memory")


# The library's texts are UTF-8 where the program's and the system's are: names and paths may be any bytes but 0.
def encode_name(name):
    """The bytes of a name; those that `decode_name` could not read are again what they were."""
    return name.encode(errors="surrogateescape")


def decode_name(raw):
    """A name that `encode_name` turns back, as Python does with paths."""
    return raw.decode(errors="surrogateescape")


def decode_sentence(raw):
    """A text to be shown: what is no UTF-8 in it stands as \\xff."""
    return raw.decode(errors="backslashreplace")


class Error(Exception):
    """What the library refused: code ("syntax", "usage", ...), message, line, column, and the report with its place."""

    def __init__(self, code, message, report="", line=0, column=0):
        super().__init__(message)
        self.code, self.message, self.report, self.line, self.column = code, message, report or message, line, column


class Allocator(ctypes.Structure):
    _fields_ = [("user", c_void_p), ("allocate", c_void_p), ("release", c_void_p)]


class EngineOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("engine", c_char_p), ("allocator", Allocator)]


class FunctionRow(ctypes.Structure):
    _fields_ = [("module", c_char_p), ("name", c_char_p), ("params", c_uint32), ("results", c_uint32)]


class ValueUnion(ctypes.Union):
    _fields_ = [("i", c_int32), ("l", c_int64), ("f", c_float), ("d", c_double), ("v", c_int32 * 4)]


class Value(ctypes.Structure):
    """A typed number; the fields of `of` are the letters of signatures."""
    _fields_ = [("type", c_int), ("of", ValueUnion)]


LETTERS = "ilfdv"  # in the order of txvm_type

GROW = ctypes.CFUNCTYPE(c_bool, c_void_p, c_uint32, c_uint32)
HOST = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(Value), POINTER(Value))


class RawModule(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("file", c_char_p), ("bytes", c_char_p), ("size", c_size_t)]


READ = ctypes.CFUNCTYPE(c_int64, c_void_p, c_void_p, c_size_t)
WRITE = ctypes.CFUNCTYPE(c_int64, c_void_p, c_int, c_void_p, c_size_t)
STREAMS = ("none", "inherit", "buffer", "callback")  # in the order of txvm_wasi_stream


class WasiDirectory(ctypes.Structure):
    _fields_ = [("host", c_char_p), ("guest", c_char_p), ("read_only", c_bool)]


class WasiOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("arguments", POINTER(c_char_p)), ("argument_count", c_size_t),
                ("environment", POINTER(c_char_p)), ("environment_count", c_size_t),
                ("directories", POINTER(WasiDirectory)), ("directory_count", c_size_t), ("real_clock", c_bool),
                ("real_random", c_bool), ("random_seed", c_uint64), ("max_open_files", c_uint32),
                ("max_written", c_uint64), ("input", c_int), ("output", c_int), ("errors", c_int),
                ("input_bytes", c_char_p), ("input_size", c_size_t), ("user", c_void_p), ("read", READ),
                ("write", WRITE), ("finalizer", c_void_p)]


class InstanceOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("max_slots", c_uint32), ("max_depth", c_uint32), ("max_locals", c_uint32),
                ("max_pages", c_uint32), ("user", c_void_p), ("grow", GROW)]


class RawOutcome(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("stop", c_int), ("trap", c_int), ("interrupt", c_int), ("exit_code", c_int32),
                ("ip", c_uint32), ("result_count", c_uint32), ("steps", c_uint64), ("digest", c_uint64)]


class RawFrame(ctypes.Structure):
    _fields_ = [("ip", c_uint32), ("line", c_uint32), ("function", c_char_p), ("source", c_char_p)]


class RawState(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("ip", c_uint32), ("sp", c_uint32), ("depth", c_uint32), ("steps", c_uint64)]


class TraceRecord(ctypes.Structure):
    """One step: its number, ip, the instruction (op, aux, arg), and sp and top after it."""
    _fields_ = [("step", c_uint64), ("ip", c_uint32), ("op", c_uint32), ("aux", c_uint32), ("arg", c_uint32),
                ("sp", c_uint32), ("top", c_uint32)]


class RawHead(ctypes.Structure):
    _fields_ = [("step", c_uint64), ("ip", c_uint32), ("name", c_char_p), ("space", c_char_p), ("query", c_uint64),
                ("winner", c_int64), ("score", c_int64), ("margin", c_int64), ("keys", c_uint32)]


class RawStats(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("heads", c_uint64 * 5), ("keys", c_uint64 * 5), ("live", c_uint64 * 5)]


STEP = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_uint32, c_uint64)
TRACE = ctypes.CFUNCTYPE(None, c_void_p, POINTER(TraceRecord), c_size_t)
HEAD = ctypes.CFUNCTYPE(None, c_void_p, POINTER(RawHead))


class Watch(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("step", STEP), ("trace", TRACE), ("head", HEAD),
                ("digest", c_bool), ("stats", c_bool)]


def _find_library():
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.environ.get("TXVM_LIBRARY")
    folder = here
    for _ in range(5):
        for place in (folder, os.path.join(folder, "lib")):
            yield os.path.join(place, "libtxvm_core.so.1")
        folder = os.path.dirname(folder)
    yield ctypes.util.find_library("txvm_core")


def _open_library():
    for path in _find_library():
        if path and (os.path.exists(path) or os.sep not in path):
            return ctypes.CDLL(path)
    raise ImportError("libtxvm_core.so.1 was not found: set TXVM_LIBRARY to it")


# name: argument types; a function of these returns an error handle, but for those with a type of their own below.
_ERROR_FUNCTIONS = {
    "engine_new": [c_void_p, c_void_p], "program_load": [c_void_p, c_char_p, c_size_t, c_char_p, c_void_p],
    "program_load_file": [c_void_p, c_char_p, c_void_p], "program_save": [c_void_p, c_void_p, c_void_p],
    "program_link": [c_void_p, POINTER(RawModule), c_size_t, c_void_p],
    "program_link_importing": [c_void_p, POINTER(RawModule), c_size_t, POINTER(c_char_p), c_size_t, c_void_p],
    "linker_define_instance": [c_void_p, c_char_p, c_void_p],
    "linker_define_wasi": [c_void_p, POINTER(WasiOptions)], "wasi_run": [c_void_p, c_void_p],
    "export_get": [c_void_p, c_uint32, c_void_p], "import_get": [c_void_p, c_uint32, c_void_p],
    "export_find": [c_void_p, c_char_p, c_void_p], "global_find": [c_void_p, c_char_p, c_void_p],
    "line_find": [c_void_p, c_uint32, c_void_p], "linker_new": [c_void_p, c_void_p],
    "linker_define_values": [c_void_p, c_char_p, c_char_p, c_char_p, HOST, c_void_p, c_void_p],
    "instance_new": [c_void_p, c_void_p, c_void_p, c_void_p], "start": [c_void_p, c_void_p],
    "call_values": [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p],
    "host_call_values": [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p],
    "begin_values": [c_void_p, c_uint32, c_void_p, c_size_t],
    "resume_values": [c_void_p, c_void_p, c_size_t, c_void_p],
    "step_values": [c_void_p, c_uint64, c_void_p, c_size_t, c_void_p], "fuel_set": [c_void_p, c_uint64],
    "memory_read": [c_void_p, c_uint64, c_void_p, c_size_t], "memory_write": [c_void_p, c_uint64, c_char_p, c_size_t],
    "memory_grow": [c_void_p, c_uint32, c_void_p], "global_get": [c_void_p, c_uint32, c_void_p],
    "global_set": [c_void_p, c_uint32, c_int32], "state_get": [c_void_p, c_void_p],
    "watch_set": [c_void_p, c_void_p], "breakpoint_set": [c_void_p, c_uint32, c_bool],
    "tag_find": [c_void_p, c_char_p, c_void_p],
    "exception_get": [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p], "stats_get": [c_void_p, c_void_p], "snapshot_save": [c_void_p, c_void_p, c_void_p],
    "snapshot_restore": [c_void_p, c_char_p, c_size_t], "instance_clone": [c_void_p, c_void_p],
}
_OTHER_FUNCTIONS = {
    "abi_version": (c_uint32, []), "version": (c_char_p, []), "reads_wasm": (c_bool, []),
    "reads_wat": (c_bool, []),
    "error_message": (c_char_p, [c_void_p]), "error_report": (c_char_p, [c_void_p]),
    "error_get_code": (c_int, [c_void_p]), "error_line": (c_uint32, [c_void_p]),
    "error_column": (c_uint32, [c_void_p]), "error_delete": (None, [c_void_p]),
    "export_signature": (c_char_p, [c_void_p, c_uint32]), "import_signature": (c_char_p, [c_void_p, c_uint32]),
    "engine_delete": (None, [c_void_p]), "engine_name": (c_char_p, [c_void_p]),
    "buffer_delete": (None, [c_void_p, c_void_p, c_size_t]), "program_delete": (None, [c_void_p]),
    "export_count": (c_uint32, [c_void_p]), "import_count": (c_uint32, [c_void_p]),
    "global_count": (c_uint32, [c_void_p]), "code_size": (c_uint32, [c_void_p]),
    "linker_delete": (None, [c_void_p]), "host_trap": (c_int, [c_void_p, c_char_p]),
    "host_exit": (c_int, [c_void_p, c_int32]), "host_pass": (c_int, [c_void_p]), "host_fail": (c_int, [c_void_p, c_char_p]),
    "host_throw": (c_int, [c_void_p, c_uint32, c_void_p, c_size_t]),
    "tag_name": (c_char_p, [c_void_p, c_uint32]), "tag_signature": (c_char_p, [c_void_p, c_uint32]),
    "instance_program": (c_void_p, [c_void_p]),
    "instance_delete": (None, [c_void_p]), "resumable": (c_bool, [c_void_p]), "fuel_get": (c_uint64, [c_void_p]),
    "interrupt": (None, [c_void_p, c_int]), "interrupt_run": (None, [c_void_p, c_uint64, c_int]),
    "run_number": (c_uint64, [c_void_p]), "message": (c_char_p, [c_void_p]),
    "backtrace": (c_size_t, [c_void_p, c_void_p, c_size_t]), "memory_size": (c_uint64, [c_void_p]),
    "wasi_output": (c_void_p, [c_void_p, c_int, c_void_p]), "wasi_clear": (None, [c_void_p, c_int]),
    "wasi_notes": (c_char_p, [c_void_p]), "stack": (POINTER(c_int32), [c_void_p, c_void_p]),
}


class Library:
    """The functions of txvm.h without their prefix; those that return an error raise it."""

    def __init__(self):
        library = _open_library()
        for name, (result, arguments) in _OTHER_FUNCTIONS.items():
            function = getattr(library, "txvm_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        if self.abi_version() != _ABI_VERSION:
            raise ImportError(f"libtxvm_core has interface version {self.abi_version()}, not {_ABI_VERSION}")
        for name, arguments in _ERROR_FUNCTIONS.items():
            function = getattr(library, "txvm_" + name)
            function.restype, function.argtypes = c_void_p, arguments
            setattr(self, name, self._raising(function))

    def _raising(self, function):
        def call(*arguments):
            error = function(*arguments)
            if error:
                try:
                    raise Error(_CODES[self.error_get_code(error)], decode_sentence(self.error_message(error)),
                                decode_sentence(self.error_report(error)), self.error_line(error),
                                self.error_column(error))
                finally:
                    self.error_delete(error)
        return call


lib = Library()
