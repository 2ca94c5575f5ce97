/** Random faults: what is edited, how it is drawn, and which tests are said to reach it. `npm run faults -- --drawn` plants them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripTypeScriptTypes } from 'node:module';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blockOf, notingBlocks } from './faults/blocks.ts';
import { drawMutants, sourcesOfRequirements, type DrawnMutant } from './faults/draw.ts';
import { faults } from './faults/faults.ts';
import { diffOf, mutated, mutantsOf } from './faults/mutants.ts';
import { ours, requirements } from './faults/requirements.ts';
import { createTypeCheck } from './faults/type-check.ts';

const root = join(import.meta.dirname, '../..');
const edited = (text: string): readonly string[] => mutantsOf('a.ts', text).map((mutant) => mutated(text, mutant));

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-drawn-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('edits', () => {
  test.each([
    ['a boundary', 'x(a < b)', ['x(a <= b)', 'x(a >= b)']],
    ['a condition that is negated, always met or never', 'if (a) b', ['if (true) b', 'if (false) b', 'if (!(a)) b']],
    ['both sides of a conjunction', 'x(a && b)', ['x(a || b)', 'x(a)', 'x(b)']],
    ['either side of a default', 'x(a ?? b)', ['x(a)', 'x(b)']],
    ['a denial', 'x(!a)', ['x(a)']],
    ['branches that are swapped, or one of them always', 'x(a ? b : c)', ['x(b)', 'x(c)', 'x(a ? c : b)']],
    ['a number by one or twice', 'x(2)', ['x(3)', 'x(1)', 'x(4)']],
    ['zero, which has nothing below it', 'x(0)', ['x(1)']],
    ['a string that is emptied', "x('a')", ["x('')"]],
    ['a word that another one replaces', "x('closed')", ["x('')", "x('open')"]],
    ['a template that is emptied', 'x(`${a} b`)', ["x('')"]],
    ['a value that is not returned', 'function f() { return a; }', ['function f() { return undefined; }']],
    ['an await that is left out', 'const a = await b', ['const a = b']],
    ['a member that is dropped, also a spread', 'x({ a, ...b })', ['x({  ...b })', 'x({ a,  })']],
    ['an element that is dropped', 'x([a, b])', ['x([ b])', 'x([a, ])']],
    ['a slice that begins or ends one later, or is left out', 'x(a.slice(b))', ['x(a)', 'x(a.slice(b + 1))']],
    ['a method with its counterpart', 'x(a.some(b))', ['x(a.every(b))']],
    ['an order that is left out', 'x(a.toSorted())', ['x(a)']],
    ['true and false', 'x(true, false)', ['x(false, false)', 'x(true, true)']],
  ])('%s', (_, text, expected) => {
    // Every statement can be left out as well.
    expect(edited(text).filter((each) => each !== ';' && each !== 'if (a) ;')).toEqual(expected);
  });

  test('a statement is left out', () => {
    expect(edited('a();')).toContain(';');
  });

  test('types, imports and exports have none', () => {
    expect(edited("import a from 'b'; export * from 'c'; type D = 'e' | 1; interface F { g: true }")).toEqual([]);
  });

  test('a mutant has its line, and its diff shows whole lines', () => {
    const text = 'const a = 1;\nconst b = f({\n  c,\n  d,\n});\n';
    const mutant = mutantsOf('a.ts', text).find(({ before }) => before === 'd,');
    expect(mutant?.line).toBe(4);
    expect(mutant && diffOf(text, mutant)).toBe('-   d,');
    const [first] = mutantsOf('a.ts', text);
    expect(first && diffOf(text, first)).toBe('- const a = 1;\n+ const a = 2;');
  });
});

describe('draw', () => {
  test('the sources of every requirement exist', () => {
    const sources = sourcesOfRequirements(root);
    expect(sources).not.toEqual([]);
    for (const { files } of requirements)
      for (const file of files) expect(sources.some((source) => matches(source, file)) || ours.test(file), file).toBe(true);
  });

  test('every source that a fault of the tables is planted in belongs to a requirement', () => {
    const sources = new Set(sourcesOfRequirements(root));
    expect(faults.map(({ file }) => file).filter((file) => !sources.has(file) && !ours.test(file))).toEqual([]);
  });

  test('a seed draws the same faults again, and another one others', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'packages/core/src/engine/backoff');
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'a.ts'), Array.from({ length: 40 }, (_, index) => `export const a${index} = ${index + 2};\n`).join(''));
    const drawn = (seed: number) => [...drawMutants(folder, seed)];
    expect(drawn(7)).toHaveLength(40);
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(8)).not.toEqual(drawn(7));
  });

  test('at most one fault of a line is drawn, and from each requirement about as many as from another', () => {
    const drawn: DrawnMutant[] = [];
    for (const mutant of drawMutants(root, 7)) if (drawn.push(mutant) === 400) break;
    expect(new Set(drawn.map(({ file, line }) => `${file}:${line}`)).size).toBe(400);
    for (const { section } of requirements) {
      // 20 on average.
      const { length } = drawn.filter(({ section: own }) => own === section);
      expect(length, section).toBeGreaterThan(3);
      expect(length, section).toBeLessThan(45);
    }
    for (const { file, start, end, before } of drawn) expect(readFileSync(join(root, file), 'utf8').slice(start, end)).toBe(before);
  });
});

/** Patterns have `*` for a name and braces for a choice. */
function matches(source: string, pattern: string): boolean {
  const normal = pattern.replace('packages/core/src/../../', 'packages/');
  const expression = normal.replaceAll('*', '[^/]+').replaceAll('{', '(?:').replaceAll('}', ')').replaceAll(',', '|');
  return new RegExp(`^${expression}$`, 'u').test(source);
}

