/** Builds the dashboard where it was not built, or its sources have changed since. */
import { buildDashboard, isBuilt } from './dashboard.mjs';

if (!isBuilt()) {
  console.error('Building the dashboard …');
  await buildDashboard();
}
