/** What `@holdfast/core/virtual` offers: simulated time. */
export { createAgenda, type Agenda } from './agenda.ts';
