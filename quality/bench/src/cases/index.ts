import { adaptive } from './adaptive.ts';
import { batch } from './batch.ts';
import type { Case } from './case.ts';
import { classification } from './classification.ts';
import { dashboard } from './dashboard.ts';
import { durable } from './durable.ts';
import { endurance } from './endurance.ts';
import { gateway } from './gateway.ts';
import { manyTools } from './many-tools.ts';
import { parallel, schema, turn } from './more-contests.ts';
import { oneRetry } from './one-retry.ts';
import { postgres } from './postgres.ts';
import { refusal } from './refusal.ts';
import { start } from './start.ts';
import { store } from './store.ts';
import { success } from './success.ts';
import { telemetry } from './telemetry.ts';

export const cases: readonly Case[] = [
  success,
  adaptive,
  refusal,
  oneRetry,
  batch,
  manyTools,
  endurance,
  store,
  turn,
  schema,
  parallel,
  classification,
  gateway,
  dashboard,
  telemetry,
  durable,
  postgres,
  start,
];
