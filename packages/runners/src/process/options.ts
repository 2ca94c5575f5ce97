/**
 * Owns the options of `processRunner` and their checks.
 */
import { choice, count, milliseconds, misuse, onlyFields, text, texts } from '../options/fields.ts';
import { defaultInheritEnv } from '../options/environment.ts';
import { type TextOrSecret, textsOrSecrets } from '../options/secret.ts';
import { checkTemplate } from '../template.ts';

/** The program that runs the calls, and the format of arguments and output. */
export interface ProcessRunnerOptions {
  /** The program: a path, or a name that is looked up in `PATH`. Not a shell command. */
  readonly command: string;
  /**
   * Arguments of the program. `{{arguments.path}}` is replaced by a value of the call's arguments and stays one argument, whatever
   * it contains. A string that begins with `-`, also `"-5"`, is refused at the start of an argument, unless a literal `--` precedes it.
   * Negative numbers pass: declare the parameter as `number` or `integer`.
   * @default []
   */
  readonly args?: readonly string[];
  /**
   * Paths of the arguments that the tool's schema declares as numbers. Of all others a negative number is refused like `"-5"`: without a schema, a model
   * decides what is a number.
   * @default any: the code that makes the runner checks the arguments
   */
  readonly numbers?: readonly string[] | undefined;
  /** @default the working directory of this process */
  readonly cwd?: string;
  /** Variables of the program, literal or taken from this process's environment at each call. @default {} */
  readonly env?: Readonly<Record<string, TextOrSecret>>;
  /** Variables of this process that the program inherits. @default PATH HOME LANG TERM USER SHELL LOGNAME TMPDIR */
  readonly inheritEnv?: readonly string[];
  /** Whether the call's arguments are written to the program's standard input as JSON. @default 'json' */
  readonly stdin?: 'json' | 'none';
  /**
   * Format of standard output: one JSON value, plain text, or JSON lines. JSON lines with `{"progress": …}` and
   * `{"partial": …}` are reports, and the last other line is the output.
   * @default 'json'
   */
  readonly output?: 'json' | 'text' | 'json_lines';
  /** Time between SIGTERM and SIGKILL of the process group at an abort; 0 kills at once. @default 2000 */
  readonly graceMs?: number;
  /** A larger standard output ends the program and rejects with `OUTPUT_TOO_LARGE`. @default 10485760 */
  readonly maxOutputBytes?: number;
  /** @default [0] */
  readonly successExitCodes?: readonly number[];
}

export type ProcessSettings = Required<Omit<ProcessRunnerOptions, 'cwd' | 'numbers'>> &
  Pick<ProcessRunnerOptions, 'numbers'> & {
    readonly cwd: string | undefined;
  };

const known = [
  'command',
  'args',
  'numbers',
  'cwd',
  'env',
  'inheritEnv',
  'stdin',
  'output',
  'graceMs',
  'maxOutputBytes',
  'successExitCodes',
];

export function processSettings(options: ProcessRunnerOptions): ProcessSettings {
  const owner = 'processRunner';
  onlyFields(owner, options, known);
  const args = texts(`${owner}: args`, options.args, []);
  args.forEach((template, index) => checkTemplate(`${owner}: args[${index}]`, template));
  return {
    command: text(`${owner}: command`, options.command, 'give the path or name of a program'),
    args,
    numbers: options.numbers === undefined ? undefined : texts(`${owner}: numbers`, options.numbers, []),
    cwd: options.cwd === undefined ? undefined : text(`${owner}: cwd`, options.cwd),
    env: textsOrSecrets(`${owner}: env`, options.env),
    inheritEnv: texts(`${owner}: inheritEnv`, options.inheritEnv, defaultInheritEnv),
    stdin: choice(`${owner}: stdin`, options.stdin, ['json', 'none'], 'json'),
    output: choice(`${owner}: output`, options.output, ['json', 'text', 'json_lines'], 'json'),
    graceMs: milliseconds(`${owner}: graceMs`, options.graceMs, 2000),
    maxOutputBytes: count(`${owner}: maxOutputBytes`, options.maxOutputBytes, 10 * 1024 * 1024, 1),
    successExitCodes: exitCodes(`${owner}: successExitCodes`, options.successExitCodes),
  };
}

function exitCodes(field: string, value: unknown): readonly number[] {
  if (value === undefined) return [0];
  if (!Array.isArray(value) || value.length === 0) throw misuse(field, value, 'give an array of exit codes such as [0]');
  return value.map((code: unknown, index) => count(`${field}[${index}]`, code, 0));
}
