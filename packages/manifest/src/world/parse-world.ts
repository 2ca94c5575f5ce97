/**
 * Owns reading a world file into a `World`. Does not substitute environment variables.
 *
 * Invariant: never throws; all problems are reported at once, in the order of their position.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import { snakeCase, isRecord } from '@holdfast/core/internal/plain';
import { checkWorld, type World, type WorldProblem } from '@holdfast/simulate';
import { suggestName } from '../checks/suggest-name.ts';
import type { PathStep, Problem } from '../problem.ts';
import { toCode } from '../shape/convert.ts';
import type { Shape } from '../shape/shape.ts';
import { parseTree } from '../source/document.ts';
import { type Reading, read } from '../source/reader.ts';
import { createSourceFile, type SourceFile } from '../source/source-file.ts';
import { worldFileShape } from '../tables/world.ts';
import { checkKinds } from './kinds.ts';

/** Options for parsing a world file. */
export interface WorldParseOptions {
  /** Name of the file in problems, and of a world without a name. @default 'world.yaml' */
  readonly file?: string;
}

/** `world` is set unless a problem is an error; `source` is the text, for `formatProblem`. */
export type WorldResult =
  | { readonly world: World; readonly problems: readonly Problem[]; readonly source: string }
  | { readonly world?: undefined; readonly problems: readonly Problem[]; readonly source: string };

/** Reads a world, YAML or JSON. */
export function parseWorld(text: string, options: WorldParseOptions = {}): WorldResult {
  checkOptions({ file: 'string' }, options, 'parseWorld');
  const { file = 'world.yaml' } = options;
  const source = createSourceFile(file, text);
  const tree = parseTree(source);
  if (!tree) return { problems: source.problems(), source: source.text };
  const reading = read(tree, worldFileShape, source);
  if (isRecord(reading.value)) checkKinds(reading.value, reading, source);
  if (hasErrors(source)) return { problems: source.problems(), source: source.text };
  const name = file.replace(/^.*[/\\]/u, '').replace(/\.(?:ya?ml|json)$/iu, '');
  const world = { name, faults: [], ...(toCode(reading.value, worldFileShape) as Omit<World, 'name' | 'faults'>) };
  for (const problem of checkWorld(world)) report(problem, world, reading, source);
  const problems = source.problems();
  return hasErrors(source) ? { problems, source: source.text } : { world, problems, source: source.text };
}

const hasErrors = (source: SourceFile): boolean => source.problems().some(({ severity }) => severity === 'error');

/** Names in snake_case, with a suggestion. */
function report({ path, message }: WorldProblem, world: World, reading: Reading, source: SourceFile): void {
  const where = filePath(path, worldFileShape);
  const [what = message, ...fix] = message.split('. ');
  const unknown = /^There is no (service|tool) '(.*)'$/.exec(what);
  const names = Object.keys(unknown?.[1] === 'tool' ? world.tools : world.services);
  const allowed = inFileWords(fix.join('. ').replace(/^Name one of |\.$/g, ''));
  source.report({
    code: unknown ? 'bad_reference' : 'out_of_range',
    at: reading.at(...where),
    path: where,
    message: inFileWords(lowerFirst(what).replace(/\.$/, '')),
    ...(allowed === '' ? {} : { allowed: unknown ? allowed : lowerFirst(allowed) }),
    suggestion: () => (unknown ? suggestName(unknown[2] ?? '', names) : undefined),
  });
}

const lowerFirst = (sentence: string): string => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;

/** `minMs` → `min_ms`; quoted names are not changed. */
const inFileWords = (sentence: string): string =>
  sentence.replaceAll(/'[^']*'|\b[a-z]+(?:[A-Z0-9][a-z0-9]*)*Ms\b/g, (word) => (word.startsWith("'") ? word : snakeCase(word)));

/** The path in the file for a path in the code. */
function filePath([step, ...rest]: readonly PathStep[], shape: Shape): readonly PathStep[] {
  if (step === undefined) return [];
  if (shape.kind === 'record') {
    const known = shape.fields.find(({ property }) => property === step);
    return known ? [known.key, ...filePath(rest, known.shape)] : [step, ...rest];
  }
  return [step, ...(shape.kind === 'list' || shape.kind === 'map' ? filePath(rest, shape.of) : rest)];
}
