"""txvm in Python: the shared core library libtxvm_core through ctypes. docs/EMBEDDING.md describes it.

    import txvm
    engine = txvm.Engine()
    program = engine.load(".func add params=2 results=1\\n  ADD\\n.end\\n.export \\"add\\" add\\n")
    print(program.instance().call("add", 2, 3))

Numbers are ints and floats by the signature of a function, a v128 is a Vector; its text will do as an argument.

The library is looked for in $TXVM_LIBRARY, beside this folder, above it in lib/, then where the system looks. It reads
.txp, .txa and .wasm; of WebAssembly text `txvm compile` makes a .txp.

Names and paths that are not UTF-8 are strings with surrogates, as those of Python's os are; messages show such bytes.
"""
import ctypes
import math
import operator
import os
import struct
import weakref
from ctypes import byref, c_int32, c_size_t, c_uint32, c_void_p

from . import library, wasi
from .library import Error, TraceRecord, decode_name, decode_sentence, encode_name, lib

UNLIMITED_FUEL = 2**64 - 1
ENTRY = 0xFFFFFFFF

HALTED, TRAPPED, EXITED, OUT_OF_FUEL, INTERRUPTED, HOST_FAILED = range(6)
_STOPS = ("halted", "trapped", "exited", "out_of_fuel", "interrupted", "host_failed")
_INTERRUPTS = ("", "timeout", "signal", "breakpoint", "step")
_HOST_FAIL = 3  # txvm_host_status
SPACES = ("code", "stack", "locals", "memory", "call")


