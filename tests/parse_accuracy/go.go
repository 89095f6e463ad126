// Prints what go/parser finds in the Go files whose paths stand on stdin, a JSON line a file, for compare.py.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
)

type symbol struct {
	name, kind string
	line, end  int
	parent     *string
	exported   bool
}

type facts struct {
	Path   string              `json:"path"`
	Broken bool                `json:"broken"`
	Found  map[string][]string `json:"found"`
}

type reader struct {
	set     *token.FileSet
	found   map[string][]string
	symbols []symbol
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		r := reader{token.NewFileSet(), map[string][]string{}, nil}
		file, err := parser.ParseFile(r.set, lines.Text(), nil, parser.SkipObjectResolution)
		if err == nil {
			r.file(file)
		}
		if err := json.NewEncoder(out).Encode(facts{lines.Text(), err != nil, r.found}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func (r *reader) line(at token.Pos) int { return r.set.Position(at).Line }

func (r *reader) add(ident *ast.Ident, node ast.Node, kind string, parent *string) {
	if ident.Name == "_" {
		return
	}
	line, end := r.line(ident.Pos()), r.line(node.End())
	r.symbols = append(r.symbols, symbol{ident.Name, kind, line, end, parent, ident.IsExported()})
}

func (r *reader) give(ident *ast.Ident) {
	if ident.IsExported() {
		r.found["export"] = append(r.found["export"], ident.Name)
	}
}

func (r *reader) file(file *ast.File) {
	for _, spec := range file.Imports {
		r.spec(spec)
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				r.add(decl.Name, decl, "function", nil)
				r.give(decl.Name)
			} else {
				r.add(decl.Name, decl, "method", receiver(decl.Recv))
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, ident := range spec.Names {
						r.add(ident, spec, "variable", nil)
						r.give(ident)
					}
				case *ast.TypeSpec:
					r.give(spec.Name)
				}
			}
		}
	}
	for _, decl := range file.Decls {
		r.inside(decl, nil)
	}
	r.settle()
}

// Reads types and subtests, which may stand in functions and in one another.
func (r *reader) inside(node ast.Node, parent *string) {
	ast.Inspect(node, func(at ast.Node) bool {
		switch at := at.(type) {
		case *ast.FuncDecl:
			if at != node {
				return true
			}
			if at.Body != nil {
				r.inside(at.Body, &at.Name.Name)
			}
			return false
		case *ast.TypeSpec:
			r.typed(at, parent)
		case *ast.CallExpr:
			title, run := subtest(at)
			if title == nil || at == node {
				return true
			}
			text, err := strconv.Unquote(title.Value)
			if err != nil {
				return true
			}
			line, end := r.line(title.Pos()), r.line(at.End())
			r.symbols = append(r.symbols, symbol{text, "test", line, end, parent, false})
			r.inside(run, &text)
			return false
		}
		return true
	})
}

// The text and the function of a subtest.
func subtest(call *ast.CallExpr) (*ast.BasicLit, ast.Expr) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Run" || len(call.Args) != 2 {
		return nil, nil
	}
	title, ok := call.Args[0].(*ast.BasicLit)
	if !ok || title.Kind != token.STRING {
		return nil, nil
	}
	_, literal := call.Args[1].(*ast.FuncLit)
	on, named := selector.X.(*ast.Ident)
	if literal || (named && (on.Name == "t" || on.Name == "b")) {
		return title, call.Args[1]
	}
	return nil, nil
}

// Says what was found. A method is in its type only where this file defines that before it.
func (r *reader) settle() {
	defined := map[string]int{}
	for _, it := range r.symbols {
		if it.parent == nil && (it.kind == "class" || it.kind == "interface" || it.kind == "type") {
			defined[it.name] = it.line
		}
	}
	for _, it := range r.symbols {
		parent, public := "-", ""
		if it.parent != nil {
			line, ok := defined[*it.parent]
			if it.kind != "method" || (ok && line <= it.line) {
				parent = *it.parent
			}
		}
		if it.exported {
			public = " exported"
		}
		r.found[it.kind] = append(r.found[it.kind], fmt.Sprintf("%s %d", it.name, it.line))
		place := fmt.Sprintf("%s %s %d-%d in %s%s", it.kind, it.name, it.line, it.end, parent, public)
		r.found["place"] = append(r.found["place"], place)
	}
}

func (r *reader) spec(spec *ast.ImportSpec) {
	module, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	names, alias := "", "-"
	if spec.Name != nil && spec.Name.Name == "." {
		names = "*"
	} else if spec.Name != nil {
		alias = spec.Name.Name
	}
	found := fmt.Sprintf("%s import {%s} %s %d", module, names, alias, r.line(spec.Pos()))
	r.found["import"] = append(r.found["import"], found)
}

func (r *reader) typed(spec *ast.TypeSpec, parent *string) {
	switch body := spec.Type.(type) {
	case *ast.StructType:
		r.add(spec.Name, spec, "class", parent)
		for _, field := range body.Fields.List {
			for _, ident := range field.Names {
				r.add(ident, field, "property", &spec.Name.Name)
			}
			if len(field.Names) == 0 {
				if ident := embedded(field.Type); ident != nil {
					r.add(ident, field, "property", &spec.Name.Name)
				}
			}
		}
	case *ast.InterfaceType:
		r.add(spec.Name, spec, "interface", parent)
		for _, field := range body.Methods.List {
			for _, ident := range field.Names {
				r.add(ident, field, "method", &spec.Name.Name)
			}
		}
	default:
		r.add(spec.Name, spec, "type", parent)
	}
}

// The type a method belongs to, its pointer and type parameters off.
func receiver(list *ast.FieldList) *string {
	if len(list.List) != 1 {
		return nil
	}
	if ident := embedded(list.List[0].Type); ident != nil {
		return &ident.Name
	}
	return nil
}

func embedded(expr ast.Expr) *ast.Ident {
	for {
		switch at := expr.(type) {
		case *ast.Ident:
			return at
		case *ast.StarExpr:
			expr = at.X
		case *ast.ParenExpr:
			expr = at.X
		case *ast.IndexExpr:
			expr = at.X
		case *ast.IndexListExpr:
			expr = at.X
		case *ast.SelectorExpr:
			return at.Sel
		default:
			return nil
		}
	}
}
