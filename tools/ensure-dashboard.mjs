/** Builds the dashboard if it was not built, or if its sources have changed since. */
import { ensureDashboard } from './dashboard.mjs';

await ensureDashboard();
