/** `holdfast rules`: what alerts fire at, here and in Prometheus. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Program } from '../action.ts';

export function addRules(parent: Command, program: Program): void {
  parent
    .command('rules')
    .summary('list the alert rules, or print them for Prometheus')
    .description(
      "Lists what the gateway's alerts fire at, as the manifest has it, or prints the same rules for others. Without a manifest they are those that come with Holdfast.",
    )
    .addOption(
      new Option('--print <what>', 'prometheus: a rule file; alertmanager: what makes which alert needless; grafana: a dashboard').choices([
        'prometheus',
        'alertmanager',
        'grafana',
      ]),
    )
    .option('--by <labels>', 'labels that Prometheus keeps apart beside the tool, such as job,namespace', labels)
    .option('--burn-rate <objective>', 'adds rules for how fast an error budget is spent: the share of calls that has to succeed', share)
    .addHelpText(
      'after',
      `
Examples
  holdfast rules
  holdfast rules --print prometheus > holdfast.rules.yml
  holdfast rules --print prometheus --by job --burn-rate 0.95 > holdfast.rules.yml
  holdfast rules --print grafana > holdfast.dashboard.json`,
    )
    .action((_own: unknown, command: Command) => program.perform(command, () => import('../actions/rules.ts'), undefined));
}

function labels(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))) return names;
  throw new InvalidArgumentError('Give names of labels, with commas between them.');
}

function share(text: string): number {
  const objective = Number(text);
  if (objective > 0 && objective < 1) return objective;
  throw new InvalidArgumentError('Give a share between 0 and 1, such as 0.95.');
}
