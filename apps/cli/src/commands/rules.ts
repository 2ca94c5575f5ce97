/** `holdfast rules`: the alert rules, for the gateway and for Prometheus. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Program } from '../action.ts';

export function addRules(parent: Command, program: Program): void {
  parent
    .command('rules')
    .summary('list the alert rules, or print them for Prometheus')
    .description(
      "Lists the gateway's alert rules as the manifest sets them, or prints them for other systems. Without a manifest, lists the built-in rules.",
    )
    .addOption(
      new Option('--print <what>', 'prometheus: a rule file; alertmanager: inhibit rules; grafana: a dashboard').choices([
        'prometheus',
        'alertmanager',
        'grafana',
      ]),
    )
    .option('--by <labels>', 'labels to group by in Prometheus, besides the tool, such as job,namespace', parseLabels)
    .option('--burn-rate <objective>', 'add burn-rate rules for this objective: the fraction of calls that must succeed', parseObjective)
    .addHelpText(
      'after',
      `
Examples
  holdfast rules
  holdfast rules --print prometheus > holdfast.rules.yml
  holdfast rules --print prometheus --by job --burn-rate 0.95 > holdfast.rules.yml
  holdfast rules --print grafana > holdfast.dashboard.json`,
    )
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/rules.ts'), undefined));
}

function parseLabels(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))) return names;
  throw new InvalidArgumentError('Give label names, separated by commas.');
}

function parseObjective(text: string): number {
  const objective = Number(text);
  if (objective > 0 && objective < 1) return objective;
  throw new InvalidArgumentError('Give a fraction between 0 and 1, such as 0.95.');
}
