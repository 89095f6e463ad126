export const handlers = {
  get() { return 1; },
  set: function (v) {},
  on: async () => {},
  plain: 3,
  nested: { deep() {} },
} as const;
const LIMIT = 10;
const typed = (<Fn>((x) => x)) satisfies Fn;
let [a, { b: c = 1 }] = pair;
var generator = function* () {};
if (LIMIT) {
  const notAtTop = 1;
  const arrowInside = () => notAtTop;
}
const curried = (x: number) => (y: number) => x + y;
function outer() {
  const value = 1;
  const inner = () => value;
  return { method() { inner(); } };
}
