/** Owns access from a service to its internals, for the parts of the core that work with services (`../../agent/loop`). Not part of the public interface. */
import { show } from '../../engine/settings/check.ts';
import type { ServiceContext } from './service-context.ts';

const internals = new WeakMap<object, ServiceContext>();

export function setInternals(service: object, context: ServiceContext): void {
  internals.set(service, context);
}

/** @throws TypeError when it is not a service, or is one of another copy of the package. */
export function internalsOf(service: unknown, field: string): ServiceContext {
  const context = typeof service === 'object' && service !== null ? internals.get(service) : undefined;
  if (context) return context;
  throw new TypeError(
    `${field} must be a ToolExecutionService of the same copy of @holdfast/core, got ${show(service)}. Create it with new ToolExecutionService({ tools }).`,
  );
}
