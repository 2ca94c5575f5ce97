/** The last lines of a run: where the trace is stored, and which commands to run next. */
import type { StoreStatus } from '@holdfast/core/store';
import type { GlobalOptions } from '../config.ts';
import { callToExplain } from '../find-call.ts';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';
import { quoteArgument } from '../terminal/quote-argument.ts';
import type { TurnView } from '@holdfast/core/turn-view';

export interface StoredTrace {
  /** The store as a user would write it, without secrets. */
  readonly place: string;
  /** The store's status after its last flush; `undefined` if it was not flushed in time. */
  readonly status: StoreStatus | undefined;
}

export function printNextSteps(stored: StoredTrace | undefined, view: TurnView, options: GlobalOptions, console: Console): void {
  if (!stored) return console.note(' trace  not stored: the store is disabled');
  const { ok, dropped, problem } = stored.status ?? { ok: false, dropped: 0, problem: 'The store did not respond in time.' };
  if (!ok || dropped > 0) {
    const lost = dropped > 0 ? ` ${dropped} events were lost.` : '';
    return console.warn(`the stored trace of this turn is incomplete. ${problem ?? ''}${lost}`);
  }
  console.note(` trace  ${stored.place}`);
  const turn = view.turnId;
  const call = callToExplain(view);
  const commands = [...(call === undefined ? [] : [`explain ${quoteArgument(call.callId)}`]), `trace ${quoteArgument(turn)}`];
  for (const [index, command] of commands.entries())
    console.note(`${index === 0 ? ' next   ' : '        '}${programName()} ${command}${storeOptions(options)}`);
}

function storeOptions({ config, store }: GlobalOptions): string {
  return [
    ...(config === undefined ? [] : [` --config ${quoteArgument(config)}`]),
    ...(store === undefined || store === process.env['HOLDFAST_STORE'] ? [] : [` --store ${quoteArgument(withoutPassword(store))}`]),
  ].join('');
}

/** Do not show the password on the terminal; the next command can take it from `PGPASSWORD`. */
const withoutPassword = (store: string): string => store.replace(/^(postgres(?:ql)?:\/\/[^:/@]*):[^@]*@/i, '$1@');
