/** Owns what `docs/adapters.md` says: it is printed from the results. */
import { contractCases } from '@holdfast/adapter-kit/testing';
import type { ContractCase } from '@holdfast/adapter-kit/testing';
import { code, table } from '../../tools/docs/page.ts';
import type { Cell, FrameworkResults } from './run.ts';

export const pagePath = 'docs/adapters.md';
export const resultsPath = 'quality/adapters/results.json';

const missing: Cell = { verdict: 'n/a', seen: 'not run' };
const words: Readonly<Record<Cell['verdict'], string>> = { pass: 'yes', fail: '**no**', 'n/a': '–' };

function pair({ bare, wrapped }: FrameworkResults, { id }: ContractCase): string {
  const [before, after] = [bare[id] ?? missing, wrapped[id] ?? missing];
  return before.verdict === 'n/a' && after.verdict === 'n/a' ? '–' : `${words[before.verdict]} → ${words[after.verdict]}`;
}

function total(column: FrameworkResults['bare'], cases: readonly ContractCase[]): string {
  const cells = cases.map(({ id }) => column[id] ?? missing);
  return `${cells.filter(({ verdict }) => verdict === 'pass').length} of ${cells.filter(({ verdict }) => verdict !== 'n/a').length}`;
}

function pairsTable(results: readonly FrameworkResults[], cases: readonly ContractCase[]): string {
  return table(
    ['Case', ...results.map(({ id }) => id)],
    [
      ...cases.map((contractCase) => [contractCase.id, ...results.map((each) => pair(each, contractCase))]),
      ['Of those that apply', ...results.map(({ bare, wrapped }) => `${total(bare, cases)} → ${total(wrapped, cases)}`)],
    ],
  );
}

function section(results: readonly FrameworkResults[], contractCase: ContractCase): string {
  const { id, title, expected } = contractCase;
  const lines = results.map((each) => {
    const [before, after] = [each.bare[id] ?? missing, each.wrapped[id] ?? missing];
    if (after.verdict === 'n/a') return [`- ${each.id}: – (${after.seen})`];
    return [`- ${each.id}, bare: ${describeCell(before)}`, `- ${each.id}, with Holdfast: ${describeCell(after)}`];
  });
  return [`### ${id}`, '', `${title}. Expected: ${expected}.`, '', ...lines.flat()].join('\n');
}

function describeCell({ verdict, wrong = [], seen }: Cell): string {
  return `${[words[verdict], ...(wrong.length > 0 ? [`failed: ${wrong.join('; ')}`] : [])].join(', ')}. Seen: ${plain(seen)}`;
}

/** What frameworks say is text, not markup. */
const plain = (text: string): string => text.replaceAll(/([\\`*_<>[\]{}|~])/g, '\\$1');

export function printPage(results: readonly FrameworkResults[]): string {
  return [
    '# Adapters: bare frameworks, and the same with Holdfast',
    '',
    `${contractCases.length} cases, each played twice with the real SDK at a pinned version: as the framework's own documentation shows it, and with Holdfast's adapter.`,
    'This page is printed from a run by `npm run adapters`; a test plays every bare case again and fails when one comes out otherwise. The cases with Holdfast are the tests of each adapter.',
    '',
    'The guides are in [guide/adapters](guide/adapters). The cases are those of `adapterContract()` in `@holdfast/adapter-kit/testing`, which each adapter passes in its tests, and which an adapter of your own can run.',
    '',
    '## How it is judged',
    '',
    '- The model is a script behind a local server that speaks the provider’s protocol and answers 400 where the provider does. Nothing leaves the machine.',
    '- In every case, whatever else is expected: the conversation ends, it does not reject, and no request is answered 400.',
    '- A bare framework is set up as its documentation says is best. Where it has a setting of its own for what a case asks (a time limit, an answer to unknown tools), that is used.',
    '- Holdfast’s own words, limits and trace are asked of the column with Holdfast alone: where the model learns what it needs in other words, a bare framework passes.',
    '- `–`: the framework cannot have it; the reason stands with the case. A case is never left out because it fails.',
    '- A case has a time limit, and one that hangs or crashes takes its process with it: no case sees what another left behind.',
    '- The cases are ours: they are what users of these frameworks reported. What a framework has and Holdfast has not is not in here.',
    '',
    '## Results',
    '',
    'Bare → with Holdfast.',
    '',
    pairsTable(
      results,
      contractCases.filter(({ added }) => !added),
    ),
    '',
    '### What Holdfast adds',
    '',
    'No framework claims to have these, so a bare `no` here is a difference, not a mistake.',
    '',
    pairsTable(
      results,
      contractCases.filter(({ added }) => added),
    ),
    '',
    '## The frameworks',
    '',
    table(
      ['', 'Framework', 'Adapter'],
      results.map(({ id, framework, adapter }) => [id, framework, code(adapter)]),
    ),
    '',
    '## What was done and seen',
    '',
    contractCases.map((contractCase) => section(results, contractCase)).join('\n\n'),
  ].join('\n');
}
