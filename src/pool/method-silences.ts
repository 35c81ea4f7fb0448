import { Silence } from './silence.ts';

/** Maximum number of recorded methods of one node. If there are more, the method is dropped for which another node was faster longest ago. */
const MAX_METHODS = 64;
/**
 * Maximum time for which a silent node is ordered last for a method, ms. After this time the node is used again, because a probe may fail although
 * calls would succeed.
 */
const MAX_SILENT_MS = 300_000;

type Row = { readonly silence: Silence; expiresAt: number };

/** Tracks the methods that a node does not answer while it answers others, with one `Silence` per method. */
export class MethodSilences {
  readonly #now: () => number;
  /** Methods for which another node answered first and this node has not answered since, most recent last. */
  readonly #rows = new Map<string, Row>();

  /** @param now monotonic clock, milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  isSilent(method: string): boolean {
    return this.#find(method)?.silence.isSilent === true;
  }

  /** Records that another node answered a call of the method first. */
  noteOvertaken(method: string): void {
    const row = this.#find(method) ?? { silence: new Silence(this.#now), expiresAt: 0 };
    if (!row.silence.isSilent) row.expiresAt = this.#now() + MAX_SILENT_MS;
    row.silence.noteOvertaken();
    this.#rows.delete(method);
    this.#rows.set(method, row);
    if (this.#rows.size > MAX_METHODS) this.#rows.delete(this.#rows.keys().next().value as string);
  }

  /** Records that the node answered a call of the method. @returns whether the answer ends a confirmed silence */
  end(method: string): boolean {
    const row = this.#find(method);
    if (row === undefined) return false;
    const wasConfirmed = row.silence.end();
    this.#rows.delete(method);
    return wasConfirmed;
  }

  /** Returns the silence of the method if a probe is due. The probe counts as in flight until `Silence.endProbe`. */
  takeProbe(method: string): Silence | undefined {
    const silence = this.#find(method)?.silence;
    return silence?.takeProbe() === true ? silence : undefined;
  }

  #find(method: string): Row | undefined {
    const row = this.#rows.get(method);
    if (row === undefined || this.#now() < row.expiresAt) return row;
    this.#rows.delete(method);
    return undefined;
  }
}
