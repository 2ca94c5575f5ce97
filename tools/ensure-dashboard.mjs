/** Builds the dashboard where it was not built, or its sources have changed since. */
import { ensureDashboard } from './dashboard.mjs';

await ensureDashboard();
