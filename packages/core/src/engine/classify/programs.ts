/**
 * Owns command-line programs that do one thing: their names, and what their exit codes mean. Does not own codes that mean the same in all programs
 * (`numbered-codes.ts`).
 *
 * 1. A shell, an interpreter or a compound command is none of them: something may have been done before the step that failed.
 * 2. Any other program is believed as far as a class of its own would be, if it marks its words with its name.
 */
import * as is from './verdict.ts';
import type { Rows } from './verdict.ts';

/** What they change is elsewhere, or takes many steps: a failure without a known word does not show what is left of it. */
const farReaching =
  'apk|apt[a-z-]{0,9}|aws|az|brew|cargo|curl|dnf|docker|gcloud|gh|go|gsutil|helm|kubectl|npm|pip|pip3|pnpm|podman|rclone|rpm|rsync|s3cmd|scp|' +
  'sendmail|sftp|socat|ssh|terraform|wget|yarn|yum';

/** Programs whose own words say what failed, and families of them: `pg_dump`, `mysqladmin`, `ssh-keygen`, `useradd`, `sha256sum`, `zgrep`, `gunzip`. */
const names: RegExp = /* @__PURE__ */ new RegExp(
  `^(?:(${farReaching})|` +
    '7z|ar|arp|as|awk|base64|bridge|cpp|cat|cc|chmod|chown|clang|cmake|cmp|convert|cp|createuser|crontab|ctest|cut|date|dd|df|diff|dig|dpkg|' +
    'du|ffmpeg|ffprobe|file|find|[cg]\\+\\+|gawk|gcc|git|groff|head|iconv|id|ifconfig|ip|jar|jq|keytool|kill|killall|ld|ln|ls|lz4|magick|' +
    'man|mkdir|mount|mv|nc|ninja|nslookup|nvcc|openssl|pandoc|patch|pdftotext|ping|prometheus|psql|realpath|rm|rmdir|route|' +
    'rust(?:c|doc)|sed|setcap|sort|sqlite3|stat|systemctl|tail|tar|tc|touch|umount|xmllint|xz|yq|zstd|' +
    '(?:pg_|pgbench|mariadb|mysql|mongo(?:export|import|sh)|mosquitto_|redis-|ssh-|dpkg-|gpg|java[cdp]|systemd-)[a-z-]{0,12}|' +
    '(?:create|drop|vacuum|reindex|cluster)db|(?:am|prom)tool|(?:user|group)(?:add|del|mod)|\\w{0,6}(?:sum|grep|zip2?|zipinfo))$',
);

/** Whether a program that says why it failed has left nothing done. */
export const isWhole = (program: string): boolean => names.exec(program)?.[1] === undefined;

/** Programs whose subcommands run somebody's own. */
const runsOwn =
  /^(?:cargo|docker|go|kubectl|npm|podman|pnpm|yarn)\b.* (?:bench|compose|dlx|exec|generate|run|run-script|start|test)(?: |$)|^find\b.* -(?:exec|ok)/;

/** Exit codes of one program. Where it is `fallback`, the words tell more. */
export const programExits: Readonly<Record<string, Rows>> = {
  curl: [
    [is.unsupported, '4'],
    [is.unsupported, '1', is.fallback],
    [is.invalidInput, '2 3'],
    [is.refused, '5 6 7'],
    [is.timeout, '28', is.fallback],
    [is.brokenServer, '22', is.fallback],
    [is.cut, '8 16 18 52 55 92 95 96'],
    [is.cut, '56', is.fallback],
    [is.untrusted, '35 51 53 54 58 59 60 66 77 80 82 83 90 91'],
    [is.contract, '47 61'],
    [is.auth, '67'],
    [is.permission, '9'],
    [is.notFound, '37 78'],
    // after the answer
    [is.diskFull, '23'],
    [is.outOfMemory, '27'],
  ],
  wget: [
    [is.invalidInput, '2'],
    [is.cut, '4', is.fallback],
    [is.untrusted, '5', is.fallback],
    [is.auth, '6'],
    [is.brokenServer, '8', is.fallback],
  ],
  rsync: [
    [is.invalidInput, '1'],
    [is.contract, '2', is.fallback],
    [is.refused, '5', is.fallback],
    [is.unsupported, '4'],
    [is.cut, '10 12', is.fallback],
    [is.timeout, '30'],
    [is.connectTimeout, '35'],
  ],
  // 255 is their own; all others are those of the remote command.
  ssh: [[is.cut, '255', is.fallback]],
  // 128: it died before it did anything
  git: [
    [is.invalidInput, '129'],
    [is.invalidInput, '128', is.fallback],
  ],
  pg_isready: [[is.refused, '2']],
  grep: [[is.invalidInput, '2', is.fallback]],
  jq: [
    [is.invalidInput, '3 4 5'],
    [is.invalidInput, '2', is.fallback],
  ],
  unzip: [[is.invalidInput, '3 9', is.fallback]],
};

