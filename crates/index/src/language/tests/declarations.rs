//! The parts of the heads of definitions, one table a language.

use crate::declaration::{Declaration, Parameter};
use crate::language::{DeclaredSymbol, read_declarations};
use papayu_lang::Language;

/// Returns a parameter as `name: type = default`, with `?` for an optional and `...` for a variadic one.
fn describe_parameter(parameter: &Parameter) -> String {
    let Parameter { name, type_text, default, optional, variadic } = parameter;
    let dots = if *variadic { "..." } else { "" };
    let mark = if *optional && default.is_none() { "?" } else { "" };
    let of = type_text.as_ref().map(|of| format!(": {of}")).unwrap_or_default();
    let value = default.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
    format!("{dots}{}{mark}{of}{value}", name.as_deref().unwrap_or("_"))
}

/// Returns a symbol on one line: its visibility and modifiers, its name, and the parts of its head.
fn describe(declared: &DeclaredSymbol) -> String {
    let Declaration { parameters, return_type, value_type, visibility, .. } = &declared.declaration;
    let of = &declared.declaration;
    let visibility = visibility.map(|it| serde_json::json!(it).as_str().unwrap().to_owned());
    let mut words: Vec<String> = visibility.into_iter().collect();
    for (is, word) in
        [(of.is_async, "async"), (of.is_static, "static"), (of.is_readonly, "readonly")]
    {
        words.extend(is.then(|| word.to_owned()));
    }
    let list = parameters.as_ref().map(|list| {
        let list: Vec<String> = list.iter().map(describe_parameter).collect();
        format!("({})", list.join(", "))
    });
    words.push(format!("{}{}", declared.symbol.name, list.unwrap_or_default()));
    words.extend(return_type.as_ref().map(|of| format!("-> {of}")));
    words.extend(value_type.as_ref().map(|of| format!(": {of}")));
    for (word, types) in [("extends", &of.extends), ("implements", &of.implements)] {
        if !types.is_empty() {
            words.push(format!("{word} [{}]", types.join("; ")));
        }
    }
    words.join(" ")
}

#[track_caller]
fn check(language: Language, text: &str, expected: &[&str]) {
    let found: Vec<String> = read_declarations(language, text).iter().map(describe).collect();
    assert_eq!(found, expected);
}

#[test]
fn typescript_has_types_modifiers_and_heritage() {
    let text = "\
export async function load<T>(this: Window, id: string, size?: number, mode = 'r', ...rest: T[]): Promise<T> {}
const pick = async ({ a, b }: Pair, [c] = []): c is string => 1;
export default function (x) {}
export abstract class Cart<T> extends Base<T> implements Store, a.Other<T> {
  static readonly limit: number = 3;
  #hidden = 1;
  protected items?: Item[];
  constructor(private readonly db: Db, public name = '') { super(); }
  private static async load(x: number): Promise<void> {}
  abstract total(): number;
  handler = async (event: Event) => {};
}
interface Wide extends Narrow, Other<string> { size: number; grow(by?: number): void; }
let plain: Map<string, number>;
enum Color { Red = 1 }
type Alias = string;
";
    let expected = [
        "async load(id: string, size?: number, mode = 'r', ...rest: T[]) -> Promise<T>",
        "async pick({ a, b }: Pair, [c] = []) -> c is string",
        "default(x)",
        "Cart extends [Base<T>] implements [Store; a.Other<T>]",
        "public static readonly limit : number",
        "private #hidden",
        "protected items : Item[]",
        "public constructor(db: Db, name = '')",
        "private readonly db : Db",
        "public name",
        "private async static load(x: number) -> Promise<void>",
        "public total() -> number",
        "public async handler(event: Event)",
        "Wide extends [Narrow; Other<string>]",
        "public size : number",
        "public grow(by?: number) -> void",
        "plain : Map<string, number>",
        "Color",
        "Red",
        "Alias",
    ];
    check(Language::TypeScript, text, &expected);
}

#[test]
fn javascript_reads_functions_and_classes_that_are_bound_to_names() {
    let text = "\
class A extends mixin(B) { static #n = 1; get size() { return 1; } static async make(a, { b }, ...c) {} }
const f = x => x;
exports.g = async function (a, b = 2) {};
C.prototype.h = function (a) {};
module.exports = class extends D { };
var K = 1; const L = 2;
";
    let expected = [
        "A extends [mixin(B)]",
        "private static #n",
        "public size()",
        "public async static make(a, { b }, ...c)",
        "f(x)",
        "async g(a, b = 2)",
        "h(a)",
        "default extends [D]",
        "K",
        "readonly L",
    ];
    check(Language::JavaScript, text, &expected);
}

