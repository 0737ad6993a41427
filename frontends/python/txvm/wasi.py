"""WASI's options as a struct of the library; Linker.define_wasi says what they are."""
import ctypes
import os

from . import library
from .library import encode_name

_INHERIT, _BUFFER, _CALLBACK = (library.STREAMS.index(name) for name in ("inherit", "buffer", "callback"))


def _texts(texts):
    array = (ctypes.c_char_p * len(texts))(*map(os.fsencode, texts))
    return array, len(texts)


def _input(options, stdin):
    if stdin is None:
        return
    if stdin == "inherit":
        options.input = _INHERIT
    elif callable(stdin):
        def read(_, to, count):
            try:
                data = bytes(stdin(count))
                if len(data) > count:
                    return -1
                ctypes.memmove(to, data, len(data))
                return len(data)
            except BaseException:  # nothing may leave through C
                return -1
        options.input, options.read = _CALLBACK, library.READ(read)
    else:
        data = stdin.encode() if isinstance(stdin, str) else bytes(stdin)
        options.input, options.input_bytes, options.input_size = _BUFFER, data, len(data)


def _kind(name, stream):
    if stream is None:
        return 0
    if callable(stream):
        return _CALLBACK
    kinds = {"inherit": _INHERIT, "keep": _BUFFER}
    if stream not in kinds:
        raise ValueError(f'{name} is None, "inherit", "keep" or a function, not {stream!r}')
    return kinds[stream]


def _outputs(options, stdout, stderr):
    options.output, options.errors = _kind("stdout", stdout), _kind("stderr", stderr)
    if _CALLBACK not in (options.output, options.errors):
        return
    functions = (None, stdout, stderr)

    def write(_, stream, data, count):
        try:
            functions[stream](ctypes.string_at(data, count))
            return count
        except BaseException:
            return -1
    options.write = library.WRITE(write)


def options_of(arguments, environment, directories, read_only, clock, random, max_open_files, max_written, streams):
    """A library.WasiOptions, which keeps its callbacks."""
    options = library.WasiOptions(ctypes.sizeof(library.WasiOptions))
    options.arguments, options.argument_count = _texts(list(arguments))
    options.environment, options.environment_count = _texts([f"{key}={value}" for key, value in environment.items()])
    rows = [(path, guest, False) for guest, path in directories.items()]
    rows += [(path, guest, True) for guest, path in read_only.items()]
    folders = (library.WasiDirectory * len(rows))()
    for folder, (path, guest, is_read_only) in zip(folders, rows):
        folder.host, folder.guest, folder.read_only = os.fsencode(path), encode_name(guest), is_read_only
    options.directories, options.directory_count = folders, len(rows)
    if clock not in ("virtual", "real"):
        raise ValueError(f'clock is "virtual" or "real", not {clock!r}')
    options.real_clock, options.real_random = clock == "real", random == "real"
    for name, value, bits in (("random_seed", 0 if random == "real" else random, 64),
                              ("max_open_files", max_open_files, 32), ("max_written", max_written, 64)):
        if not 0 <= value < 2**bits:
            raise OverflowError(f"{name} {value} is outside 0 .. 2^{bits} - 1")
        setattr(options, name, value)
    _input(options, streams[0])
    _outputs(options, *streams[1:])
    return options
