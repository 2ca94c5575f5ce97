/** Owns the text of a Prometheus rule file, as readable YAML. */
import type { RuleFile } from './rule-group.ts';
import { quote } from './text.ts';

const head = `# Alert rules of Holdfast for Prometheus 2.42 and later. Printed from the rules that the engine evaluates: "holdfast rules --print prometheus".
# Change the rules, not this file.
`;

/** Formats a rule file for Prometheus as YAML. */
export function printRules({ groups }: RuleFile): string {
  const lines = groups.flatMap(({ name, interval, rules }) => [
    `  - name: ${name}`,
    ...(interval === undefined ? [] : [`    interval: ${interval}`]),
    '    rules:',
    ...rules.flatMap((rule) => fields(rule).map((line, index) => `${index === 0 ? '      - ' : '        '}${line}`)),
  ]);
  return `${head}groups:\n${lines.join('\n')}\n`;
}

function fields(rule: object): readonly string[] {
  return Object.entries(rule).flatMap(([name, value]) =>
    typeof value === 'string' ? text(name, value) : [`${name}:`, ...fields(value as object).map((line) => `  ${line}`)],
  );
}

function text(name: string, value: string): readonly string[] {
  if (name === 'expr') return [`${name}: |-`, ...value.split('\n').map((line) => `  ${line}`)];
  return [`${name}: ${isPlain(value) ? value : single(value)}`];
}

/** Line breaks and control characters need escapes. */
const single = (value: string): string => (/[\p{Cc}\u2028\u2029\ufeff]/u.test(value) ? quote(value) : `'${value.replaceAll("'", "''")}'`);

/** Words and durations that are plain text in YAML. */
const isPlain = (value: string): boolean =>
  /^(?:[A-Za-z_][\w .,;%()/<>=+*-]*[^ ]|\d+(?:ms|[dhms]))$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value);
