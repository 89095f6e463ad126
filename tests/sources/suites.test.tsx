import { describe, it } from "vitest";

describe("cart", () => {
  beforeEach(() => reset());
  it('adds "one"', async () => {
    expect(add(1)).toBe(1);
  });
  it("isn\'t \"done\"");
  it.each([[1, 2]])("adds %i", (a, b) => {
    for (const x of a) { if (x) { while (b) { work(); } } else if (b) { work(); } }
  });
  describe.only(`template ${name}`, function () {
    test.todo("later");
    test.skip("skipped", () => {});
    it.skipIf(flag)(`on ${os}`, () => <Component.Part on={() => click()}><Inner /><div /></Component.Part>);
  });
  it.each`
    a | b
    ${1} | ${2}
  `("tagged $a", () => {});
});
test.describe.parallel("playwright", () => {});
/x/.test("not one");
regex.test("not one either", 1);
it(notALiteral, () => {});
