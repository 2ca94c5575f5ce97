/** The README and the pages that a newcomer starts with work as written: programs print what the page shows, commands succeed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fencesOf, read, root, type Fence } from './pages.ts';

const run = promisify(execFile);
const holdfast = join(root, 'apps/cli/bin/holdfast.mjs');

/** A folder inside the repository, so that programs find the packages. */
function emptyFolder(name: string): string {
  const folder = join(root, 'reports/docs-start', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The files of a page: blocks that begin with a comment with their name. */
const filesOf = (fences: readonly Fence[]): readonly (readonly [name: string, text: string])[] =>
  fences.flatMap(({ text }): (readonly [string, string])[] => {
    const name = /^(?:\/\/|#) (\S+\.(?:mts|mjs|yaml|toml))\n/u.exec(text)?.[1];
    return name === undefined ? [] : [[name, text]];
  });

async function output(folder: string, name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const { stdout } = await run(process.execPath, ['--conditions=@holdfast/source', name], { cwd: folder });
  return stdout;
}

describe('README', () => {
  const readme = read('README.md');

  test('is short, and its first screen has the two commands and the status', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(8_192);
    const screen = readme.slice(0, 1_000);
    for (const text of ['npm ci && npm start', 'npm ci && npm test', '**Status:**']) expect(screen).toContain(text);
  });

  test('names every adapter, and so does the page for frameworks', () => {
    const packages = globSync('packages/adapters/*/package.json', { cwd: root }).map(
      (path) => (JSON.parse(read(path)) as { name: string }).name,
    );
    for (const page of [readme, read('docs/start/framework.md')]) {
      expect(packages.filter((name) => name !== '@holdfast/adapter-kit' && !page.includes(name))).toEqual([]);
    }
  });

  test('the program prints what its comments say, and what the comparison at the top says', async () => {
    const [[name, text] = ['', '']] = filesOf(fencesOf('README.md').filter(({ info }) => info === 'ts'));
    const commented = [...text.matchAll(/console\.log\(.*\); \/\/ (.+)$/gmu)].map(([, comment]) => comment);
    expect(commented).toHaveLength(3);
    expect((await output(emptyFolder('readme'), name, text)).trimEnd().split('\n')).toEqual(commented);
    const [, attempts, weather] = /^success (\d) (.+)$/u.exec(commented[0] ?? '') ?? [];
    expect(readme).toContain(`+ // success after ${attempts} attempts: ${weather}`);
    expect(commented[1]).toBe('timeout 1');
    expect(readme).toContain(`+ // timeout after 1 attempt, and the model reads:\n+ // "${commented[2]}"`);
  });
});

describe.each(['docs/start/library.md', 'docs/start/framework.md'])('%s', (page) => {
  const fences = fencesOf(page);
  const programs = filesOf(fences).map(([name, text]) => ({ name, text }));

  test.each(programs)('$name prints what the page shows', async ({ name, text }) => {
    const shown = fences[fences.findIndex((fence) => fence.text === text) + 1];
    expect(shown?.info).toBe('text');
    expect((await output(emptyFolder(page.replaceAll(/\W/gu, '-')), name, text)).trimEnd()).toBe(shown?.text);
  });
});

/** The commands of the shell blocks, without those that install. */
const commandsOf = (page: string): readonly string[] =>
  fencesOf(page)
    .filter(({ info }) => info === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^(?:npx )?holdfast |^curl /u.test(line));

const argumentsOf = (command: string): readonly string[] => command.replace(/^(?:npx )?holdfast /u, '').split(' ');

/** A warning says that the server started slowly, as on a busy machine. */
const answeredServer = /^(?:ok|warning) +server files: .*14 tools/mu;

interface Gateway {
  readonly url: string;
  readonly end: () => Promise<void>;
}

async function serve(folder: string): Promise<Gateway> {
  const program = spawn(process.execPath, [holdfast, 'serve', '--port', '0', '--log', 'json'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(program, 'exit');
  for await (const line of createInterface(program.stderr)) {
    const url = /"event":"ready","url":"([^"]+)"/u.exec(line)?.[1];
    if (url === undefined) continue;
    program.stderr.resume();
    return {
      url,
      end: async () => {
        program.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('The gateway did not start.');
}

test('docs/start/gateway.md: the tool recovers, and trace and explain show how', { timeout: 120_000 }, async () => {
  const page = 'docs/start/gateway.md';
  const folder = emptyFolder('gateway');
  const [[, manifest] = [], [, tool] = [], [, withServer] = []] = filesOf(fencesOf(page));
  writeFileSync(join(folder, 'holdfast.yaml'), manifest ?? '');
  writeFileSync(join(folder, 'forecast.mjs'), tool ?? '');
  const inFolder = async (command: string): Promise<string> =>
    (await run(process.execPath, [holdfast, ...argumentsOf(command)], { cwd: folder })).stdout;
  const [check = '', start = '', call = '', trace = '', explain = '', doctor = '', hosts = ''] = commandsOf(page);
  expect(await inFolder(check)).toContain('ok');
  expect(start).toBe('npx holdfast serve');

  const gateway = await serve(folder);
  try {
    const [, address = '', body = ''] = /^curl (\S+) --json '(.+)'$/u.exec(call) ?? [];
    const url = address.replace('http://127.0.0.1:7340', gateway.url);
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(await response.json()).toMatchObject({ status: 'success', attempts: 3 });
    expect(await inFolder(trace)).toContain('503 ×2');
    expect(await inFolder(explain)).toContain('3 attempts');
  } finally {
    await gateway.end();
  }

  writeFileSync(join(folder, 'holdfast.yaml'), withServer ?? '');
  expect(await inFolder(doctor)).toMatch(answeredServer);
  expect(await inFolder(hosts)).toContain('http://127.0.0.1:7340/mcp');
});

test('docs/start/one-server.md: what the host is given starts the server behind Holdfast', { timeout: 120_000 }, async () => {
  const page = 'docs/start/one-server.md';
  const folder = emptyFolder('one-server');
  const [[, manifest] = []] = filesOf(fencesOf(page));
  writeFileSync(join(folder, 'holdfast.yaml'), manifest ?? '');
  writeFileSync(join(folder, 'note.txt'), 'it works');
  const [doctor = '', config = ''] = commandsOf(page);
  const checked = await run(process.execPath, [holdfast, ...argumentsOf(doctor)], { cwd: folder });
  expect(checked.stdout).toMatch(answeredServer);
  const { stdout } = await run(process.execPath, [holdfast, ...argumentsOf(config)], { cwd: folder });
  const { mcpServers } = JSON.parse(stdout) as { mcpServers: Record<string, { command: string; args: string[] }> };
  const [entry] = Object.values(mcpServers);
  // The server allows the folder in which the manifest is, whatever folder the host starts it in.
  const host = spawn(entry?.command ?? '', entry?.args ?? [], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    expect(await askToRead(host, 'note.txt')).toContain('it works');
  } finally {
    host.stdin.end();
    await once(host, 'exit');
  }
});

/** As an MCP host: greets, lists the tools again until the server has started, and calls the one that reads a file. */
async function askToRead(
  host: ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream },
  path: string,
): Promise<string> {
  const send = (message: object): boolean => host.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const list = (): boolean => send({ id: 'list', method: 'tools/list' });
  let isCalled = false;
  send({
    id: 'initialize',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
  });
  for await (const line of createInterface(host.stdout)) {
    const { id, method } = JSON.parse(line) as { id?: string; method?: string };
    if (id === 'call') return line;
    if (id === 'initialize') send({ method: 'notifications/initialized' });
    if (id === 'initialize' || method === 'notifications/tools/list_changed') list();
    // A list may change twice while the server starts.
    if (id !== 'list' || isCalled || !line.includes('files__read_text_file')) continue;
    isCalled = true;
    send({ id: 'call', method: 'tools/call', params: { name: 'files__read_text_file', arguments: { path } } });
  }
  throw new Error('The host has no answer.');
}

/** A program in the background, and everything it has printed. */
function begin(folder: string, command: string, args: readonly string[]): { readonly child: ChildProcess; readonly printed: () => string } {
  // A group of its own: the engine's program starts another one, and both have to end.
  const env = { ...process.env, DO_NOT_TRACK: '1' };
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env, detached: true });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (text += part.toString()));
  return { child, printed: () => text };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function until(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`It takes too long: ${what()}`);
}

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}

