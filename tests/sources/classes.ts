/**
 * Documented.
 */
@component({ selector: "x", make: () => build() })
export class Store<T extends object> extends Base<T> implements Shape {
  static #count = 0;
  public name: string = "n";
  protected abstract shape?: Shape;
  private readonly secret = new Map<string, number>();
  declare ambient: number;
  handler = async (event: Event) => {
    this.save(event);
  };

  /** Made with a store. */
  constructor(private readonly db: Database, public size = 3, plain: string) {
    super();
  }

  @memoized()
  get total(): number { return this.#sum(); }
  set total(value: number) {}

  overload(a: string): void;
  overload(a: unknown) {}

  #sum() {
    const inner = () => helper();
    function nested() { return inner(); }
    return nested();
  }
  static async *["computed" + 1]() {}
  "quoted name"() {}
  [Symbol.iterator]() {}
  private hide() {}
  static { register(Store); }
}

abstract class Half {
  abstract whole(): void;
  abstract get part(): string;
}

const Bound = class Inner { m() {} };
use(class Expression {}, function named() {});
