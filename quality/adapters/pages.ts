/** Owns the text of `docs/adapters.md`. It is printed from the results; what was seen in each case is in the results only. */
import { contractCases } from '@holdfast/adapter-kit/testing';
import type { ContractCase } from '@holdfast/adapter-kit/testing';
import { code, table } from '../../tools/docs/page.ts';
import { frameworkTestsSection } from '../conformance/frameworks/page.ts';
import type { FrameworkResults as FrameworkTests } from '../conformance/frameworks/results.ts';
import type { Cell, FrameworkResults } from './run.ts';

export const pagePath = 'docs/adapters.md';
export const resultsPath = 'quality/adapters/results.json';

const missing: Cell = { verdict: 'n/a', seen: 'not run' };

/** Where a case fails: `bare` or `wrapped`. */
function failing(results: readonly FrameworkResults[], how: 'bare' | 'wrapped', { id }: ContractCase): string {
  const ran = results.filter((each) => (each[how][id] ?? missing).verdict !== 'n/a');
  const failed = ran.filter((each) => each[how][id]?.verdict === 'fail');
  if (failed.length === 0) return '–';
  const passed = ran.filter((each) => !failed.includes(each)).map(({ id: name }) => name);
  if (passed.length === 0) return 'all';
  if (passed.length < failed.length) return `all but ${passed.join(', ')}`;
  return failed.map((each) => each.id).join(', ');
}

function total(column: FrameworkResults['bare'], cases: readonly ContractCase[]): string {
  const cells = cases.map(({ id }) => column[id] ?? missing);
  return `${cells.filter(({ verdict }) => verdict === 'pass').length} of ${cells.filter(({ verdict }) => verdict !== 'n/a').length}`;
}

function casesTable(results: readonly FrameworkResults[], cases: readonly ContractCase[]): string {
  return table(
    ['Case', 'What happens', 'Expected', 'Fails bare', 'Fails with Holdfast'],
    cases.map((contractCase) => [
      contractCase.id,
      plain(contractCase.title),
      plain(contractCase.expected),
      failing(results, 'bare', contractCase),
      failing(results, 'wrapped', contractCase),
    ]),
  );
}

function reasonsWithout(results: readonly FrameworkResults[]): string {
  const cases = new Map<string, string[]>();
  for (const { id, wrapped } of results) {
    for (const contractCase of contractCases) {
      const { verdict, seen: reason } = wrapped[contractCase.id] ?? missing;
      const key = `${id}: ${reason}`;
      if (verdict === 'n/a') cases.set(key, [...(cases.get(key) ?? []), contractCase.id]);
    }
  }
  return [...cases].map(([reason, ids]) => `- ${reason} (${ids.join(', ')})`).join('\n');
}

/** Per framework: what the cases and the framework's own tests say. */
function summary(results: readonly FrameworkResults[], tests: readonly FrameworkTests[]): string {
  const adapters = [...new Set(results.map(({ adapter }) => adapter))];
  return table(
    ['Adapter', 'Cases passed, bare → with Holdfast', 'Framework’s own tests that differ'],
    adapters.map((adapter) => {
      const own = results.filter((each) => each.adapter === adapter);
      const suites = tests.filter((each) => each.adapter === adapter);
      const differ = suites.flatMap(({ title, bare, ways }) =>
        ways.flatMap(({ title: way, isControl, differences }) =>
          isControl ? [] : [`${title}, ${way}: ${differences.length} of ${bare.passed + bare.failed + bare.skipped + bare.hung}`],
        ),
      );
      return [
        code(adapter),
        own.map(({ id, bare, wrapped }) => `${id}: ${total(bare, contractCases)} → ${total(wrapped, contractCases)}`).join('<br>'),
        differ.join('<br>') || '–',
      ];
    }),
  );
}

/** Texts of frameworks are text, not markup. */
const plain = (text: string): string => text.replaceAll(/([\\`*_<>[\]{}|~])/g, '\\$1');

const method: readonly string[] = [
  '- The model is a script behind a local server that implements the provider’s protocol and answers 400 where the provider does. Nothing leaves the machine.',
  '- Every case also expects that the conversation ends, does not reject, and has no request that is answered 400.',
  '- A bare framework is set up as its documentation recommends. If it has its own setting for a case (a time limit, an answer to unknown tools), that setting is used.',
  '- Holdfast’s own messages, limits and trace are expected only with Holdfast: a bare framework passes if the model learns what it needs in other words.',
  '- `all`: in all frameworks to which the case applies. A case that does not apply is listed [below](#cases-that-do-not-apply), with the reason. A case is never left out because it fails.',
  '- A case has a time limit, and a case that hangs or crashes ends its process: no case is affected by another.',
  '- The cases are our selection of what users of these frameworks reported. Features that a framework has and Holdfast lacks are not included.',
];

function casesSection(results: readonly FrameworkResults[]): readonly string[] {
  return [
    '## Cases',
    '',
    `${contractCases.length} cases, each run twice with the real SDK at a pinned version: as the framework's own documentation shows it, and with Holdfast's adapter. A test repeats every bare case and fails when a result differs. The cases with Holdfast are the tests of each adapter: those of \`adapterContract()\` in \`@holdfast/adapter-kit/testing\`, which you can run for [your own adapter](guide/adapters/your-own.md).`,
    '',
    casesTable(
      results,
      contractCases.filter(({ added }) => !added),
    ),
    '',
    '### What Holdfast adds',
    '',
    'No framework claims these features, so a case that fails bare is a difference, not a defect.',
    '',
    casesTable(
      results,
      contractCases.filter(({ added }) => added),
    ),
    '',
    '### How the cases are run',
    '',
    ...method,
    '',
    'What each framework answered in each case, bare and with Holdfast, is in [results.json](../quality/adapters/results.json).',
    '',
    table(
      ['', 'Framework', 'Adapter'],
      results.map(({ id, framework, adapter }) => [id, framework, code(adapter)]),
    ),
    '',
    '### Cases that do not apply',
    '',
    reasonsWithout(results),
  ];
}

export function printPage(results: readonly FrameworkResults[], tests: readonly FrameworkTests[]): string {
  return [
    '# Adapters: bare frameworks, and the same with Holdfast',
    '',
    'Two comparisons: cases that users of the frameworks reported, bare and with Holdfast, and the frameworks’ own tests with their tools wrapped. The guides are in [guide/adapters](guide/adapters). This page is generated by `npm run adapters`.',
    '',
    summary(results, tests),
    '',
    ...casesSection(results),
    '',
    ...frameworkTestsSection(tests),
  ].join('\n');
}
