"""Adds two numbers with the installed module."""
import txvm

program = txvm.Engine().load(".func add params=2 results=1\n  ADD\n.end\n.export \"add\" add\n")
print(f"{txvm.version}: 2 + 3 = {program.instance().call('add', 2, 3)}")
