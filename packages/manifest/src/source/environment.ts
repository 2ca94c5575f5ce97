/** Owns `${env:NAME}` and `${env:NAME:-default}` inside a string. `$${env:NAME}` is an escape for the literal text. */

/** Environment variables by name. `undefined` counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Substituted {
  readonly text: string;
  /** Names that are not set and have no default. */
  readonly missing: readonly string[];
  /** Invalid references. */
  readonly malformed: readonly string[];
}

/** The length is limited, so that a string with many unclosed openings costs little. */
const reference = /(\$?)\$\{env:([^}]{0,1000})(\}?)/g;
const named = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

export function substitute(text: string, environment: Environment): Substituted {
  const missing: string[] = [];
  const malformed: string[] = [];
  const replaced = text.replace(reference, (match, escape: string, inner: string, end: string) => {
    if (escape) return match.slice(1);
    const [, name, standIn] = (end && named.exec(inner)) || [];
    if (name === undefined) {
      malformed.push(match);
      return match;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) return value;
    if (standIn === undefined) missing.push(name);
    return standIn ?? '';
  });
  return { text: replaced, missing, malformed };
}
