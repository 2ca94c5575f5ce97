/**
 * Owns command-line programs that do one thing: their names, and what their exit codes mean. Does not own codes that mean the same in all programs
 * (`numbered-codes.ts`).
 *
 * 1. A shell, an interpreter or a compound command is none of them: something may have been done before the step that failed.
 */
import * as is from './verdict.ts';
import type { Rows } from './verdict.ts';

/** Programs whose own words say what failed, and families of them: `pg_dump`, `mysqladmin`, `ssh-keygen`, `useradd`, `sha256sum`, `zgrep`, `gunzip`. */
const names: RegExp = /* @__PURE__ */ new RegExp(
  '^(?:' +
    '7z|apk|apt|apt-get|awk|aws|az|base64|brew|cargo|cat|chmod|chown|clang|cmake|cmp|convert|cp|createdb|crontab|curl|cut|date|dd|' +
    'df|diff|dig|dnf|docker|dpkg|dropdb|du|ffmpeg|ffprobe|file|find|g\\+\\+|gawk|gcc|gcloud|gh|git|go|head|helm|iconv|id|ip|javac|jq|' +
    'keytool|kill|kubectl|ld|ln|ls|lz4|magick|man|mkdir|mount|mv|nc|ninja|npm|nslookup|openssl|pandoc|patch|pdftotext|ping|pip|pip3|pnpm|' +
    'podman|promtool|psql|rclone|realpath|redis-cli|rm|rmdir|rpm|rsync|rustc|s3cmd|scp|sed|sendmail|sftp|socat|sort|sqlite3|ssh|' +
    'stat|systemctl|tail|tar|terraform|touch|umount|wget|xmllint|xz|yarn|yq|yum|zstd|' +
    '(?:pg_|mariadb|mysql|mongo(?:export|import|sh)|ssh-|dpkg-|gpg)[a-z-]{0,9}|(?:user|group)(?:add|del|mod)|\\w{0,6}(?:sum|grep|zip2?))$',
);

/** Programs whose subcommands run somebody's own. */
const runsOwn =
  /^(?:cargo|docker|go|kubectl|npm|podman|pnpm|yarn)\b.* (?:bench|compose|dlx|exec|generate|run|run-script|start|test)(?: |$)/;

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
    [{ ...is.full, ambiguous: true }, '23'],
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

/** The program that a command line runs, if it is one of those known. */
export function programOf(command: string): string | undefined {
  const line = command
    .slice(0, readLength)
    .trim()
    .replaceAll(/'[^']*'|"[^"]*"/g, "''");
  if (isCompound.test(line)) return undefined;
  const words = line.split(/\s+/);
  let at = 0;
  while (at < words.length && before.test(words[at] ?? '')) at += 1;
  const name = nameOf(words[at] ?? '');
  return name === undefined || runsOwn.test([name, ...words.slice(at + 1)].join(' ')) ? undefined : name;
}

/** `/usr/bin/curl` and `curl.exe` are `curl`. */
function nameOf(path: string): string | undefined {
  const name = path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
  return names.test(name) ? name : undefined;
}

/** The program that marks its words with its name: `curl: (7) …`, `ssh: connect to host …`, and git's `fatal: …`. */
export function programOfWords(text: string): string | undefined {
  const [, name = ''] = /^(?:\/\S{1,80}\/)?([a-z\d_-]{2,16}): (?:\(\d{1,3}\)|error|cannot|connect|unable)/.exec(text) ?? [];
  return nameOf(name);
}

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
  if (rest.includes('Traceback (')) rest = rest.replaceAll(/^[ \t].*$/gm, '');
  return rest.replaceAll(besides, '').trim() || rest.trim();
}
