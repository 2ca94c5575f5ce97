/** Manifests, tools and turns for the CLI tests. */

const toolModule = `
import { writeFileSync } from 'node:fs';
export const greet = ({ name = 'world' } = {}) => ({ greeting: 'Hello ' + name });
export const chatty = () => { console.log('stray line'); process.stderr.write('stray error\\n'); return 'done'; };
export const refuse = () => { throw Object.assign(new Error('no such thing'), { status: 404 }); };
let visits = 0;
export const flaky = () => { if (++visits < 3) throw Object.assign(new Error('busy'), { status: 503 }); return { visits }; };
export const hang = () => new Promise(() => {});
export const stray = () => { setTimeout(() => { throw new Error('thrown into the void'); }, 10); return new Promise((resolve) => setTimeout(resolve, 100, 'survived')); };
export const wide = () => ({ text: '\\u001b[2Jcleared', big: 'x'.repeat(200000) });
export const leave = () => process.exit(9);
`;

const names = ['greet', 'chatty', 'refuse', 'flaky', 'hang', 'stray', 'wide', 'leave'] as const;

const manifest = `
version: 1
seed: fixed
defaults: { retry_policy: { initial_delay_ms: 20 } }
tools:
${names.map((name) => `  - { id: ${name}, run: { module: ./tools.mjs, export: ${name} } }`).join('\n')}
  - id: sleeper
    run: { command: { command: node, args: [sleeper.mjs], grace_ms: 200 } }
  - id: stubborn
    run: { command: { command: node, args: [stubborn.mjs], grace_ms: 600000 } }
`;

/** A program that writes its process id and keeps running. */
const sleeper = `
import { writeFileSync } from 'node:fs';
writeFileSync('sleeper.pid', String(process.pid));
process.stdin.resume();
setInterval(() => {}, 60_000);
`;

/** A program that ignores SIGTERM. */
const stubborn = `process.on('SIGTERM', () => {});\n${sleeper}`;

export const turnOf = (...tools: readonly string[]): string =>
  JSON.stringify({ turn_id: 'turn-a', timeout_ms: 60_000, calls: tools.map((tool) => ({ call_id: tool, tool_id: tool })) });

export const files: Readonly<Record<string, string>> = {
  'holdfast.yaml': manifest,
  'tools.mjs': toolModule,
  'sleeper.mjs': sleeper,
  'stubborn.mjs': stubborn,
  'ok.json': turnOf('greet', 'flaky'),
  'bad.json': turnOf('greet', 'refuse'),
  'hang.json': turnOf('greet', 'hang'),
  'sleep.json': turnOf('greet', 'sleeper'),
  'stubborn.json': turnOf('greet', 'stubborn'),
};