#[test]
fn python_has_annotations_decorators_and_bases() {
    let text = "\
LIMIT: Final[int] = 3
class Cart(Base[T], abc.ABC, metaclass=Meta):
    kinds: ClassVar[list[str]] = []
    def __init__(self, size: int = 1, *, _key=None):
        self.size: int = size
    @staticmethod
    async def load(path: str, /, *args: int, **kwargs) -> 'Cart': pass
    @classmethod
    def _make(cls): pass
    def __secret(self): pass
def total(a, b=2, *rest): pass
";
    let expected = [
        "public readonly LIMIT : Final[int]",
        "public Cart extends [Base[T]; abc.ABC]",
        "public static kinds : ClassVar[list[str]]",
        "public __init__(self, size: int = 1, _key = None)",
        "public size : int",
        "public async static load(path: str, ...args: int, ...kwargs) -> 'Cart'",
        "internal static _make(cls)",
        "private __secret(self)",
        "public total(a, b = 2, ...rest)",
    ];
    check(Language::Python, text, &expected);
}

#[test]
fn rust_has_visibilities_receivers_and_traits() {
    let text = "\
pub struct Cart<T> { pub items: Vec<T>, pub(crate) size: usize, hidden: u8 }
impl<T> Store for Cart<T> { fn save(&mut self, mut key: &str) -> Result<(), E> { } }
impl<T: Clone> Cart<T> {
    pub const LIMIT: usize = 3;
    pub fn new((a, b): (u8, u8)) -> Self { }
    pub(crate) async fn load<'a>(&'a self) {}
    unsafe fn take(self) {}
}
pub trait Wide: Narrow + Other<u8> { type Out; fn grow(&self, by: u32); fn make() -> Self { } }
static mut COUNT: u32 = 0;
extern \"C\" { fn printf(format: *const u8, ...); }
enum Color { Red(u8) }
macro_rules! m { () => {} }
";
    let expected = [
        "public Cart implements [Store]",
        "public items : Vec<T>",
        "internal size : usize",
        "private hidden : u8",
        "Cart implements [Store]",
        "save(self: &mut Self, key: &str) -> Result<(), E>",
        "Cart",
        "public readonly LIMIT : usize",
        "public static new((a, b): (u8, u8)) -> Self",
        "internal async load(self: &'a Self)",
        "private take(self)",
        "public Wide extends [Narrow; Other<u8>]",
        "Out",
        "grow(self: &Self, by: u32)",
        "static make() -> Self",
        "private static COUNT : u32",
        "private printf(format: *const u8, ..._)",
        "private Color",
        "Red",
        "m",
    ];
    check(Language::Rust, text, &expected);
}

#[test]
fn go_has_results_and_embedded_types() {
    let text = "\
package shop
const Limit int = 3
var names, _ = a()
type Cart struct { Base; *pkg.Other; Items []Item; size int }
type Wide interface { Narrow; ~int | string; Grow(by int) (int, error) }
func (c *Cart) Add(a, b int, rest ...string) error { return nil }
func load(string, int) (n int, err error) { return }
func none() {}
";
    let expected = [
        "public readonly Limit : int",
        "internal names",
        "public Cart extends [Base; pkg.Other]",
        "public Base : Base",
        "public Other : pkg.Other",
        "public Items : []Item",
        "internal size : int",
        "public Wide extends [Narrow; ~int | string]",
        "public Grow(by: int) -> (int, error)",
        "public Add(a: int, b: int, ...rest: string) -> error",
        "internal load(_: string, _: int) -> (n int, err error)",
        "internal none()",
    ];
    check(Language::Go, text, &expected);
}

