/** Owns the text that a run prints. */
import { argumentOf, argumentsOf } from './argued.ts';
import { groups } from './compare.ts';
import type { Counts, FrameworkResults, WayResults } from './results.ts';

const countsText = ({ passed, failed, skipped, hung }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped, ${hung} hung`;

/** @param lines how many lines of each failure are printed */
export function reportOf({ name, title, version, commit, files, bare, ways }: FrameworkResults, lines: number, group?: string): string {
  return [
    `${title} ${version} (${commit.slice(0, 12)}), ${files} test files`,
    `bare: ${countsText(bare)}`,
    ...ways.flatMap((way) => [
      '',
      `${way.title}: ${countsText(way.wrapped)}; ${way.differences.length} differ`,
      ...(way.isControl ? [] : wayLines(name, way, lines, group)),
    ]),
  ].join('\n');
}

function wayLines(framework: string, { differences }: WayResults, lines: number, group: string | undefined): readonly string[] {
  const isShown = (text: string): boolean => group === undefined || text.includes(group);
  const argued = argumentsOf(framework).flatMap(({ id, reason }) => {
    const members = differences.filter((each) => argumentOf(framework, each)?.id === id);
    if (members.length === 0 || !isShown(id)) return [];
    return [`  ${id}: ${members.length}. ${reason}`, ...(group === undefined ? [] : members.flatMap((each) => detail(each, lines)))];
  });
  const open = groups(differences.filter((each) => argumentOf(framework, each) === undefined)).flatMap(({ family, differences: members }) =>
    isShown(family) ? [`  NOT ARGUED ${family}: ${members.length}`, ...members.flatMap((each) => detail(each, lines))] : [],
  );
  return [...argued, ...open];
}

function detail({ test, error = '' }: WayResults['differences'][number], lines: number): readonly string[] {
  const first = error
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, lines);
  return [`    ${test}`, ...first.map((line) => `      ${line}`)];
}
