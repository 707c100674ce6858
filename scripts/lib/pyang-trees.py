"""Prints what `pyang -f tree` prints, for many files in one process.

Starting pyang for each of some 1,500 files would take longer than its work. So this reads requests from stdin, one JSON
object a line, and answers each with one JSON object a line:

    {"path": [folders to search], "files": [files that the command line would name]}
    {"tree": what it would print, "errors": [what it would say about those files, one string each]}

A crash of pyang is an answer as well: {"crash": its last line}. Only the folders of the request are searched, not the
modules that pyang brings along, so that both compilers read the same texts.
"""

import io
import json
import optparse
import re
import sys

from pyang import context, error, plugin, repository, syntax


def options():
    plugin.init([])
    parser = optparse.OptionParser(add_help_option=False)
    for each in plugin.plugins:
        each.add_opts(parser)
    return parser.parse_args([])[0]


OPTIONS = options()
REPOSITORIES = {}


def repository_of(path):
    """The list of the files in a folder is read once."""
    key = tuple(path)
    if key not in REPOSITORIES:
        REPOSITORIES[key] = repository.FileRepository(":".join(path), use_env=False)
    return REPOSITORIES[key]


def new_context(path):
    ctx = context.Context(repository_of(path))
    ctx.opts = OPTIONS
    ctx.canonical = False
    ctx.verify_revision_history = False
    ctx.max_line_len = None
    ctx.max_identifier_len = None
    ctx.trim_yin = False
    ctx.lax_xpath_checks = False
    ctx.lax_quote_checks = False
    ctx.strict = False
    ctx.max_status = None
    for each in plugin.plugins:
        each.setup_ctx(ctx)
    return ctx


def tree_format():
    formats = {}
    for each in plugin.plugins:
        each.add_output_format(formats)
    return formats["tree"]


def trees(path, files):
    ctx = new_context(path)
    output = tree_format()
    output.setup_fmt(ctx)
    for each in plugin.plugins:
        each.pre_load_modules(ctx)
    modules = []
    for name in files:
        with io.open(name, "r", encoding="utf-8") as file:
            text = file.read()
        found = syntax.re_filename.search(re.sub(".*/", "", name))
        ctx.yin_module_map = {}
        if found is None:
            module = ctx.add_module(name, text, primary_module=True)
        else:
            stem, revision, kind = found.groups()
            module = ctx.add_module(name, text, kind, stem, revision, expect_failure_error=False, primary_module=True)
        if module is not None:
            modules.append(module)
    names = [module.arg for module in modules]
    names += [include.arg for module in modules for include in module.search("include")]
    for each in plugin.plugins:
        each.pre_validate_ctx(ctx, modules)
    output.pre_validate(ctx, modules)
    ctx.validate()
    for module in modules:
        module.prune()
    output.post_validate(ctx, modules)
    for each in plugin.plugins:
        each.post_validate_ctx(ctx, modules)
    errors = []
    for position, tag, arguments in ctx.errors:
        if error.is_warning(error.err_level(tag)):
            continue
        top = position.top
        if top is not None and top.arg not in names and getattr(top, "i_modulename", None) not in names:
            if position.ref not in files:
                continue
        label = "%s:%d" % (re.sub(".*/", "", position.ref), position.line)
        errors.append("%s: %s" % (label, error.err_to_str(tag, arguments)))
    text = io.StringIO()
    if modules:
        output.emit(ctx, modules, text)
    return {"tree": text.getvalue() if modules else None, "errors": sorted(set(errors))}


def main():
    # Deep trees are walked by recursion.
    sys.setrecursionlimit(20000)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = trees(request["path"], request["files"])
        except Exception as problem:  # pylint: disable=broad-except
            answer = {"crash": "%s: %s" % (type(problem).__name__, problem)}
        print(json.dumps(answer), flush=True)


main()
