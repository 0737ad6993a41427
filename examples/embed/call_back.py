"""A sort that asks Python for the order, and Python asks back: its function reads the items by an export."""
import os

import txvm

FRUITS = ["pear", "fig", "apple", "plum"]


def swapped(caller, i, j):
    return FRUITS[caller.call_back("at", i)] > FRUITS[caller.call_back("at", j)]


swapped.takes_instance = True
engine = txvm.Engine()
linker = txvm.Linker(engine)
linker.define("host", "swapped", "ii:i", swapped)
program = engine.load_file(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sort.txa"))
instance = program.instance(linker)
for i in range(4):
    instance.call("put", i, i)
instance.call("sort", 4)
print(*[FRUITS[instance.call("at", i)] for i in range(4)])