test('a source notes which of its blocks run, and every place is in the smallest block around it', () => {
  const text =
    'const f = (a: number) => (a > 1 ? g(a) : 0);\nfunction g(b: number) {\n  if (b > 2) return 1;\n  else { b += 1; }\n  return h(b);\n}\nconst h = (c: number) => { return c; };\n';
  const blocksAfter = (call: string): readonly string[] => {
    const context: { reachedBlocks?: Set<string> } = {};
    runInNewContext(`${stripTypeScriptTypes(notingBlocks('a.ts', text))}\n${call}`, context);
    return [...(context.reachedBlocks ?? [])];
  };
  const at = (part: string): string => blockOf('a.ts', text, text.indexOf(part));
  expect(at('const f')).toBe('a.ts#0');
  expect(new Set(['const f', 'a > 1', 'if (b', 'return 1', 'b += 1', 'return c'].map(at)).size).toBe(6);
  expect(blocksAfter('')).toEqual([at('const f')]);
  expect(blocksAfter('f(1)')).toEqual([at('const f'), at('a > 1')]);
  expect(blocksAfter('f(2)')).toEqual([at('const f'), at('a > 1'), at('if (b'), at('b += 1'), at('return c')]);
  expect(blocksAfter('f(3)')).toEqual([at('const f'), at('a > 1'), at('if (b'), at('return 1')]);
});

test('TypeScript refuses a fault that could not be shipped, but not a name that is left unused', () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'tsconfig.base.json'),
    '{ "compilerOptions": { "strict": true, "noUnusedLocals": true, "lib": ["ES5"], "types": [] } }',
  );
  writeFileSync(join(folder, 'a.ts'), 'const b: number = 1;\nexport const c: number = b;\n');
  const accepts = createTypeCheck(folder, ['a.ts']);
  expect(accepts('a.ts', 'const b: number = 2;\nexport const c: number = b;\n')).toBe(true);
  expect(accepts('a.ts', "const b: number = '';\nexport const c: number = b;\n")).toBe(false);
  expect(accepts('a.ts', 'const b: number = 1;\nexport const c: number = 1;\n')).toBe(true);
  expect(accepts('a.ts', 'const b: number = ;\n')).toBe(false);
});
