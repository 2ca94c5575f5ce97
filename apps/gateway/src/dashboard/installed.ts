/** Owns finding the dashboard that is installed with the gateway. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DashboardOptions } from './dashboard.ts';

/** Returns `undefined` if it is not installed. It may be installed and not built. */
export function installedDashboard(): DashboardOptions | undefined {
  try {
    return { folder: join(fileURLToPath(import.meta.resolve('@holdfast/dashboard/package.json')), '../dist') };
  } catch {
    return undefined;
  }
}
