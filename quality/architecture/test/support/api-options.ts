/** Owns reading interfaces from the reports under `api/`: which there are, and which fields each has. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');

interface Declared {
  readonly report: string;
  /** What follows `extends`. */
  readonly bases: string;
  readonly fields: readonly string[];
}

const declaration = /^export (?:interface|class) (\w+)(?:<[^{]*?>)?(?: extends ([^{]+))? \{\n([\s\S]*?)^\}/gmu;
const field = /^ {4}(?:readonly )?(\w+)\??: /gmu;

function read(): ReadonlyMap<string, readonly Declared[]> {
  const found = new Map<string, Declared[]>();
  for (const path of globSync('api/*.api.md', { cwd: root })) {
    const report = basename(path, '.api.md');
    for (const [, name = '', bases = '', body = ''] of readFileSync(join(root, path), 'utf8')
      .replaceAll('\r\n', '\n')
      .matchAll(declaration)) {
      const fields = [...body.matchAll(field)].flatMap(([, each]) => each ?? []);
      found.set(name, [...(found.get(name) ?? []), { report, bases, fields }]);
    }
  }
  return found;
}

const interfaces = read();

/** Exported interfaces of options, such as `core: ErrorHandlerOptions`, without those that only sister packages and tests see. */
export function publicOptions(): readonly string[] {
  const seen = [...interfaces].filter(([, all]) =>
    all.some(({ report }) => !/^core\.internal|^provider-double|^adapter-kit\.testing/u.test(report)),
  );
  return seen.map(([name]) => name).filter((name) => /\w(?:Options|Rule|Plan)$/u.test(name));
}

/** The fields of an exported interface, those that it extends included: `Omit<A, 'x'>` and `Partial<A>` are followed. */
export function fieldsOf(name: string): readonly string[] {
  const all = interfaces.get(name);
  if (all === undefined) throw new Error(`${name} is in no report under api/. Give the name of an exported interface.`);
  return [...new Set(all.flatMap(({ bases, fields }) => [...fields, ...inherited(bases)]))];
}

function inherited(bases: string): readonly string[] {
  const cut = /(?:(Omit|Pick)<)?\b([A-Z]\w+)\b(?:<[^<>]*>)?(?:, ((?:'\w+'(?: \| )?)+)>)?/gu;
  return [...bases.replaceAll('Partial<', '').matchAll(cut)].flatMap(([, how, name = '', words = '']) => {
    if (!interfaces.has(name)) return [];
    const named = new Set([...words.matchAll(/\w+/gu)].map(([each]) => each));
    return fieldsOf(name).filter((each) => (how === 'Pick') === named.has(each));
  });
}
