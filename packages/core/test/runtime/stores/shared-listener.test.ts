import { expect, test } from 'vitest';
import { sharedListener } from '../../../src/runtime/stores/shared-listener.ts';

/** A process that counts its listeners. */
function fakeProcess() {
  const listeners: { readonly event: string; readonly listener: () => void }[] = [];
  return {
    listeners,
    on: (event: string, listener: () => void) => listeners.push({ event, listener }),
    off: (event: string, listener: () => void) => {
      const at = listeners.findIndex((each) => each.event === event && each.listener === listener);
      if (at >= 0) listeners.splice(at, 1);
    },
    emit: (event: string) => {
      for (const each of listeners.filter((one) => one.event === event)) each.listener();
    },
  };
}

test('many tasks have one listener, which goes with the last of them', () => {
  const process = fakeProcess();
  const ran: string[] = [];
  const onExit = sharedListener(process, 'exit');
  const removeFirst = onExit(() => ran.push('first'));
  const removeSecond = onExit(() => ran.push('second'));
  expect(process.listeners).toHaveLength(1);
  process.emit('exit');
  expect(ran).toEqual(['first', 'second']);

  removeFirst();
  process.emit('exit');
  expect(ran).toEqual(['first', 'second', 'second']);
  removeSecond();
  expect(process.listeners).toHaveLength(0);
  removeSecond();
  onExit(() => ran.push('third'));
  expect(process.listeners).toHaveLength(1);
});

test('listeners of two events are apart', () => {
  const process = fakeProcess();
  const ran: string[] = [];
  sharedListener(process, 'exit')(() => ran.push('exit'));
  sharedListener(process, 'beforeExit')(() => ran.push('beforeExit'));
  process.emit('beforeExit');
  expect(ran).toEqual(['beforeExit']);
});
