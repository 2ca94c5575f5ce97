/** `holdfast rules`: the alert rules of the manifest, as text or for Prometheus, Alertmanager and Grafana. */
import { type AlertRule, defaultAlertRules, defaultInhibitRules, describeCondition } from '@holdfast/core/alerts';
import { grafanaDashboard, printInhibitRules, printRules, prometheusRules } from '@holdfast/telemetry/alerts';
import type { Action } from '../action.ts';
import { findConfig, type GlobalOptions, loadConfig } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

interface RulesOptions extends GlobalOptions {
  readonly print?: 'prometheus' | 'alertmanager' | 'grafana';
  readonly by?: readonly string[];
  readonly burnRate?: number;
}

interface Rules {
  readonly rules: readonly AlertRule[];
  readonly intervalMs?: number;
}

export const execute: Action<undefined, RulesOptions> = async (_none, options, console) => {
  const rules = await loadRules(options, console);
  if (options.print === undefined) listRules(rules.rules, console);
  else console.out.write(formatRules(options.print, rules, options));
  return exitCodes.ok;
};

async function loadRules(options: RulesOptions, console: Console): Promise<Rules> {
  if (options.config === undefined && findConfig() === undefined) return { rules: defaultAlertRules() };
  // Load the gateway only if there is a manifest to read.
  const [{ alerts }, { alertRulesOf }] = await Promise.all([loadConfig(options, console), import('@holdfast/gateway')]);
  return { rules: alertRulesOf(alerts), intervalMs: alerts.intervalMs };
}

function formatRules(what: NonNullable<RulesOptions['print']>, { rules, intervalMs }: Rules, { by, burnRate }: RulesOptions): string {
  if (what === 'grafana') return `${JSON.stringify(grafanaDashboard(), undefined, 2)}\n`;
  if (what === 'alertmanager') return printInhibitRules(defaultInhibitRules);
  try {
    const file = prometheusRules(rules, {
      ...(by ? { by } : {}),
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(burnRate === undefined ? {} : { burnRate: { objective: burnRate } }),
    });
    return printRules(file);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function listRules(rules: readonly AlertRule[], console: Console): void {
  for (const rule of rules) {
    console.out.writeLine(`${rule.name} (${rule.severity})`);
    console.out.writeLine(`  ${describeCondition(rule)}`);
  }
}