test(
  'docs/start/durable.md: a turn continues when its worker is killed, and repeats only what was running',
  { timeout: 240_000 },
  async () => {
    const page = 'docs/start/durable.md';
    const folder = emptyFolder('durable');
    const [node = 0, ingress = 0, admin = 0, worker = 0, gateway = 0] = await freePorts(5);
    // As on the page, but on free ports, and with a shorter wait.
    const own = (name: string, text: string): string =>
      name === 'holdfast.yaml'
        ? `${text.replace('restate: {}', `restate: { ingress: http://127.0.0.1:${ingress}, admin: http://127.0.0.1:${admin} }`)}\nworker: { listen: { port: ${worker} } }\ngateway: { listen: { port: ${gateway} } }\n`
        : name === 'restate.toml'
          ? `bind-port = ${node}\n${text}\n[ingress]\nbind-port = ${ingress}\n[admin]\nbind-port = ${admin}\n`
          : text.replace('20_000', '4_000');
    for (const [name, text] of filesOf(fencesOf(page))) writeFileSync(join(folder, name), own(name, text));
    const commands = fencesOf(page)
      .filter(({ info }) => info === 'sh')
      .flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('npx ')));
    expect(commands.map((command) => command.split(' ').slice(1, 3).join(' '))).toEqual([
      'restate-server --config-file',
      'holdfast worker',
      'holdfast serve',
      'holdfast run',
      'holdfast worker',
    ]);
    const startOf = (command = '') => {
      const [, program = '', ...args] = command.replace(':7340', `:${gateway}`).split(' ');
      return program === 'holdfast'
        ? begin(folder, process.execPath, [holdfast, ...args])
        : begin(folder, join(root, 'node_modules/.bin', program), args);
    };
    const running: ReturnType<typeof begin>[] = [];
    const start = async (command: string | undefined, url: string): Promise<ReturnType<typeof begin>> => {
      const started = startOf(command);
      running.push(started);
      await until(() => isUp(url), started.printed);
      return started;
    };
    const noted = (): string => (existsSync(join(folder, 'started.txt')) ? readFileSync(join(folder, 'started.txt'), 'utf8') : '');
    try {
      await start(commands[0], `http://127.0.0.1:${admin}/health`);
      const first = await start(commands[1], `http://127.0.0.1:${worker}/readyz`);
      await start(commands[2], `http://127.0.0.1:${gateway}/readyz`);
      const turn = startOf(commands[3]);
      running.push(turn);
      const ended = once(turn.child, 'exit');
      await until(
        () => noted().includes('report'),
        () => `${turn.printed()}${first.printed()}`,
      );
      first.child.kill('SIGKILL');
      await once(first.child, 'exit');
      await start(commands[4], `http://127.0.0.1:${worker}/readyz`);
      expect(await ended).toEqual([0, null]);
      expect(turn.printed()).toContain('3 hotels in Lisbon');
      const shown = fencesOf(page).find(({ info, text }) => info === 'text' && text.startsWith('look_up'));
      expect(noted().trimEnd()).toBe(shown?.text);
    } finally {
      for (const { child } of running) endGroup(child);
    }
  },
);
