/** Owns the actions of operators on alerts: acknowledging, creating and ending silences. Each is logged with its operator. */
import type { AlertWatch } from './alert-watch.ts';
import type { Alerts } from './alerts.ts';
import { alertItem, silenceItem } from './alert-views.ts';
import { createSilence } from './silences.ts';

export function alertActions(watch: AlertWatch): Pick<Alerts, 'acknowledge' | 'withdraw' | 'silence' | 'endSilence'> {
  const { alertLog } = watch;
  return {
    acknowledge(fingerprint, { by, comment }) {
      const atEpochMs = watch.now();
      const alert = watch.engine.acknowledge(fingerprint, { by, atEpochMs, ...(comment === undefined ? {} : { comment }) });
      if (!alert) return undefined;
      alertLog.acknowledged(alert, atEpochMs, by, comment);
      watch.saveActions();
      return alertItem(alert);
    },
    withdraw(fingerprint, { by }) {
      const alert = watch.engine.withdrawAcknowledgement(fingerprint);
      if (!alert) return undefined;
      alertLog.withdrawn(alert, watch.now(), by);
      watch.saveActions();
      return alertItem(alert);
    },
    silence(request, { by }) {
      const silence = createSilence(request, by, watch.now());
      watch.engine.silence(silence);
      alertLog.silence('silenced', silence, watch.now(), by);
      watch.applySilences();
      return silenceItem(silence, watch.now());
    },
    endSilence(id, { by }) {
      const silence = watch.engine.silences().find((each) => each.id === id);
      if (!silence) return undefined;
      if (watch.engine.endSilence(id, watch.now())) {
        watch.noteEnd(silence, watch.now(), by);
        watch.applySilences();
      }
      return silenceItem({ ...silence, endsAtEpochMs: Math.min(silence.endsAtEpochMs, watch.now()) }, watch.now());
    },
  };
}
