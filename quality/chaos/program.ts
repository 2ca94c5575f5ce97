/** Owns one program of the fleet: started, killed, stopped and continued, and started again after a kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const keptOutput = 20_000;
const pollMs = 50;

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Answers 200 when the program works. */
  readonly healthUrl: string;
}

export class Program {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  output = '';

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  begin(): void {
    const { command, args, folder, environment } = this.#options;
    const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (data: Buffer): void => void (this.output = (this.output + data.toString()).slice(-keptOutput));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    this.#child = child;
  }

  async ready(limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    while (!(await this.works())) {
      if (performance.now() > end) throw new Error(`${this.#options.args.join(' ')} does not work:\n${this.output}`);
      await wait(pollMs);
    }
  }

  async works(): Promise<boolean> {
    const answer = await fetch(this.#options.healthUrl, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.ok === true;
  }

  /** The program may have ended by itself, for example because what it needs is away when it starts. */
  get ended(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.ended) this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.ended || !this.#child) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