#[test]
fn java_has_modifiers_supertypes_and_components() {
    let text = "\
package shop;
public final class Cart<T> extends Base<T> implements Store, Other<T> {
  private static final int LIMIT = 3, MORE = 4;
  protected String[] names;
  Cart(int size) {}
  @Override public static <R> List<R> load(final String path, int[] a, int b[], Object... rest) throws E { }
}
interface Wide extends Narrow, Other { int SIZE = 1; void grow(int by); }
record Point(int x, int y) implements Shape { Point { } }
enum Color implements Named { RED; private final int code = 1; }
@interface Mark { String value() default \"\"; }
";
    let expected = [
        "shop",
        "public Cart extends [Base<T>] implements [Store; Other<T>]",
        "private static readonly LIMIT : int",
        "private static readonly MORE : int",
        "protected names : String[]",
        "internal Cart(size: int)",
        "public static load(path: String, a: int[], b: int[], ...rest: Object) -> List<R>",
        "internal Wide extends [Narrow; Other]",
        "public static readonly SIZE : int",
        "public grow(by: int) -> void",
        "internal Point(x: int, y: int) implements [Shape]",
        "public readonly x : int",
        "public readonly y : int",
        "internal Point",
        "internal Color implements [Named]",
        "public RED",
        "private readonly code : int",
        "internal Mark",
        "public value() -> String",
    ];
    check(Language::Java, text, &expected);
}

#[test]
fn csharp_has_modifiers_bases_and_properties() {
    let text = "\
namespace Shop;
public class Cart<T> : Base<T>, IStore, Api.IOther<T> {
  private const int Limit = 3;
  static readonly string name = \"\";
  public int Size { get; } = 1;
  protected internal int Width { get; private set; }
  public Cart(int size) { }
  public static async Task<int> Load(ref string path, int n = 2, params int[] rest) { return 1; }
  public static Cart<T> operator +(Cart<T> a, int b) => a;
}
interface IWide : INarrow { void Grow(int by); }
struct Pair : IPair { }
record Point(int X, int Y) : Shape(X);
delegate void Handler(object sender);
";
    let expected = [
        "Shop",
        "public Cart extends [Base<T>] implements [IStore; Api.IOther<T>]",
        "private static readonly Limit : int",
        "private static readonly name : string",
        "public readonly Size : int",
        "protected Width : int",
        "public Cart(size: int)",
        "public async static Load(path: string, n: int = 2, ...rest: int[]) -> Task<int>",
        "public static +(a: Cart<T>, b: int) -> Cart<T>",
        "internal IWide extends [INarrow]",
        "public Grow(by: int) -> void",
        "internal Pair implements [IPair]",
        "internal Point(X: int, Y: int) extends [Shape(X)]",
        "public X : int",
        "public Y : int",
        "internal Handler(sender: object) -> void",
    ];
    check(Language::CSharp, text, &expected);
}

#[test]
fn php_has_modifiers_and_clauses() {
    let text = "<?php
class Cart extends Base implements Store, \\A\\Other {
  const LIMIT = 3;
  private static ?int $size = 1;
  protected readonly array $items;
  public function __construct(private readonly Db $db, int &$n = 1, string ...$rest) {}
  static function load(?string $path): static { }
}
interface Wide extends Narrow, Other { public function grow(int $by): void; }
function total(array $a, $b = null): int { }
";
    let expected = [
        "Cart extends [Base] implements [Store; \\A\\Other]",
        "public readonly LIMIT",
        "private static size : ?int",
        "protected readonly items : array",
        "public __construct(db: Db, n: int = 1, ...rest: string)",
        "private readonly db : Db",
        "public static load(path: ?string) -> static",
        "Wide extends [Narrow; Other]",
        "public grow(by: int) -> void",
        "total(a: array, b = null) -> int",
    ];
    check(Language::Php, text, &expected);
}

#[test]
fn ruby_has_parameters_superclasses_and_visibilities() {
    let text = "\
class Cart < Base::Store
  attr_reader :size
  attr_accessor :name
  def add(item, count = 1, *rest, key:, other: 2, **options, &block); end
  def self.load(path); end
  class << self
    def make; end
  end
  protected
  def near; end
  private
  def hidden; end
  public
  def late; end
  private :late
  protected def wrapped(a); end
end
";
    let expected = [
        "Cart extends [Base::Store]",
        "public readonly size",
        "public name",
        "public add(item, count = 1, ...rest, key, other = 2, ...options, block?)",
        "public static load(path)",
        "public static make()",
        "protected near()",
        "private hidden()",
        "private late()",
        "protected wrapped(a)",
    ];
    check(Language::Ruby, text, &expected);
}

#[test]
fn c_and_cpp_have_types_without_names() {
    let text = "\
static const char *const *find(const char *name, int sizes[3], void (*call)(int), ...) { return 0; }
int none(void);
static int count = 1, *const fixed = 0;
const char *label;
#define MAX(a, b) 1
struct Pair { int first, *second; };
";
    let expected = [
        "private static find(name: const char *, sizes: int [3], call: void (*)(int), ..._) -> const char *const *",
        "none() -> int",
        "private static count : int",
        "private static readonly fixed : int *const",
        "label : const char *",
        "MAX(a, b)",
        "Pair",
        "public first : int",
        "public second : int *",
    ];
    check(Language::C, text, &expected);
    let text = "\
template <class T> class Cart : public Base<T>, private a::Other {
  static constexpr int limit = 3;
public:
  explicit Cart(int size = 1);
  const T &at(const T &key) const;
  auto total() -> int { return 1; }
protected:
  static int load();
};
int Cart::load() { return 1; }
";
    let expected = [
        "Cart extends [Base<T>; a::Other]",
        "private static readonly limit : int",
        "public Cart(size: int = 1)",
        "public at(key: const T &) -> const T &",
        "public total() -> int",
        "protected static load() -> int",
        "load() -> int",
    ];
    check(Language::Cpp, text, &expected);
}

#[test]
fn every_symbol_has_one_declaration_in_broken_and_deep_texts() {
    for language in [Language::TypeScript, Language::Python, Language::Rust, Language::Cpp] {
        for text in
            ["class A(b: [[[[", "fn f(a: &str, (((", "int f(int *((((a", &"{(".repeat(5_000)]
        {
            let symbols = crate::language::parse(language, text).facts.symbols;
            let declared = read_declarations(language, text);
            assert_eq!(
                declared.into_iter().map(|one| one.symbol).collect::<Vec<_>>(),
                symbols,
                "{language:?}"
            );
        }
    }
}
