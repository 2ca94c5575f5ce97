/**
 * Owns parsing a string into a safe YAML tree: one document of limited size, with aliases resolved and limited.
 *
 * Invariant: never throws, for any text.
 */
import { type Alias, Composer, type CST, type Document, isAlias, isCollection, isNode, isPair, Lexer, type Node, Parser } from 'yaml';
import type { ProblemCode } from '../problem.ts';
import { describeValue } from '../shape/describe.ts';
import type { Finding, SourceFile, Span } from './source-file.ts';

/** Most characters of a file. */
export const maxFileBytes: number = 1024 * 1024;
const maxExpansion = 20_000;
const deepest = 100;

export interface Tree {
  readonly root: Node;
  /** The anchored node for an alias, otherwise the node itself. */
  readonly resolved: (node: Node) => Node;
}

export const parseTree = (source: SourceFile): Tree | undefined => atOnce(treeInSteps(source));

/** Work that can be interrupted: a step ends where it yields. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

export function* treeInSteps(source: SourceFile): Steps<Tree | undefined> {
  const { text } = source;
  const report = (finding: Finding): void => source.report(finding);
  if (text.length > maxFileBytes) {
    report({ code: 'too_large', at: [0, 1], message: `the file has ${text.length} characters`, allowed: `at most ${maxFileBytes}` });
    return undefined;
  }
  const tooDeep = nestingOf(text);
  if (tooDeep !== undefined) {
    report({
      code: 'too_deep',
      at: [tooDeep, tooDeep + 1],
      message: 'the file is nested too deeply',
      allowed: `at most ${deepest} levels`,
    });
    return undefined;
  }
  try {
    const { document, second } = yield* documentInSteps(source);
    const broken = document.errors;
    for (const error of broken) report({ code: 'syntax', at: error.pos, message: lowerFirst(error.message) });
    if (second !== undefined) reportSecondDocument(source, second);
    for (const warning of document.warnings) report({ code: 'unknown_tag', at: warning.pos, message: lowerFirst(warning.message) });
    if (broken.length > 0) return undefined;
    if (document.contents === null || isEmptyScalar(document.contents)) {
      report({ code: 'empty', at: [0, 1], message: 'the file is empty' });
      return undefined;
    }
    const targets = resolveAliases(document.contents, source);
    if (!targets) return undefined;
    return { root: document.contents, resolved: (node) => (isAlias(node) ? (targets.get(node) ?? node) : node) };
  } catch (error) {
    report({
      code: 'syntax',
      at: [0, 1],
      message: `the file cannot be read as YAML (${describeValue((error as { message?: unknown } | undefined)?.message)})`,
    });
    return undefined;
  }
}

const lexemesInStep = 1_000;

/** As `parseDocument` of the library does it. */
function* documentInSteps({ text, lines }: SourceFile): Steps<{ readonly document: Document.Parsed; readonly second: Span | undefined }> {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    lexemes += 1;
    if (lexemes % lexemesInStep === 0) yield;
  }
  tokens.push(...parser.end());
  yield;
  const composer = new Composer({ lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
  const documents = composer.compose(tokens, true, text.length);
  const { value: document } = documents.next() as IteratorYieldResult<Document.Parsed>;
  yield;
  const next = documents.next();
  return { document, second: next.done === true ? undefined : [next.value.range[0], next.value.range[1]] };
}

function reportSecondDocument(source: SourceFile, at: Span): void {
  source.report({ code: 'multiple_documents', at, message: 'the file has a second document', allowed: 'one document per file' });
}

const isEmptyScalar = (node: Node): boolean => 'value' in node && node.value === null && spanOf(node)[0] === spanOf(node)[1];

const lowerFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** Lists within lists on one line. Where a recursive parser runs out of stack depends on its caller, and so does what it then reports. */
const nestedDashes = new RegExp(`^ *(?:- ){${String(deepest * 10)}}`, 'm');

/** The offset at which collections nest too deeply for a recursive parser. Brackets in quotes or comments count too; the limit is high enough. */
function nestingOf(text: string): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    if (depth > deepest * 10) return index;
  }
  return nestedDashes.exec(text)?.index;
}

export function spanOf(node: Node): Span {
  const range = node.range;
  return range ? [range[0], range[1]] : [0, 0];
}

interface Extent {
  readonly size: number;
  readonly height: number;
}

const leaf: Extent = { size: 1, height: 1 };

/**
 * Resolves aliases. Refuses an alias inside its own anchor, and aliases that would expand into a huge tree.
 * The library can do both, but searches the document for each alias.
 */
function resolveAliases(root: Node, source: SourceFile): ReadonlyMap<Alias, Node> | undefined {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const extents = new Map<Node, Extent>();
  let sound = true;
  const refuse = (node: Node, code: ProblemCode, message: string): Extent => {
    source.report({ code, at: spanOf(node), message });
    sound = false;
    return leaf;
  };
  const extentOfAlias = (alias: Alias): Extent => {
    const target = anchors.get(alias.source);
    if (!target) return refuse(alias, 'bad_alias', `'*${alias.source}' names no anchor above it`);
    const extent = extents.get(target);
    if (!extent) return refuse(alias, 'bad_alias', `'*${alias.source}' is inside its own anchor`);
    targets.set(alias, target);
    return extent;
  };
  const extentOf = (node: unknown, depth: number): Extent => {
    if (isPair(node)) return mergeExtents([extentOf(node.key, depth), extentOf(node.value, depth)]);
    if (!isNode(node)) return leaf;
    if (isAlias(node)) return extentOfAlias(node);
    if (depth > deepest) return sound ? refuse(node, 'too_deep', `nested more than ${deepest} levels deep`) : leaf;
    if (node.anchor) anchors.set(node.anchor, node);
    const inner = isCollection(node) ? mergeExtents(node.items.map((item) => extentOf(item, depth + 1))) : undefined;
    const extent = inner ? { size: inner.size + 1, height: inner.height + 1 } : leaf;
    extents.set(node, extent);
    return extent;
  };
  const total = extentOf(root, 0);
  const excessive = total.size > maxExpansion + source.text.length || total.height > deepest * 2;
  if (excessive && sound) refuse([...targets.keys()][0] ?? root, 'alias_bomb', 'the aliases expand to too many nodes');
  return sound ? targets : undefined;
}

function mergeExtents(extents: readonly Extent[]): Extent {
  let size = 0;
  let height = 0;
  for (const extent of extents) {
    size += extent.size;
    height = Math.max(height, extent.height);
  }
  return { size, height };
}