const isCompound = /&&|\|\||\s\||;(?:\s|$)|`|\$\(|\n/;
const readLength = 500;
/** Words before the program itself: `sudo`, `env A=b`, `timeout 5`. */
const before = /^(?:(?:\/usr\/bin\/)?(?:sudo|env|nice|nohup|timeout)$|-|\w+=|\d+(?:\.\d+)?[smh]?$)/;

/** The words of a command line from its program on, unless there are several. */
function startOf(command: string): readonly string[] {
  const line = command
    .slice(0, readLength)
    .trim()
    .replaceAll(/'[^']*'|"[^"]*"/g, "''");
  const words = isCompound.test(line) ? [] : line.split(/\s+/);
  return words.slice(words.findIndex((word) => !before.test(word)));
}

/** The program that a command line runs, if it is one of those known. */
export function programOf(command: string): string | undefined {
  const [path = '', ...rest] = startOf(command);
  const name = nameOf(path);
  return names.test(name) && !runsOwn.test([name, ...rest].join(' ')) ? name : undefined;
}

/** They do what they are told by others. */
const runsOthers =
  /^(?:(?:ba|da|fi|k|pw|tcl?|z)?sh|(?:bun|deno|java|lua|make|node|npx|perl|php|python|rscript|ruby|xargs)[\d.]*)$|\.[a-z]{1,3}$/;
const openingName = /^(?!usage:)(?:Error: )?(?:\S{0,80}\/)?([\w+.-]{1,30})(?: FAIL \w+)?: (?!(?:line )?\d)/m;

/** Whether the program that a command line runs marks its words with its name, before another does. */
export function isSigned(command: string, text: string): boolean {
  const name = nameOf(startOf(command)[0] ?? '');
  return openingName.exec(text)?.[1]?.toLowerCase() === name && !names.test(name) && !runsOthers.test(name);
}

/** `/usr/bin/curl` and `curl.exe` are `curl`. */
const nameOf = (path: string): string =>
  path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');

/** The program that marks its words with its name: `curl: (7) …`, `ssh: connect to host …`, and git's `fatal: …`. */
export function programOfWords(text: string): string | undefined {
  const [, name = ''] = /^(?:\/\S{1,80}\/)?([a-z\d_-]{2,16}): (?:\(\d{1,3}\)|error|cannot|connect|unable)/.exec(text) ?? [];
  return names.test(name) ? name : undefined;
}

/** The usage that a program prints beside its error: the names of options are not about the failure. */
const usage = /^[ \t]*usage\b.*(?:\n(?:[ \t].*|.*:)?$)*|^[ \t]+--?[a-z].*/gim;

/** Warnings, and the lines of a stack trace. */
const besides = /^.*\bwarning\b.*$|^\s+(?:at |\d+: ).*$/gim;

/**
 * What a message says about the failure: without the command line that it repeats, whose options are not about it (`ssh -o ConnectTimeout=2`), and without
 * warnings and the source code that a stack trace quotes.
 */
export function withoutCommand(text: string, commands: readonly string[]): string {
  let rest = text;
  for (const command of commands) if (command !== '') rest = rest.replaceAll(command, '');
  rest = rest.replace(/^Command failed(?: with exit code \d{1,3}[^:\n]{0,60})?: ?\n?/, '');
  // Python draws a frame around each error of a group.
  if (rest.includes('Traceback (')) rest = rest.replaceAll(/^ {0,40}[|+] ?/gm, '').replaceAll(/^[ \t].*$/gm, '');
  return rest.replaceAll(usage, '').replaceAll(besides, '').trim() || rest.trim();
}
