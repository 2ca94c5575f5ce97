import { cockatiel } from './cockatiel.ts';
import type { Contender } from './contender.ts';
import { effect } from './effect.ts';
import { bare, handLoop, handLoopTimed } from './floors.ts';
import { holdfast, holdfastKeeping } from './holdfast.ts';
import { mollitia } from './mollitia.ts';
import { opossum, opossumRetrying } from './opossum.ts';
import { pRetryAlone, pRetryTimed } from './p-retry.ts';

export const contenders: readonly Contender[] = [
  bare,
  handLoop,
  handLoopTimed,
  holdfast,
  holdfastKeeping,
  opossum,
  opossumRetrying,
  cockatiel,
  pRetryAlone,
  pRetryTimed,
  mollitia,
  effect,
];
