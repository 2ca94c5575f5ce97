/**
 * Owns the links that clients were given for a login (URL elicitation): what each is for, and telling the client when the login is there.
 *
 * Invariants
 * 1. A link cannot be guessed, ends after ten minutes, and begins a login to one server only.
 * 2. Only the client that was given a link is notified. It does not matter where the login was completed.
 */
import { randomBytes } from 'node:crypto';
import type { NeededLogin } from '../server-auth/auth-error.ts';

export interface LoginLinksOptions {
  /** Resolves to the version of a stored login; `undefined` if there is none. */
  readonly version: (login: NeededLogin) => Promise<string | undefined>;
  /** @default 1000 */
  readonly pollMs?: number | undefined;
}

interface Link {
  readonly login: NeededLogin;
  /** Of the login that was not good enough. */
  readonly version: string | undefined;
  readonly onDone: () => void;
  readonly endsAt: number;
}

const lifeMs = 10 * 60_000;
const maxLinks = 1_000;

export class LoginLinks {
  readonly #options: LoginLinksOptions;
  readonly #links = new Map<string, Link>();
  #timer: NodeJS.Timeout | undefined;
  #checking = false;

  constructor(options: LoginLinksOptions) {
    this.#options = options;
  }

  /** Returns the link; the oldest one makes room. */
  add(login: NeededLogin, version: string | undefined, onDone: (link: string) => void): string {
    const id = randomBytes(24).toString('base64url');
    const [oldest] = this.#links.keys();
    if (oldest !== undefined && this.#links.size >= maxLinks) this.#links.delete(oldest);
    this.#links.set(id, { login, version, onDone: () => onDone(id), endsAt: performance.now() + lifeMs });
    this.#timer ??= setInterval(() => void this.check(), this.#options.pollMs ?? 1_000).unref();
    return id;
  }

  /** Whether the link is for the gateway's own login to a server. */
  isFor(id: string, server: string): boolean {
    const link = this.#links.get(id);
    return link !== undefined && link.login.server === server && link.login.principal === '' && performance.now() < link.endsAt;
  }

  /** Looks for logins that are there now. Never rejects. */
  async check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const known = new Map<string, Promise<string | undefined>>();
    for (const [id, { login, version, onDone, endsAt }] of this.#links) {
      const name = JSON.stringify([login.server, login.principal]);
      const asked = known.get(name) ?? this.#options.version(login).catch(() => undefined);
      known.set(name, asked);
      const now = await asked;
      const isDone = now !== undefined && now !== version;
      if ((isDone || performance.now() > endsAt) && this.#links.delete(id) && isDone) onDone();
    }
    this.#checking = false;
    if (this.#links.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#links.clear();
  }
}
