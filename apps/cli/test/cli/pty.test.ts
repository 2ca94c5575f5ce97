import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { files } from './fixtures.ts';
import { Folder, type Started, bin, follow } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** `script` of util-linux, which runs a command on a pseudo-terminal. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

const escape = String.fromCodePoint(27);
const hideCursor = `${escape}[?25l`;
const showCursor = `${escape}[?25h`;

let folder: Folder;
beforeAll(() => {
  folder = new Folder().write(files);
});
afterAll(() => folder.remove());

/** `script` copies the terminal to its standard output. */
function runOnTerminal(
  args: readonly string[],
): Started & { readonly screen: () => string; readonly shows: (text: string) => Promise<void> } {
  const command = [process.execPath, bin, ...args].map((each) => `'${each}'`).join(' ');
  const env: NodeJS.ProcessEnv = { ...process.env, LANG: 'C.UTF-8', TERM: 'xterm-256color', SHELL: '/bin/sh' };
  for (const name of ['CI', 'NO_COLOR', 'FORCE_COLOR', 'npm_command']) delete env[name];
  const child: ChildProcess = spawn('script', ['-qec', `stty cols 90 rows 30; ${command}`, '/dev/null'], {
    cwd: folder.path,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let screen = '';
  const waiting = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    for (const check of waiting) check();
  });
  const shows = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (screen.includes(text)) resolve();
      };
      waiting.add(check);
      check();
    });
  return { ...follow(child), screen: () => screen, shows };
}

describe.skipIf(!hasScript)('on a terminal', () => {
  test('draws the turn live and restores the terminal', async () => {
    const { ended, screen } = runOnTerminal(['run', 'ok.json', '--store', 'none']);
    expect((await ended).code).toBe(0);
    const text = screen();
    expect(text).toContain(hideCursor);
    expect(text.lastIndexOf(showCursor)).toBeGreaterThan(text.lastIndexOf(hideCursor));
    expect(text).toContain(`${escape}[?2026h`);
    expect(text.split(`${escape}[?2026h`).length).toBe(text.split(`${escape}[?2026l`).length);
    // The outputs, as an excerpt.
    expect(text).toContain("{ greeting: 'Hello world' }");
    expect(text).not.toContain('"outcome"');
  });

  test('Ctrl-C cancels the turn', async () => {
    const { child, ended, shows, screen } = runOnTerminal(['run', 'hang.json', '--store', 'none']);
    await shows('hang');
    child.stdin?.write('\u0003');
    expect((await ended).code).toBe(130);
    const text = screen();
    expect(text).toContain('cancelling the turn');
    expect(text.lastIndexOf(showCursor)).toBeGreaterThan(text.lastIndexOf(hideCursor));
  });

  test('serve prints the dashboard URL with the operator token, and only there', async () => {
    const { child, ended, shows, screen } = runOnTerminal(['serve', '--port', '0', '--store', 'none', '--log', 'text']);
    await shows('MCP hosts');
    const [, url = '', token = ''] = /dashboard {2}(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]{43})/.exec(screen()) ?? [];
    const session = await fetch(`${url}/v1/session`, { headers: { authorization: `Bearer ${token}` } });
    expect(await session.json()).toMatchObject({ can_act: true, principal: 'operator' });
    child.stdin?.write('\u0003');
    await ended;
    expect(screen().split(token)).toHaveLength(2);
  });

  test('prints tool output above the view, without control sequences', async () => {
    folder.write({
      'chatty.json': JSON.stringify({
        calls: [
          { call_id: 'chatty', tool_id: 'chatty' },
          { call_id: 'wide', tool_id: 'wide' },
        ],
      }),
    });
    const { ended, screen } = runOnTerminal(['run', 'chatty.json', '--store', 'none']);
    expect((await ended).code).toBe(0);
    expect(screen()).toContain('stray line');
    expect(screen()).not.toContain(`${escape}[2J`);
  });
});