class Vector:
    """A v128: 16 bytes, the lowest lane first. Its text is v128:i32x4:1,2,3,4; `parse` reads other shapes too."""
    _SHAPES = {"i8x16": "<16b", "i16x8": "<8h", "i32x4": "<4i", "i64x2": "<2q", "f32x4": "<4f", "f64x2": "<2d"}

    def __init__(self, data):
        self.bytes = bytes(data)
        if len(self.bytes) != 16:
            raise ValueError(f"a v128 has 16 bytes, not {len(self.bytes)}")

    @classmethod
    def parse(cls, text):
        """The vector of "v128:i32x4:1,2,3,4"; the shape may be any, and "v128:" may be missing. Integers may be
        unsigned or hexadecimal."""
        shape, _, lanes = text.removeprefix("v128:").partition(":")
        if shape not in cls._SHAPES or len(lanes := lanes.split(",")) != int(cls._SHAPES[shape][1:-1]):
            raise ValueError(f"{text!r} is no v128 such as v128:i32x4:1,2,3,4")
        if shape[0] == "f":
            return cls(struct.pack(cls._SHAPES[shape], *map(float, lanes)))
        bits = 128 // len(lanes)
        numbers = [int(lane, 0) for lane in lanes]
        if not all(-(2 ** (bits - 1)) <= number < 2**bits for number in numbers):
            raise OverflowError(f"{text!r} has a lane of more than {bits} bits")
        return cls(b"".join((number % 2**bits).to_bytes(bits // 8, "little") for number in numbers))

    def lanes(self, shape):
        """A tuple of its lanes in a shape: "i8x16", "i16x8", "i32x4", "i64x2", "f32x4" or "f64x2"."""
        return struct.unpack(self._SHAPES[shape], self.bytes)

    def __eq__(self, other):
        return isinstance(other, Vector) and self.bytes == other.bytes

    def __hash__(self):
        return hash(self.bytes)

    def __str__(self):
        return "v128:i32x4:" + ",".join(map(str, self.lanes("i32x4")))

    def __repr__(self):
        return f"Vector.parse({str(self)!r})"


# ctypes cuts an integer off that does not fit: every one that goes to the library is looked at before.
def _words(what, values):
    """The values, each an i32, signed or unsigned."""
    for value in values:
        if not -(2**31) <= value < 2**32:
            raise OverflowError(f"{what} {value} is no 32-bit integer")
    return values


def _store(what, letter, number, value):
    """Puts a number into a library.Value of the type that a letter of a signature names; for a v128 a Vector or its
    text."""
    value.type = library.LETTERS.index(letter)
    if letter == "v":
        words = (number if isinstance(number, Vector) else Vector.parse(number)).lanes("i32x4")
        value.of.v = (ctypes.c_int32 * 4)(*words)
        return
    if letter in "il":
        bits = 32 if letter == "i" else 64
        if isinstance(number, float):
            raise TypeError(f"{what} {number} is a float, and the parameter is an i{bits}: int() or round() make one")
        if not -(2 ** (bits - 1)) <= operator.index(number) < 2**bits:
            raise OverflowError(f"{what} {number} is no {bits}-bit integer")
        setattr(value.of, letter, number)
        return
    number = math.copysign(number, number)  # a float, but not of a text as float makes one
    setattr(value.of, letter, number)
    if letter == "f" and math.isinf(value.of.f) and not math.isinf(number):
        raise OverflowError(f"{what} {number} is no 32-bit float")


def _number(value):
    letter = library.LETTERS[value.type]
    return Vector(struct.pack("=4i", *value.of.v)) if letter == "v" else getattr(value.of, letter)


def _natural(what, value, bits=32):
    if not 0 <= value < 2**bits:
        raise OverflowError(f"{what} {value} is outside 0 .. 2^{bits} - 1")
    return value


def _fail_host(caller, error):
    """Ends the caller's run as a failure of its host, even where the error cannot say what it is."""
    try:
        try:
            text = f"{type(error).__name__}: {error}"
        except Exception:
            text = type(error).__name__
        return lib.host_fail(caller, text.encode(errors="replace"))
    except BaseException:
        return _HOST_FAIL


class Stopped(Exception):
    """A run that was to halt did not; `outcome` says how it ended and `backtrace` where."""

    def __init__(self, message, outcome, backtrace):
        super().__init__(message)
        self.outcome, self.backtrace = outcome, backtrace


class CallerStopped(Stopped):
    """A call that a host function made of its caller did not halt. A host function that lets it through passes the trap
    on."""

    def __init__(self, message, outcome, backtrace, caller):
        super().__init__(message, outcome, backtrace)
        self.caller = caller


class Trap(Exception):
    """Raised by a host function: the run ends trapped with this text."""


class Thrown(Exception):
    """An exception of a program: the name of its tag, its values. A host function that raises it throws it in the
    program; `Instance.exception` is the one that came out of a call."""

    def __init__(self, tag, *values):
        super().__init__(tag, *values)
        self.tag, self.values = tag, values


class Exit(Exception):
    """Raised by a host function: the run ends with this exit code."""

    def __init__(self, code=0):
        super().__init__(code)
        self.code = code


version = lib.version().decode()


def _made(make, *arguments):
    handle = c_void_p()
    make(*arguments, byref(handle))
    return handle


class _Handle:
    """Owns a handle; the library keeps alive inside what another object still needs."""

    def __init__(self, handle, delete):
        self._handle, self._delete = handle, delete

    def __del__(self):
        if getattr(self, "_handle", None):
            self._delete(self._handle)
            self._handle = None


class Engine(_Handle):
    """Runs programs as "attention", "native", "folded", "hull" or "transformer"."""

    def __init__(self, name="attention"):
        options = library.EngineOptions(ctypes.sizeof(library.EngineOptions), encode_name(name))
        super().__init__(_made(lib.engine_new, byref(options)), lib.engine_delete)

    @property
    def name(self):
        return lib.engine_name(self._handle).decode()

    def load(self, source, name="program.txa"):
        """A program from its text (.wat or .txa) or bytes (.wasm, .txp, .wat or .txa). Which it is, is found out: a
        text that begins with a parenthesis, comments apart, is WebAssembly's. The name stands in errors."""
        data = encode_name(source) if isinstance(source, str) else bytes(source)
        return Program(self, _made(lib.program_load, self._handle, data, len(data), encode_name(name)))

    def load_file(self, path):
        """A program from a file: .wat, .wasm, .txa or .txp. C sources are for the program `txvm compile`."""
        return Program(self, _made(lib.program_load_file, self._handle, os.fsencode(path)))

    def link(self, libraries, main, name="main", imports=None):
        """Several WebAssembly modules as one program: `main`, and libraries {name: module}, each of which may import
        from those before it by its name. A module is bytes, or the path of a file. What one exports and another
        imports is one thing: memory, tables and globals too. The exports of a library are "NAME.export".
        With imports, a dict such as {"env.memory": "memory:17", "env.size": 5}, every memory, table and global that is
        still imported is made, as declared where the dict does not name it."""
        modules = (library.RawModule * (len(libraries) + 1))()
        for row, (key, source) in zip(modules, [*libraries.items(), (name, main)]):
            row.name = encode_name(key)
            if isinstance(source, (str, os.PathLike)):
                row.file = os.fsencode(source)
            else:
                data = bytes(source)
                row.bytes, row.size = data, len(data)
        if imports is None:
            return Program(self, _made(lib.program_link, self._handle, modules, len(modules)))
        texts = [encode_name(f"{key}={what}") for key, what in imports.items()]
        rows = (ctypes.c_char_p * len(texts))(*texts)
        return Program(self, _made(lib.program_link_importing, self._handle, modules, len(modules), rows, len(rows)))

    def take_buffer(self, buffer, size):
        """Copies a buffer of the library and releases it."""
        try:
            return ctypes.string_at(buffer, size.value)
        finally:
            lib.buffer_delete(self._handle, buffer, size)


class Function:
    """An export or import: name, signature ("lf:d": i and l are integers of 32 and 64 bits, f and d floats), number of
    params and results in 32-bit words; imports also have a module."""

    def __init__(self, index, row, signature):
        self.signature = signature.decode()
        self.index, self.name, self.params, self.results = index, decode_name(row.name), row.params, row.results
        self.module = decode_name(row.module) if row.module else None


class Program(_Handle):
    """A verified program. Immutable; any number of instances on any number of threads."""

    def __init__(self, engine, handle):
        super().__init__(handle, lib.program_delete)
        self.engine = engine

    def _rows(self, count, get, signature):
        rows = []
        for index in range(count(self._handle)):
            row = library.FunctionRow()
            get(self._handle, index, byref(row))
            rows.append(Function(index, row, signature(self._handle, index)))
        return rows

    @property
    def exports(self):
        return self._rows(lib.export_count, lib.export_get, lib.export_signature)

    @property
    def imports(self):
        return self._rows(lib.import_count, lib.import_get, lib.import_signature)

    def find(self, name):
        """The export of this name."""
        index = c_uint32()
        lib.export_find(self._handle, encode_name(name), byref(index))
        row = library.FunctionRow()
        lib.export_get(self._handle, index, byref(row))
        return Function(index.value, row, lib.export_signature(self._handle, index))

    def line(self, number):
        """The first instruction of a source line, for breakpoints."""
        ip = c_uint32()
        lib.line_find(self._handle, _natural("line", number), byref(ip))
        return ip.value

    def save(self):
        """The bytes of its .txp file."""
        buffer, size = c_void_p(), c_size_t()
        lib.program_save(self._handle, byref(buffer), byref(size))
        return self.engine.take_buffer(buffer, size)

    def instance(self, linker=None, start=True, **limits):
        """An instance. limits: max_slots, max_depth, max_locals, max_pages, grow(old_pages, new_pages) -> bool.
        start: run the program's start function, if it has one."""
        made = Instance(self, linker, limits)
        if start:
            made.start()
        return made


def _throw(caller, thrown):
    """Ends a host function with an exception of its caller's program."""
    program, tag = lib.instance_program(caller), c_uint32()
    lib.tag_find(program, encode_name(thrown.tag), byref(tag))
    letters = lib.tag_signature(program, tag).decode()
    if len(letters) != len(thrown.values):
        raise TypeError(f"tag {thrown.tag} takes {len(letters)} values, {len(thrown.values)} are given")
    values = (library.Value * len(letters))()
    for letter, number, value in zip(letters, thrown.values, values):
        _store(f"{thrown.tag}'s value", letter, number, value)
    return lib.host_throw(caller, tag, values, len(letters))


class Linker(_Handle):
    """Host functions by module and name."""

    def __init__(self, engine):
        super().__init__(_made(lib.linker_new, engine._handle), lib.linker_delete)
        self.functions = []  # callbacks; ctypes does not keep them
        self.instances = {}  # running instances by their handles
        self.linked = weakref.WeakValueDictionary()  # those that other instances call

    def define(self, module, name, signature, function):
        """signature: a letter for each parameter, ':', one for each result, as in "il:d": i and l are integers of 32 and
        64 bits, f and d floats. function gets the parameters, and returns nothing, a number, or a sequence of them.
        Its first parameter is the calling Instance if it has an attribute `takes_instance` that is true; it may call
        that by Instance.call_back. Trap and Exit end the run; any other exception ends it as a failure of the host."""
        params, _, results = signature.partition(":")
        takes_instance = getattr(function, "takes_instance", False)

        def call(_, caller, args, out):
            try:
                return answer(caller, args, out)
            except BaseException as error:  # nothing may leave through C
                return _fail_host(caller, error)

        def answer(caller, args, out):
            values = [_number(args[i]) for i in range(len(params))]
            if takes_instance:
                values.insert(0, self.instances.get(caller) or self.linked[caller])
            try:
                returned = function(*values)
            except Trap as trap:
                return lib.host_trap(caller, str(trap).encode(errors="replace"))
            except Thrown as thrown:
                return _throw(caller, thrown)
            except CallerStopped as stopped:
                if stopped.caller._handle.value != caller:
                    return lib.host_trap(caller, str(stopped).encode(errors="replace"))
                return lib.host_pass(caller)
            except Exit as end:
                return lib.host_exit(caller, *_words(f"{module}.{name}'s exit code", (end.code,)))
            answers = () if returned is None else (returned,) if isinstance(returned, (int, float, Vector)) else tuple(returned)
            if len(answers) != len(results):
                raise TypeError(f"{module}.{name} returned {len(answers)} values instead of {len(results)}")
            for i, value in enumerate(answers):
                _store(f"{module}.{name}'s result", results[i], value, out[i])
            return 0

        callback = library.HOST(call)
        names = encode_name(module), encode_name(name)
        lib.linker_define_values(self._handle, *names, encode_name(signature), callback, None, None)
        self.functions.append(callback)

    def define_instance(self, module, instance):
        """Every function that a living instance exports, as module.NAME. They call that very instance, which keeps its
        memory and globals; its steps take from the caller's fuel. Memories, tables and globals are not shared:
        Engine.link does that."""
        lib.linker_define_instance(self._handle, encode_name(module), instance._handle)
        self.functions.append(instance)
        if instance.linker:
            instance.linker.linked[instance._handle.value] = instance

    def define_wasi(self, arguments=(), environment={}, directories={}, read_only={}, clock="virtual", random=0,
                    max_open_files=0, max_written=0, stdin=None, stdout=None, stderr=None):
        """WASI for the instances made from now on, each with its own files, clock and streams. By default a program
        finds nothing. arguments: the program's name first. environment: {name: value}. directories and read_only:
        {the program's name: path}. clock: "virtual" or "real". random: the seed of a fixed sequence, or "real".
        max_open_files: 0 means 256. max_written: bytes, 0 means any. stdin: bytes, "inherit", or a function of a count
        that returns at most as many bytes, none at the end. stdout, stderr: "keep" (Instance.stdout), "inherit", or a
        function of bytes. What such a function raises is an I/O error to the program."""
        options = wasi.options_of(arguments, environment, directories, read_only, clock, random, max_open_files,
                                  max_written, (stdin, stdout, stderr))
        lib.linker_define_wasi(self._handle, byref(options))
        self.functions.append(options)


class Outcome:
    """How a run ended: stop ("halted", "trapped", ...), results (of a halted run), trap (its number), interrupt,
    exit_code, ip, steps, digest, message."""

    def __init__(self, raw, results, message):
        self.stop, self.trap, self.interrupt = _STOPS[raw.stop], raw.trap, _INTERRUPTS[raw.interrupt]
        self.exit_code, self.ip, self.steps, self.digest = raw.exit_code, raw.ip, raw.steps, raw.digest
        self.results = tuple(results) if raw.stop == HALTED else ()
        self.message = message

    @property
    def halted(self):
        return self.stop == "halted"


class Frame:
    """A place: function, source, line, ip."""

    def __init__(self, raw):
        self.function, self.source = decode_name(raw.function), decode_name(raw.source)
        self.line, self.ip = raw.line, raw.ip

    def __repr__(self):
        return f"{self.function or '?'} at {self.source}:{self.line} (instruction {self.ip})"


class Instance(_Handle):
    """One running state of a program. One thread at a time; `interrupt` from any."""

    def __init__(self, program, linker, limits):
        options = library.InstanceOptions(ctypes.sizeof(library.InstanceOptions))
        self._grow = library.GROW()
        for name, value in limits.items():
            if name == "grow":
                self._grow = library.GROW(lambda _, old, new: bool(value(old, new)))
                options.grow = self._grow
            elif name in ("max_slots", "max_depth", "max_locals", "max_pages"):
                setattr(options, name, _natural(name, value))
            else:
                raise TypeError(f"there is no limit {name}")
        handle = _made(lib.instance_new, program._handle, linker._handle if linker else None, byref(options))
        self._own(handle, program, linker, 0)

    def _own(self, handle, program, linker, results):
        _Handle.__init__(self, handle, lib.instance_delete)
        self.program, self.linker = program, linker
        self._results = results  # of the invocation that can be resumed
        self._watch = None       # keeps the callbacks

    def _run(self, run, *arguments, results=None):
        results = self._results if results is None else _natural("results", results)
        values, raw = (library.Value * results)(), library.RawOutcome(ctypes.sizeof(library.RawOutcome))
        known = self.linker.instances if self.linker else {}
        outer = known.get(self._handle.value)  # a host function's caller, which the library refuses to run
        known[self._handle.value] = self
        try:
            if run in (lib.start, lib.wasi_run):
                run(self._handle, byref(raw))
            else:
                run(self._handle, *arguments, values, results, byref(raw))
        finally:
            if outer is None:
                del known[self._handle.value]
        return Outcome(raw, map(_number, values), decode_sentence(lib.message(self._handle)))

    def _callee(self, function):
        return function if isinstance(function, Function) else self.program.find(function)

    @staticmethod
    def _values(function, callee, args):
        """The arguments by the types of the callee's parameters; those too many are for the call to refuse."""
        values = (library.Value * len(args))()
        letters = callee.signature.partition(":")[0].ljust(len(args), "d")
        for letter, number, value in zip(letters, args, values):
            _store(f"{function}'s argument", letter, number, value)
        return values

    def start(self):
        """Runs the start function; raises Stopped unless it halts."""
        self._results = 0
        return self._halted(self._run(lib.start))

    def run(self, function, *args):
        """Calls an export (its name, or what Program.find returned) and returns the Outcome, whatever it is."""
        callee = self._callee(function)
        results = len(callee.signature.partition(":")[2])
        values = self._values(function, callee, args)
        outcome = self._run(lib.call_values, callee.index, values, len(args), results=results)
        self._results = results
        return outcome

    def call(self, function, *args):
        """Calls an export; its result (None, an int or float, or a tuple of them). Raises Stopped unless it halts."""
        results = self._halted(self.run(function, *args)).results
        return None if not results else results[0] if len(results) == 1 else results

    def call_back(self, function, *args):
        """Calls an export from inside a host function of this instance, as a part of its run: same fuel, steps and
        limits. Its result, as `call` returns it; raises CallerStopped unless it halts."""
        callee = self._callee(function)
        values, raw = self._values(function, callee, args), library.RawOutcome(ctypes.sizeof(library.RawOutcome))
        results = (library.Value * len(callee.signature.partition(":")[2]))()
        lib.host_call_values(self._handle, callee.index, values, len(args), results, len(results), byref(raw))
        outcome = Outcome(raw, map(_number, results), decode_sentence(lib.message(self._handle)))
        if not outcome.halted:
            raise CallerStopped(outcome.message, outcome, self.backtrace(), self)
        return None if not outcome.results else outcome.results[0] if len(outcome.results) == 1 else outcome.results

    @property
    def exception(self):
        """What came out of the last call uncaught, as a Thrown; None: nothing did. In a host function: out of its last
        call_back."""
        tag, count = c_uint32(), ctypes.c_size_t()
        try:
            lib.exception_get(self._handle, byref(tag), None, 0, byref(count))
        except Error:
            return None
        values = (library.Value * count.value)()
        lib.exception_get(self._handle, byref(tag), values, count.value, byref(count))
        return Thrown(decode_name(lib.tag_name(self.program._handle, tag)), *map(_number, values))

    def _halted(self, outcome):
        if not outcome.halted:
            raise Stopped(outcome.message, outcome, self.backtrace())
        return outcome

    def run_wasi(self):
        """Runs the program as a command, from `_start`, or a library's `_initialize`; its exit code, 0 when it just
        returns. Raises Stopped when it ends otherwise. Needs an instance whose linker defines WASI."""
        self._results = 0
        outcome = self._run(lib.wasi_run)
        return outcome.exit_code if outcome.stop == "exited" else self._halted(outcome).exit_code

    def _written(self, stream):
        size = c_size_t()
        data = lib.wasi_output(self._handle, stream, byref(size))
        return ctypes.string_at(data, size.value) if data else b""

    @property
    def stdout(self):
        """What the program has written to an output that is kept."""
        return self._written(1)

    @property
    def stderr(self):
        return self._written(2)

    @property
    def wasi_notes(self):
        """A sentence for each file that the last `restore` could not open again."""
        return decode_sentence(lib.wasi_notes(self._handle)).splitlines()

    def begin(self, function, *args):
        """Places a call without making a step, for `step`."""
        callee = self._callee(function)
        lib.begin_values(self._handle, callee.index, self._values(function, callee, args), len(args))
        self._results = len(callee.signature.partition(":")[2])

    def step(self, steps=1):
        """At most `steps` steps; the outcome is interrupted ("step") when there are more."""
        return self._run(lib.step_values, _natural("steps", steps, 64))

    def resume(self, results=None):
        """Goes on after out_of_fuel or interrupted; `results` says how many there are, after `restore`."""
        return self._run(lib.resume_values, results=results)

    @property
    def resumable(self):
        return lib.resumable(self._handle)

    @property
    def fuel(self):
        """Steps that runs may still make."""
        return lib.fuel_get(self._handle)

    @fuel.setter
    def fuel(self, steps):
        lib.fuel_set(self._handle, _natural("fuel", steps, 64))

    def interrupt(self, run=None):
        """Stops the run in progress; or run number `run`, in progress or the next. From any thread."""
        if run is None:
            lib.interrupt(self._handle, 1)
        else:
            lib.interrupt_run(self._handle, _natural("run", run, 64), 1)

    @property
    def run_number(self):
        return lib.run_number(self._handle)

    def backtrace(self, most=64):
        count = min(_natural("most", most, 64), lib.backtrace(self._handle, None, 0))
        frames = (library.RawFrame * count)()
        lib.backtrace(self._handle, frames, count)
        return [Frame(frame) for frame in frames]

    @property
    def memory_size(self):
        return lib.memory_size(self._handle)

    def read(self, offset, count):
        # What is more than the memory is refused before a byte of it is written.
        data = ctypes.create_string_buffer(min(_natural("count", count, 64), self.memory_size))
        lib.memory_read(self._handle, _natural("offset", offset, 64), data, count)
        return data.raw

    def write(self, offset, data):
        data = bytes(data)
        lib.memory_write(self._handle, _natural("offset", offset, 64), data, len(data))

    def grow(self, pages):
        old_pages = c_uint32()
        lib.memory_grow(self._handle, _natural("pages", pages), byref(old_pages))
        return old_pages.value

    def get_global(self, index):
        value = c_int32()
        lib.global_get(self._handle, _natural("global", index), byref(value))
        return value.value

    def set_global(self, index, value):
        lib.global_set(self._handle, _natural("global", index), *_words("value", (value,)))

    @property
    def stack(self):
        count = c_size_t()
        values = lib.stack(self._handle, byref(count))
        return tuple(values[i] for i in range(count.value))

    @property
    def ip(self):
        state = library.RawState(ctypes.sizeof(library.RawState))
        lib.state_get(self._handle, byref(state))
        return state.ip

    def watch(self, step=None, trace=None, head=None, digest=False, stats=False):
        """step(ip, steps) -> bool before each step; trace(records); head(dict) on engine "attention"; digest: outcomes
        have it; stats: `stats` counts. No arguments: nothing is watched."""
        watch = library.Watch(ctypes.sizeof(library.Watch), digest=digest, stats=stats)
        if step:
            watch.step = library.STEP(lambda _, instance, ip, steps: bool(step(ip, steps)))
        if trace:
            watch.trace = library.TRACE(lambda _, records, count: trace([TraceRecord.from_buffer_copy(records[i])
                                                                  for i in range(count)]))
        if head:
            def pass_head(_, given):
                row = given.contents
                values = {name: getattr(row, name) for name, _ in library.RawHead._fields_}
                head({key: value.decode() if isinstance(value, bytes) else value for key, value in values.items()})
            watch.head = library.HEAD(pass_head)
        lib.watch_set(self._handle, byref(watch))
        self._watch = watch

    def breakpoint(self, ip, on=True):
        lib.breakpoint_set(self._handle, _natural("instruction", ip), on)

    @property
    def stats(self):
        """{space: {"heads", "keys", "live"}} of the last run, if it was watched with stats."""
        raw = library.RawStats(ctypes.sizeof(library.RawStats))
        lib.stats_get(self._handle, byref(raw))
        return {space: {"heads": raw.heads[i], "keys": raw.keys[i], "live": raw.live[i]}
                for i, space in enumerate(SPACES)}

    def save(self):
        """The bytes of a snapshot of the stopped instance."""
        buffer, size = c_void_p(), c_size_t()
        lib.snapshot_save(self._handle, byref(buffer), byref(size))
        return self.program.engine.take_buffer(buffer, size)

    def restore(self, snapshot):
        """Makes this what a snapshot of the same program says, whichever engine took it."""
        snapshot = bytes(snapshot)
        lib.snapshot_restore(self._handle, snapshot, len(snapshot))

    def clone(self):
        """Another instance in the same state."""
        handle = _made(lib.instance_clone, self._handle)
        made = Instance.__new__(Instance)
        made._grow = self._grow
        made._own(handle, self.program, self.linker, self._results)
        made._watch = self._watch
        return made
