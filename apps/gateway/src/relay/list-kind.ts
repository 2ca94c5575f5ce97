/** The lists of servers that the relay merges. The catalog merges tools. */
export type ListKind = 'resources' | 'templates' | 'prompts';

export interface ListProtocol {
  readonly method: string;
  /** Field of the result. */
  readonly field: string;
  /** Field that identifies an entry. */
  readonly key: string;
  /** A server without this capability is not asked. */
  readonly capability: string;
  /** Notification that clients get after a change. */
  readonly changed: string;
}

export const listProtocol: Readonly<Record<ListKind, ListProtocol>> = {
  resources: {
    method: 'resources/list',
    field: 'resources',
    key: 'uri',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  templates: {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    key: 'uriTemplate',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  prompts: {
    method: 'prompts/list',
    field: 'prompts',
    key: 'name',
    capability: 'prompts',
    changed: 'notifications/prompts/list_changed',
  },
};
