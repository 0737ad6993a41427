"""A command-line program inside Python, with its input and output as bytes: python3 wasi.py"""
import txvm

# Copies what one read gives to its output, and exits with the number of bytes.
ECHO = """
.memory 1 1
.data 0
.words 64 256
.import read "wasi_snapshot_preview1" "fd_read" params=4 results=1
.import write "wasi_snapshot_preview1" "fd_write" params=4 results=1
.import exit "wasi_snapshot_preview1" "proc_exit" params=1
.func start
  PUSH 0
  PUSH 0
  PUSH 1
  PUSH 4
  CALL read
  POP
  PUSH 1
  PUSH 0
  PUSH 1
  PUSH 8
  CALL write
  POP
  PUSH 8
  I32.LOAD 0
  CALL exit
.end
.export "_start" start
"""

engine = txvm.Engine()
linker = txvm.Linker(engine)
program = engine.load(ECHO, "echo.txa")

linker.define_wasi(arguments=["echo"], stdin=b"from bytes", stdout="keep")
instance = program.instance(linker)
print("exit code", instance.run_wasi(), "and", instance.stdout)

linker.define_wasi(stdin=lambda count: b"from a function", stdout=lambda data: print("it says", data))
print("exit code", program.instance(linker).run_wasi())
