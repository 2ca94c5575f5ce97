/** Reads `--header`. The value comes from the environment: a command line is visible to every process of the machine. */
import { InvalidArgumentError } from 'commander';

/** As in a manifest. */
export interface HeaderValue {
  /** The variable that has the value. */
  readonly env: string;
  /** What stands before it, such as `Bearer `. */
  readonly prefix?: string;
}

type Headers = Readonly<Record<string, HeaderValue>>;

const form = /^([\w!#$%&'*+.^`|~-]+):\s*(.*?)\$\{?([A-Za-z_]\w*)\}?$/;

export function parseHeader(text: string, before: Headers = {}): Headers {
  const [, name, prefix, env] = form.exec(text) ?? [];
  if (name === undefined || env === undefined)
    throw new InvalidArgumentError("Name the variable that has the value, in single quotes: 'authorization: Bearer ${TOKEN}'.");
  return { ...before, [name]: { env, ...(prefix ? { prefix } : {}) } };
}
