/** Owns the last lines of a run: where the trace lies, and what can be asked of it. */
import type { StoreStatus } from '@holdfast/core/store';
import type { GlobalOptions } from '../config.ts';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';
import { quotedArgument } from '../terminal/quoting.ts';
import type { TurnView } from '@holdfast/core/turn-view';

export interface Kept {
  /** As a user would write it, without secrets. */
  readonly place: string;
  /** Of the store after its last flush; `undefined` when it did not come to that. */
  readonly status: StoreStatus | undefined;
}

export function printTrace(kept: Kept | undefined, view: TurnView, options: GlobalOptions, console: Console): void {
  if (!kept) return console.note(' trace  not kept: the store is switched off');
  const { ok, dropped, problem } = kept.status ?? { ok: false, dropped: 0, problem: 'It did not answer in time.' };
  if (!ok || dropped > 0) {
    const lost = dropped > 0 ? ` ${dropped} events are lost.` : '';
    return console.warning(`the trace of this turn is not complete in the store. ${problem ?? ''}${lost}`);
  }
  console.note(` trace  ${kept.place}`);
  const turn = view.turnId;
  const commands = [`trace ${quotedArgument(turn)}`, ...explained(view).map((callId) => `explain ${quotedArgument(callId)}`)];
  for (const [index, command] of commands.entries())
    console.note(`${index === 0 ? ' next   ' : '        '}${programName()} ${command}${storeOptions(options)}`);
}

/** The call about which most had to be decided. */
function explained({ calls }: TurnView): readonly string[] {
  const [most] = calls.filter(({ decisions }) => decisions.length > 0).toSorted((a, b) => b.decisions.length - a.decisions.length);
  return most ? [most.callId] : [];
}

function storeOptions({ config, store }: GlobalOptions): string {
  return [
    ...(config === undefined ? [] : [` --config ${quotedArgument(config)}`]),
    ...(store === undefined || store === process.env['HOLDFAST_STORE'] ? [] : [` --store ${quotedArgument(withoutPassword(store))}`]),
  ].join('');
}

/** A terminal is seen by others; the password comes from `PGPASSWORD` next time. */
const withoutPassword = (store: string): string => store.replace(/^(postgres(?:ql)?:\/\/[^:/@]*):[^@]*@/i, '$1@');
