"""Tells what Python's own `ast` finds in the files named on stdin, a JSON line for each."""

import ast
import json
import sys


class Finder(ast.NodeVisitor):
    def __init__(self):
        kinds = "function class method property type variable import export"
        self.found = {kind: [] for kind in kinds.split()}
        self.scopes = [("module", set())]
        self.listed = None
        self.top = []
        self.passed = {}
        self.redundant = []
        self.for_types = False

    def add(self, kind, name, line):
        self.found[kind].append(f"{name} {line}")
        if len(self.scopes) == 1:
            self.top.append(name)

    def visit_FunctionDef(self, node):
        kind = "method" if self.scopes[-1][0] == "class" else "function"
        self.add(kind, node.name, node.lineno)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.scopes.append(("init" if kind == "method" and node.name == "__init__" else "function", set()))
        for part in [node.args, node.returns, *node.body]:
            if part is not None:
                self.visit(part)
        self.scopes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.add("class", node.name, node.lineno)
        for part in node.decorator_list + node.bases + node.keywords:
            self.visit(part)
        self.scopes.append(("class", set()))
        for part in node.body:
            self.visit(part)
        self.scopes.pop()

    def visit_TypeAlias(self, node):
        self.add("type", node.name.id, node.lineno)

    def target(self, node):
        if isinstance(node, (ast.Tuple, ast.List)):
            for part in node.elts:
                self.target(part)
            return
        if isinstance(node, ast.Starred):
            self.target(node.value)
            return
        scope, names = self.scopes[-1]
        if isinstance(node, ast.Name) and scope in ("module", "class"):
            if node.id == "__all__" and scope == "module":
                return
            if node.id not in names:
                names.add(node.id)
                self.add("variable" if scope == "module" else "property", node.id, node.lineno)
        if isinstance(node, ast.Attribute) and scope == "init":
            names = self.scopes[-2][1]
            if isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr not in names:
                names.add(node.attr)
                self.add("property", node.attr, node.end_lineno)

    def visit_Assign(self, node):
        for target in node.targets:
            self.target(target)
            self.all_of(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        self.target(node.target)
        if node.value is not None:
            self.all_of(node.target, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.all_of(node.target, node.value)
        self.generic_visit(node)

    def all_of(self, target, value):
        if len(self.scopes) > 1 or not isinstance(target, ast.Name) or target.id != "__all__":
            return
        if self.listed is None:
            self.listed = []
        open_ = [value]
        while open_:
            node = open_.pop()
            if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
                open_.extend(node.elts)
            elif isinstance(node, ast.BinOp):
                open_.extend([node.left, node.right])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.listed.append(node.value)

    def visit_If(self, node):
        text = ast.unparse(node.test)
        self.visit(node.test)
        before = self.for_types
        for part in node.body:
            direct = isinstance(part, (ast.Import, ast.ImportFrom))
            self.for_types = direct and text in ("TYPE_CHECKING", "typing.TYPE_CHECKING", "t.TYPE_CHECKING")
            self.visit(part)
        self.for_types = before
        for part in node.orelse:
            self.visit(part)

    def taken(self, module, names, alias, line):
        names = ",".join(f"{a} as {b}" if b and a != b else a for a, b in names)
        kind = "import type" if self.for_types else "import"
        self.found["import"].append(f"{module} {kind} {{{names}}} {alias or '-'} {line}")

    def visit_Import(self, node):
        for name in node.names:
            self.taken(name.name, [], name.asname, node.lineno)

    def visit_ImportFrom(self, node):
        module = "." * node.level + (node.module or "")
        self.taken(module, [(name.name, name.asname) for name in node.names], None, node.lineno)
        for name in node.names:
            self.passed[name.asname or name.name] = module
            if name.asname == name.name and not private(name.name):
                self.redundant.append((name.name, module))

    def visit_Call(self, node):
        callee = node.func
        name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", None)
        first = node.args[0] if node.args else None
        if name in ("import_module", "__import__") and isinstance(first, ast.Constant) and isinstance(first.value, str):
            self.found["import"].append(f"{first.value} dynamic {{}} - {node.lineno}")
        if name in ("extend", "append") and isinstance(callee, ast.Attribute):
            for value in node.args:
                self.all_of(callee.value, value if name == "extend" else ast.List([value]))
        self.generic_visit(node)

    def finish(self):
        if self.listed is not None:
            own = set(self.top)
            exports = [f"{name} {self.passed[name]}" if name in self.passed and name not in own else name
                       for name in self.listed]
        else:
            exports = [name for name in self.top if not private(name)]
            exports += [f"{name} {module}" for name, module in self.redundant if name not in exports]
        self.found["export"] = sorted(set(exports))
        return self.found


def private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


for path in sys.stdin.read().splitlines():
    with open(path, "rb") as source:
        text = source.read()
    finder = Finder()
    try:
        finder.visit(ast.parse(text))
        broken = False
    except (SyntaxError, ValueError):
        broken = True
    print(json.dumps({"path": path, "broken": broken, "found": finder.finish()}))
