/** Owns the way from a service to its kit, for the rooms of the core that work with services (`../../agent/loop`). No part of the public interface. */
import type { ServiceKit } from './service-context.ts';

const kits = new WeakMap<object, ServiceKit>();

export function setInside(service: object, kit: ServiceKit): void {
  kits.set(service, kit);
}

/** @throws TypeError when it is no service, or one of another copy of the package. */
export function insideOf(service: object, where: string): ServiceKit {
  const kit = typeof service === 'object' && service !== null ? kits.get(service) : undefined;
  if (kit) return kit;
  throw new TypeError(
    `${where}: 'service' must be a ToolExecutionService of the same copy of @holdfast/core, got ${service === null ? 'null' : typeof service}. Make it with new ToolExecutionService({ tools }).`,
  );
}
