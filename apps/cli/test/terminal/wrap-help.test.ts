import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/program.ts';
import { wrapHelp } from '../../src/terminal/wrap-help.ts';
import { createRecorder } from '../cli/recorder.ts';

describe('a help text', () => {
  test('that fits is not changed', () => {
    const text = 'Exit codes\n  0  done\n  2  the arguments cannot be used\n\nExamples\n  holdfast run turn.yaml    # a turn\n';
    expect(wrapHelp(text, 60)).toBe(text);
  });

  test('has its descriptions beside their term, and paragraphs at their indent', () => {
    expect(wrapHelp('  130  cancelled by Ctrl-C (once: cancel, twice: quit)\n\nWith --output json, one document.', 30)).toBe(
      ['  130  cancelled by Ctrl-C', '       (once: cancel, twice:', '       quit)', '', 'With --output json, one', 'document.'].join('\n'),
    );
    expect(wrapHelp('  Twice, or more often: quits at once.', 24)).toBe('  Twice, or more often:\n  quits at once.');
  });

  test('has a long term on a line of its own', () => {
    expect(wrapHelp('  -e, --expect <expectation>  fail unless this holds', 40)).toBe(
      '  -e, --expect <expectation>\n      fail unless this holds',
    );
  });

  test('has the comment of a command above it, and never breaks the command', () => {
    const command = 'holdfast simulate world.yaml --policy holdfast.yaml';
    expect(wrapHelp(`  ${command}    # with the policies of the manifest`, 40)).toBe(`  # with the policies of the manifest\n  ${command}`);
    expect(wrapHelp(`  ${command}`, 40)).toBe(`  ${command}`);
  });
});

const commands = [
  'run',
  'serve',
  'worker',
  'check',
  'doctor',
  'tools',
  'turns',
  'trace',
  'explain',
  'replay',
  'simulate',
  'whatif',
  'tune',
  'init',
  'mcp-config',
  'lock',
  'rules',
];

test.each([50, 60, 80, 100])('no line of any help is wider than %i columns, except commands to copy', async (width) => {
  for (const args of [[], ...commands.map((command) => [command])]) {
    const { console, output } = createRecorder(width);
    // oxlint-disable-next-line no-await-in-loop -- each has the whole console
    expect(await runCommandLine([...args, '--help'], console)).toBe(0);
    const wide = output()
      .stdout.split('\n')
      .filter((line) => line.length > width && !/^ {2}holdfast /u.test(line));
    expect(wide, args.join(' ')).toEqual([]);
  }
});
