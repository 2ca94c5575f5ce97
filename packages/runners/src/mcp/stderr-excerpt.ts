/** Owns the excerpt of a program's standard error for a message: the lines that say why, without stack traces and notices. */

const maxLines = 3;
const maxChars = 300;

/** Frames, markers of a position, and lines that package managers and runtimes print around the error. */
const noise = /^(?:at |\^+$|Node\.js v\d|Traceback |File "|[{}[\]]+,?$|npm (?:notice|warn|WARN)|npm (?:error|ERR!) A complete log)/;

/** The line with the error itself: `Error: …`, `ModuleNotFoundError: …`, `npm error …`, `fatal: …`. */
const says = /^(?:[\w.]*(?:Error|Exception)\b.*: |(?:npm )?(?:error|ERR!)\b|(?:fatal|panic): )/;

/** Returns the last lines on one line; begins with the error where one is recognized. Redact it before. */
export function stderrExcerpt(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line !== '' && !noise.test(line) && !/^(?:npm )?(?:error|ERR!)$/.test(line));
  const last = telling.slice(-maxLines);
  const error = telling.find((line) => says.test(line));
  const shown = error === undefined || last.includes(error) ? last : [error, ...last.slice(1)];
  const text = shown.join(' | ');
  return text.length > maxChars ? `${text.slice(0, maxChars)} …` : text;
}
