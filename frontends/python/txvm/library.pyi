# Types of what the module shows of its library; the rest is its own affair.
import ctypes
from typing import Any

class Error(Exception):
    code: str
    message: str
    report: str
    line: int
    column: int
    def __init__(self, code: str, message: str, report: str = "", line: int = 0, column: int = 0) -> None: ...

class TraceRecord(ctypes.Structure):
    step: int
    ip: int
    op: int
    aux: int
    arg: int
    sp: int
    top: int

def __getattr__(name: str) -> Any: ...
