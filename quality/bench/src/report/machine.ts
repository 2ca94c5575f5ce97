import { arch, cpus, loadavg, platform, totalmem } from 'node:os';

export interface Machine {
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
}

export function machine(): Machine {
  return {
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
  };
}

/** Whether other processes used the cores too: figures in units of time are then lower bounds. */
export function loadNote(): string {
  return `The load average at the end was ${(loadavg()[0] ?? 0).toFixed(0)} on ${cpus().length} cores. If it is far above what a case needs, other processes used the cores too: ratios are valid, rates are lower bounds.`;
}
