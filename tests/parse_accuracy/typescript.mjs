// Tells what the TypeScript compiler itself finds in the files named on stdin, a JSON line for each: exports
// from its binder's symbol tables, everything else from its syntax trees.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const ts = createRequire(new URL("../../target/parse_accuracy/", import.meta.url))("typescript");
const K = ts.SyntaxKind;

const WRAPPERS = new Set([
  K.ParenthesizedExpression, K.AsExpression, K.SatisfiesExpression, K.NonNullExpression, K.TypeAssertionExpression,
]);
const MAKERS = new Set(("describe it test suite context specify fdescribe xdescribe fit xit xtest xcontext " +
  "xspecify ddescribe").split(" "));
const WAYS = new Set(("only skip todo each for concurrent sequential serial parallel failing fails fixme fail " +
  "slow skipIf runIf if describe shuffle failingIf").split(" "));

const bare = (node) => {
  while (node && WRAPPERS.has(node.kind)) node = node.expression;
  return node;
};
const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const isText = (node) => node && (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node));

function read(path) {
  const text = readFileSync(path, "utf8");
  const host = {
    getSourceFile: (name, options) =>
      name === path ? ts.createSourceFile(name, text, { ...options, languageVersion: ts.ScriptTarget.Latest }, true) : undefined,
    getDefaultLibFileName: () => "lib.d.ts",
    writeFile: () => {},
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (name) => name === path,
    readFile: () => undefined,
  };
  const options = { allowJs: true, noResolve: true, noLib: true, jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.Latest,
    module: ts.ModuleKind.ESNext };
  const program = ts.createProgram([path], options, host);
  const file = program.getSourceFile(path);
  const checker = program.getTypeChecker();
  const broken = file.parseDiagnostics.length > 0;
  const found = { function: [], class: [], method: [], property: [], interface: [], type: [], enum: [], variable: [],
    module: [], test: [], import: [], export: [] };
  const line = (node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  const raw = (node) => {
    const written = node.getText(file);
    return isText(node) ? written.slice(1, -1) : written;
  };
  const add = (kind, name, node) => found[kind].push(`${name} ${line(node)}`);

  exportsOf();
  visit();
  return { path, broken, found };

  function exportsOf() {
    const table = checker.getSymbolAtLocation(file)?.exports;
    for (const [key, symbol] of table ?? []) {
      const declarations = symbol.declarations ?? [];
      if (key === "__export") {
        for (const star of declarations) found.export.push(`* ${star.moduleSpecifier.text}`);
        continue;
      }
      // A declaration file exports what has no `export` too; that is a rule for paths, not for syntax.
      const explicit = declarations.find((node) => !path.includes(".d.") || isExplicit(node));
      if (!explicit || key.startsWith("__")) continue;
      const clause = ts.isExportSpecifier(explicit) ? explicit.parent.parent
        : ts.isNamespaceExport(explicit) ? explicit.parent : undefined;
      const from = clause?.moduleSpecifier?.text;
      const name = key === "export=" ? "default" : ts.unescapeLeadingUnderscores(key);
      found.export.push(from ? `${name} ${from}` : name);
    }
    found.export = [...new Set(found.export)];
  }

  function isExplicit(node) {
    for (let up = node; up && !ts.isSourceFile(up); up = up.parent) {
      if (ts.isExportSpecifier(up) || ts.isNamespaceExport(up) || ts.isExportAssignment(up)) return true;
      if (ts.canHaveModifiers(up) && ts.getModifiers(up)?.some((modifier) => modifier.kind === K.ExportKeyword)) return true;
    }
    return false;
  }

  function visit() {
    const open = [file];
    while (open.length > 0) {
      const node = open.pop();
      one(node);
      ts.forEachChild(node, (child) => void open.push(child));
    }
  }

  function one(node) {
    switch (node.kind) {
      case K.FunctionDeclaration:
        return add("function", node.name ? raw(node.name) : "default", node.name ?? node);
      case K.FunctionExpression:
        if (node.name && !nameOfValue(node)) add("function", raw(node.name), node.name);
        return;
      case K.ClassDeclaration:
        return add("class", node.name ? raw(node.name) : "default", node.name ?? node);
      case K.ClassExpression:
        if (node.name && !nameOfValue(node)) add("class", raw(node.name), node.name);
        return;
      case K.InterfaceDeclaration: return add("interface", raw(node.name), node.name);
      case K.TypeAliasDeclaration: return add("type", raw(node.name), node.name);
      case K.EnumDeclaration: return add("enum", raw(node.name), node.name);
      case K.EnumMember: return add("property", raw(node.name), node.name);
      case K.ModuleDeclaration: return namespace(node);
      case K.Constructor: return add("method", "constructor", constructorWord(node));
      case K.MethodDeclaration: case K.GetAccessor: case K.SetAccessor:
        if (!ts.isObjectLiteralExpression(node.parent) || isKept(node.parent)) member("method", node);
        return;
      case K.MethodSignature:
        if (ts.isInterfaceDeclaration(node.parent)) member("method", node);
        return;
      case K.PropertySignature:
        if (ts.isInterfaceDeclaration(node.parent)) member("property", node);
        return;
      case K.PropertyDeclaration: return member(isFunction(bare(node.initializer)) ? "method" : "property", node);
      case K.PropertyAssignment:
        if (isFunction(bare(node.initializer)) && isKept(node.parent)) member("method", node);
        return;
      case K.Parameter:
        if (ts.isParameterPropertyDeclaration(node, node.parent)) member("property", node);
        return;
      case K.VariableDeclaration: return variable(node);
      case K.BinaryExpression: return assignment(node);
      case K.ExportAssignment: return unnamedDefault(node, bare(node.expression));
      case K.ImportDeclaration: return importDeclaration(node);
      case K.ImportEqualsDeclaration: return importEquals(node);
      case K.ExportDeclaration: return reExport(node);
      case K.ImportType: return importType(node);
      case K.CallExpression: return call(node);
    }
  }

  function member(kind, node) {
    // An object's or interface's accessor in an object type is none of theirs.
    if (ts.isTypeLiteralNode(node.parent)) return;
    add(kind, raw(node.name), node.name);
  }

  function constructorWord(node) {
    return node.getChildren(file).find((child) => child.kind === K.ConstructorKeyword) ?? node;
  }

  function namespace(node) {
    if (ts.isModuleDeclaration(node.parent)) return; // the inner part of `namespace A.B`
    let name = raw(node.name);
    for (let inner = node.body; inner && ts.isModuleDeclaration(inner); inner = inner.body) name += `.${raw(inner.name)}`;
    add("module", name, node.name);
  }

  function atTop(statement) {
    const parent = statement.parent;
    return ts.isSourceFile(parent) || (ts.isModuleBlock(parent));
  }

  function variable(node) {
    if (ts.isCatchClause(node.parent)) return;
    const statement = node.parent.parent;
    const top = ts.isVariableStatement(statement) && atTop(statement);
    const value = bare(node.initializer);
    if (ts.isIdentifier(node.name)) {
      if (isFunction(value)) return add("function", raw(node.name), node.name);
      if (value && ts.isClassExpression(value)) return add("class", raw(node.name), node.name);
    }
    if (!top || (value && isRequire(value))) return;
    const open = [node.name];
    while (open.length > 0) {
      const name = open.pop();
      if (ts.isIdentifier(name)) add("variable", raw(name), name);
      else for (const element of name.elements) if (ts.isBindingElement(element)) open.push(element.name);
    }
  }

  /// Whether a function or class that is a value goes by the name of what it is bound to.
  function nameOfValue(node) {
    let above = node.parent;
    while (WRAPPERS.has(above.kind)) above = above.parent;
    if (ts.isVariableDeclaration(above)) return ts.isIdentifier(above.name) && bare(above.initializer) === node;
    if (ts.isPropertyDeclaration(above)) return isFunction(node) && bare(above.initializer) === node;
    if (ts.isPropertyAssignment(above)) return isFunction(node) && isKept(above.parent);
    if (ts.isBinaryExpression(above)) {
      const target = targetOf(above);
      return !!target && target !== "module" && bare(above.right) === node
        && (isFunction(node) || target === "export");
    }
    return false;
  }

  /// Whether an object literal is the value of a variable at the top, or of the default.
  function isKept(object) {
    let above = object.parent;
    while (WRAPPERS.has(above.kind)) above = above.parent;
    if (ts.isVariableDeclaration(above)) {
      return ts.isIdentifier(above.name) && ts.isVariableStatement(above.parent.parent) && atTop(above.parent.parent);
    }
    if (ts.isExportAssignment(above)) return true;
    const target = ts.isBinaryExpression(above) ? targetOf(above) : undefined;
    return target === "module" || target === "export";
  }

  function targetOf(node) {
    if (node.operatorToken.kind !== K.EqualsToken || !ts.isPropertyAccessExpression(node.left)) return undefined;
    if (!ts.isIdentifier(node.left.name)) return undefined;
    const object = node.left.expression.getText(file);
    const name = node.left.name.text;
    if (object === "module" && name === "exports") return "module";
    if (object === "exports" || object === "module.exports") return "export";
    if (!ts.isExpressionStatement(node.parent) || !ts.isSourceFile(node.parent.parent)) return undefined;
    if (object.endsWith(".prototype")) return "prototype";
    return ts.isIdentifier(node.left.expression) ? "static" : undefined;
  }

  function assignment(node) {
    const target = targetOf(node);
    if (!target) return;
    const value = bare(node.right);
    const isTs = !/\.[cm]?jsx?$/.test(path);
    if (target === "module") {
      found.export.push("default");
      if (ts.isObjectLiteralExpression(value)) {
        for (const property of value.properties) if (property.name) found.export.push(raw(property.name));
      }
      unnamedDefault(node, value);
    } else if (target === "export") {
      found.export.push(raw(node.left.name));
      const alias = [K.Identifier, K.VoidExpression, K.PrefixUnaryExpression, K.TypeOfExpression, K.DeleteExpression].includes(value.kind)
        || (ts.isBinaryExpression(value) && value.operatorToken.kind === K.EqualsToken);
      if (alias) return;
      add(isFunction(value) ? "function" : ts.isClassExpression(value) ? "class" : "variable", raw(node.left.name), node.left.name);
    } else if (isFunction(value)) {
      add(target === "prototype" ? "method" : "function", raw(node.left.name), node.left.name);
    }
    found.export = [...new Set(found.export)];
  }

  function unnamedDefault(node, value) {
    if (value.name) return;
    if (isFunction(value)) add("function", "default", node);
    else if (ts.isClassExpression(value)) add("class", "default", node);
    else if (ts.isObjectLiteralExpression(value)) add("variable", "default", node);
  }

  function taken(module, kind, typeOnly, names, alias, node) {
    const list = names.map(([name, here]) => (here && here !== name ? `${name} as ${here}` : name)).join(",");
    found.import.push(`${module} ${kind}${typeOnly ? " type" : ""} {${list}} ${alias ?? "-"} ${line(node)}`);
  }

  function importDeclaration(node) {
    const clause = node.importClause;
    const names = [];
    let alias;
    if (clause?.name) names.push(["default", clause.name.text]);
    const bindings = clause?.namedBindings;
    if (bindings && ts.isNamespaceImport(bindings)) alias = bindings.name.text;
    let types = 0;
    if (bindings && ts.isNamedImports(bindings)) {
      for (const element of bindings.elements) {
        names.push([(element.propertyName ?? element.name).text, element.name.text]);
        types += element.isTypeOnly ? 1 : 0;
      }
    }
    const typeOnly = clause?.isTypeOnly || (types > 0 && types === names.length && !alias);
    taken(node.moduleSpecifier.text, "import", typeOnly, names, alias, node);
  }

  function importEquals(node) {
    if (ts.isExternalModuleReference(node.moduleReference)) {
      found.import.push(`${node.moduleReference.expression.text} require${node.isTypeOnly ? " type" : ""} ${line(node)}`);
    }
  }

  function reExport(node) {
    if (!node.moduleSpecifier || !ts.isSourceFile(node.parent)) return;
    const clause = node.exportClause;
    if (clause && ts.isNamespaceExport(clause)) {
      taken(node.moduleSpecifier.text, "re_export", node.isTypeOnly, [], clause.name.text, node);
      return;
    }
    const names = clause ? clause.elements.map((element) => [(element.propertyName ?? element.name).text, element.name.text]) : [["*"]];
    taken(node.moduleSpecifier.text, "re_export", node.isTypeOnly, names, undefined, node);
  }

  function importType(node) {
    if (ts.isLiteralTypeNode(node.argument)) found.import.push(`${node.argument.literal.text} dynamic type ${line(node)}`);
  }

  function isRequire(node) {
    return ts.isCallExpression(node) && node.expression.getText(file) === "require" && isText(node.arguments[0]);
  }

  function call(node) {
    const callee = bare(node.expression);
    const dynamic = callee.kind === K.ImportKeyword;
    if (dynamic || (ts.isIdentifier(callee) && callee.text === "require")) {
      const first = node.arguments[0];
      if (isText(first)) found.import.push(`${raw(first)} ${dynamic ? "dynamic" : "require"} ${line(node)}`);
      return;
    }
    test(node, callee);
  }

  function test(node, callee) {
    const ways = [];
    let part = callee;
    while (part) {
      if (ts.isIdentifier(part)) break;
      if (ts.isPropertyAccessExpression(part)) {
        if (!WAYS.has(part.name.text)) return;
        ways.unshift(part.name.text);
      } else if (!ts.isCallExpression(part) && !ts.isTaggedTemplateExpression(part)) return;
      part = part.expression ?? part.tag;
    }
    if (!part || !MAKERS.has(part.text)) return;
    const title = node.arguments[0];
    if (!title || !(isText(title) || ts.isTemplateExpression(title))) return;
    const waits = ways.includes("todo") || ways.includes("skip") || part.text === "it";
    const name = title.getText(file).slice(1, -1);
    if (!name || (node.arguments.length < 2 && !waits)) return;
    add("test", name.replace(/\\(['"`\\$])/g, "$1").replace(/\s+/g, " ").trim().slice(0, 300), title);
  }
}

const paths = readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const path of paths) process.stdout.write(JSON.stringify(read(path)) + "\n");
