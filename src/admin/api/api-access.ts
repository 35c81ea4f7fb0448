import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashCredential, readBearer } from '../access.ts';
import type { Guesses } from '../guesses.ts';
import type { ApiCredential, ApiRole } from '../options.ts';
import { AdminRefusal } from '../refusal.ts';

/** Name and role of the credential that a request carries. */
export type ApiCaller = { readonly name: string; readonly role: ApiRole };

/** Checks the credentials of requests to the Admin API. */
export class ApiAccess {
  readonly #credentials: readonly (ApiCaller & { readonly digest: Buffer })[];
  readonly #guesses: Guesses;

  constructor(credentials: Readonly<Record<string, ApiCredential>>, guesses: Guesses) {
    this.#credentials = Object.entries(credentials).map(([name, { role, token }]) => ({
      name,
      role,
      digest: hashCredential(token),
    }));
    this.#guesses = guesses;
  }

  /** Returns the caller of a request. A request without a credential does not count as a guess. @throws AdminRefusal */
  identify({ headers: { authorization }, socket: { remoteAddress = '' } }: IncomingMessage): ApiCaller {
    if (authorization !== undefined) {
      this.#guesses.checkAddress(remoteAddress);
      const caller = this.#find(readBearer(authorization));
      if (caller !== undefined) return caller;
      this.#guesses.count(remoteAddress);
    }
    throw new AdminRefusal(401, 'a Bearer token of admin.api is required', {
      'WWW-Authenticate': 'Bearer realm="Portcullis Admin API"',
    });
  }

  /** Compares the token with every credential, so that the duration does not reveal which one matches. */
  #find(shown: string | undefined): ApiCaller | undefined {
    if (shown === undefined) return undefined;
    const digest = hashCredential(shown);
    let found: ApiCaller | undefined;
    for (const { name, role, digest: known } of this.#credentials)
      if (timingSafeEqual(digest, known)) found = { name, role };
    return found;
  }
}
