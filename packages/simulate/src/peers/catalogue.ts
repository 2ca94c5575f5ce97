/** All models, in the order of the tables. */
import { naive5, none } from './models/alone.ts';
import { cockatiel, opossum, opossumRetry, pRetry } from './models/node.ts';
import { failsafeGo, finagle, polly, resilience4j, temporal } from './models/platforms.ts';
import { aws2026, awsAdaptive, grpc, openaiSdk } from './models/sdks.ts';
import type { PeerModel } from './policy.ts';

/** All models of other libraries' policies, in the order of the tables. */
export const peerModels: readonly PeerModel[] = [
  none,
  naive5,
  pRetry,
  cockatiel,
  opossum,
  opossumRetry,
  aws2026,
  awsAdaptive,
  finagle,
  grpc,
  openaiSdk,
  polly,
  temporal,
  resilience4j,
  failsafeGo,
];
