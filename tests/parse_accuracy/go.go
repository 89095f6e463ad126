// Prints what go/parser sees in the Go files of a folder, a JSON line a file, for compare.py.
//
//	go run tests/parse_accuracy/go.go FOLDER
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

type name struct {
	Name  string  `json:"name"`
	Alias *string `json:"alias"`
}

type imported struct {
	Module string  `json:"module"`
	Kind   string  `json:"kind"`
	Names  []name  `json:"names"`
	Alias  *string `json:"alias"`
	Line   int     `json:"line"`
}

type export struct {
	Name string `json:"name"`
	Line int    `json:"line"`
}

type symbol struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Line     int     `json:"line"`
	End      int     `json:"end"`
	Parent   *string `json:"parent"`
	Exported bool    `json:"exported"`
}

type facts struct {
	Path    string     `json:"path"`
	Imports []imported `json:"imports"`
	Exports []export   `json:"exports"`
	Symbols []symbol   `json:"symbols"`
}

type reader struct {
	set   *token.FileSet
	facts facts
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	root := os.Args[1]
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			fmt.Fprintln(os.Stderr, "skipped:", err)
			return nil
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		r := reader{set, facts{filepath.ToSlash(relative), []imported{}, []export{}, []symbol{}}}
		r.file(file)
		return json.NewEncoder(out).Encode(r.facts)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (r *reader) line(at token.Pos) int { return r.set.Position(at).Line }

func (r *reader) add(ident *ast.Ident, node ast.Node, kind string, parent *string) {
	if ident.Name == "_" {
		return
	}
	line := r.line(ident.Pos())
	r.facts.Symbols = append(r.facts.Symbols, symbol{
		ident.Name, kind, line, r.line(node.End()), parent, ident.IsExported(),
	})
}

func (r *reader) give(ident *ast.Ident) {
	if ident.IsExported() {
		r.facts.Exports = append(r.facts.Exports, export{ident.Name, r.line(ident.Pos())})
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
			r.facts.Symbols = append(r.facts.Symbols, symbol{text, "test", line, end, parent, false})
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

// Takes methods from types that this file does not define, or only after them.
func (r *reader) settle() {
	defined := map[string]int{}
	for _, it := range r.facts.Symbols {
		if it.Parent == nil && (it.Kind == "class" || it.Kind == "interface" || it.Kind == "type") {
			defined[it.Name] = it.Line
		}
	}
	for i := range r.facts.Symbols {
		it := &r.facts.Symbols[i]
		if it.Kind != "method" || it.Parent == nil {
			continue
		}
		if line, ok := defined[*it.Parent]; !ok || line > it.Line {
			it.Parent = nil
		}
	}
}

func (r *reader) spec(spec *ast.ImportSpec) {
	module, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	found := imported{module, "import", []name{}, nil, r.line(spec.Pos())}
	if spec.Name != nil {
		if spec.Name.Name == "." {
			found.Names = append(found.Names, name{"*", nil})
		} else {
			found.Alias = &spec.Name.Name
		}
	}
	r.facts.Imports = append(r.facts.Imports, found)
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
