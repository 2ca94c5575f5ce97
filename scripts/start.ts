/** `npm start`: starts the services of the travel example, runs its turn, says what to try next. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');
const config = join('examples', 'travel', 'holdfast.yaml');

/** Programs of the example are started as `node`: that shall be this one. */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
  npm_command: process.env['npm_command'] ?? 'start',
};

const startNode = (args: readonly string[], stdio: ('pipe' | 'inherit')[], env = environment): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, stdio, env });

interface World {
  readonly url: string;
  readonly end: () => Promise<void>;
}

async function startWorld(): Promise<World> {
  const world = startNode([join('examples', 'travel', 'world.mjs')], ['pipe', 'pipe', 'inherit']);
  const ended = once(world, 'exit');
  if (!world.stdout) throw new Error('The travel services have no output.');
  const [line] = (await Promise.race([once(createInterface(world.stdout), 'line'), ended.then(() => [])])) as readonly unknown[];
  if (typeof line !== 'string') throw new Error('The travel services did not start.');
  const { url } = JSON.parse(line) as { readonly url: string };
  return {
    url,
    end: async () => {
      world.stdin?.end();
      await ended;
    },
  };
}

async function runTurn({ url }: World): Promise<number> {
  const command = [join('apps', 'cli', 'bin', 'holdfast.mjs'), 'run', join('examples', 'travel', 'turn.yaml')];
  const options = ['--config', config, '--fresh', ...process.argv.slice(2)];
  const turn = startNode([...command, ...options], ['inherit', 'inherit', 'inherit'], { ...environment, TRAVEL_URL: url });
  const [exitCode]: readonly (number | null)[] = await once(turn, 'exit');
  return exitCode ?? 1;
}

// The turn is cancelled by its own process, which hears of ctrl-C as well; this one stays to clean up.
process.on('SIGINT', () => {});
const world = await startWorld();
let exitCode = 1;
try {
  exitCode = await runTurn(world);
} finally {
  await world.end();
}
if (exitCode === 0) {
  const more = ['trace', 'tools', 'replay', `replay --policy ${join('examples', 'travel', 'hasty.yaml')}`];
  console.error(`\n also   ${more.map((command) => `npx holdfast ${command} --config ${config}`).join('\n        ')}`);
}
process.exitCode = exitCode;
