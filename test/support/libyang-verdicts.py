"""Asks libyang itself, the library below yanglint, about documents: yanglint prints no error-app-tag.

Reads a JSON list of {"folder": F, "modules": [file], "data": file, "format": "xml" | "json"} from standard input and
writes a JSON list of {"valid": bool, "message": str, "path": str, "errorAppTag": str or null} in the same order, or
{"unusable": reason} where the modules do not compile. A missing library ends it with status 3.
"""
import ctypes
import ctypes.util
import json
import os
import sys

YANG_1_1_TEXT = 1
FORMATS = {"xml": 1, "json": 2}
LOG_STORE = 0x02
NO_STATE = 0x0001  # LYD_VALIDATE_NO_STATE: a configuration datastore holds no state data.
PARSE_CONFIG = 0x020000 | 0x080000  # LYD_PARSE_STRICT, LYD_PARSE_NO_STATE: unknown nodes and state data are errors.


def load():
    for name in ("libyang.so.2", ctypes.util.find_library("yang")):
        if name is None:
            continue
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    sys.stderr.write("no libyang\n")
    sys.exit(3)


lib = load()
pointer = ctypes.POINTER(ctypes.c_void_p)
lib.ly_ctx_new.argtypes = [ctypes.c_char_p, ctypes.c_uint16, pointer]
lib.ly_ctx_destroy.argtypes = [ctypes.c_void_p]
lib.ly_ctx_destroy.restype = None
lib.lys_parse_path.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, pointer]
lib.lyd_parse_data_mem.argtypes = [
    ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_uint32, pointer,
]
lib.lyd_free_all.argtypes = [ctypes.c_void_p]
lib.lyd_free_all.restype = None
for name in ("ly_errmsg", "ly_errpath", "ly_errapptag"):
    getattr(lib, name).argtypes = [ctypes.c_void_p]
    getattr(lib, name).restype = ctypes.c_char_p
# Messages are stored for ly_errmsg and friends, and not printed.
lib.ly_log_options(LOG_STORE)


def text(value):
    return None if value is None else value.decode("utf-8", "replace")


def load_modules(question):
    """A context with the modules of a question, or the reason why there is none."""
    context = ctypes.c_void_p()
    lib.ly_ctx_new(question["folder"].encode(), 0, ctypes.byref(context))
    for module in question["modules"]:
        path = os.path.join(question["folder"], module).encode()
        if lib.lys_parse_path(context, path, YANG_1_1_TEXT, None) != 0:
            reason = text(lib.ly_errmsg(context)) or "the module does not compile"
            lib.ly_ctx_destroy(context)
            return None, reason
    return context, None


def verdict(context, question):
    with open(os.path.join(question["folder"], question["data"]), "rb") as file:
        data = file.read()
    tree = ctypes.c_void_p()
    form = FORMATS[question["format"]]
    if lib.lyd_parse_data_mem(context, data, form, PARSE_CONFIG, NO_STATE, ctypes.byref(tree)) == 0:
        lib.lyd_free_all(tree)
        return {"valid": True, "message": "", "path": "", "errorAppTag": None}
    return {
        "valid": False,
        "message": text(lib.ly_errmsg(context)) or "",
        "path": text(lib.ly_errpath(context)) or "",
        "errorAppTag": text(lib.ly_errapptag(context)),
    }


def answers(questions):
    """Questions about the same modules in a row share a context: loading one takes longer than a document."""
    context, reason, loaded = None, None, None
    for question in questions:
        modules = (question["folder"], question["modules"])
        if modules != loaded:
            if context is not None:
                lib.ly_ctx_destroy(context)
            (context, reason), loaded = load_modules(question), modules
        yield {"unusable": reason} if context is None else verdict(context, question)


json.dump(list(answers(json.load(sys.stdin))), sys.stdout)
