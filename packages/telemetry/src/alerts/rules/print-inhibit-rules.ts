/** Owns the text of the inhibit rules in an Alertmanager's configuration. */
import type { InhibitRule, LabelMatcher } from '@holdfast/core/alerts';
import { quote } from './text.ts';

/** Formats inhibit rules as a section of Alertmanager's configuration, in YAML. */
export function printInhibitRules(rules: readonly InhibitRule[]): string {
  const lines = rules.flatMap(({ source, target, equal }) => [
    `  - source_matchers: [${source.map(matcher).join(', ')}]`,
    `    target_matchers: [${target.map(matcher).join(', ')}]`,
    `    equal: [${equal.join(', ')}]`,
  ]);
  return `# For the configuration of an Alertmanager 0.22 and later: which alerts are not sent while another one fires. Printed by "holdfast rules --print alertmanager".
inhibit_rules:
${lines.join('\n')}
`;
}

function matcher({ name, value, isRegex = false, isEqual = true }: LabelMatcher): string {
  const operator = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!=';
  return `'${`${name} ${operator} ${quote(value)}`.replaceAll("'", "''")}'`;
}
