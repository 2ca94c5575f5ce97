/**
 * Owns the loop around the timed calls. Every entrant gets a separately compiled loop: a shared loop
 * would be optimised for none of them.
 */

/** Runs `blocks × block` calls one after another; the event loop turns after each block, so that deferred work is included. */
export type CallLoop = (blocks: number, block: number) => Promise<void>;

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (call: () => unknown, turn: () => Promise<void>, blocks: number, block: number) => Promise<void>;

const plain = 'await call();';
/** As a user handles a call that may reject. */
const tolerant = 'try { await call(); } catch {}';

export function callLoop(call: () => unknown, rejects: boolean): CallLoop {
  const source = `for (let i = 0; i < blocks; i++) { for (let k = 0; k < block; k++) { ${rejects ? tolerant : plain} } await turn(); }`;
  const loop = new AsyncFunction('call', 'turn', 'blocks', 'block', source);
  return (blocks, block) => loop(call, eventLoopTurn, blocks, block);
}

export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
