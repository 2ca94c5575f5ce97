/** The option `--output`. */
import { Option } from 'commander';

/** The first mode is the default. */
export function outputOption(...modes: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <mode>', 'output format').choices(modes).default(modes[0]);
}
