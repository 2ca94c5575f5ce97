/** Builds the dashboard: `npm run build:dashboard`. */
import { buildDashboard } from './dashboard.mjs';

await buildDashboard();
