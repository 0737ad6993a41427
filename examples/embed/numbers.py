"""Ints and floats across the border, by the signature of each function: python3 numbers.py"""
import txvm

# A double inside the program is two words, the low one first: here 1e-9.
PROGRAM = """
.import scale "host" "scale" params=i64,f64 results=f64
.func seconds params=i64 results=f64
  PUSH 0xE826D695
  PUSH 0x3E112E0B
  CALL scale
.end
.export "seconds" seconds
"""

engine = txvm.Engine()
linker = txvm.Linker(engine)
linker.define("host", "scale", "ld:d", lambda time, factor: time * factor)
instance = engine.load(PROGRAM, "numbers.txa").instance(linker)
print("seconds is", instance.program.find("seconds").signature)
print("seconds(1500000000000) =", instance.call("seconds", 1500000000000))
try:
    instance.call("seconds", 1.5)
except TypeError as error:
    print(error)
