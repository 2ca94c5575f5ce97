/** Owns the part of `docs/adapters.md` about the frameworks' own tests. It is printed from the results of the runs. */
import { code, table } from '../../../tools/docs/page.ts';
import { argued, argumentOf } from './argued.ts';
import type { Counts, FrameworkResults, WayResults } from './results.ts';

const totalOf = ({ passed, failed, skipped, hung }: Counts): number => passed + failed + skipped + hung;

/** Ways that wrap, each with its framework. */
const wrapped = (results: readonly FrameworkResults[]): readonly { readonly framework: FrameworkResults; readonly way: WayResults }[] =>
  results.flatMap((framework) => framework.ways.filter(({ isControl }) => !isControl).map((way) => ({ framework, way })));

function countsTable(results: readonly FrameworkResults[]): string {
  return table(
    ['Framework', 'Wrapped', 'Tests', 'Pass bare', 'Pass wrapped', 'Differ', 'Hang'],
    wrapped(results).map(({ framework, way }) => [
      `${framework.title} ${framework.version}`,
      way.title,
      String(totalOf(framework.bare)),
      String(framework.bare.passed),
      String(way.wrapped.passed),
      String(way.differences.length),
      String(way.wrapped.hung),
    ]),
  );
}

function argumentsTable(results: readonly FrameworkResults[]): string {
  const rows = argued.flatMap(({ id, title, reason, isOpen }) => {
    const counts = wrapped(results).flatMap(({ framework, way }) => {
      const count = way.differences.filter((each) => argumentOf(framework.name, each)?.id === id).length;
      return count === 0
        ? []
        : [`${framework.title}${framework.ways.filter(({ isControl }) => !isControl).length > 1 ? `, ${way.title}` : ''}: ${count}`];
    });
    return counts.length === 0 ? [] : [[title, counts.join('; '), isOpen ? `**Known defect.** ${reason}` : reason]];
  });
  return table(['Difference', 'Tests', 'Why it is so'], rows);
}

function controlNotes(results: readonly FrameworkResults[]): readonly string[] {
  return results.flatMap(({ title, ways }) =>
    ways
      .filter(({ isControl }) => isControl)
      .map(
        (way) => `- ${title}: ${way.differences.length} tests differ with ${way.title} alone, which is not Holdfast's; they are left out.`,
      ),
  );
}

export function frameworkTestsSection(results: readonly FrameworkResults[]): readonly string[] {
  return [
    '## The frameworks’ own tests',
    '',
    'The tests that each framework has for its tools, run from a checkout of its repository: once as they are, and once with every tool passed through the adapter with its default settings. Their code is not part of this repository.',
    'A test differs if it ends otherwise. Each difference is argued below; the tests, and what they saw, are in [results.json](../quality/conformance/frameworks/results.json).',
    '',
    countsTable(results),
    '',
    ...controlNotes(results),
    '- A test has a time limit, and a process that reports nothing is ended: what it was running counts as hung. An error that escapes to the process counts as a test. Files with differences are run once more: a test counts if it differs again.',
    '- Each call of a function of the framework gets an adapter of its own here, so that tests do not share circuits; a program shares them.',
    '',
    table(
      ['Framework', 'Checkout', 'Command'],
      results.map(({ title, repository, version, commit, name }) => [
        `${title} ${version}`,
        `${code(repository)} at ${code(commit.slice(0, 12))}`,
        code(`npm run conformance:frameworks -- --framework ${name} --checkout <path>`),
      ]),
    ),
    '',
    '### Differences',
    '',
    argumentsTable(results),
  ];
}
