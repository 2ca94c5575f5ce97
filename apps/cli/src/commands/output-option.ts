/** Owns `--output`. */
import { Option } from 'commander';

/** The first mode is the default. */
export function outputOption(...modes: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <mode>', 'how to show it').choices(modes).default(modes[0]);
}
