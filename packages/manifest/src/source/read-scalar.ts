/**
 * Owns checking one scalar against its shape, after substituting environment variables. Does not own collections (`reader.ts`).
 */
import { suggest } from '@holdfast/core/internal/plain';
import type { Node, Scalar } from 'yaml';
import { type PathStep, pathText } from '../problem.ts';
import { fits } from '../shape/convert.ts';
import { describeValue } from '../shape/describe.ts';
import type { Shape } from '../shape/shape.ts';
import { spanOf } from './document.ts';
import { type Environment, substitute } from './environment.ts';
import { checkNumber, checkText, hintFor } from './scalars.ts';
import type { SourceFile } from './source-file.ts';

type Path = readonly PathStep[];

type Flaw = 'wrong_type' | 'not_allowed' | 'out_of_range' | 'bad_regex' | 'bad_identifier' | 'bad_url';

export class ScalarReader {
  readonly #source: SourceFile;
  readonly #environment: Environment | undefined;

  /** Without `environment` nothing is substituted. */
  constructor(source: SourceFile, environment: Environment | undefined) {
    this.#source = source;
    this.#environment = environment;
  }

  /** `expected` describes the allowed values in messages. Reports an invalid value and returns `undefined`. */
  read(node: Scalar, shape: Shape, path: Path, expected: string): unknown {
    const raw = node.value;
    const reportFlaw = (code: Flaw, allowed: string, suggestion?: string): undefined => {
      const hidden = (shape.kind === 'record' || shape.kind === 'text') && shape.secret;
      const shown = hidden ? 'something else' : describeValue(raw);
      this.#source.report({ code, at: spanOf(node), path, message: `${nameOf(path)} is ${shown}`, allowed, suggestion });
    };
    if (shape.kind === 'number' && typeof raw === 'number') return checkNumber(raw, shape) ? raw : reportFlaw('out_of_range', expected);
    if (!fits(raw, shape)) return reportFlaw('wrong_type', expected, hintFor(raw, shape));
    if (typeof raw !== 'string') return shape.kind === 'anything' ? this.#json(node, path) : raw;
    const given = this.#substitute(raw, node, path);
    if (given === undefined) return undefined;
    if (shape.kind === 'choice' && !shape.values.includes(given)) return reportFlaw('not_allowed', expected, suggest(given, shape.values));
    if (shape.kind !== 'text') return given;
    const flaw = checkText(given, shape);
    return flaw ? reportFlaw(flaw.code, flaw.allowed ?? expected) : given;
  }

  /** After substituting environment variables. */
  #substitute(raw: string, node: Node, path: Path): string | undefined {
    const environment = this.#environment;
    if (environment === undefined || !raw.includes('{env:')) return raw;
    const { text, missing, malformed } = substitute(raw, environment);
    for (const name of missing) {
      const nearby = suggest(name, Object.keys(environment));
      this.#source.report({
        code: 'missing_environment',
        at: spanOf(node),
        path,
        message: `the environment variable ${name} is not set`,
        allowed: `set it, or give a default: \${env:${name}:-…}`,
        suggestion: nearby,
      });
    }
    for (const piece of malformed) {
      this.#source.report({
        code: 'bad_environment',
        at: spanOf(node),
        path,
        message: `${describeValue(piece)} is not the name of an environment variable`,
        allowed: '${env:NAME} or ${env:NAME:-default}',
      });
    }
    return missing.length + malformed.length > 0 ? undefined : text;
  }

  #json(node: Scalar, path: Path): unknown {
    const { value } = node;
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#source.report({
        code: 'wrong_type',
        at: spanOf(node),
        path,
        message: `${nameOf(path)} is ${String(value)}`,
        allowed: 'a JSON value',
      });
      return undefined;
    }
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.#source.report({
        severity: 'warning',
        code: 'lossy_number',
        at: spanOf(node),
        path,
        message: `${node.source ?? String(value)} cannot be represented exactly as a number`,
        suggestion: `"${node.source ?? String(value)}"`,
      });
    }
    return value;
  }
}

/** The last step of a path, for messages. */
export function nameOf(path: Path): string {
  return path.length === 0 ? 'the file' : pathText(path.slice(-(typeof path.at(-1) === 'number' ? 2 : 1)));
}
