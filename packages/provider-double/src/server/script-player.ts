/** Plays a script: each answered request takes the next turn, a refused one takes none. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import type { ConversationScript, ScriptedTurn } from '../script/scripted-turn.ts';

export interface ScriptPlayer {
  /** The next turn; `undefined` when the script has no more. */
  readonly next: (request: NeutralRequest) => ScriptedTurn | undefined;
}

export function scriptPlayer(script: ConversationScript): ScriptPlayer {
  let turn = 0;
  return {
    next(request) {
      const step = typeof script === 'function' ? script : script[turn];
      const now = turn;
      turn += 1;
      return typeof step === 'function' ? step(request, now) : step;
    },
  };
}
