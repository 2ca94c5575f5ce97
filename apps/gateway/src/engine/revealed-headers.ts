/** Owns reading headers that refer to environment variables. */
import type { RestateEntry } from '@holdfast/manifest';

/** @throws TypeError that names a variable that is not set, and the fix */
export function revealedHeaders(
  headers: RestateEntry['headers'],
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]): readonly [string, string] => {
    if (typeof value === 'string') return [name, value];
    const secret = environment[value.env] ?? '';
    if (secret === '')
      throw new TypeError(
        `engine.restate.headers.${name}: the environment variable ${value.env} is not set. Set it before you start Holdfast.`,
      );
    return [name, `${value.prefix ?? ''}${secret}`];
  });
  return Object.fromEntries(entries);
}
