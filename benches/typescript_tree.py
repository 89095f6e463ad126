"""Writes a repository of TypeScript files as people write them: imports, interfaces, classes, functions, comments."""
import os, random

NOUNS = "account address basket batch cart catalog channel customer delivery discount invoice ledger locale order " \
    "pallet parcel payment policy price product quota refund region rental schedule session shipment stock tenant " \
    "ticket token transfer user voucher wallet warehouse window worker".split()
VERBS = "apply attach build cancel check collect compute confirm create decode encode expire fetch find group load " \
    "merge notify parse persist pick prune queue read reconcile refresh remove render resolve restore retry save " \
    "schedule select send sort split store sum sync update validate verify write".split()
PROSE = "the value that was given is kept until next write and nothing else may change it because callers rely on " \
    "order of entries when a batch is large we stop early so that memory stays small".split()


def module(rng, number, count):
    """A module as people write them: imports, an interface, a class, functions, comments."""
    camel = lambda *words: words[0] + "".join(word.capitalize() for word in words[1:])
    pascal = lambda *words: "".join(word.capitalize() for word in words)
    noun = lambda: rng.choice(NOUNS)
    name = pascal(noun(), noun())
    lines = []
    for other in sorted(rng.sample(range(count), min(count, rng.randint(2, 7)))):
        taken = ", ".join(sorted({camel(rng.choice(VERBS), noun()) for _ in range(rng.randint(1, 3))}))
        lines.append(f"import {{ {taken} }} from '../../../{folder(other)}/module{other}';")
    lines += ["", f"/** {sentence(rng)} */", f"export interface {name}Options {{"]
    lines += [f"  readonly {camel(noun(), noun())}{rng.choice(['', '?'])}: {rng.choice(['string', 'number', 'boolean', 'Date'])};"
              for _ in range(rng.randint(2, 6))]
    lines += ["}", "", f"export class {name}{number} {{",
              f"  private readonly entries = new Map<string, {name}Options>();", ""]
    for _ in range(rng.randint(2, 6)):
        verb, thing, local = rng.choice(VERBS), noun(), camel(noun(), "count")
        lines += [f"  // {sentence(rng)}",
                  f"  {camel(verb, thing)}({thing}: string, limit = {rng.randint(1, 500)}): {name}Options | undefined {{",
                  f"    const {local} = this.entries.size;",
                  f"    if ({local} > limit && {thing} !== '') {{",
                  f"      throw new Error(`cannot {verb} ${{{thing}}}: {sentence(rng)}`);", "    }",
                  f"    for (const [key, entry] of this.entries) {{",
                  f"      if (key.startsWith({thing})) {{", f"        return {{ ...entry }};", "      }", "    }",
                  "    return undefined;", "  }", ""]
    lines += ["}", ""]
    for _ in range(rng.randint(3, 9)):
        verb, thing = rng.choice(VERBS), noun()
        lines += ["/**", f" * {sentence(rng)}", f" * @param {thing} {sentence(rng)}", " */",
                  f"export async function {camel(verb, thing, noun())}({thing}: {name}Options[], seen = new Set<string>()): Promise<number> {{",
                  f"  const total = {thing}.filter((item) => item !== undefined).map((item) => Object.keys(item).length);",
                  f"  const {camel('next', thing)} = total.reduce((sum, each) => sum + each, {rng.randint(0, 99)});",
                  f"  if ({camel('next', thing)} === 0) return seen.size;",
                  f"  await Promise.resolve(); // {rng.choice(['', 'TODO: '])}{sentence(rng)}",
                  f"  return {camel(rng.choice(VERBS), noun())}Of({camel('next', thing)});", "}", ""]
    return "\n".join(lines)


def sentence(rng):
    return " ".join(rng.choices(PROSE, k=rng.randint(5, 14)))


def folder(number):
    """Four files a folder, as in repositories of this size (vite has 2.4 TypeScript files a folder, hono 4.2)."""
    return f"area{number // 400}/part{number // 40 % 10}/{NOUNS[number // 4 % len(NOUNS)]}"


def make(root, count):
    rng = random.Random(7)
    for number in range(count):
        where = os.path.join(root, "src", folder(number))
        os.makedirs(where, exist_ok=True)
        with open(os.path.join(where, f"module{number}.ts"), "w") as f:
            f.write(module(rng, number, count))
    with open(os.path.join(root, "package.json"), "w") as f:
        f.write('{"name": "made", "private": true}\n')
    with open(os.path.join(root, "tsconfig.json"), "w") as f:
        f.write('{"compilerOptions": {"strict": true}}\n')
